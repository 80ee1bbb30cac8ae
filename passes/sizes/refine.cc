// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/refine.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/passes/sizes/check_settings.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

class Refiner {
 public:
  Refiner(Module module, const RefineOptions& options)
      : options_(options),
        scope_(options.scope),
        data_(internal::TakeData(std::move(module))) {}

  RefineResult Run();

 private:
  void Error(Code code, uint32_t c, uint32_t i,
             std::vector<DiagnosticArg> args = {});
  // The position of the entry's parameter; nullopt after an error.
  std::optional<uint32_t> FindParameter(absl::string_view name);
  void SetParameter(const std::string& name, const Shape& shape);
  // Sets the symbols of `recorded` so that it becomes `given`. False: *why has
  // the contradiction.
  bool Unify(const Shape& recorded, const Shape& given, std::string* why);
  void SubstituteAll();
  void Set(uint32_t position, Shape shape);
  // Copies sizes of callers to callees. True: something changed.
  bool PassOn();
  bool PassTo(uint32_t callee, int64_t parameter, const Shape& shape);
  std::vector<int> CallCounts() const;
  // Sets symbols that the graph's equations determine. True: there is one.
  bool Deduce(const Module& module);

  const RefineOptions& options_;
  SymbolScope scope_;
  // Between rounds data_ may become another object, with other pools.
  Pools& pools() { return data_->MutablePools(); }
  std::shared_ptr<ModuleData> data_;
  Report report_;
  std::vector<int> calls_;
};

void Refiner::Error(Code code, uint32_t c, uint32_t i,
                    std::vector<DiagnosticArg> args) {
  Diagnostic d;
  d.code = code;
  d.args.assign(args.begin(), args.end());
  report_.Add({std::move(d), c, i});
}

std::optional<uint32_t> Refiner::FindParameter(absl::string_view name) {
  if (data_->computations.empty()) {
    Error(Code::kNoSuchParameter, kNowhere, kNowhere, {std::string(name)});
    return std::nullopt;
  }
  const uint32_t c = data_->entry;
  int64_t number = -1;
  const bool is_number = absl::SimpleAtoi(name, &number);
  const ModuleData::Positions parameters = data_->Parameters(c);
  std::string names;
  constexpr size_t kMaxNames = 8;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p] >= data_->computations[c].count) continue;
    const Instruction parameter =
        internal::InstructionOf(data_.get(), c, parameters[p]);
    if (is_number ? static_cast<int64_t>(p) == number
                  : parameter.name() == name || parameter.text_name() == name) {
      return parameters[p];
    }
    if (p < kMaxNames) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", parameter.text_name());
    } else if (p == kMaxNames) {
      absl::StrAppend(&names, ", ...");
    }
  }
  Error(Code::kNoSuchParameter, kNowhere, kNowhere,
        {absl::StrCat(name, names.empty()
                                ? " (it has none)"
                                : absl::StrCat(" (it has ", names, ")"))});
  return std::nullopt;
}

namespace {

// Why `recorded` can't become `given`; "": it can.
std::string Difference(const Shape& recorded, const Shape& given) {
  if (recorded.kind() != given.kind()) return "they differ in kind";
  if (recorded.element_type() != given.element_type()) {
    return "element types differ";
  }
  if (recorded.rank() != given.rank()) {
    return absl::StrCat("ranks are ", recorded.rank(), " and ", given.rank());
  }
  for (int i = 0; i < recorded.rank(); ++i) {
    if (CompatibleDims(recorded.dim(i), given.dim(i))) continue;
    return absl::StrCat("dim ", i, " is ", recorded.dim(i).ToString(), ", not ",
                        given.dim(i).ToString());
  }
  if (recorded.tuple_size() != given.tuple_size()) {
    return absl::StrCat("they have ", recorded.tuple_size(), " and ",
                        given.tuple_size(), " elements");
  }
  for (int i = 0; i < recorded.tuple_size(); ++i) {
    const Shape& part = recorded.elements()[i];
    const Shape& given_part = given.elements()[i];
    if (Compatible(part, given_part)) continue;
    return absl::StrCat("of element ", i, " ", Difference(part, given_part));
  }
  return "they differ";
}

// Calls `f` for the dims of each distinct shape of the instructions.
template <typename F>
void ForEachDim(const Module& module, const F& f) {
  const ModuleData& data = internal::DataOf(module);
  const ShapeTable& shapes = data.pools->shapes();
  std::vector<bool> seen(shapes.size(), false);
  for (const InstructionRecord& r : data.instructions) {
    if (seen[r.shape.value]) continue;
    seen[r.shape.value] = true;
    ForEachDim(shapes.shape(r.shape), f);
  }
}

}  // namespace

bool Refiner::Unify(const Shape& recorded, const Shape& given,
                    std::string* why) {
  if (!Compatible(recorded, given)) {
    *why = Difference(recorded, given);
    return false;
  }
  for (int i = 0; i < std::min(recorded.rank(), given.rank()); ++i) {
    if (!recorded.dim(i).is_symbolic() || !given.dim(i).is_exact()) continue;
    const std::optional<Dim> known = scope_.Apply(recorded.dim(i));
    const auto fail = [&] {
      *why = absl::StrCat("dim ", i, " is ", recorded.dim(i).ToString(),
                          known && *known != recorded.dim(i)
                              ? absl::StrCat(", which is ", known->ToString())
                              : "",
                          ", not ", given.dim(i).ToString());
      return false;
    };
    if (!known) return fail();
    DimExpr difference = DimExpr(*known) - DimExpr(given.dim(i));
    if (!difference.valid() || difference == DimExpr(0)) continue;
    // For example 2*n against 3.
    if (DimsEqual(*known, given.dim(i)) == Answer::kRefuted) return fail();
    difference = difference.FloorDivide(difference.Content());
    const auto solved = difference.Solve();
    if (solved && !scope_.Bind(solved->first, solved->second).ok()) {
      return fail();
    }
  }
  for (int i = 0; i < std::min(recorded.tuple_size(), given.tuple_size());
       ++i) {
    if (!Unify(recorded.elements()[i], given.elements()[i], why)) return false;
  }
  return true;
}

void Refiner::Set(uint32_t position, Shape shape) {
  const Shape& old =
      pools().shapes().shape(data_->instructions[position].shape);
  if (old.layout() != nullptr && old.rank() == shape.rank()) {
    shape.set_layout(*old.layout());
  } else if (old.has_layout_anywhere()) {
    shape = shape.WithDefaultLayout();
  }
  data_->instructions[position].shape = pools().shapes().Intern(shape);
}

void Refiner::SetParameter(const std::string& name, const Shape& shape) {
  const std::optional<uint32_t> i = FindParameter(name);
  if (!i) return;
  const uint32_t c = data_->entry;
  const uint32_t position = data_->computations[c].first + *i;
  const Shape recorded =
      pools().shapes().shape(data_->instructions[position].shape);
  std::string why;
  if (!recorded.is_none() && !Unify(recorded, shape, &why)) {
    return Error(
        Code::kRefinedParameter, c, *i,
        {shape, internal::InstructionOf(data_.get(), c, *i).text_name(), why});
  }
  Set(position, shape.has_layout_anywhere() ? shape : shape.WithoutLayout());
}

void Refiner::SubstituteAll() {
  // Refines each distinct shape once. An error is reported at the first
  // instruction with it, not at its users.
  std::vector<ShapeId> refined(pools().shapes().size());
  std::vector<uint8_t> state(refined.size(), 0);  // 1 refined, 2 failed
  std::vector<bool> bad;  // instructions of the current computation
  for (uint32_t c = 0; c < data_->computations.size(); ++c) {
    bad.assign(data_->computations[c].count, false);
    for (uint32_t i = 0; i < data_->computations[c].count; ++i) {
      InstructionRecord& r =
          data_->instructions[data_->computations[c].first + i];
      const uint32_t id = r.shape.value;
      if (id >= state.size()) continue;
      if (state[id] == 0) {
        refined[id] = r.shape;
        const Shape shape = pools().shapes().shape(r.shape);
        const std::optional<Shape> changed = Substitute(shape, scope_);
        state[id] = changed ? 1 : 2;
        if (changed && *changed != shape) {
          refined[id] = pools().shapes().Intern(*changed);
        }
      }
      if (state[id] == 2) {
        const absl::Span<const uint32_t> operands = data_->Operands(r);
        bad[i] = true;
        if (std::none_of(operands.begin(), operands.end(),
                         [&](uint32_t k) { return bad[k]; })) {
          Error(Code::kRefinedShape, c, i);
        }
      }
      r.shape = refined[id];
    }
  }
}

std::vector<int> Refiner::CallCounts() const {
  std::vector<int> counts(data_->computations.size(), 0);
  for (const InstructionRecord& r : data_->instructions) {
    for (const uint32_t callee : data_->Callees(r)) ++counts[callee];
  }
  return counts;
}

bool Refiner::PassTo(uint32_t callee, int64_t parameter, const Shape& shape) {
  if (calls_[callee] != 1) return false;
  const ModuleData::Positions parameters = data_->Parameters(callee);
  const ComputationRecord& record = data_->computations[callee];
  if (parameter >= static_cast<int64_t>(parameters.size()) ||
      parameters[static_cast<size_t>(parameter)] >= record.count) {
    return false;
  }
  const uint32_t position =
      record.first + parameters[static_cast<size_t>(parameter)];
  const Shape& old =
      pools().shapes().shape(data_->instructions[position].shape);
  if (SameStructure(old, shape) || old.is_static() || !Compatible(old, shape)) {
    return false;
  }
  Set(position, shape.WithoutLayout());
  return true;
}

bool Refiner::PassOn() {
  bool changed = false;
  for (uint32_t c = 0; c < data_->computations.size(); ++c) {
    const ComputationRecord& record = data_->computations[c];
    for (uint32_t i = 0; i < record.count; ++i) {
      const InstructionRecord& r = data_->instructions[record.first + i];
      const absl::Span<const uint32_t> callees = data_->Callees(r);
      const absl::Span<const uint32_t> operands = data_->Operands(r);
      const auto shape_of = [&](size_t k) {
        return pools().shapes().shape(
            data_->instructions[record.first + operands[k]].shape);
      };
      if (r.opcode == Opcode::kCall || r.opcode == Opcode::kFusion) {
        for (size_t k = 0; k < operands.size() && callees.size() == 1; ++k) {
          changed |= PassTo(callees[0], static_cast<int64_t>(k), shape_of(k));
        }
      } else if (r.opcode == Opcode::kWhile && operands.size() == 1) {
        for (const uint32_t callee : callees) {
          changed |= PassTo(callee, 0, shape_of(0));
        }
      } else if (r.opcode == Opcode::kConditional) {
        for (size_t k = 0; k < callees.size() && k + 1 < operands.size(); ++k) {
          changed |= PassTo(callees[k], 0, shape_of(k + 1));
        }
      }
    }
  }
  return changed;
}

bool Refiner::Deduce(const Module& module) {
  if (SymbolsOf(module).empty()) return false;
  Conditions conditions = CollectConditions(module);
  if (!conditions.report.ok()) {
    report_ = std::move(conditions.report);
    return false;
  }
  bool found = false;
  for (const NodeCondition& c : conditions.conditions) {
    if (c.condition.kind != Condition::Kind::kEqual) continue;
    const DimExpr difference =
        DimExpr(c.condition.a.size()) - DimExpr(c.condition.b.size());
    const auto solved = difference.Solve();
    if (!solved || !solved->second.is_constant() ||
        scope_.values().count(solved->first) > 0) {
      continue;
    }
    found |= scope_.Bind(solved->first, solved->second).ok();
  }
  return found;
}

RefineResult Refiner::Run() {
  // Settings of parameters first, because their symbols occur everywhere.
  for (const auto& [name, shape] : options_.parameters) {
    SetParameter(name, shape);
  }
  RefineResult result;
  if (report_.ok()) SubstituteAll();
  if (!report_.ok()) {
    result.module = internal::ModuleOf(std::move(data_));
    result.report = std::move(report_);
    return result;
  }
  data_->ForgetProgramShapes();
  calls_ = CallCounts();
  InferOptions options;
  options.drop = true;
  // Each round reaches callees one call deeper.
  constexpr int kMaxRounds = 64;
  Module module = internal::ModuleOf(std::move(data_));
  for (int round = 0;; ++round) {
    InferResult inferred = InferShapes(std::move(module), options);
    result.report = std::move(inferred.report);
    module = std::move(inferred.module);
    if (!result.report.ok() || round == kMaxRounds) break;
    data_ = internal::TakeData(std::move(module));
    bool again = PassOn();
    module = internal::ModuleOf(std::move(data_));
    if (!again) {
      FoldedSizes folded = FoldKnownSizes(std::move(module));
      module = std::move(folded.module);
      result.report = std::move(folded.report);
      again = folded.sizes > 0 && result.report.ok();
    }
    if (!again && result.report.ok() && Deduce(module)) {
      data_ = internal::TakeData(std::move(module));
      SubstituteAll();
      module = internal::ModuleOf(std::move(data_));
      again = report_.ok();
    }
    if (!again) break;
  }
  result.report.Append(report_);
  // Shapes that are recorded, not inferred, are verified with the new sizes.
  if (result.report.ok()) result.report = VerifyShapes(module).report;
  result.module = std::move(module);
  return result;
}

}  // namespace

absl::Status AddSetting(absl::string_view text, RefineOptions* options) {
  if (text.find_first_of("<>=%") == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has no value; to fix: ", Printable(text), "=8"));
  }
  const size_t equals = text.find('=');
  const bool is_fact = equals == absl::string_view::npos ||
                       text.find_first_of("<>%") < equals ||
                       text.substr(equals, 2) == "==";
  if (is_fact) return options->scope.State(text);
  const absl::string_view name =
      absl::StripAsciiWhitespace(text.substr(0, equals));
  const absl::string_view value = text.substr(equals + 1);
  if (absl::StrContains(value, '[')) {
    ShapeTextOptions parse;
    parse.scope = &options->scope;
    const absl::StatusOr<Shape> shape = ParseShape(value, parse);
    if (!shape.ok()) return shape.status();
    options->parameters.emplace_back(std::string(name), *shape);
    return absl::OkStatus();
  }
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(value, &options->scope);
  if (!expr.ok()) return expr.status();
  return options->scope.Bind(name, *expr);
}

RefineResult Refine(Module module, const RefineOptions& options) {
  const absl::Status known = CheckSettingNames(module, options);
  if (!known.ok()) {
    Diagnostic d;
    d.code = Code::kNoSuchSize;
    d.args.push_back(std::string(known.message()));
    RefineResult result;
    result.module = std::move(module);
    result.report.Add({std::move(d), kNowhere, kNowhere});
    return result;
  }
  return Refiner(std::move(module), options).Run();
}

std::map<std::string, SymbolFacts> SymbolsOf(const Module& module) {
  std::map<std::string, SymbolFacts> symbols;
  ForEachDim(module, [&](Dim dim) {
    if (!dim.is_symbolic()) return;
    for (auto& [name, facts] : DimExpr(dim).Symbols()) symbols[name] = facts;
  });
  return symbols;
}

bool HasOpenSizes(const Module& module) {
  bool found = false;
  ForEachDim(module, [&](Dim dim) {
    found = found || dim.is_symbolic() || !dim.has_upper();
  });
  return found;
}

}  // namespace indim

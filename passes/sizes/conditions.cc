// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/conditions.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/infer.h"

namespace indim {
namespace {

// The bound or divisor of a single symbol to which `condition` is equivalent;
// "": it isn't.
std::string BoundOf(const Condition& condition, SymbolFacts* facts) {
  using Kind = Condition::Kind;
  const Dim left = condition.a.size(), right = condition.b.size();
  const std::string a = left.ToString(), b = right.ToString();
  if (condition.kind == Kind::kDivisible && IsSymbolName(a)) {
    facts->divisor = right.size();
    return a;
  }
  if (condition.kind != Kind::kAtMost) return "";
  if (left.is_static() && IsSymbolName(b)) {
    facts->lower = left.size();
    return b;
  }
  if (right.is_static() && IsSymbolName(a)) {
    facts->upper = right.size();
    return a;
  }
  return "";
}

std::set<std::string> NamesIn(const Condition& condition) {
  std::set<std::string> names;
  for (const Dim dim : {condition.a.size(), condition.b.size()}) {
    if (!dim.is_symbolic()) continue;
    for (const auto& symbol : DimExpr(dim).Symbols())
      names.insert(symbol.first);
  }
  return names;
}

class ConditionCollector {
 public:
  explicit ConditionCollector(const Module& module)
      : data_(internal::DataOf(module)),
        inputs_(&internal::DataOf(module)),
        context_(module.is_recorded() ? InferPolicy::kBuilder
                                      : InferPolicy::kVerifier) {}

  Conditions Run() {
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      seen_.clear();
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) Visit(c, i);
    }
    Recheck();
    result_.known = std::move(scope_);
    return std::move(result_);
  }

 private:
  void Visit(uint32_t c, uint32_t i);
  void Add(uint32_t c, uint32_t i, const Condition& condition);
  // Adds the condition's facts about symbols; false: it contradicts earlier
  // ones.
  bool Accept(const Condition& condition);
  // Checks conditions that gave no facts again, with all facts known.
  void Recheck();
  // The condition simplified by the facts so far; nullopt: it can't hold.
  std::optional<Condition> Known(const Condition& condition) const;
  void Contradiction(uint32_t c, uint32_t i, const Condition& condition);
  // The earlier conditions on the same symbols, and their instructions.
  std::string Against(const Condition& condition) const;

  const ModuleData& data_;
  NodeInputs inputs_;
  InferContext context_;
  Conditions result_;
  absl::flat_hash_set<Condition> seen_;  // of the current computation
  SymbolScope scope_;                    // the facts so far
};

void ConditionCollector::Visit(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  OpInputs inputs;
  const std::optional<Shape> result =
      inputs_.InferAgain(c, r, &context_, &inputs);
  if (!result) return;
  for (const Condition& condition : context_.conditions()) {
    const std::optional<Condition> sizes =
        WithSizes(condition, inputs.operands, &*result);
    if (sizes) Add(c, i, *sizes);
  }
}

bool ConditionCollector::Accept(const Condition& condition) {
  if (condition.kind == Condition::Kind::kEqual) {
    const DimExpr difference =
        DimExpr(condition.a.size()) - DimExpr(condition.b.size());
    const auto solved = difference.Solve();
    return !solved || scope_.Bind(solved->first, solved->second).ok();
  }
  SymbolFacts facts;
  const std::string name = BoundOf(condition, &facts);
  if (name.empty()) return true;
  if (!MeetFacts(scope_.FactsOf(name), facts)) return false;
  scope_.State(name, facts);  // false: too many facts
  return true;
}

std::string ConditionCollector::Against(const Condition& condition) const {
  std::set<std::string> names = NamesIn(condition);
  constexpr size_t kMaxSearched = 200, kMaxListed = 6;
  const size_t count = std::min(result_.conditions.size(), kMaxSearched);
  const auto before = absl::MakeConstSpan(result_.conditions)
                          .subspan(result_.conditions.size() - count);
  // Also conditions that share names with these, until no more do.
  std::vector<bool> related(count, false);
  size_t found = 0;
  for (bool again = true; again && found < kMaxListed;) {
    again = false;
    for (size_t k = count; k-- > 0 && found < kMaxListed;) {
      if (related[k]) continue;
      const std::set<std::string> others = NamesIn(before[k].condition);
      related[k] = std::any_of(
          others.begin(), others.end(),
          [&](const std::string& name) { return names.count(name) != 0; });
      if (!related[k]) continue;
      names.insert(others.begin(), others.end());
      again = true;
      ++found;
    }
  }
  std::vector<std::string> said;
  for (size_t k = 0; k < count; ++k) {
    if (!related[k]) continue;
    const Instruction by = internal::InstructionOf(
        &data_, before[k].computation, before[k].instruction);
    said.push_back(absl::StrCat(ToString(before[k].condition), " (%",
                                by.text_name(), ")"));
  }
  for (const Dim dim : {condition.a.size(), condition.b.size()}) {
    if (!dim.is_symbolic()) continue;
    for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
      if (names.erase(name) == 0) continue;
      for (std::string& text : FactTexts(name, facts)) {
        said.push_back(std::move(text));
      }
    }
  }
  return said.empty() ? "sizes are at least 0" : absl::StrJoin(said, ", ");
}

std::optional<Condition> ConditionCollector::Known(
    const Condition& condition) const {
  const std::optional<Dim> a = scope_.Apply(condition.a.size());
  const std::optional<Dim> b = scope_.Apply(condition.b.size());
  return a && b ? Simplify({condition.kind, *a, *b}) : std::nullopt;
}

void ConditionCollector::Contradiction(uint32_t c, uint32_t i,
                                       const Condition& condition) {
  Diagnostic d;
  d.code = Code::kConditionContradicts;
  d.args = {ToString(condition), Against(condition)};
  result_.report.Add({std::move(d), c, i});
}

void ConditionCollector::Recheck() {
  if (!result_.report.ok()) return;
  for (size_t k = 0; k < result_.conditions.size(); ++k) {
    const NodeCondition condition = result_.conditions[k];
    if (Known(condition.condition)) continue;
    result_.conditions.erase(result_.conditions.begin() +
                             static_cast<ptrdiff_t>(k));
    return Contradiction(condition.computation, condition.instruction,
                         condition.condition);
  }
}

void ConditionCollector::Add(uint32_t c, uint32_t i,
                             const Condition& condition) {
  const std::optional<Condition> simple = Simplify(condition);
  if (!simple) return;  // the op itself is refused
  if (Decide(*simple) == Answer::kProven || !seen_.insert(*simple).second) {
    return;
  }
  const std::optional<Condition> now = Known(*simple);
  if (now && Decide(*now) == Answer::kProven) return;
  if (!now || !Accept(*now)) return Contradiction(c, i, *simple);
  result_.conditions.push_back({c, i, *simple});
}

}  // namespace

Conditions CollectConditions(const Module& module) {
  return ConditionCollector(module).Run();
}

std::string RenderConditions(const Module& module,
                             const Conditions& conditions) {
  std::string text;
  for (const NodeCondition& c : conditions.conditions) {
    const Instruction instruction = internal::InstructionOf(
        &internal::DataOf(module), c.computation, c.instruction);
    absl::StrAppend(&text, "%", instruction.text_name(), " needs ",
                    ToString(c.condition), "\n");
  }
  return text;
}

}  // namespace indim

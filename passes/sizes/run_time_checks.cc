// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/run_time_checks.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/export/instruction_emitter.h"
#include "indim/passes/sizes/called_checks.h"
#include "indim/passes/sizes/check_writer.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/passes/sizes/size_value.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/broadcast/condition.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"
#include "indim/shape/infer/infer.h"

namespace indim {
namespace {

// Run-time sizes are s32.
bool FitsS32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

class CheckInserter {
 public:
  // `called` is null in the first run, which only counts.
  CheckInserter(const Module& module, CheckForm form,
                const CalledChecks* called)
      : form_(form),
        called_(called),
        data_(internal::TakeData(module)),
        inputs_(data_.get()),
        context_(data_->recorded ? InferPolicy::kBuilder
                                 : InferPolicy::kVerifier),
        emitter_(data_.get()),
        writer_(&emitter_.builder()) {}

  RunTimeChecks Run();
  // The number of checks in each computation.
  const std::vector<int64_t>& counts() const { return counts_; }

  // The writer of SizeValue: values of the new computation.
  using Value = uint32_t;
  std::optional<Value> Number(int64_t value);
  std::optional<Value> Symbol(const std::string& name);
  Value Binary(Opcode opcode, Value a, Value b) {
    return writer_.Binary(opcode, a, b);
  }

 private:
  void Visit(uint32_t c, uint32_t i);
  void VisitConditions(uint32_t c, const InstructionRecord& r,
                       absl::Span<const uint32_t> operands);
  void FindSymbols(uint32_t c);
  void FindSymbolsIn(const Shape& shape, std::vector<int64_t>* path,
                     uint32_t parameter);
  // Ends a call whose computation returns a pred too, or a parameter with one.
  void EndCall(uint32_t i, const InstructionRecord& r,
               std::vector<uint32_t> operands);
  bool HasState(uint32_t c) const;
  void EndState(uint32_t c, uint32_t i, const InstructionRecord& r);
  // False: the computation checks it already, perhaps with sides swapped.
  bool IsNew(const Condition& condition) {
    return checked_.insert(ToString(Simplify(condition).value_or(condition)))
        .second;
  }
  void Require(uint32_t pred) {
    all_ = all_ ? writer_.Binary(Opcode::kAnd, *all_, pred) : pred;
  }
  // The shape of `value` and a pred beside it.
  static Shape WithPred(const Shape& value) {
    return Shape::Tuple({value, Shape::Scalar(ElementType::kPred)});
  }
  bool Returns(uint32_t c) const {
    return c == data_->entry || called_ == nullptr || called_->returns[c];
  }
  // Each returns a value of the new computation; nullopt: it can't be written.
  std::optional<uint32_t> Size(const ConditionSize& side,
                               absl::Span<const uint32_t> operands);
  // Whether parameters give each symbol in it.
  bool IsReadable(const ConditionSize& side) const {
    if (side.is_place()) return true;
    for (const std::string& name : NamesIn(DimExpr(side.size()))) {
      if (symbols_.count(name) == 0) return false;
    }
    return true;
  }
  uint32_t Holds(Condition::Kind kind, uint32_t a, uint32_t b);
  void Check(Condition::Kind kind, std::optional<uint32_t> a,
             std::optional<uint32_t> b, const std::string& text);

  const CheckForm form_;
  const CalledChecks* const called_;
  std::shared_ptr<ModuleData> data_;
  NodeInputs inputs_;
  InferContext context_;
  InstructionEmitter emitter_;
  CheckWriter writer_;
  RunTimeChecks result_;

  std::vector<int64_t> counts_;

  // State of the current computation.
  uint32_t computation_ = 0;
  struct Source {
    uint32_t parameter;         // position in the old computation
    std::vector<int64_t> path;  // to an element of a tuple
    int dim;
    int64_t offset;  // its size is n + offset
  };
  std::map<std::string, Source> symbols_;
  std::map<std::string, uint32_t> symbol_values_;
  absl::flat_hash_set<std::string> checked_;
  std::optional<uint32_t> all_;  // kPredicate: the conjunction so far
};

void CheckInserter::FindSymbolsIn(const Shape& shape,
                                  std::vector<int64_t>* path,
                                  uint32_t parameter) {
  if (shape.is_tuple()) {
    for (int i = 0; i < shape.tuple_size(); ++i) {
      path->push_back(i);
      FindSymbolsIn(shape.elements()[static_cast<size_t>(i)], path, parameter);
      path->pop_back();
    }
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const std::optional<NamedSize> named = NamedSizeOf(shape.dim(i));
    // A multiple is left out: nothing here would see another size.
    if (named && named->factor == 1 && FitsS32(named->offset)) {
      symbols_.emplace(named->name, Source{parameter, *path, i, named->offset});
    }
  }
}

// Finds a parameter's dim that gives each symbol's value.
void CheckInserter::FindSymbols(uint32_t c) {
  symbols_.clear();
  symbol_values_.clear();
  const auto instructions = data_->Instructions(c);
  std::vector<int64_t> path;
  for (const uint32_t position : data_->Parameters(c)) {
    if (position >= instructions.size()) continue;
    FindSymbolsIn(data_->pools->shapes().shape(instructions[position].shape),
                  &path, position);
  }
}

std::optional<uint32_t> CheckInserter::Number(int64_t value) {
  if (!FitsS32(value)) return std::nullopt;
  return writer_.ConstantS32(static_cast<int32_t>(value));
}

std::optional<uint32_t> CheckInserter::Size(
    const ConditionSize& side, absl::Span<const uint32_t> operands) {
  if (!side.is_place()) return SizeValue(DimExpr(side.size()), this);
  const DimRef ref = side.place();
  if (ref.operand < 0 || ref.operand >= static_cast<int>(operands.size())) {
    return std::nullopt;
  }
  const uint32_t value = operands[static_cast<size_t>(ref.operand)];
  const Shape& shape = emitter_.builder().shape(value);
  if (ref.dim >= shape.rank()) return std::nullopt;
  const Dim dim = shape.dim(ref.dim);
  if (dim.is_static()) return Number(dim.size());
  return writer_.GetDimensionSize(value, ref.dim);
}

std::optional<uint32_t> CheckInserter::Symbol(const std::string& name) {
  const auto known = symbol_values_.find(name);
  if (known != symbol_values_.end()) return known->second;
  const auto source = symbols_.find(name);
  if (source == symbols_.end()) return std::nullopt;
  uint32_t array = emitter_.NewPosition(source->second.parameter);
  for (const int64_t index : source->second.path) {
    array = emitter_.builder().Element(array, index);
  }
  std::optional<uint32_t> value =
      writer_.GetDimensionSize(array, source->second.dim);
  if (source->second.offset != 0) {
    const std::optional<uint32_t> offset = Number(source->second.offset);
    value = writer_.Binary(Opcode::kSubtract, *value, *offset);
  }
  symbol_values_.emplace(name, *value);
  return value;
}

uint32_t CheckInserter::Holds(Condition::Kind kind, uint32_t a, uint32_t b) {
  using Kind = Condition::Kind;
  using Direction = ComparisonDirection;
  if (kind == Kind::kAtMost) return writer_.Compare(a, b, Direction::kLe);
  if (kind == Kind::kDivisible) {
    return writer_.Equal(writer_.Binary(Opcode::kRemainder, a, b),
                         writer_.ConstantS32(0));
  }
  uint32_t holds = writer_.Equal(a, b);
  if (kind == Kind::kEqual) return holds;
  const uint32_t one = writer_.ConstantS32(1);
  holds = writer_.Binary(Opcode::kOr, writer_.Equal(a, one), holds);
  if (kind == Kind::kOneOrEqual) return holds;
  return writer_.Binary(Opcode::kOr, writer_.Equal(b, one), holds);
}

void CheckInserter::Check(Condition::Kind kind, std::optional<uint32_t> a,
                          std::optional<uint32_t> b, const std::string& text) {
  const bool is_passed_on =
      form_ == CheckForm::kAssertion || Returns(computation_);
  if (!a || !b || !is_passed_on) {
    result_.left_out.push_back(text);
    return;
  }
  ++result_.emitted;
  ++counts_[computation_];
  const uint32_t holds = Holds(kind, *a, *b);
  if (form_ == CheckForm::kAssertion) {
    writer_.ShapeAssertion(
        holds, {*a, *b},
        absl::StrCat("expected ", text, ", but the sizes are {0} and {1}"));
    return;
  }
  Require(holds);
}

void CheckInserter::VisitConditions(uint32_t c, const InstructionRecord& r,
                                    absl::Span<const uint32_t> operands) {
  OpInputs inputs;
  const std::optional<Shape> result =
      inputs_.InferAgain(c, r, &context_, &inputs);
  if (!result) return;
  for (const Condition& condition : context_.conditions()) {
    const std::optional<Condition> sizes =
        WithSizes(condition, inputs.operands, &*result);
    if (sizes && Decide(*sizes) == Answer::kProven) continue;
    // Sizes without a name are checked at each op.
    const std::string text =
        sizes ? ToString(*sizes)
              : absl::StrCat(Name(r.opcode), "'s ", ToString(condition));
    if (sizes && !IsNew(*sizes)) continue;
    std::optional<uint32_t> a, b;
    // Emits nothing unless both sides can be written. The first is the last to
    // be written, unless it is a place.
    if (IsReadable(condition.a) && IsReadable(condition.b)) {
      if (condition.a.is_place()) a = Size(condition.a, operands);
      b = Size(condition.b, operands);
      if (!condition.a.is_place()) a = Size(condition.a, operands);
    }
    Check(condition.kind, a, b, text);
  }
}

void CheckInserter::Visit(uint32_t c, uint32_t i) {
  emitter_.BeginInstruction(i);
  const InstructionRecord r =
      data_->instructions[data_->computations[c].first + i];
  std::vector<uint32_t> operands;
  emitter_.MapOperands(r, &operands);
  VisitConditions(c, r, operands);
  if (form_ == CheckForm::kPredicate && called_ != nullptr) {
    for (const uint32_t callee : data_->Callees(r)) {
      if (called_->returns[callee]) return EndCall(i, r, std::move(operands));
    }
    if (r.opcode == Opcode::kParameter && HasState(c)) return EndState(c, i, r);
  }
  emitter_.EndInstruction(r, operands);
}

void CheckInserter::EndCall(uint32_t i, const InstructionRecord& r,
                            std::vector<uint32_t> operands) {
  if (r.opcode == Opcode::kWhile) {
    operands[0] = emitter_.builder().Tuple({operands[0], writer_.True()});
  }
  InstructionRecord call = r;
  call.shape = emitter_.builder().pools().shapes().Intern(
      WithPred(Shape(data_->pools->shapes().shape(r.shape))));
  emitter_.EndInstruction(call, operands);
  const uint32_t both = emitter_.NewPosition(i);
  const uint32_t value = emitter_.builder().Element(both, 0);
  Require(emitter_.builder().Element(both, 1));
  emitter_.MapTo(value);
}

void CheckInserter::EndState(uint32_t c, uint32_t i,
                             const InstructionRecord& r) {
  InstructionRecord parameter = r;
  parameter.shape = emitter_.builder().pools().shapes().Intern(
      WithPred(Shape(data_->pools->shapes().shape(r.shape))));
  emitter_.EndInstruction(parameter, {});
  const uint32_t both = emitter_.NewPosition(i);
  const uint32_t value = emitter_.builder().Element(both, 0);
  if (!called_->condition[c]) Require(emitter_.builder().Element(both, 1));
  emitter_.MapTo(value);
}

// Whether the parameter is a loop's state with a pred: in its condition or
// body.
bool CheckInserter::HasState(uint32_t c) const {
  return called_->condition[c] || called_->body[c];
}

RunTimeChecks CheckInserter::Run() {
  const bool recorded = data_->recorded;
  counts_.assign(data_->computations.size(), 0);
  for (uint32_t c = 0; c < data_->computations.size(); ++c) {
    computation_ = c;
    checked_.clear();
    all_.reset();
    FindSymbols(c);
    emitter_.BeginComputation(c);
    for (uint32_t i = 0; i < data_->computations[c].count; ++i) Visit(c, i);
    std::optional<uint32_t> root;
    if (Returns(c) && called_ != nullptr && form_ == CheckForm::kPredicate &&
        data_->computations[c].count > 0) {
      const uint32_t holds = all_ ? *all_ : writer_.True();
      root = emitter_.builder().Tuple(
          {emitter_.NewPosition(data_->computations[c].root), holds});
    }
    emitter_.EndComputation(root);
  }
  std::shared_ptr<ModuleData> checked = internal::TakeData(emitter_.Finish());
  checked->recorded = recorded;
  checked->recorded_mark = data_->recorded_mark;
  checked->ForgetProgramShapes();
  result_.module = internal::ModuleOf(std::move(checked));
  return std::move(result_);
}

}  // namespace

RunTimeChecks AddRunTimeChecks(Module module, CheckForm form) {
  if (form == CheckForm::kAssertion)
    return CheckInserter(module, form, nullptr).Run();
  // A caller needs to know which callees return a pred; so count first.
  CheckInserter counted(module, form, nullptr);
  counted.Run();
  const CalledChecks called =
      PlanCalledChecks(internal::DataOf(module), counted.counts());
  return CheckInserter(module, form, &called).Run();
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/fold.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/values/value.h"

namespace indim {

struct ConstantFolder::State {
  State(const Computation& folded, const EvalOptions& options)
      : computation(folded), limits(options) {}

  Computation computation;
  EvalOptions limits;
  std::vector<Value> arguments;
  // A Value without a value: the instruction can't be folded.
  absl::flat_hash_map<int, Value> known;

  Value Compute(const Instruction& instruction);
  // Lists the needed operands whose values aren't known yet. Returns false
  // where one of them can't be folded.
  bool Missing(const Instruction& instruction, std::vector<int>* missing) const;
};

namespace {

// The result of a get-dimension-size of a recorded static dim.
std::optional<int64_t> StaticSize(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kGetDimensionSize ||
      instruction.operand_count() != 1) {
    return std::nullopt;
  }
  const DimIndices& dims =
      As<DimensionsAttributes>(instruction.attributes()).dimensions;
  const Shape& shape = instruction.operand(0).shape();
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= shape.rank() ||
      !shape.dim(static_cast<int>(dims[0])).is_static()) {
    return std::nullopt;
  }
  return shape.dim(static_cast<int>(dims[0])).size();
}

}  // namespace

EvalOptions ConstantFolder::DefaultLimits() {
  EvalOptions limits;
  limits.max_steps = 1 << 20;
  limits.max_bytes = 1 << 16;
  limits.max_depth = 16;
  return limits;
}

ConstantFolder::ConstantFolder(const Computation& computation,
                               const EvalOptions& limits)
    : state_(std::make_unique<State>(computation, limits)) {}

ConstantFolder::~ConstantFolder() = default;

absl::Status ConstantFolder::Bind(int64_t number, const Literal& value) {
  absl::StatusOr<Value> bound = FromLiteral(value);
  if (!bound.ok()) return bound.status();
  constexpr int64_t kMax = 1 << 24;
  if (number < 0 || number > kMax) {
    return absl::InvalidArgumentError("no parameter has that number");
  }
  if (state_->arguments.size() <= static_cast<size_t>(number)) {
    state_->arguments.resize(static_cast<size_t>(number) + 1);
  }
  state_->arguments[static_cast<size_t>(number)] = *std::move(bound);
  return absl::OkStatus();
}

bool ConstantFolder::State::Missing(const Instruction& instruction,
                                    std::vector<int>* missing) const {
  for (Instruction operand : instruction.operands()) {
    const auto found = known.find(operand.index());
    if (found == known.end()) {
      missing->push_back(operand.index());
    } else if (found->second.is_none()) {
      return false;
    }
  }
  return true;
}

Value ConstantFolder::State::Compute(const Instruction& instruction) {
  const std::optional<int64_t> size = StaticSize(instruction);
  if (size) {
    return Value::Of(ElementType::kS32,
                     Scalar::Bits(static_cast<uint64_t>(*size)));
  }
  std::vector<Value> operands;
  for (Instruction operand : instruction.operands()) {
    operands.push_back(known[operand.index()]);
  }
  // The limits apply to each value separately.
  Interpreter machine(limits, EvalDevices{0, 0});
  return machine.RunInstruction(instruction, operands, arguments)
      .value_or(Value());
}

std::optional<Literal> ConstantFolder::Fold(int index) {
  State& s = *state_;
  std::vector<int> open = {index};
  while (!open.empty()) {
    const int at = open.back();
    if (s.known.contains(at)) {
      open.pop_back();
      continue;
    }
    const Instruction instruction = s.computation.instruction(at);
    std::vector<int> missing;
    const bool possible =
        WhyNotEvaluated(instruction.opcode()).empty() &&
        (StaticSize(instruction) || s.Missing(instruction, &missing));
    if (possible && !missing.empty()) {
      open.insert(open.end(), missing.begin(), missing.end());
      continue;
    }
    s.known[at] = possible ? s.Compute(instruction) : Value();
    open.pop_back();
  }
  const Value& value = s.known[index];
  if (value.is_none()) return std::nullopt;
  absl::StatusOr<Literal> literal = ToLiteral(value, value.shape());
  if (!literal.ok()) return std::nullopt;
  return *std::move(literal);
}

std::optional<std::vector<int64_t>> ConstantFolder::FoldIntegers(int index) {
  const std::optional<Literal> literal = Fold(index);
  if (!literal) return std::nullopt;
  const ElementType type = literal->shape().element_type();
  if (!IsIntegral(type) && type != ElementType::kPred) return std::nullopt;
  const absl::StatusOr<Value> value = FromLiteral(*literal);
  if (!value.ok()) return std::nullopt;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < value->count(); ++i) {
    integers.push_back(value->At(i).integer());
  }
  return integers;
}

}  // namespace indim

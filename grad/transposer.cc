// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/transposer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/instruction_copier.h"
#include "indim/grad/rules.h"
#include "indim/proto/codec/literal.h"

namespace indim::internal {

void Transposer::Give(Op tangent, const Tangent& cotangent) {
  if (!cotangent) return;
  Sum& sum = sums_[tangent];
  sum.whole = sum.whole ? out_.Add(*sum.whole, *cotangent) : *cotangent;
}

void Transposer::GivePart(Op tangent, Op part, std::vector<Op> starts) {
  sums_[tangent].parts.emplace_back(part, std::move(starts));
}

Tangent Transposer::Take(Op argument) {
  const auto found = sums_.find(argument);
  if (found == sums_.end()) return std::nullopt;
  Sum sum = std::move(found->second);
  sums_.erase(found);
  for (const auto& [part, starts] : sum.parts) {
    Op added = part;
    if (!sum.whole) {
      sum.whole = out_.Splat(0, tape_.ShapeOf(argument));
    } else {
      const Shape shape = ShapeIn(out_, part);
      added = out_.Add(
          out_.DynamicSlice(*sum.whole, starts, SizesArg(shape.dims())), part);
    }
    sum.whole = out_.DynamicUpdateSlice(*sum.whole, added, starts);
  }
  return sum.whole;
}

void Transposer::TransposeFunction(const LinearFunction& function, Op step) {
  const auto given = results_.find(step);
  if (given == results_.end()) return;
  const std::vector<Op> operands = *tape_.linear().operands(step);
  const std::vector<Tangent> cotangents =
      function.transpose(&out_, value_of_, given->second);
  for (size_t i = 0; i < operands.size() && i < cotangents.size(); ++i) {
    if (tape_.is_linear(operands[i])) Give(operands[i], cotangents[i]);
  }
}

void Transposer::MultiplyFactors(std::function<bool(Op)> needs_place) {
  needs_place_ = std::move(needs_place);
  for (const Op step : tape_.steps()) {
    const std::vector<Op> operands = *tape_.linear().operands(step);
    for (const Op operand : operands) ++uses_[operand];
  }
}

std::optional<Transposer::Factor> Transposer::FactorOf(Op step,
                                                       Op* tangent) const {
  const Opcode opcode = *tape_.linear().opcode(step);
  const bool divides = opcode == Opcode::kDivide;
  if (!divides && opcode != Opcode::kMultiply) return std::nullopt;
  const std::vector<Op> operands = *tape_.linear().operands(step);
  const size_t factor = tape_.is_linear(operands[0]) ? 1 : 0;
  if (tape_.is_linear(operands[factor]) || (divides && factor == 0)) {
    return std::nullopt;
  }
  *tangent = operands[1 - factor];
  const Shape shape = tape_.ShapeOf(step);
  if (tape_.ShapeOf(*tangent) != shape ||
      tape_.ShapeOf(operands[factor]) != shape) {
    return std::nullopt;
  }
  return Factor{tape_.ValueOf(operands[factor]), divides};
}

bool Transposer::HandFactorOn(Op step, Op cotangent) {
  Op tangent, before;
  std::optional<Factor> factor = FactorOf(step, &tangent);
  if (!factor) return false;
  const auto pending = factors_.find(step);
  const std::optional<Factor> next = FactorOf(tangent, &before);
  const bool hands_on = next && uses_[tangent] == 1 &&
                        !sums_.contains(tangent) && needs_place_(next->op) &&
                        (pending != factors_.end() || needs_place_(factor->op));
  if (pending == factors_.end() && !hands_on) return false;
  if (pending != factors_.end()) {
    ComputationBuilder& b = tape_.primal();
    const OriginScope origin(b, MetadataOf(tape_.linear(), step));
    const Factor& other = pending->second;
    if (factor->divides == other.divides) {
      factor->op = b.Mul(factor->op, other.op);
    } else {
      factor->op = factor->divides ? b.Div(other.op, factor->op)
                                   : b.Div(factor->op, other.op);
      factor->divides = false;
    }
  }
  if (hands_on) {
    factors_.emplace(tangent, *factor);
    Give(tangent, cotangent);
  } else {
    const Op value = value_of_(factor->op);
    Give(tangent, factor->divides ? out_.Div(cotangent, value)
                                  : out_.Mul(cotangent, value));
  }
  return true;
}

absl::Status Transposer::Run() {
  const absl::Span<const Op> steps = tape_.steps();
  for (size_t i = steps.size(); i-- > 0;) {
    const OriginScope origin(out_, MetadataOf(tape_.linear(), steps[i]));
    if (const LinearFunction* function = tape_.FunctionOf(steps[i])) {
      TransposeFunction(*function, steps[i]);
      continue;
    }
    const Tangent cotangent = Take(steps[i]);
    if (!cotangent) continue;
    if (needs_place_ && HandFactorOn(steps[i], *cotangent)) continue;
    const TapeStep step(this, steps[i], *cotangent);
    if (step.opcode() == Opcode::kGetTupleElement) {
      const Op function = (*tape_.linear().operands(steps[i]))[0];
      std::vector<Tangent>& results = results_[function];
      const auto index = static_cast<size_t>(
          As<GetTupleElementAttributes>(step.attributes()).index);
      if (results.empty()) {
        results.resize(
            static_cast<size_t>(tape_.ShapeOf(function).tuple_size()));
      }
      results[index] = cotangent;
      continue;
    }
    const TransposeRule transpose = GradientRuleOf(step.opcode()).transpose;
    if (transpose == nullptr) {
      return absl::InternalError(
          absl::StrCat(Name(step.opcode()), " has no transpose"));
    }
    transpose(step);
  }
  return absl::OkStatus();
}

TapeStep::TapeStep(Transposer* to, Op op, Op cotangent)
    : to_(*to), cotangent_(cotangent) {
  const ComputationBuilder& tape = to->tape().linear();
  opcode_ = *tape.opcode(op);
  operands_ = *tape.operands(op);
  attributes_ = *tape.attributes(op);
  shape_ = ShapeIn(tape, op);
}

bool TapeStep::is_infinite(size_t i) const {
  const ComputationBuilder& b = to_.tape().primal();
  Op op = to_.tape().ValueOf(operands_[i]);
  if (*b.opcode(op) == Opcode::kBroadcast) op = (*b.operands(op))[0];
  if (*b.opcode(op) != Opcode::kConstant || !ShapeIn(b, op).is_scalar()) {
    return false;
  }
  const absl::StatusOr<Literal> literal = b.literal(op);
  return literal.ok() && !std::isfinite(literal->AsDouble(0));
}

}  // namespace indim::internal

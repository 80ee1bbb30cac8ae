// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/transposer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/instruction_copier.h"
#include "indim/grad/emit.h"
#include "indim/grad/rules.h"

namespace indim::internal {

void Transposer::Give(Op tangent, const Tangent& cotangent) {
  if (!cotangent) return;
  Tangent& sum = sums_[Tape::NumberOf(tangent)];
  sum = sum ? out_.Add(*sum, *cotangent) : *cotangent;
}

void Transposer::GivePart(Op tangent, Op part, std::vector<Op> starts) {
  parts_[tangent].emplace_back(part, std::move(starts));
}

Op Transposer::Zeros(const Shape& shape) {
  auto [found, is_new] = zeros_.try_emplace(shape.WithoutLayout());
  if (is_new) found->second = out_.Splat(0, shape.WithoutLayout());
  return found->second;
}

Tangent Transposer::Take(Op argument) {
  Tangent sum = std::exchange(sums_[Tape::NumberOf(argument)], std::nullopt);
  if (parts_.empty()) return sum;
  const auto found = parts_.find(argument);
  if (found == parts_.end()) return sum;
  for (const auto& [part, starts] : found->second) {
    Op added = part;
    if (!sum) {
      sum = Zeros(tape_.ShapeOf(argument));
    } else {
      const Shape& shape = ShapeIn(out_, part);
      added = out_.Add(out_.DynamicSlice(*sum, starts, SizesArg(shape.dims())),
                       part);
    }
    sum = out_.DynamicUpdateSlice(*sum, added, starts);
  }
  parts_.erase(found);
  return sum;
}

void Transposer::TransposeFunction(const LinearFunction& function, Op step) {
  const auto given = results_.find(step);
  if (given == results_.end()) return;
  const absl::Span<const Op> operands = tape_.OperandsOf(tape_.node(step));
  const std::vector<Tangent> cotangents =
      function.transpose(&out_, value_of_, given->second);
  for (size_t i = 0; i < operands.size() && i < cotangents.size(); ++i) {
    if (tape_.is_linear(operands[i])) Give(operands[i], cotangents[i]);
  }
}

void Transposer::MultiplyFactors(std::function<bool(Op)> needs_place) {
  needs_place_ = std::move(needs_place);
  uses_.resize(tape_.size());
  for (size_t i = 0; i < tape_.size(); ++i) {
    for (const Op operand : tape_.OperandsOf(tape_.node(Tape::OpOf(i)))) {
      ++uses_[Tape::NumberOf(operand)];
    }
  }
}

std::optional<Transposer::Factor> Transposer::FactorOf(Op step,
                                                       Op* tangent) const {
  const TapeNode& node = tape_.node(step);
  const bool divides = node.opcode == Opcode::kDivide;
  if (!divides && node.opcode != Opcode::kMultiply) return std::nullopt;
  const absl::Span<const Op> operands = tape_.OperandsOf(node);
  const size_t factor = tape_.is_linear(operands[0]) ? 1 : 0;
  if (tape_.is_linear(operands[factor]) || (divides && factor == 0)) {
    return std::nullopt;
  }
  *tangent = operands[1 - factor];
  if (tape_.ShapeOf(*tangent) != *node.shape ||
      tape_.ShapeOf(operands[factor]) != *node.shape) {
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
  const size_t number = Tape::NumberOf(tangent);
  const bool hands_on = next && uses_[number] == 1 && !sums_[number] &&
                        !parts_.contains(tangent) && needs_place_(next->op) &&
                        (pending != factors_.end() || needs_place_(factor->op));
  if (pending == factors_.end() && !hands_on) return false;
  if (pending != factors_.end()) {
    ComputationBuilder& b = tape_.primal();
    const OriginScope origin(b, tape_.node(step).origin);
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
  for (size_t i = tape_.size(); i-- > 0;) {
    const Op op = Tape::OpOf(i);
    const TapeNode& node = tape_.node(op);
    if (node.kind != TapeNode::Kind::kStep) continue;
    const OriginScope origin(out_, node.origin);
    if (const LinearFunction* function = tape_.FunctionOf(node)) {
      TransposeFunction(*function, op);
      continue;
    }
    const Tangent cotangent = Take(op);
    if (!cotangent) continue;
    if (needs_place_ && HandFactorOn(op, *cotangent)) continue;
    const TapeStep step(this, op, *cotangent);
    if (step.opcode() == Opcode::kGetTupleElement) {
      const Op function = tape_.OperandsOf(node)[0];
      std::vector<Tangent>& results = results_[function];
      if (results.empty()) {
        results.resize(
            static_cast<size_t>(tape_.ShapeOf(function).tuple_size()));
      }
      results[static_cast<size_t>(
          As<GetTupleElementAttributes>(step.attributes()).index)] = cotangent;
      continue;
    }
    const TransposeRule transpose = GradientRuleOf(step.opcode()).transpose;
    if (transpose == nullptr) {
      return absl::InternalError(
          absl::StrCat(Name(step.opcode()), " has no transpose"));
    }
    transpose(step);
  }
  return tape_.status();
}

bool TapeStep::is_infinite(size_t i) const {
  const ComputationBuilder& b = to_.tape().primal();
  Op op = to_.tape().ValueOf(operands_[i]);
  if (IsA(b, op, Opcode::kBroadcast)) op = (*b.operands(op))[0];
  const std::optional<double> number = ScalarConstant(b, op);
  return number && !std::isfinite(*number);
}

}  // namespace indim::internal

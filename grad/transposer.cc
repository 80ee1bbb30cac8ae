// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/transposer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/instruction_copier.h"
#include "indim/grad/emit.h"
#include "indim/grad/rules.h"

namespace indim::internal {

namespace {

// Whether a factor may be infinite or undefined though what it is made of
// isn't.
bool HasPoles(const ComputationBuilder& b, Op factor, int depth = 0) {
  constexpr int kMaxDepth = 4;
  const absl::StatusOr<Opcode> opcode = b.opcode(factor);
  if (!opcode.ok()) return false;
  const GradientRule& rule = GradientRuleOf(*opcode);
  if (rule.has(kPoles) || (depth == 0 && rule.has(kOverflows))) return true;
  if (depth == kMaxDepth || !rule.has(kInPlace)) return false;
  return absl::c_any_of(*b.operands(factor), [&](Op operand) {
    return HasPoles(b, operand, depth + 1);
  });
}

}  // namespace

void Transposer::Give(Op tangent, const Tangent& cotangent,
                      const Mask::value_type* where) {
  if (!cotangent) return;
  const size_t number = Tape::NumberOf(tangent);
  Tangent& sum = sums_[number];
  Mask mask = mask_;
  if (where != nullptr &&
      std::find(mask.begin(), mask.end(), *where) == mask.end()) {
    // The last ones are enough: a chain of selects must take linear time.
    constexpr size_t kMostPredicates = 8;
    if (mask.size() == kMostPredicates) mask.erase(mask.begin());
    mask.push_back(*where);
  }
  if (sum) {  // 0 where both are
    const Mask& before = masks_[number];
    mask.erase(std::remove_if(mask.begin(), mask.end(),
                              [&](const Mask::value_type& p) {
                                return std::find(before.begin(), before.end(),
                                                 p) == before.end();
                              }),
               mask.end());
  }
  masks_[number] = std::move(mask);
  sum = sum ? out_.Add(*sum, *cotangent) : *cotangent;
}

Op Transposer::WhereChosen(ComputationBuilder* builder, Op factor, Op value,
                           bool divides,
                           const std::function<Op(Op)>& value_of) const {
  const ComputationBuilder& primal = tape_.primal();
  if (mask_.empty() || ScalarConstant(primal, factor) ||
      !(divides || HasPoles(primal, factor))) {
    return value;
  }
  ComputationBuilder& b = *builder;
  const Shape& shape = ShapeIn(primal, factor);
  const Op one = b.Splat(1, shape.WithoutLayout());
  Tangent all;  // of the predicates of all elements
  for (const auto& [predicate, chosen] : mask_) {
    const Shape& of = ShapeIn(primal, predicate);
    if (of.rank() != 0 && of.dims() != shape.dims()) continue;
    const Op p = value_of(predicate);
    if (of.rank() == 0 || mask_.size() == 1) {
      value = chosen ? b.Select(p, value, one) : b.Select(p, one, value);
      continue;
    }
    const Op is_chosen = chosen ? p : b.Not(p);
    all = all ? b.And(*all, is_chosen) : is_chosen;
  }
  if (all) value = b.Select(*all, value, one);
  return value;
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
  factor->op = WhereChosen(&tape_.primal(), factor->op, factor->op,
                           factor->divides, [](Op op) { return op; });
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
    mask_.clear();
    if (const LinearFunction* function = tape_.FunctionOf(node)) {
      TransposeFunction(*function, op);
      continue;
    }
    if (GradientRuleOf(node.opcode).has(kInPlace) && !parts_.contains(op)) {
      mask_ = std::move(masks_[i]);
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

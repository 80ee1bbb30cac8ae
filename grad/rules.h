// SPDX-License-Identifier: Apache-2.0
// The derivative of each operation: its row of rules.def as data.

#ifndef INDIM_GRAD_RULES_H_
#define INDIM_GRAD_RULES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/builder/op.h"
#include "indim/ir/module.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {

class Primal;
class TapeStep;

// A partial derivative of an elementwise operation.
struct PartialFactor {
  enum class Use : uint8_t {
    kTimes,  // the tangent is multiplied by `op`
    kOver,   // the tangent is divided by `op`
    kWhere,  // 1 where the predicate `op` holds, else 0
    kOne     // it is 1
  };
  Use use = Use::kOne;
  Op op = {};
};
inline PartialFactor TimesFactor(Op op) {
  return {PartialFactor::Use::kTimes, op};
}
inline PartialFactor OverFactor(Op op) {
  return {PartialFactor::Use::kOver, op};
}
inline PartialFactor WhereFactor(Op op) {
  return {PartialFactor::Use::kWhere, op};
}
inline PartialFactor OneFactor() { return {PartialFactor::Use::kOne, {}}; }

// Bits.
enum RuleTrait : uint16_t {
  kAny = 0,
  // The rule computes with sizes, which must be numbers: of all operands and
  // the result, or, where it is the same operation on tangents, of the operands
  // that have them.
  kNumbers = 1,
  // It costs nothing to make the result again from operand 0, so no transpose
  // keeps it.
  kFree = 2,
  kZeroOfReals = 4,      // the derivative of real numbers is 0
  kZeroOfOtherType = 8,  // it is 0 where the element type changes
  kRealAlone = 16,       // of complex numbers there is none
  // Where its cotangent is 0, those of its operands are; where an operand is
  // infinite or undefined, it may be.
  kInPlace = 32,
  kPoles = 64,  // it may be infinite or undefined though its operands aren't
  kOverflows = 128,  // likewise, but only large operands make it so
  // With kNumbers: where sizes are bounded, it is computed at the bounds.
  kAtBounds = 256,
  // It computes with the dims of all operands, so their ranks must be known.
  kRanked = 512,
};

enum class GradientKind : uint8_t {
  kZero,      // no derivative: integers, predicates, steps, states
  kPartials,  // elementwise: a partial derivative by each operand
  kLinear,    // the same operation on the tangents
  kBilinear,  // a sum of the same operation, each on one tangent
  kOwn,       // a function of its own
  kCalls,     // likewise; it writes the value of the result too
  kExpanded,  // made of other operations first
  kRefused    // none can exist, or none is here
};

// The partial derivative by operand i.
using PartialRule = PartialFactor (*)(const Primal& node, int i);
// Sets the tangents of the result.
using TangentRule = absl::Status (*)(Primal& node);
// Sets the tangent of the result of an elementwise operation.
void ApplyPartials(PartialRule partial, Primal* node);
// A module that computes the same.
using ExpandRule = absl::StatusOr<Module> (*)(const Instruction& node);
// Gives the operands their cotangents.
using TransposeRule = void (*)(const TapeStep& step);

struct GradientRule {
  GradientKind kind = GradientKind::kRefused;
  // kLinear: the first and the last operand that may be tangents.
  int first = 0;
  int last = 0;
  PartialRule partial = nullptr;
  TangentRule tangent = nullptr;
  ExpandRule expand = nullptr;
  absl::string_view why = {};  // kRefused
  // Null: it isn't recorded on tapes.
  TransposeRule transpose = nullptr;
  uint16_t traits = kNumbers;
  bool has(RuleTrait trait) const { return (traits & trait) != 0; }
};

const GradientRule& GradientRuleOf(Opcode opcode);

// Of a call that is marked custom, and of a custom-call that is marked vjp or
// jvp: what the computation says that its mark names.
absl::Status TangentCustomGradient(Primal& node);
absl::Status TangentCustomCallByRule(Primal& node);
// Of what a manual region calls, and of the custom calls at its borders; null:
// the target is none.
bool IsManualBody(const Instruction& call);
absl::Status TangentManualBody(Primal& node);
TangentRule ManualBorderRule(absl::string_view target);
// Of custom calls that factor matrices, LAPACK's and XLA's; null: the target is
// none, or has no rule here.
TangentRule FactorizationRule(const Instruction& call);

// The functions that rules.def names.
PartialFactor PartialDivide(const Primal& node, int i);
#define INDIM_GRADIENT(op, rule, transpose, traits, words) \
  INDIM_GRADIENT_##rule INDIM_TRANSPOSE_##transpose
#define INDIM_GRADIENT_Zero
#define INDIM_GRADIENT_Partials(name) \
  PartialFactor Partial##name(const Primal& node, int i);
#define INDIM_GRADIENT_Linear(first, last)
#define INDIM_GRADIENT_Bilinear
#define INDIM_GRADIENT_Own(name) absl::Status Tangent##name(Primal& node);
#define INDIM_GRADIENT_Calls(name) absl::Status Tangent##name(Primal& node);
#define INDIM_GRADIENT_Expanded(name) \
  absl::StatusOr<Module> Expand##name(const Instruction& node);
#define INDIM_GRADIENT_Refused(why)
#define INDIM_TRANSPOSE_None
#define INDIM_TRANSPOSE_By(name) void Transpose##name(const TapeStep& step);
#include "indim/grad/rules.def"

}  // namespace indim::internal

#endif  // INDIM_GRAD_RULES_H_

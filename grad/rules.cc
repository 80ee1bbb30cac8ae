// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/rules.h"

#include <array>
#include <cstddef>

namespace indim::internal {
namespace {

// Why there is no derivative.
constexpr char kTransfer[] = "it moves data between programs";

constexpr GradientRule Zero() { return {GradientKind::kZero}; }
constexpr GradientRule Of(PartialRule partial) {
  GradientRule rule{GradientKind::kPartials};
  rule.partial = partial;
  return rule;
}
constexpr GradientRule Linear(int first, int last) {
  return {GradientKind::kLinear, first, last};
}
constexpr GradientRule Bilinear() { return {GradientKind::kBilinear}; }
constexpr GradientRule Of(TangentRule tangent) {
  GradientRule rule{GradientKind::kOwn};
  rule.tangent = tangent;
  return rule;
}
constexpr GradientRule Calls(TangentRule tangent) {
  GradientRule rule{GradientKind::kCalls};
  rule.tangent = tangent;
  return rule;
}
constexpr GradientRule Of(ExpandRule expand) {
  GradientRule rule{GradientKind::kExpanded};
  rule.expand = expand;
  return rule;
}
constexpr GradientRule Refused(absl::string_view why) {
  GradientRule rule{GradientKind::kRefused};
  rule.why = why;
  return rule;
}
constexpr GradientRule With(GradientRule rule, TransposeRule transpose,
                            uint16_t traits) {
  rule.transpose = transpose;
  rule.traits = traits;
  return rule;
}

// Rows of the table, by number of the operation.
std::array<GradientRule, 256> Table() {
  std::array<GradientRule, 256> table;
#define INDIM_GRADIENT(op, rule, transpose, traits, words) \
  table[static_cast<size_t>(Opcode::k##op)] =              \
      With(INDIM_GRADIENT_##rule, INDIM_TRANSPOSE_##transpose, traits);
#define INDIM_GRADIENT_Zero Zero()
#define INDIM_GRADIENT_Partials(name) Of(&Partial##name)
#define INDIM_GRADIENT_Linear(first, last) Linear(first, last)
#define INDIM_GRADIENT_Bilinear Bilinear()
#define INDIM_GRADIENT_Own(name) Of(&Tangent##name)
#define INDIM_GRADIENT_Calls(name) Calls(&Tangent##name)
#define INDIM_GRADIENT_Expanded(name) Of(&Expand##name)
#define INDIM_GRADIENT_Refused(why) Refused(why)
#define INDIM_TRANSPOSE_None nullptr
#define INDIM_TRANSPOSE_By(name) &Transpose##name
#include "indim/grad/rules.def"
  return table;
}

}  // namespace

const GradientRule& GradientRuleOf(Opcode opcode) {
  static const std::array<GradientRule, 256>* const table =
      new std::array<GradientRule, 256>(Table());
  return (*table)[static_cast<size_t>(opcode)];
}

}  // namespace indim::internal

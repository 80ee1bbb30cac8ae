// SPDX-License-Identifier: Apache-2.0
// Operands, attributes, computations and results for any op, made of what its
// row of the op table declares: such that keep all constraints, and such that
// break one.

#ifndef INDIM_TESTS_SHAPE_INFER_DECLARED_INPUTS_H_
#define INDIM_TESTS_SHAPE_INFER_DECLARED_INPUTS_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class DeclaredInputs {
 public:
  explicit DeclaredInputs(uint32_t seed) : random_(seed) {}

  // A random operation that keeps all constraints of `opcode`: drawn, mostly
  // with attributes that fit (attribute_fitter.h), then repaired. Operands are
  // mostly of shapes among `known`, where there are any, unless a constraint
  // or an attribute asks for others. nullopt when this draw can't be repaired.
  std::optional<OwnedInputs> Keeping(Opcode opcode,
                                     absl::Span<const Shape> known = {});

 private:
  int64_t Between(int64_t low, int64_t high);
  ElementType Type();
  Shape Array();
  void DrawAttributes(Opcode opcode, Attributes* attributes);
  OwnedInputs Draw(Opcode opcode, absl::Span<const Shape> known);

  std::mt19937 random_;
};

// Whether the constraints of the row that stand before `constraint` hold.
bool EarlierHold(const OpInputs& inputs, const Constraint& constraint);

// Ways to break `constraint`, and nothing that stands before it, so that `code`
// is what there is to say; each is `good` with one thing changed. Written by
// what the constraint means: this doesn't ask the code that checks it.
std::vector<OwnedInputs> Breaking(const OwnedInputs& good,
                                  const Constraint& constraint, Code code);

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_INFER_DECLARED_INPUTS_H_

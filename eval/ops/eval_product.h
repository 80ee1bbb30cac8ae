// SPDX-License-Identifier: Apache-2.0
// Sums of products, for dots and convolutions.
//
// Operands are converted to the result's element type, as in XLA; sums of
// floats are kept in double and rounded once.

#ifndef INDIM_EVAL_OPS_EVAL_PRODUCT_H_
#define INDIM_EVAL_OPS_EVAL_PRODUCT_H_

#include <optional>
#include <vector>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// The recorded element type, or the more general of operands 0 and 1's; nullopt
// after an error.
std::optional<ElementType> ProductType(Evaluation& e);
// The elements of an array as numbers of `type`.
std::vector<Scalar> Elements(const Value& array, ElementType type);
// Adds a * b, both of `kind`, to *sum.
void AddProduct(ElementKind kind, const Scalar& a, const Scalar& b,
                Scalar* sum);
// Charges memory for the elements of operands 0 and 1 as numbers. Returns false
// after an error.
bool ChargeElements(Evaluation& e);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_PRODUCT_H_

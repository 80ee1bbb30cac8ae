// SPDX-License-Identifier: Apache-2.0
// Operations of CHLO as functions of StableHLO, for portable artifacts, which
// hold no CHLO. A function is text of MLIR, in which $NAME stands for its
// symbol. Each is empty where there is none: for sizes that aren't static.

#ifndef INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_
#define INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// An operation of one operand (decompositions.def): arrays of floats. Narrower
// floats than f32 are computed as f32.
std::string UnaryDecomposition(absl::string_view op, const Shape& operand);
// chlo.top_k: a stable sort in descending order.
std::string TopKDecomposition(const Shape& operand, int64_t k);
// chlo.mulhi: a product of twice the width.
std::string MulhiDecomposition(const Shape& operand);
// chlo.ragged_dot: a dot for each group, of what the group has of the left
// operand. `precision` is text behind the dims of a dot_general, or empty.
std::string RaggedDotDecomposition(const Shape& lhs, const Shape& rhs,
                                   const Shape& sizes, const Shape& result,
                                   const DotAttributes& dot,
                                   absl::string_view precision);

// Appends the function to the Ir's module as @symbol.
void AddDecomposition(absl::string_view function, absl::string_view symbol,
                      Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_

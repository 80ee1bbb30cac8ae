// Functions of CHLO as functions of StableHLO (decompositions.def).

#ifndef INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_
#define INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_

#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim {
namespace stablehlo_export {

// Whether `op` ("chlo.sinh") of an operand of this shape has a decomposition:
// an array of floats with static dims.
bool HasDecomposition(absl::string_view op, const Shape& operand);

// Appends the private function @symbol to the Ir's module: the decomposition of
// `op`, for an operand and a result of `type`. Narrower floats than f32 are
// computed as f32.
void AddDecomposition(absl::string_view op, const Shape& operand,
                      absl::string_view symbol, mlir::Ir* ir);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_DECOMPOSE_H_

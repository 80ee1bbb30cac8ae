// Parts that several functions of lowering.def share: literals and broadcasts.

#ifndef INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_
#define INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// The value of dense<...> : tensor<...>, of a resource, or of a number.
// InvalidArgument: it is none of them, HLO lacks its type, or its values aren't
// in the file.
absl::StatusOr<Literal> LiteralOf(const Ir& ir, AttrId id, Shapes* shapes);

// Whether operand 0 can be broadcast to `result`, its dim i to dims[i]: sizes 1
// stretch, any order. Otherwise reports why not.
bool CheckBroadcast(OpImport* op, const DimIndices& dims, const Shape& result);
// That broadcast of `operand`.
Node EmitBroadcast(OpImport* op, Node operand, DimIndices dims,
                   const Shape& result);

// Result `result` with the sizes that operand `i` holds in the place of unknown
// ones (lower_dynamic.cc). nullopt: they depend on data, which is reported.
std::optional<Shape> SizedResult(OpImport* op, size_t i, size_t result);
// Element `i` of a vector, as a scalar of `type`.
Node EmitElement(OpImport* op, Node vector, int i, ElementType type);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_

// SPDX-License-Identifier: Apache-2.0
// Parts that several functions of lowering.def share: literals, broadcasts, and
// instructions that ComputationBuilder and its composites make, copied in, so
// that each expansion of an operation into several stands once.

#ifndef INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_
#define INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
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

// The result of the instructions that `make` records for `operands`. nullopt:
// the builder refuses them, which is reported as an error of `op`.
std::optional<Node> EmitByBuilder(
    OpImport* op, absl::Span<const Node> operands,
    absl::FunctionRef<Op(ComputationBuilder*, absl::Span<const Op>)> make);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_LOWER_ARRAYS_H_

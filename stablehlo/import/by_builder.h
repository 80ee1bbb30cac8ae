// Instructions that ComputationBuilder and its composites make, copied into a
// graph: so that each expansion of an operation into several stands once.

#ifndef INDIM_STABLEHLO_IMPORT_BY_BUILDER_H_
#define INDIM_STABLEHLO_IMPORT_BY_BUILDER_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// The result of the instructions that `make` records for `operands`. nullopt:
// the builder refuses them, which is reported as an error of `op`.
std::optional<Node> EmitByBuilder(
    OpImport* op, absl::Span<const Node> operands,
    absl::FunctionRef<Op(ComputationBuilder*, absl::Span<const Op>)> make);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_BY_BUILDER_H_

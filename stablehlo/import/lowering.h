// SPDX-License-Identifier: Apache-2.0
// The functions of lowering.def: each converts one operation of the program to
// instructions. Operands are good nodes, and operands, results and regions as
// many as the row of stablehlo/ops/ops.def says.

#ifndef INDIM_STABLEHLO_IMPORT_LOWERING_H_
#define INDIM_STABLEHLO_IMPORT_LOWERING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

using Lowering = void (*)(OpImport* op);

// The function for that operation; null: it has none.
Lowering FindLowering(absl::string_view name);

// The HLO operation of the row's opcode, with the same operands, the attributes
// of that name, the regions as callees, and the results as elements of a tuple,
// unless there is one.
void LowerSame(OpImport* op);

// The attributes of row.opcode. False: an attribute is wrong, which is
// reported.
bool ReadAttributes(OpImport* op, Attributes* attributes);
// Those that rows of op_attributes.def say alone, by the rows of `row`.
bool ReadMembers(OpImport* op, const OpRow& row, Attributes* attributes);
// Its parts, from the attributes precision_config and algorithm.
bool ReadPrecision(OpImport* op, PrecisionConfig* config);
bool ReadAlgorithm(OpImport* op, DotAlgorithm* algorithm);
// The rest of a convolution's: its window and precision.
bool ReadConvolution(OpImport* op, ConvolutionAttributes* to);
// The attributes that any operation may have (a sharding, frontend attributes,
// the accuracy of its result), for its main node.
void AddCommonAttributes(OpImport* op, Node node);
// Makes the main node, with these attributes, result 0; nullopt: nothing.
void SetMainResult(OpImport* op, const std::optional<Node>& node);

// A custom call that stands for an operation becomes it. False: it is another
// call.
bool LowerAsOperation(OpImport* op);
// The custom call ApproxTopK becomes what XLA writes for it. False: it is
// another call.
bool LowerAsApproxTopK(OpImport* op);
// The custom call stablehlo.dynamic_reduce_window, as which JAX exports windows
// of named sizes, becomes a reduce-window where these are numbers. False: they
// aren't, or it is another call.
bool LowerAsReduceWindow(OpImport* op);

// A function's result `start`, whose type is a future of the shape `future`:
// HLO's chains end in the computation that they begin in, so the function
// finishes it and gives a tuple of what its done gives. What isn't a start
// stays as it is.
Node FinishFuture(HloWriter* writer, Node start, const Shape& future);

// Functions of elements.
void LowerFunction(OpImport* op);

// A function for each operation that doesn't become the same one.
#define INDIM_MLIR_LOWERING(name, function) void Lower##function(OpImport* op);
#include "indim/stablehlo/import/lowering.def"

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_LOWERING_H_

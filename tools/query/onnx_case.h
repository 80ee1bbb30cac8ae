// SPDX-License-Identifier: Apache-2.0
// Questions of rule "onnx": shapes as ONNX's operators infer them, answered by
// our own broadcasting, contraction and data movement. ONNX gives a dim up
// (`?`) where Indim keeps an expression; docs/symbols.md lists where and why.
//
//   {"rule":"onnx","op":"Concat","operands":["f32[n,m]","f32[n,m]"],
//    "attributes":{"axis":0}}                                     f32[2*n,m]
//
// Concat, MatMul, Reshape, Expand, Where, Gather and what is elementwise, of
// one operand, two, or (Max, Min, Mean, Sum) any number. The rule "algebraic"
// is the same, its operators spelled small; what it doesn't know is elementwise
// of two operands.

#ifndef INDIM_TOOLS_QUERY_ONNX_CASE_H_
#define INDIM_TOOLS_QUERY_ONNX_CASE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/query/case.h"

namespace indim {

// Whether the operator is one of these.
bool IsOnnxOperator(absl::string_view name);

// The result's shape; nullopt with what is wrong in the context. An operand of
// unknown rank gives a result of unknown rank, as in ONNX (of Concat: the other
// operands tell). Sources: ONNX's operator documents, onnx 1.23 infer_shapes.
std::optional<Shape> InferOnnxCase(InferContext* context, const Case& c);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_ONNX_CASE_H_

// SPDX-License-Identifier: Apache-2.0
// Constants, broadcasts, products of two arrays, random numbers.

#include "indim/stablehlo/import/lower_arrays.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::stablehlo_import {

// --- Constants ---------------------------------------------------------------

namespace {

// The value of a kInteger, kBool or kFloat.
absl::StatusOr<Literal> NumberLiteral(const Shape& shape, const Attribute& a) {
  const int size = ElementBytes(shape.element_type());
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>(
        i < 8 ? static_cast<uint64_t>(a.integer) >> (8 * i) : 0));
  }
  return Literal::FromBytes(shape, bytes);
}

}  // namespace

absl::StatusOr<Literal> LiteralOf(const Ir& ir, AttrId id, Shapes* shapes) {
  const Attribute& a = ir.attr(id);
  std::string why;
  const Shape& shape = shapes->Of(a.type, &why);
  switch (a.kind) {
    case AttrKind::kBool:
      return NumberLiteral(Shape::Scalar(ElementType::kPred), a);
    case AttrKind::kInteger:
    case AttrKind::kFloat:
      if (!shape.is_array()) return absl::InvalidArgumentError(why);
      return NumberLiteral(shape, a);
    case AttrKind::kDense:
      if (!shape.is_array()) return absl::InvalidArgumentError(why);
      return a.splat ? Literal::Splat(shape, a.text)
                     : Literal::FromBytes(shape, a.text);
    case AttrKind::kDenseResource:
      if (a.elements.empty()) {
        return ErrorWithCode(
            absl::StatusCode::kInvalidArgument, Code::kMlirElided,
            absl::StrCat("the file has no values for the resource '", a.text,
                         "': whoever printed it left them out"));
      }
      if (!shape.is_array()) return absl::InvalidArgumentError(why);
      return Literal::FromBytes(shape, ir.attr(a.elements[0]).text);
    default:
      return absl::InvalidArgumentError("isn't a constant of an array");
  }
}

void LowerConstant(OpImport* op) {
  const Attribute& value = op->ir().attr(op->Find("value"));
  if (value.kind == AttrKind::kDenseResource && value.elements.empty() &&
      op->importer().allows_elided()) {
    // As HLO's constant({...}): the verifier warns of it.
    return SetMainResult(op, op->Emit(Opcode::kConstant, op->result_shape(),
                                      ConstantAttributes(), {}));
  }
  const absl::StatusOr<Literal> literal =
      LiteralOf(op->ir(), op->Find("value"), &op->importer().shapes());
  if (!literal.ok()) {
    return op->Error(absl::StrCat("value: ", literal.status().message()),
                     ErrorsOf(literal.status())[0].code);
  }
  if (!Compatible(literal->shape(), op->result_shape())) {
    return op->Error(
        absl::StrCat("inferred type ", literal->shape().ToString(),
                     " is incompatible with the return type of the operation, ",
                     op->result_shape().ToString()));
  }
  const Node node = op->writer().Constant(*literal);
  SetMainResult(op, node);
}

// --- Broadcasts --------------------------------------------------------------

Node EmitBroadcast(OpImport* op, Node operand, DimIndices dims,
                   const Shape& result) {
  HloWriter& writer = op->writer();
  const Shape from = writer.shape(operand);
  // Dims of size 1 that stretch are dropped: a broadcast of HLO repeats only
  // whole arrays.
  DimIndices kept;
  Shape narrow = Shape::Scalar(from.element_type());
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim size = from.dim(static_cast<int>(i));
    if (size.is(1) && !result.dim(static_cast<int>(dims[i])).is(1)) continue;
    kept.push_back(dims[i]);
    narrow.add_dim(size);
  }
  if (kept.size() != dims.size()) {
    operand =
        op->Emit(Opcode::kReshape, narrow, DimensionsAttributes(), {operand});
  }
  if (!std::is_sorted(kept.begin(), kept.end())) {
    DimIndices order(kept.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return kept[static_cast<size_t>(a)] < kept[static_cast<size_t>(b)];
    });
    Shape sorted = Shape::Scalar(from.element_type());
    for (const int64_t i : order)
      sorted.add_dim(narrow.dim(static_cast<int>(i)));
    operand = op->Emit(Opcode::kTranspose, sorted, DimensionsAttributes{order},
                       {operand});
    std::sort(kept.begin(), kept.end());
  }
  return op->Emit(Opcode::kBroadcast, result, DimensionsAttributes{kept},
                  {operand});
}

bool CheckBroadcast(OpImport* op, const DimIndices& dims, const Shape& result) {
  const Shape& from = op->operand_shape(0);
  if (!from.has_rank() || !result.has_rank()) {
    return op->Fail("operand and result must be ranked");
  }
  if (static_cast<int>(dims.size()) != from.rank()) {
    return op->Fail(absl::StrCat("broadcast_dimensions size (", dims.size(),
                                 ") does not match operand rank (", from.rank(),
                                 ")"));
  }
  DimIndices sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return op->Fail("broadcast_dimensions should not have duplicates");
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= result.rank()) {
      return op->Fail(
          absl::StrCat("broadcast_dimensions contains invalid value ", dims[i],
                       " for result with rank ", result.rank()));
    }
    const Dim size = from.dim(static_cast<int>(i));
    const Dim wanted = result.dim(static_cast<int>(dims[i]));
    if (size.is(1) || CompatibleDims(size, wanted)) continue;
    return op->Fail(
        absl::StrCat("size of operand dimension ", i, " (", size.ToString(),
                     ") is not equal to 1 or size of result dimension ",
                     dims[i], " (", wanted.ToString(), ")"));
  }
  return true;
}

void LowerBroadcastInDim(OpImport* op) {
  const DimIndices dims = op->Numbers("broadcast_dimensions");
  if (op->failed() || !CheckBroadcast(op, dims, op->result_shape())) return;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim size = op->operand_shape(0).dim(static_cast<int>(i));
    const Dim wanted = op->result_shape().dim(static_cast<int>(dims[i]));
    if (!size.is_static() || size.is(1) || wanted == size) continue;
    return op->Error(absl::StrCat(
        "size of operand dimension ", i, " (", size.ToString(),
        ") is known, but that of result dimension ", dims[i], " has a bound"));
  }
  const Node node = EmitBroadcast(op, op->operand(0), dims, op->result_shape());
  SetMainResult(op, node);
}

// stablehlo.broadcast puts `broadcast_sizes` before the operand's dims.
void LowerBroadcastSizes(OpImport* op) {
  const DimIndices sizes = op->Numbers("broadcast_sizes");
  const Shape& from = op->operand_shape(0);
  if (op->failed()) return;
  Shape inferred = Shape::Scalar(from.element_type());
  for (const int64_t size : sizes) {
    if (size < 0) {
      return op->Error(
          absl::StrCat("Broadcast with negative dimension size ", size));
    }
    inferred.add_dim(Dim::Static(size));
  }
  DimIndices dims;
  for (int i = 0; i < from.rank(); ++i) {
    dims.push_back(inferred.rank());
    inferred.add_dim(from.dim(i));
  }
  if (!Compatible(inferred, op->result_shape())) {
    op->Incompatible(inferred, op->result_shape());
    return;
  }
  const Node node = EmitBroadcast(op, op->operand(0), dims, inferred);
  SetMainResult(op, node);
}

Node EmitElement(OpImport* op, Node vector, int i, ElementType type) {
  const ElementType from = op->writer().shape(vector).element_type();
  SliceAttributes slice;
  slice.starts = {i};
  slice.limits = {i + 1};
  slice.strides = {1};
  const Node part =
      op->Emit(Opcode::kSlice, Shape::Of(from, {int64_t{1}}), slice, {vector});
  const Node scalar = op->Emit(Opcode::kReshape, Shape::Scalar(from),
                               DimensionsAttributes(), {part});
  if (from == type) return scalar;
  return op->Emit(Opcode::kConvert, Shape::Scalar(type), {scalar});
}

// --- Products ----------------------------------------------------------------

// A vector or matrix times a vector or matrix.
void LowerDot(OpImport* op) {
  const Shape& lhs = op->operand_shape(0);
  const Shape& rhs = op->operand_shape(1);
  if (lhs.rank() < 1 || lhs.rank() > 2 || rhs.rank() < 1 || rhs.rank() > 2) {
    return op->Error(absl::StrCat("expects vectors or matrices, got ",
                                  lhs.ToString(), " and ", rhs.ToString()));
  }
  DotAttributes dot;
  dot.lhs_contracting_dims = {lhs.rank() - 1};
  dot.rhs_contracting_dims = {0};
  if (!ReadPrecision(op, &dot.precision)) return;
  const Node node = op->Emit(Opcode::kDot, op->result_shape(), dot,
                             {op->operand(0), op->operand(1)});
  SetMainResult(op, node);
}

// --- Random numbers ----------------------------------------------------------

// The third operand is the shape of the result, which HLO's result type says.
void LowerRng(OpImport* op) {
  Attributes attributes;
  if (!ReadAttributes(op, &attributes)) return;
  const Node node = op->Emit(Opcode::kRng, op->result_shape(), attributes,
                             {op->operand(0), op->operand(1)});
  SetMainResult(op, node);
}

}  // namespace indim::stablehlo_import

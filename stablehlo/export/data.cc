// SPDX-License-Identifier: Apache-2.0
// Writes operations that move or make data.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/ir/module_access.h"
#include "indim/ir/splat.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/stablehlo/export/decompose.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/export/size_writer.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

// Appends the values of a constant, one for each leaf. False: refused.
bool AppendConstants(const Literal& literal, NodeExport* node,
                     std::vector<ValueId>* values) {
  const Shape& shape = literal.shape();
  if (shape.is_tuple()) {
    for (const Literal& element : literal.elements()) {
      if (!AppendConstants(element, node, values)) return false;
    }
    return true;
  }
  if (shape.is_token()) {
    values->push_back(
        node->EmitHelper("stablehlo.after_all", {},
                         node->ir().Intern(mlir::Type(TypeKind::kToken))));
    return true;
  }
  if (!shape.is_array() || !shape.is_static()) {
    node->Refuse("has a value whose sizes aren't numbers",
                 "use a constant of its largest size and set-dimension-size");
    return false;
  }
  const TypeId type = node->writer().types().Whole(shape);
  const AttrId value = DenseAttr(literal, type, &node->ir());
  node->Set("value", value);
  values->push_back(node->Emit("stablehlo.constant", {}, {type})[0]);
  return true;
}

DimIndices MajorToMinor(const Shape& shape) {
  const DimIndices order = MinorToMajor(shape);
  return DimIndices(order.rbegin(), order.rend());
}

// The shape whose dims are those of `shape` in `order`.
Shape Permuted(const Shape& shape, const DimIndices& order) {
  Shape permuted = Shape::Scalar(shape.element_type());
  for (const int64_t dim : order) {
    permuted.add_dim(shape.dim(static_cast<int>(dim)));
  }
  return permuted;
}

bool IsIdentity(const DimIndices& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

ValueId Transposed(ValueId value, const Shape& to, const DimIndices& order,
                   NodeExport* node) {
  if (IsIdentity(order)) return value;
  return node->EmitHelper(
      "stablehlo.transpose", {value}, to,
      {node->Named("permutation", node->ir().I64ArrayAttr(order))});
}

// A slice to the end of dims whose size isn't known: limits are an operand.
void ExportOpenSlice(const SliceAttributes& slice, NodeExport* node) {
  const Shape from = node->instruction().operand(0).shape();
  const ValueId operand = node->Operands(0, 1).front();
  Shape limits = Shape::Scalar(ElementType::kS32);
  KnownSizes known(static_cast<size_t>(from.rank()));
  for (int i = 0; i < from.rank(); ++i) {
    const bool whole = absl::c_linear_search(slice.whole, i);
    limits.add_dim(whole ? from.dim(i)
                         : Dim::Static(slice.limits[static_cast<size_t>(i)]));
    if (whole) known[static_cast<size_t>(i)] = SizeRef{operand, i};
  }
  const auto to = SizesOf(limits, known, node);
  if (!to.has_value()) return;
  DimIndices strides = slice.strides;
  if (strides.empty()) strides.assign(slice.starts.size(), 1);
  Ir& ir = node->ir();
  const ValueId starts =
      node->Constant(DenseVector(slice.starts, ElementType::kS32, &ir));
  const ValueId steps =
      node->Constant(DenseVector(strides, ElementType::kS32, &ir));
  node->EmitResult("stablehlo.real_dynamic_slice",
                   {operand, starts, *to, steps});
}

// The constant that StableHLO's reader made a scalar and its broadcast of.
void ExportSplat(NodeExport* node) {
  const absl::StatusOr<Literal> scalar =
      node->instruction().operand(0).literal();
  const absl::StatusOr<Literal> splat =
      Literal::Splat(node->shape(), scalar->bytes());
  if (!splat.ok()) return ExportPlain(node);
  std::vector<ValueId> values;
  if (AppendConstants(*splat, node, &values))
    node->SetResult(std::move(values));
}

// The operand of a broadcast. StableHLO repeats no known size as one with a
// bound, so the operand gets a bound where the result has one.
ValueId BoundedAsResult(const DimIndices& places, NodeExport* node) {
  ValueId operand = node->Operands(0, 1).front();
  Shape shape = node->instruction().operand(0).shape();
  Ir& ir = node->ir();
  for (int i = 0; i < shape.rank() && i < static_cast<int>(places.size());
       ++i) {
    const Dim size = shape.dim(i);
    const auto place = static_cast<int>(places[static_cast<size_t>(i)]);
    if (!size.is_static() || size.is(1) ||
        !node->shape().dim(place).is_bounded()) {
      continue;
    }
    shape.set_dim(i, Dim::Bounded(size.size()));
    const ValueId known = node->Constant(ir.DenseAttr(
        {size.size()}, ir.ElementTypeId(ElementType::kS32), /*bytes=*/4, {}));
    operand =
        node->EmitHelper("stablehlo.set_dimension_size", {operand, known},
                         shape, {node->Named("dimension", ir.IntegerAttr(i))});
  }
  return operand;
}

}  // namespace

void ExportConstant(NodeExport* node) {
  const absl::StatusOr<Literal> literal = node->instruction().literal();
  if (!literal.ok()) {
    node->Refuse("has no values", "read a dump that has them");
    return;
  }
  std::vector<ValueId> values;
  if (AppendConstants(*literal, node, &values)) {
    node->SetResult(std::move(values));
  }
}

void ExportReshape(NodeExport* node) {
  // `dimensions` is about inferred dims and not part of the operation.
  const auto operand = node->Operand(0);
  if (HasOpenDims(node->shape())) {
    const auto sizes = SizesOf(node->shape(), {}, node);
    if (!sizes.has_value()) return;
    node->EmitResult("stablehlo.dynamic_reshape", {operand.front(), *sizes});
    return;
  }
  node->EmitResult("stablehlo.reshape", operand);
}

void ExportBroadcast(NodeExport* node) {
  const Shape& shape = node->shape();
  if (IsSplat(node->instruction())) return ExportSplat(node);
  const auto& places = node->As<DimensionsAttributes>().dimensions;
  if (!HasOpenDims(shape)) {
    constexpr absl::string_view kName = "stablehlo.broadcast_in_dim";
    const ValueId operand = BoundedAsResult(places, node);
    node->SetMembers(kName);
    return node->EmitResult(kName, {operand});
  }
  const ValueId operand = node->Operands(0, 1).front();
  KnownSizes known(static_cast<size_t>(shape.rank()));
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || places[i] >= shape.rank()) continue;
    known[static_cast<size_t>(places[i])] =
        SizeRef{operand, static_cast<int64_t>(i)};
  }
  const auto sizes = SizesOf(shape, known, node);
  if (!sizes.has_value()) return;
  node->Set("broadcast_dimensions", node->ir().I64ArrayAttr(places));
  node->EmitResult("stablehlo.dynamic_broadcast_in_dim", {operand, *sizes});
}

void ExportIota(NodeExport* node) {
  if (!HasOpenDims(node->shape())) return ExportPlain(node);
  const auto sizes = SizesOf(node->shape(), {}, node);
  if (!sizes.has_value()) return;
  const auto& dims = node->As<DimensionsAttributes>().dimensions;
  node->Set("iota_dimension",
            node->ir().IntegerAttr(dims.empty() ? 0 : dims[0]));
  node->EmitResult("stablehlo.dynamic_iota", {*sizes});
}

// HLO's starts may lie in one vector, StableHLO's are numbers.
void ExportDynamicSlice(NodeExport* node) {
  const Instruction& instruction = node->instruction();
  const int first = node->opcode() == Opcode::kDynamicSlice ? 1 : 2;
  if (static_cast<int>(instruction.operand_count()) != first + 1 ||
      instruction.operand(first).shape().rank() != 1) {
    return ExportPlain(node);
  }
  Ir& ir = node->ir();
  std::vector<ValueId> operands = node->Operands();
  const ValueId starts = operands.back();
  operands.pop_back();
  const ElementType type = instruction.operand(first).shape().element_type();
  for (int64_t i = 0; i < node->shape().rank(); ++i) {
    const ValueId start = node->EmitHelper(
        "stablehlo.slice", {starts}, ir.TensorType(type, {1}),
        {node->Named("start_indices", ir.I64ArrayAttr({i})),
         node->Named("limit_indices", ir.I64ArrayAttr({i + 1})),
         node->Named("strides", ir.I64ArrayAttr({1}))});
    operands.push_back(node->EmitHelper("stablehlo.reshape", {start},
                                        ir.TensorType(type, {})));
  }
  const absl::string_view name = mlir::FindOp(node->opcode())->name;
  node->SetMembers(name);
  node->EmitResult(name, operands);
}

void ExportDynamicReshape(NodeExport* node) {
  Ir& ir = node->ir();
  std::vector<ValueId> sizes;
  const TypeId one = ir.TensorType(ElementType::kS32, {1});
  for (const ValueId size : node->Operands(1)) {
    sizes.push_back(node->EmitHelper("stablehlo.reshape", {size}, one));
  }
  const TypeId vector =
      ir.TensorType(ElementType::kS32, {static_cast<int64_t>(sizes.size())});
  const ValueId all =
      sizes.empty()
          ? node->Constant(DenseVector({}, ElementType::kS32, &ir))
          : node->EmitHelper("stablehlo.concatenate", sizes, vector,
                             {node->Named("dimension", ir.IntegerAttr(0))});
  const ValueId operand = node->Operands(0, 1).front();
  node->EmitResult("stablehlo.dynamic_reshape", {operand, all});
}

// The bytes stay, so the elements are those of a reshape of the arrays as they
// lie in memory.
void ExportBitcast(NodeExport* node) {
  const Shape from = node->instruction().operand(0).shape();
  const Shape& to = node->shape();
  if (!from.is_array() || from.element_type() != to.element_type() ||
      !from.is_static() || !to.is_static() ||
      from.ElementCount() != to.ElementCount()) {
    node->Refuse("reinterprets the bytes of another type or size",
                 "use bitcast-convert and reshape");
    return;
  }
  const DimIndices from_order = MajorToMinor(from);
  const DimIndices to_order = MajorToMinor(to);
  DimIndices back(to_order.size());
  for (size_t i = 0; i < to_order.size(); ++i) {
    back[static_cast<size_t>(to_order[i])] = static_cast<int64_t>(i);
  }
  const ValueId in_memory =
      Transposed(node->Operands(0, 1).front(), Permuted(from, from_order),
                 from_order, node);
  if (IsIdentity(back)) {
    node->EmitResult("stablehlo.reshape", {in_memory});
    return;
  }
  const ValueId reshaped = node->EmitHelper("stablehlo.reshape", {in_memory},
                                            Permuted(to, to_order));
  node->Set("permutation", node->ir().I64ArrayAttr(back));
  node->EmitResult("stablehlo.transpose", {reshaped});
}

// StableHLO counts one bit for i1, HLO eight for pred.
void ExportBitcastConvert(NodeExport* node) {
  const ElementType from =
      node->instruction().operand(0).shape().element_type();
  const ElementType to = node->shape().element_type();
  const bool pred = (from == ElementType::kPred) != (to == ElementType::kPred);
  const ElementType other = from == ElementType::kPred ? to : from;
  if (pred && other != ElementType::kS8 && other != ElementType::kU8) {
    node->Refuse(
        "reinterprets pred as another type, and pred has one bit in StableHLO",
        "convert to or from u8 first");
    return;
  }
  node->EmitResult(pred ? "stablehlo.convert" : "stablehlo.bitcast_convert");
}

void ExportCompare(NodeExport* node) {
  CompareAttributes known = node->As<CompareAttributes>();
  if (known.type == ComparisonType::kTotal) {
    known.type = ComparisonOf(
        known.type, node->instruction().operand(0).shape().element_type());
  }
  ExportPlain(Attributes(known), node);
}

void ExportSlice(NodeExport* node) {
  const auto& slice = node->As<SliceAttributes>();
  if (!slice.whole.empty()) return ExportOpenSlice(slice, node);
  SliceAttributes filled = slice;
  if (filled.strides.empty()) filled.strides.assign(slice.starts.size(), 1);
  node->SetMembers("stablehlo.slice", Attributes(filled));
  node->EmitResult("stablehlo.slice");
}

// is_stable isn't written: releases before 1.20 can't read it, and without it
// the order is stable, which any caller may have.
void ExportTopK(NodeExport* node) {
  const auto& topk = node->As<TopKAttributes>();
  if (!topk.largest) {
    node->Refuse("takes the smallest elements, and chlo.top_k the largest",
                 "negate the operand and the values, with largest=true");
    return;
  }
  node->Set("k", node->ir().IntegerAttr(topk.k));
  if (node->writer().options().composites) {
    const Shape shape = node->instruction().operand(0).shape();
    return ExportDecomposed("chlo.top_k", TopKDecomposition(shape, topk.k),
                            node);
  }
  node->EmitResult("chlo.top_k");
}

void ExportMulhi(NodeExport* node) {
  if (!node->writer().options().composites) return ExportPlain(node);
  ExportDecomposed("chlo.mulhi", MulhiDecomposition(node->shape()), node);
}

void ExportRng(NodeExport* node) {
  std::vector<ValueId> operands = node->Operands();
  if (HasOpenDims(node->shape())) {
    const auto sizes = SizesOf(node->shape(), {}, node);
    if (!sizes.has_value()) return;
    operands.push_back(*sizes);
  } else {
    DimIndices sizes;
    for (const Dim dim : node->shape().dims()) sizes.push_back(dim.size());
    operands.push_back(
        node->Constant(DenseVector(sizes, ElementType::kS64, &node->ir())));
  }
  node->SetMembers("stablehlo.rng");
  node->EmitResult("stablehlo.rng", operands);
}

// HLO has a form that returns no state.
void ExportRngBitGenerator(NodeExport* node) {
  if (node->shape().is_tuple()) return ExportPlain(node);
  const std::vector<ValueId> state = node->Operands();
  const std::vector<TypeId> types = {node->ir().type_of(state.front()),
                                     node->ResultTypes().front()};
  node->SetMembers("stablehlo.rng_bit_generator");
  node->SetResult({node->Emit("stablehlo.rng_bit_generator", state, types)[1]});
}

void ExportTriangularSolve(NodeExport* node) {
  if (node->As<TriangularSolveAttributes>().transpose_a ==
      TriangularSolveTranspose::kInvalid) {
    node->Refuse("says nothing about transpose_a",
                 "give it transpose_a=NO_TRANSPOSE, TRANSPOSE or ADJOINT");
    return;
  }
  ExportPlain(node);
}

}  // namespace indim::stablehlo_export

// SPDX-License-Identifier: Apache-2.0
// Operations whose sizes are operands. Sizes that are constants, or expressions
// of named sizes, become a part of the result's shape; those that depend on
// data have no form in HLO.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/infer/infer.h"
#include "indim/stablehlo/import/lower_arrays.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::stablehlo_import {
namespace {

// What to do about sizes of `expr`'s names.
std::string GiveValues(const DimExpr& expr) {
  const auto names = expr.Symbols();
  return absl::StrCat(
      ". Give the named sizes values where the program is read (--facts=\"",
      names.empty() ? "n" : names.begin()->first,
      "==8\", ReadOptions::scope), or export with static sizes");
}

// Whether `value` follows from sizes and constants alone, though no expression
// says it, such as a quotient of two names. `named` becomes one of the
// expressions that it follows from.
bool FollowsFromSizes(OpImport* op, ValueId value, DimExpr* named) {
  const Ir& ir = op->ir();
  std::vector<ValueId> open = {value};
  absl::flat_hash_set<uint32_t> seen = {value.index};
  bool any_open = false;
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    bool known = true;
    const SizeValues::Exprs& exprs = op->importer().SizesOf(at);
    for (const DimExpr& expr : exprs) {
      known = known && expr.valid();
      if (expr.valid() && !expr.is_constant()) *named = expr;
    }
    if (known && !exprs.empty()) continue;
    const OpId maker = ir.value(at).op;
    if (!maker.valid() || ir.op(maker).operand_count == 0) return false;
    any_open = true;
    for (const ValueId operand : ir.operands(ir.op(maker))) {
      if (seen.insert(operand.index).second) open.push_back(operand);
    }
  }
  return any_open && !named->is_constant();
}

// "operand #1 (output_dimensions) depends on data ..."
void DependsOnData(OpImport* op, size_t i, absl::string_view what) {
  DimExpr named;
  const bool is_size = FollowsFromSizes(op, op->operand_value(i), &named);
  op->Error(
      absl::StrCat("operand #", i, " (", what, ") ",
                   is_size ? "follows from sizes in a way that no expression "
                             "of them says"
                           : "depends on data: HLO needs sizes that are "
                             "numbers, or follow from the sizes of arrays",
                   is_size ? GiveValues(named) : ""),
      Code::kNoHloForm);
}

// "operand #2 (slice_sizes) holds n-1 ..."
void NeedsNumber(OpImport* op, size_t i, absl::string_view what,
                 const DimExpr& expr) {
  op->Error(
      absl::StrCat("operand #", i, " (", what, ") holds ", expr.ToString(),
                   ": HLO needs a number there", GiveValues(expr)),
      Code::kNoHloForm);
}

// The sizes that operand `i` holds, one for each dim of the result: those that
// the program declares where they are known, else the operand's.
std::optional<Shape> ShapeOfSizes(OpImport* op, size_t i,
                                  absl::string_view what, size_t result = 0) {
  const SizeValues::Exprs& exprs = op->Sizes(i);
  const Shape& declared = op->result_shape(result);
  Shape shape = Shape::Scalar(declared.element_type());
  if (!declared.has_rank()) {
    return op->Fail("the result must be ranked");
  }
  const Shape& sizes = op->operand_shape(i);
  if (sizes.rank() != 1 ||
      !CompatibleDims(sizes.dim(0), Dim::Static(declared.rank()))) {
    return op->Fail(absl::StrCat(
        "operand #", i, " (", what, ") must have an element for each of the ",
        declared.rank(), " dimensions of the result, got ", sizes.ToString()));
  }
  for (int d = 0; d < declared.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    const DimExpr expr = at < exprs.size() ? exprs[at] : DimExpr::Invalid();
    const Dim known = declared.dim(d);
    if (expr.valid() && expr.is_constant() &&
        (expr.constant() < 0 ||
         (known.is_bounded()
              ? expr.constant() > known.size()
              : !CompatibleDims(Dim::Static(expr.constant()), known)))) {
      return op->Fail(absl::StrCat(
          "operand #", i, " (", what, ") has the size ", expr.constant(),
          " for dimension ", d, ", which is incompatible with the return type ",
          declared.ToString()));
    }
    const std::optional<Dim> size = expr.valid() ? expr.ToDim() : std::nullopt;
    if (!known.is_unknown()) {
      shape.add_dim(known);
    } else if (size.has_value()) {
      shape.add_dim(*size);
    } else {
      DependsOnData(op, i, what);
      return std::nullopt;
    }
  }
  return shape;
}

// The same, but a result whose sizes the program says asks nothing of an
// operand that isn't a constant.
std::optional<Shape> ShapeOfFreeSizes(OpImport* op, size_t i,
                                      absl::string_view what) {
  bool is_constant = op->ir().value(op->operand_value(i)).op.valid();
  for (const DimExpr& expr : op->Sizes(i)) {
    is_constant = is_constant && expr.valid() && expr.is_constant();
  }
  const Shape& declared = op->result_shape();
  if (!is_constant && declared.is_static()) return declared;
  return ShapeOfSizes(op, i, what);
}

// What is wrong with the operation whatever the sizes are: whether it would be
// right with sizes that fit, as `attributes` have them. Otherwise reports it.
bool CheckForAnySizes(OpImport* op, Opcode opcode,
                      const Attributes& attributes) {
  const std::vector<const Shape*> operands = {&op->operand_shape(0),
                                              &op->operand_shape(1)};
  InferContext context(InferPolicy::kVerifier);
  OpInputs inputs;
  inputs.opcode = opcode;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  inputs.declared = &op->result_shape();
  const std::optional<Shape> inferred = InferShape(&context, inputs);
  for (const Diagnostic& diagnostic : context.diagnostics()) {
    if (diagnostic.severity() != Severity::kError) continue;
    return op->Fail(FormatMessage(
        diagnostic, {Name(opcode), operands, inputs.declared, {}}));
  }
  if (inferred.has_value() && inferred->rank() != op->result_shape().rank()) {
    return op->Incompatible(*inferred, op->result_shape());
  }
  return true;
}

// The numbers that operand `i` holds.
std::optional<DimIndices> NumbersOf(OpImport* op, size_t i,
                                    absl::string_view what) {
  DimIndices numbers;
  const SizeValues::Exprs& exprs = op->Sizes(i);
  const Shape& shape = op->operand_shape(i);
  if (shape.rank() != 1 ||
      !shape.dim(0).is(static_cast<int64_t>(exprs.size()))) {
    DependsOnData(op, i, what);
    return std::nullopt;
  }
  for (const DimExpr& expr : exprs) {
    if (!expr.valid()) {
      DependsOnData(op, i, what);
      return std::nullopt;
    }
    if (!expr.is_constant()) {
      NeedsNumber(op, i, what, expr);
      return std::nullopt;
    }
    numbers.push_back(expr.constant());
  }
  return numbers;
}

// Slice sizes that fit: 0 of most dims, 1 of those that the result lacks.
DimIndices FittingSliceSizes(const Shape& operand,
                             const GatherAttributes& gather) {
  DimIndices sizes(static_cast<size_t>(operand.rank()), 0);
  for (const DimIndices* dims :
       {&gather.collapsed_slice_dims, &gather.operand_batching_dims}) {
    for (const int64_t dim : *dims) {
      if (dim >= 0 && dim < operand.rank()) sizes[static_cast<size_t>(dim)] = 1;
    }
  }
  return sizes;
}

// The result is the concatenation of `parts`, vectors of one element.
void EmitVector(OpImport* op, absl::Span<const Node> parts) {
  const Shape& shape = op->result_shape();
  if (parts.empty()) {
    const auto empty =
        Literal::FromBytes(Shape::Of(shape.element_type(), {int64_t{0}}), "");
    return op->SetResult(0, op->writer().Constant(*empty));
  }
  op->SetResult(0, parts.size() == 1
                       ? parts[0]
                       : op->Emit(Opcode::kConcatenate, shape,
                                  DimensionsAttributes{{0}}, parts));
}

// The size of dim `dim` of operand 0 as an s64[].
Node EmitSize(OpImport* op, int64_t dim) {
  const Node size =
      op->Emit(Opcode::kGetDimensionSize, Shape::Scalar(ElementType::kS32),
               DimensionsAttributes{{dim}}, {op->operand(0)});
  return op->Emit(Opcode::kConvert, Shape::Scalar(ElementType::kS64), {size});
}

}  // namespace

std::optional<Shape> SizedResult(OpImport* op, size_t i, size_t result) {
  return ShapeOfSizes(op, i, "the sizes of the result", result);
}

void LowerDynamicBroadcastInDim(OpImport* op) {
  const DimIndices dims = op->Numbers("broadcast_dimensions");
  if (op->failed()) return;
  for (const absl::string_view hint :
       {"known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
    for (const int64_t dim : op->Numbers(hint)) {
      if (dim >= 0 && dim < op->operand_shape(0).rank()) continue;
      return op->Error(
          absl::StrCat("hint for expanding dimension ", dim,
                       " does not refer to a valid operand dimension"));
    }
  }
  DimIndices hints = op->Numbers("known_expanding_dimensions");
  for (const int64_t dim : op->Numbers("known_nonexpanding_dimensions")) {
    hints.push_back(dim);
  }
  std::sort(hints.begin(), hints.end());
  if (std::adjacent_find(hints.begin(), hints.end()) != hints.end()) {
    return op->Error(
        "duplicate expansion hint for at least one operand dimension");
  }
  if (!CheckBroadcast(op, dims, op->result_shape())) return;
  const std::optional<Shape> shape =
      ShapeOfFreeSizes(op, 1, "output_dimensions");
  if (!shape.has_value() || !CheckBroadcast(op, dims, *shape)) return;
  SetMainResult(op, EmitBroadcast(op, op->operand(0), dims, *shape));
}

void LowerDynamicIota(OpImport* op) {
  const int64_t dim = op->Number("iota_dimension");
  const std::optional<Shape> shape = ShapeOfFreeSizes(op, 0, "output_shape");
  if (op->failed() || !shape.has_value()) return;
  SetMainResult(
      op, op->Emit(Opcode::kIota, *shape, DimensionsAttributes{{dim}}, {}));
}

// With a bounded result, a dynamic-reshape; else a reshape.
void LowerDynamicReshape(OpImport* op) {
  const ElementType from = op->operand_shape(0).element_type();
  const ElementType to = op->result_shape().element_type();
  if (from != to) {
    return op->Error(absl::StrCat(
        "expects operand and result to have compatible element type, got ",
        Name(from), " and ", Name(to)));
  }
  const std::optional<Shape> shape = ShapeOfSizes(op, 1, "output_shape");
  if (!shape.has_value()) return;
  bool bounded = false;
  for (const Dim dim : shape->dims()) bounded |= dim.is_bounded();
  if (!bounded) {
    return SetMainResult(
        op, op->Emit(Opcode::kReshape, *shape, DimensionsAttributes(),
                     {op->operand(0)}));
  }
  std::vector<Node> operands = {op->operand(0)};
  for (int i = 0; i < shape->rank(); ++i) {
    operands.push_back(EmitElement(op, op->operand(1), i, ElementType::kS32));
  }
  SetMainResult(op, op->Emit(Opcode::kDynamicReshape, *shape, operands));
}

void LowerDynamicPad(OpImport* op) {
  const auto low = NumbersOf(op, 2, "edge_padding_low");
  if (!low.has_value()) return;
  const auto high = NumbersOf(op, 3, "edge_padding_high");
  if (!high.has_value()) return;
  const auto interior = NumbersOf(op, 4, "interior_padding");
  if (!interior.has_value()) return;
  if (low->size() != high->size() || low->size() != interior->size()) {
    return op->Error("the lists of padding differ in length");
  }
  PadAttributes pad;
  for (size_t i = 0; i < low->size(); ++i) {
    pad.padding.push_back({(*low)[i], (*high)[i], (*interior)[i]});
  }
  SetMainResult(op, op->Emit(Opcode::kPad, op->result_shape(), pad,
                             {op->operand(0), op->operand(1)}));
}

void LowerDynamicGather(OpImport* op) {
  Attributes attributes;
  if (!ReadMembers(op, op->row(), &attributes)) return;
  auto gather = As<GatherAttributes>(attributes);
  gather.slice_sizes = FittingSliceSizes(op->operand_shape(0), gather);
  if (!CheckForAnySizes(op, Opcode::kGather, gather)) return;
  const auto sizes = NumbersOf(op, 2, "slice_sizes");
  if (!sizes.has_value()) return;
  gather.slice_sizes = *sizes;
  SetMainResult(op, op->Emit(Opcode::kGather, op->result_shape(), gather,
                             {op->operand(0), op->operand(1)}));
}

void LowerDynamicConv(OpImport* op) {
  Attributes attributes = ConvolutionAttributes();
  auto* to = std::get_if<ConvolutionAttributes>(&attributes);
  if (!ReadMembers(op, op->row(), &attributes) || !ReadConvolution(op, to)) {
    return;
  }
  if (!CheckForAnySizes(op, Opcode::kConvolution, attributes)) return;
  const SizeValues::Exprs& exprs = op->Sizes(2);
  if (exprs.size() != 2 * to->window.size()) {
    return DependsOnData(op, 2, "padding");
  }
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (!exprs[i].is_constant()) return DependsOnData(op, 2, "padding");
    WindowDim& dim = to->window[i / 2];
    (i % 2 == 0 ? dim.padding_low : dim.padding_high) = exprs[i].constant();
  }
  SetMainResult(op, op->Emit(Opcode::kConvolution, op->result_shape(),
                             attributes, {op->operand(0), op->operand(1)}));
}

// How far the limits of a slice lie behind its starts: their difference, or,
// where they depend on data, what the program adds to the starts to make them.
// Source: StableHLO, StablehloCanonicalizeDynamism.cpp.
SizeValues::Exprs LengthsOf(OpImport* op, const SizeValues::Exprs& starts,
                            const SizeValues::Exprs& limits) {
  SizeValues::Exprs lengths;
  for (size_t i = 0; i < starts.size(); ++i) {
    lengths.push_back(limits[i] - starts[i]);
  }
  const Ir& ir = op->ir();
  const OpId maker = ir.value(op->operand_value(2)).op;
  if (!maker.valid() || ir.name(ir.op(maker)) != "stablehlo.add") {
    return lengths;
  }
  const absl::Span<const ValueId> terms = ir.operands(ir.op(maker));
  for (const size_t k : {0, 1}) {
    if (terms.size() != 2 || !(terms[k] == op->operand_value(1))) continue;
    const SizeValues::Exprs& added = op->importer().SizesOf(terms[1 - k]);
    for (size_t i = 0; i < lengths.size() && i < added.size(); ++i) {
      if (!lengths[i].valid()) lengths[i] = added[i];
    }
  }
  return lengths;
}

// A slice where starts and steps are numbers and limits too, or the end of the
// dim; a dynamic-slice where only the lengths are numbers, and a slice of that
// where it has steps.
void LowerRealDynamicSlice(OpImport* op) {
  const Shape& from = op->operand_shape(0);
  const SizeValues::Exprs starts = op->Sizes(1);
  const SizeValues::Exprs limits = op->Sizes(2);
  const auto steps = NumbersOf(op, 3, "strides");
  if (!steps.has_value()) return;
  const auto rank = static_cast<size_t>(from.rank());
  if (starts.size() != rank || limits.size() != rank || steps->size() != rank) {
    return op->Error(absl::StrCat("has mismatched number of operand rank (",
                                  rank, ") and number of start indices (",
                                  starts.size(), ") or limits"));
  }
  const SizeValues::Exprs lengths = LengthsOf(op, starts, limits);
  SliceAttributes slice;
  slice.strides = *steps;
  bool is_slice = true, is_strided = false;
  for (size_t i = 0; i < rank; ++i) {
    const Dim size = from.dim(static_cast<int>(i));
    const DimExpr whole(size);
    slice.starts.push_back(starts[i].is_constant() ? starts[i].constant() : 0);
    const bool to_end =
        !size.is_static() && whole.valid() && limits[i] == whole;
    slice.limits.push_back(limits[i].is_constant() ? limits[i].constant() : 0);
    if (to_end) slice.whole.push_back(static_cast<int64_t>(i));
    is_slice &= starts[i].is_constant() && (limits[i].is_constant() || to_end);
    is_strided |= (*steps)[i] != 1;
  }
  if (is_slice) {
    return SetMainResult(op, op->Emit(Opcode::kSlice, op->result_shape(), slice,
                                      {op->operand(0)}));
  }
  DynamicSliceAttributes dynamic;
  std::vector<Node> operands = {op->operand(0)};
  const ElementType type = op->operand_shape(1).element_type();
  Shape part = Shape::Scalar(op->result_shape().element_type());
  for (size_t i = 0; i < rank; ++i) {
    if (!lengths[i].valid()) return DependsOnData(op, 2, "limit_indices");
    if (!lengths[i].is_constant()) {
      return limits[i].valid()
                 ? NeedsNumber(op, 2, "limit_indices", limits[i])
                 : NeedsNumber(op, 2, "limit_indices, from the start",
                               lengths[i]);
    }
    const int64_t length = lengths[i].constant();
    if (length < 0) {
      return op->Error(absl::StrCat("negative length in dimension ", i));
    }
    dynamic.slice_sizes.push_back(length);
    part.add_dim(Dim::Static(length));
    operands.push_back(
        EmitElement(op, op->operand(1), static_cast<int>(i), type));
  }
  if (!is_strided) part = op->result_shape();
  const Node node = op->Emit(Opcode::kDynamicSlice, part, dynamic, operands);
  if (!is_strided) return SetMainResult(op, node);
  slice.starts.assign(rank, 0);
  slice.limits = dynamic.slice_sizes;
  slice.whole.clear();
  SetMainResult(op,
                op->Emit(Opcode::kSlice, op->result_shape(), slice, {node}));
}

// --- Of JAX ------------------------------------------------------------------

// The operands are N arrays, N initial values, then the sizes, strides, base
// dilations and dilations of the window, and its padding, [rank, 2]. Source:
// jax 0.10.2, mlir.reduce_window; StableHLO's DynamicReduceWindowOpAdaptor.
bool LowerAsReduceWindow(OpImport* op) {
  if (op->Text("call_target_name") != "stablehlo.dynamic_reduce_window") {
    return false;
  }
  constexpr size_t kLists = 5;
  const size_t arrays = op->result_count();
  if (arrays == 0 || op->operand_count() != 2 * arrays + kLists ||
      op->importer().callees().size() != 1) {
    op->Error(
        "dynamic_reduce_window has two operands for each result, 5 more, "
        "and a computation");
    return true;
  }
  WindowAttributes attributes;
  attributes.window.resize(static_cast<size_t>(op->operand_shape(0).rank()));
  constexpr int64_t WindowDim::*kOf[] = {
      &WindowDim::size, &WindowDim::stride, &WindowDim::base_dilation,
      &WindowDim::window_dilation, &WindowDim::padding_low};
  for (size_t k = 0; k < kLists; ++k) {
    const bool is_padding = k + 1 == kLists;
    const SizeValues::Exprs exprs = op->Sizes(2 * arrays + k);
    const size_t each = is_padding ? 2 : 1;
    if (exprs.size() != each * attributes.window.size()) return false;
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (!exprs[i].valid() || !exprs[i].is_constant()) return false;
      WindowDim& dim = attributes.window[i / each];
      (i % each == 1 ? dim.padding_high : dim.*kOf[k]) = exprs[i].constant();
    }
  }
  std::vector<Node> operands = op->operands();
  operands.resize(2 * arrays);
  const Node node = op->Emit(Opcode::kReduceWindow, op->ResultsShape(),
                             attributes, operands, op->importer().callees());
  AddCommonAttributes(op, node);
  op->SetResults(node);
  return true;
}

// --- Of other dialects -------------------------------------------------------

// The operand, in a type that says more or less of its sizes.
void LowerTensorCast(OpImport* op) {
  const Shape& from = op->operand_shape(0);
  const Shape to = OpImport::Refined(op->result_shape(), from);
  if (!Compatible(from, to)) {
    return op->Error(absl::StrCat("can't cast ", from.ToString(), " to ",
                                  op->result_shape().ToString()));
  }
  if (SameStructure(from, to) || !to.has_rank()) {
    return op->SetResult(0, op->operand(0));
  }
  SetMainResult(op, op->Emit(Opcode::kReshape, to, DimensionsAttributes(),
                             {op->operand(0)}));
}

void LowerTensorDim(OpImport* op) {
  const SizeValues::Exprs& index = op->Sizes(1);
  const int rank = op->operand_shape(0).rank();
  if (index.size() != 1 || !index[0].is_constant() || index[0].constant() < 0 ||
      index[0].constant() >= rank) {
    return op->Error("the number of the dimension must be a constant in range");
  }
  op->SetResult(0, EmitSize(op, index[0].constant()));
}

void LowerShapeOf(OpImport* op) {
  const int rank = op->operand_shape(0).rank();
  std::vector<Node> parts;
  const Shape one = Shape::Of(ElementType::kS64, {1});
  for (int i = 0; i < rank; ++i) {
    parts.push_back(op->Emit(Opcode::kReshape, one, DimensionsAttributes(),
                             {EmitSize(op, i)}));
  }
  EmitVector(op, parts);
}

// A vector of scalars.
void LowerFromElements(OpImport* op) {
  const Shape one = Shape::Of(op->result_shape().element_type(), {1});
  if (op->result_shape().rank() == 0 && op->operand_count() == 1) {
    return op->SetResult(0, op->operand(0));
  }
  std::vector<Node> parts;
  for (const Node operand : op->operands()) {
    parts.push_back(
        op->Emit(Opcode::kReshape, one, DimensionsAttributes(), {operand}));
  }
  EmitVector(op, parts);
}

}  // namespace indim::stablehlo_import

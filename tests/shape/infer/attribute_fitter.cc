// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/shape/infer/attribute_fitter.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace indim {
namespace {

// What a dim is at most, or a small size.
int64_t SizeOf(Dim dim) {
  constexpr int64_t kLargest = 1 << 20;
  return dim.has_upper() ? std::min(dim.upper(), kLargest) : 3;
}

Shape WithType(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

}  // namespace

// The signature of a fold of elements of these types.
Signature AttributeFitter::Fold(const std::vector<Shape>& elements) {
  Signature fold;
  for (int twice = 0; twice < 2; ++twice) {
    fold.parameters.insert(fold.parameters.end(), elements.begin(),
                           elements.end());
  }
  fold.result = elements.size() == 1 ? elements[0] : Shape::Tuple(elements);
  return fold;
}

const AttributeFitter::Row AttributeFitter::kRows[] = {
    {Opcode::kSlice, &AttributeFitter::Slice},
    {Opcode::kDynamicSlice, &AttributeFitter::DynamicSlice},
    {Opcode::kDynamicUpdateSlice, &AttributeFitter::DynamicUpdateSlice},
    {Opcode::kPad, &AttributeFitter::Pad},
    {Opcode::kBroadcast, &AttributeFitter::Broadcast},
    {Opcode::kReshape, &AttributeFitter::Reshape},
    {Opcode::kIota, &AttributeFitter::Iota},
    {Opcode::kGather, &AttributeFitter::Gather},
    {Opcode::kScatter, &AttributeFitter::Scatter},
    {Opcode::kTopK, &AttributeFitter::TopK},
    {Opcode::kFft, &AttributeFitter::Fft},
    {Opcode::kTriangularSolve, &AttributeFitter::TriangularSolve},
    {Opcode::kScaledDot, &AttributeFitter::ScaledDot},
    {Opcode::kReduceWindow, &AttributeFitter::ReduceWindow},
    {Opcode::kSelectAndScatter, &AttributeFitter::SelectAndScatter},
    {Opcode::kConvolution, &AttributeFitter::Convolution},
    {Opcode::kMap, &AttributeFitter::Map},
    {Opcode::kScan, &AttributeFitter::Scan},
    {Opcode::kCall, &AttributeFitter::Call},
    {Opcode::kFusion, &AttributeFitter::Call},
    {Opcode::kWhile, &AttributeFitter::While},
    {Opcode::kConditional, &AttributeFitter::Conditional},
    {Opcode::kRng, &AttributeFitter::Rng},
    {Opcode::kRngBitGenerator, &AttributeFitter::RngBitGenerator},
    {Opcode::kAllReduce, &AttributeFitter::AllReduce},
    {Opcode::kAllReduceStart, &AttributeFitter::AllReduce},
    {Opcode::kCollectiveReduce, &AttributeFitter::AllReduce},
    {Opcode::kAllGather, &AttributeFitter::OneShard},
    {Opcode::kAllGatherStart, &AttributeFitter::OneShard},
    {Opcode::kReduceScatter, &AttributeFitter::OneShard},
    {Opcode::kAllToAll, &AttributeFitter::OneShard},
    {Opcode::kRaggedAllToAll, &AttributeFitter::RaggedAllToAll},
    {Opcode::kAsyncStart, &AttributeFitter::AsyncStart},
    {Opcode::kAsyncUpdate, &AttributeFitter::AsyncRest},
    {Opcode::kAsyncDone, &AttributeFitter::AsyncRest},
};

void AttributeFitter::Fit(OwnedInputs* inputs) {
  for (const Row& row : kRows) {
    if (row.opcode == inputs->opcode) return (this->*row.fit)(inputs);
  }
}

// --- Drawing ----------------------------------------------------------------

int64_t AttributeFitter::Between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % (high - low + 1));
}

std::vector<int> AttributeFitter::Permutation(int n) {
  std::vector<int> result(static_cast<size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  for (int i = n - 1; i > 0; --i) {
    std::swap(result[static_cast<size_t>(i)],
              result[static_cast<size_t>(Between(0, i))]);
  }
  return result;
}

ElementType AttributeFitter::IndexType() {
  constexpr ElementType kTypes[] = {ElementType::kS32, ElementType::kS64,
                                    ElementType::kU8, ElementType::kS16};
  return kTypes[Between(0, 3)];
}

Shape AttributeFitter::Sizes(ElementType type, int rank) {
  Shape shape = Shape::Scalar(type);
  for (int i = 0; i < rank; ++i) shape.add_dim(Dim::Static(Between(1, 4)));
  return shape;
}

Shape& AttributeFitter::Ranked(OwnedInputs* in, int least) {
  if (in->operands.empty()) in->operands.emplace_back();
  Shape& operand = in->operands[0];
  if (!operand.is_array()) operand = Shape::Scalar(ElementType::kF32);
  if (operand.is_unranked()) operand = Sizes(operand.element_type(), 2);
  operand = operand.WithoutLayout();
  while (operand.rank() < least) operand.add_dim(Dim::Static(Between(1, 4)));
  return operand;
}

void AttributeFitter::AddIndices(OwnedInputs* in, int count) {
  const Shape index = Shape::Scalar(IndexType());
  in->operands.insert(in->operands.end(), static_cast<size_t>(count), index);
}

// --- Data movement ----------------------------------------------------------

void AttributeFitter::Slice(OwnedInputs* in) {
  SliceAttributes slice;
  for (const Dim dim : Ranked(in).dims()) {
    const int64_t start = Between(0, SizeOf(dim));
    slice.starts.push_back(start);
    slice.limits.push_back(Between(start, SizeOf(dim)));
    slice.strides.push_back(Between(1, 3));
  }
  in->attributes = slice;
}

void AttributeFitter::DynamicSlice(OwnedInputs* in) {
  DynamicSliceAttributes slice;
  const Shape operand = Ranked(in);
  for (const Dim dim : operand.dims()) {
    slice.slice_sizes.push_back(Between(0, SizeOf(dim)));
  }
  in->operands = {operand};
  AddIndices(in, operand.rank());
  in->attributes = slice;
}

void AttributeFitter::DynamicUpdateSlice(OwnedInputs* in) {
  const Shape operand = Ranked(in);
  Shape update = Shape::Scalar(operand.element_type());
  for (const Dim dim : operand.dims()) {
    update.add_dim(Dim::Static(Between(0, SizeOf(dim))));
  }
  in->operands = {operand, update};
  AddIndices(in, operand.rank());
}

void AttributeFitter::Pad(OwnedInputs* in) {
  PadAttributes pad;
  for (const Dim dim : Ranked(in).dims()) {
    PaddingDim p = {Between(-1, 2), Between(-1, 2), Between(0, 2)};
    const int64_t size = SizeOf(dim);
    if (size + std::max<int64_t>(size - 1, 0) * p.interior + p.low + p.high <
        0) {
      p.low = p.high = 0;
    }
    pad.padding.push_back(p);
  }
  in->attributes = pad;
}

// Dims of the operand among new ones.
void AttributeFitter::Broadcast(OwnedInputs* in) {
  const Shape operand = Ranked(in);
  DimensionsAttributes map;
  Shape result = Shape::Scalar(operand.element_type());
  for (int i = 0; i <= operand.rank(); ++i) {
    if (OneIn(3)) result.add_dim(Dim::Static(Between(0, 3)));
    if (i == operand.rank()) break;
    map.dimensions.push_back(result.rank());
    result.add_dim(operand.dim(i));
  }
  in->attributes = map;
  in->declared = result;
}

// Neighbours become one dim, and 1s come in between.
void AttributeFitter::Reshape(OwnedInputs* in) {
  const Shape operand = Ranked(in);
  std::vector<int64_t> sizes;
  for (const Dim dim : operand.dims()) {
    if (!sizes.empty() && OneIn(2)) {
      sizes.back() *= SizeOf(dim);
    } else {
      if (OneIn(4)) sizes.push_back(1);
      sizes.push_back(SizeOf(dim));
    }
  }
  in->declared = Shape::Of(operand.element_type(), sizes);
  in->attributes = DimensionsAttributes();
}

void AttributeFitter::Iota(OwnedInputs* in) {
  in->declared = Sizes(ElementType::kS32, static_cast<int>(Between(1, 3)));
  DimensionsAttributes along;
  along.dimensions = {Between(0, in->declared.rank() - 1)};
  in->attributes = along;
}

void AttributeFitter::TopK(OwnedInputs* in) {
  const Shape& operand = Ranked(in, 1);
  TopKAttributes top;
  top.k = Between(0, SizeOf(operand.dim(operand.rank() - 1)));
  top.largest = OneIn(2);
  in->attributes = top;
}

// Their batch dims, some of them those of the operand, and where in them the
// numbers for the dims of `map` lie: along a dim of their own, or, of a single
// one, along none.
void AttributeFitter::DrawIndices(Slices* s) {
  std::vector<int64_t> batch;
  for (int64_t i = Between(0, 2); i > 0; --i) batch.push_back(Between(0, 3));
  const auto numbers = static_cast<int64_t>(s->map.size());
  const auto rank = static_cast<int64_t>(batch.size());
  const bool implicit = numbers == 1 && OneIn(2);
  s->index_vector_dim = implicit ? rank : Between(0, rank);
  for (size_t k = 0; k < s->operand_batching.size(); ++k) {
    const Dim dim = s->operand.dim(static_cast<int>(s->operand_batching[k]));
    batch.insert(batch.begin(), SizeOf(dim));
    s->index_vector_dim += 1;
  }
  for (size_t k = 0; k < s->operand_batching.size(); ++k) {
    // The last one came first.
    s->indices_batching.push_back(
        static_cast<int64_t>(s->operand_batching.size() - 1 - k));
  }
  for (const int64_t size : batch) s->dims.push_back(Dim::Static(size));
  if (!implicit) batch.insert(batch.begin() + s->index_vector_dim, numbers);
  s->indices = Shape::Of(IndexType(), batch);
}

AttributeFitter::Slices AttributeFitter::DrawSlices(const Shape& operand) {
  Slices s;
  s.operand = operand;
  DimVector window;
  for (const int i : Permutation(operand.rank())) {
    const bool batching = s.operand_batching.size() < 2 && OneIn(5);
    if (batching) {
      s.operand_batching.push_back(i);
    } else if (OneIn(2)) {
      s.map.push_back(i);
    }
  }
  std::sort(s.operand_batching.begin(), s.operand_batching.end());
  for (int i = 0; i < operand.rank(); ++i) {
    const int64_t size = SizeOf(operand.dim(i));
    const bool batching =
        std::count(s.operand_batching.begin(), s.operand_batching.end(), i) > 0;
    const bool drop = !batching && size > 0 && OneIn(3);
    s.sizes.push_back(batching || drop ? std::min<int64_t>(size, 1)
                                       : Between(0, size));
    if (drop) s.dropped.push_back(i);
    if (!batching && !drop) window.push_back(Dim::Static(s.sizes.back()));
  }
  DrawIndices(&s);
  // Dims of slices go anywhere among the others, in their order.
  size_t next = 0;
  for (size_t at = 0; next < window.size(); ++at) {
    if (at < s.dims.size() && OneIn(2)) continue;
    at = std::min(at, s.dims.size());
    s.kept.push_back(static_cast<int64_t>(at));
    s.dims.insert(s.dims.begin() + static_cast<ptrdiff_t>(at), window[next++]);
  }
  return s;
}

void AttributeFitter::Gather(OwnedInputs* in) {
  const Slices s = DrawSlices(Ranked(in));
  GatherAttributes gather;
  gather.offset_dims = s.kept;
  gather.collapsed_slice_dims = s.dropped;
  gather.start_index_map = s.map;
  gather.operand_batching_dims = s.operand_batching;
  gather.start_indices_batching_dims = s.indices_batching;
  gather.index_vector_dim = s.index_vector_dim;
  gather.slice_sizes = s.sizes;
  in->operands = {s.operand, s.indices};
  in->attributes = gather;
}

void AttributeFitter::Scatter(OwnedInputs* in) {
  const Slices s = DrawSlices(Ranked(in));
  ScatterAttributes scatter;
  scatter.update_window_dims = s.kept;
  scatter.inserted_window_dims = s.dropped;
  scatter.scatter_dims_to_operand_dims = s.map;
  scatter.input_batching_dims = s.operand_batching;
  scatter.scatter_indices_batching_dims = s.indices_batching;
  scatter.index_vector_dim = s.index_vector_dim;
  in->attributes = scatter;
  std::vector<Shape> arrays, updates, elements;
  for (int64_t k = Between(1, 2); k > 0; --k) {
    const ElementType type =
        arrays.empty() ? s.operand.element_type() : ElementType::kS32;
    arrays.push_back(WithType(s.operand, type));
    updates.push_back(Shape::Array(type, s.dims));
    elements.push_back(Shape::Scalar(type));
  }
  in->operands = arrays;
  in->operands.push_back(s.indices);
  in->operands.insert(in->operands.end(), updates.begin(), updates.end());
  in->callees = {Fold(elements)};
}

// --- Linear algebra, windows ------------------------------------------------

void AttributeFitter::Fft(OwnedInputs* in) {
  Shape& operand = Ranked(in, 1);
  FftAttributes fft;
  fft.type = static_cast<FftType>(Between(0, 3));
  const bool is_double = OneIn(2);
  const bool is_real = fft.type == FftType::kRfft;
  operand.set_element_type(is_real && is_double ? ElementType::kF64
                           : is_real            ? ElementType::kF32
                           : is_double          ? ElementType::kC128
                                                : ElementType::kC64);
  const int count =
      static_cast<int>(Between(1, std::min<int64_t>(operand.rank(), 3)));
  for (int i = operand.rank() - count; i < operand.rank(); ++i) {
    const int64_t length = Between(1, 5);
    fft.length.push_back(length);
    const bool halved = fft.type == FftType::kIrfft && i == operand.rank() - 1;
    operand.set_dim(i, Dim::Static(halved ? length / 2 + 1 : length));
  }
  in->attributes = fft;
}

void AttributeFitter::TriangularSolve(OwnedInputs* in) {
  Shape& a = Ranked(in, 2);
  const int rank = a.rank();
  a.set_dim(rank - 2, a.dim(rank - 1));
  TriangularSolveAttributes solve;
  solve.left_side = OneIn(2);
  solve.lower = OneIn(2);
  solve.unit_diagonal = OneIn(2);
  solve.transpose_a = static_cast<TriangularSolveTranspose>(Between(1, 3));
  in->attributes = solve;
  Shape b = a;
  b.set_dim(solve.left_side ? rank - 1 : rank - 2, Dim::Static(Between(0, 3)));
  in->operands = {a, b};
}

// A dot of [m,k] and [n,k], cut into blocks, or of batches of these.
void AttributeFitter::ScaledDot(OwnedInputs* in) {
  const int64_t m = Between(1, 3), n = Between(1, 3), blocks = Between(1, 2),
                k = blocks * Between(1, 3);
  DotAttributes dot;
  std::vector<int64_t> batch;
  if (OneIn(2)) {
    batch = {Between(1, 2)};
    dot.lhs_batch_dims = dot.rhs_batch_dims = {0};
  }
  const auto rank = static_cast<int64_t>(batch.size());
  dot.lhs_contracting_dims = dot.rhs_contracting_dims = {rank + 1};
  in->attributes = dot;
  const auto array = [&batch](ElementType type, int64_t rows, int64_t columns) {
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), {rows, columns});
    return Shape::Of(type, sizes);
  };
  constexpr ElementType kType = ElementType::kF8E4M3FN;
  constexpr ElementType kScale = ElementType::kF8E8M0FNU;
  in->operands = {array(kType, m, k), array(kType, n, k),
                  array(kScale, m, blocks),
                  OneIn(2) ? array(kScale, n, blocks) : Shape::Scalar(kScale)};
  in->declared = array(ElementType::kF32, m, n);
}

WindowDim AttributeFitter::Window(int64_t size) {
  WindowDim w;
  w.size = Between(1, 3);
  w.stride = Between(1, 3);
  w.window_dilation = Between(1, 2);
  w.base_dilation = Between(1, 2);
  w.padding_low = Between(-1, 2);
  w.padding_high = Between(-1, 2);
  const int64_t base = size == 0 ? 0 : (size - 1) * w.base_dilation + 1;
  if (base + w.padding_low + w.padding_high < 0) {
    w.padding_low = w.padding_high = 0;
  }
  return w;
}

void AttributeFitter::ReduceWindow(OwnedInputs* in) {
  const Shape first = Ranked(in);
  WindowAttributes window;
  for (const Dim dim : first.dims()) {
    window.window.push_back(Window(SizeOf(dim)));
  }
  in->attributes = window;
  const auto count = static_cast<size_t>(Between(1, 2));
  const Shape element = Shape::Scalar(first.element_type());
  in->operands.assign(count, first);
  in->operands.insert(in->operands.end(), count, element);
  in->callees = {Fold(std::vector<Shape>(count, element))};
}

void AttributeFitter::SelectAndScatter(OwnedInputs* in) {
  const Shape operand = Ranked(in);
  WindowAttributes window;
  Shape source = Shape::Scalar(operand.element_type());
  for (const Dim dim : operand.dims()) {
    WindowDim w = Window(SizeOf(dim));
    w.base_dilation = w.window_dilation = 1;
    w.padding_low = std::max<int64_t>(w.padding_low, 0);
    w.padding_high = std::max<int64_t>(w.padding_high, 0);
    const int64_t room = SizeOf(dim) + w.padding_low + w.padding_high;
    source.add_dim(
        Dim::Static(room < w.size ? 0 : (room - w.size) / w.stride + 1));
    window.window.push_back(w);
  }
  in->attributes = window;
  const Shape element = Shape::Scalar(operand.element_type());
  in->operands = {operand, source, element};
  Signature select = Fold({element});
  select.result = Shape::Scalar(ElementType::kPred);
  in->callees = {select, Fold({element})};
}

void AttributeFitter::Convolution(OwnedInputs* in) {
  ConvolutionAttributes conv;
  const int spatial = static_cast<int>(Between(0, 2)), rank = spatial + 2;
  const int64_t groups = Between(1, 3), inputs = Between(1, 2);
  const bool of_batch = OneIn(2);
  (of_batch ? conv.batch_group_count : conv.feature_group_count) = groups;
  DimIndices lhs(static_cast<size_t>(rank)), rhs = lhs;
  const std::vector<int> lhs_at = Permutation(rank), rhs_at = Permutation(rank),
                         out_at = Permutation(rank);
  const auto set = [](DimIndices* sizes, int at, int64_t size) {
    (*sizes)[static_cast<size_t>(at)] = size;
  };
  conv.dims.input_batch = lhs_at[0];
  conv.dims.input_feature = lhs_at[1];
  conv.dims.kernel_output_feature = rhs_at[0];
  conv.dims.kernel_input_feature = rhs_at[1];
  conv.dims.output_batch = out_at[0];
  conv.dims.output_feature = out_at[1];
  set(&lhs, lhs_at[0], Between(0, 2) * (of_batch ? groups : 1));
  set(&lhs, lhs_at[1], inputs * (of_batch ? 1 : groups));
  set(&rhs, rhs_at[0], Between(1, 2) * groups);
  set(&rhs, rhs_at[1], inputs);
  for (size_t k = 2; k < static_cast<size_t>(rank); ++k) {
    const int64_t size = Between(0, 5);
    WindowDim w = Window(size);
    w.window_reversal = OneIn(2);
    conv.dims.input_spatial.push_back(lhs_at[k]);
    conv.dims.kernel_spatial.push_back(rhs_at[k]);
    conv.dims.output_spatial.push_back(out_at[k]);
    set(&lhs, lhs_at[k], size);
    set(&rhs, rhs_at[k], w.size);
    conv.window.push_back(w);
  }
  const ElementType type = Ranked(in).element_type();
  in->operands = {Shape::Of(type, lhs), Shape::Of(type, rhs)};
  in->attributes = conv;
}

}  // namespace indim

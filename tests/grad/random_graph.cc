// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/grad/random_graph.h"

#include <cstddef>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace {

constexpr ElementType kType = ElementType::kF64;

class Grower {
 public:
  explicit Grower(uint64_t number)
      : random_(number), b_("random"), number_(number) {}

  absl::StatusOr<Module> Grow() {
    const int parameters = 1 + Below(3);
    for (int i = 0; i < parameters; ++i) {
      values_.push_back(b_.Parameter(i, RandomShape()));
    }
    using Step = Op (Grower::*)();
    constexpr Step kSteps[] = {
        &Grower::Unary,         &Grower::Unary,        &Grower::Binary,
        &Grower::Binary,        &Grower::Select,       &Grower::Clamp,
        &Grower::Broadcast,     &Grower::Transpose,    &Grower::Reshape,
        &Grower::Reverse,       &Grower::Slice,        &Grower::Pad,
        &Grower::Concatenate,   &Grower::DynamicSlice, &Grower::DynamicUpdate,
        &Grower::Gather,        &Grower::Scatter,      &Grower::Reduce,
        &Grower::ReduceBy,      &Grower::Window,       &Grower::Convolution,
        &Grower::Dot,           &Grower::Sort,         &Grower::TopK,
        &Grower::Fft,           &Grower::Cholesky,     &Grower::TriangularSolve,
        &Grower::BatchNorm,     &Grower::Loop,         &Grower::Branch,
        &Grower::Call,          &Grower::Map,          &Grower::Complex,
        &Grower::SelectScatter, &Grower::RaggedDot,    &Grower::Barrier};
    const int steps = 3 + Below(8);
    for (int i = 0; i < steps; ++i) {
      // Each kind of step comes first in some graph.
      const size_t kind =
          i == 0
              ? number_ % std::size(kSteps)
              : static_cast<size_t>(Below(static_cast<int>(std::size(kSteps))));
      values_.push_back(b_.Sin((this->*kSteps[kind])()));
    }
    const Op results[] = {values_.back(), Any()};
    return b_.Build(Below(2) == 0 ? values_.back() : b_.Tuple(results));
  }

 private:
  int Below(int n) {
    return static_cast<int>(random_() % static_cast<uint64_t>(n));
  }
  int64_t Size() { return 1 + Below(4); }
  Shape RandomShape() {
    Shape shape = Shape::Scalar(kType);
    const int rank = Below(4);
    for (int i = 0; i < rank; ++i) shape.add_dim(Dim::Static(Size()));
    return shape;
  }
  Op Any() {
    return values_[static_cast<size_t>(
        Below(static_cast<int>(values_.size())))];
  }
  Shape ShapeOf(Op x) { return *b_.shape(x); }
  static std::vector<int64_t> SizesOf(const Shape& shape) {
    std::vector<int64_t> sizes;
    for (const Dim dim : shape.dims()) sizes.push_back(dim.size());
    return sizes;
  }
  // Any value, as an array of these sizes: repeated, or cut.
  Op AnyAs(const std::vector<int64_t>& sizes) {
    Op x = Any();
    int64_t count = 1, wanted = 1;
    for (const int64_t size : SizesOf(ShapeOf(x))) count *= size;
    for (const int64_t size : sizes) wanted *= size;
    x = b_.Reshape(x, {count});
    const int64_t times = (wanted + count - 1) / count;
    if (times > 1) {
      x = b_.ConcatInDim(std::vector<Op>(static_cast<size_t>(times), x), 0);
    }
    x = b_.SliceInDim(x, 0, wanted, 1, 0);
    // Repeated elements would be ties.
    x = b_.Add(x, b_.Sin(b_.Mul(b_.ConvertElementType(
                                    b_.Iota(ElementType::kS32, wanted), kType),
                                1.7)));
    return b_.Reshape(x, SizesArg(sizes));
  }
  // The same, of a rank from `least` to `most`.
  Op AnyOfRank(int least, int most) {
    std::vector<int64_t> sizes;
    const int rank = least + Below(most - least + 1);
    for (int i = 0; i < rank; ++i) sizes.push_back(Size());
    return AnyAs(sizes);
  }
  int64_t AnyDim(Op x) { return Below(ShapeOf(x).rank()); }
  Op Index(int64_t below) {
    return b_.ConstantR0<int32_t>(Below(static_cast<int>(below)));
  }
  Op Positive(Op x) { return b_.Add(b_.Mul(x, x), 0.5); }
  Op Small(Op x) { return b_.Mul(b_.Sin(x), 0.5); }

  Op Unary() {
    const Op x = Any();
    switch (Below(28)) {
      case 0:
        return b_.Abs(x);
      case 1:
        return b_.Acos(Small(x));
      case 2:
        return b_.Acosh(b_.Add(Positive(x), 1));
      case 3:
        return b_.Asin(Small(x));
      case 4:
        return b_.Asinh(x);
      case 5:
        return b_.Atanh(Small(x));
      case 6:
        return b_.Cbrt(Positive(x));
      case 7:
        return b_.Cosh(Small(x));
      case 8:
        return b_.Cos(x);
      case 9:
        return b_.Erf(x);
      case 10:
        return b_.Exp(Small(x));
      case 11:
        return b_.Expm1(Small(x));
      case 12:
        return b_.Log(Positive(x));
      case 13:
        return b_.Log1p(Positive(x));
      case 14:
        return b_.Logistic(x);
      case 15:
        return b_.Neg(x);
      case 16:
        return b_.Rsqrt(Positive(x));
      case 17:
        return b_.Sinh(Small(x));
      case 18:
        return b_.Sqrt(Positive(x));
      case 19:
        return b_.Tan(Small(x));
      case 20:
        return b_.Tanh(x);
      case 21:
        return b_.Mul(x, b_.Sign(x));
      case 22:
        return b_.Add(x, b_.Floor(b_.Mul(x, 3)));
      case 23:
        return b_.Mul(x, b_.Ceil(b_.Mul(x, 3)));
      case 24:
        return b_.ReducePrecision(x, 11, 52);
      case 25:
        return b_.Add(x, b_.Round(b_.Mul(x, 3)));
      case 26:
        return b_.Copy(x);
      default:
        return b_.ConvertElementType(x, kType);
    }
  }
  Op Binary() {
    const Op x = Any();
    const Op y = Below(3) == 0 ? AnyAs({}) : AnyAs(SizesOf(ShapeOf(x)));
    switch (Below(10)) {
      case 0:
        return b_.Add(x, y);
      case 1:
        return b_.Sub(y, x);
      case 2:
        return b_.Mul(x, y);
      case 3:
        return b_.Div(x, Positive(y));
      case 4:
        return b_.Max(x, y);
      case 5:
        return b_.Min(x, y);
      case 6:
        return b_.Pow(Positive(x), y);
      case 7:
        return b_.Atan2(Positive(x), y);
      case 8:
        return b_.Rem(b_.Mul(x, 5), Positive(y));
      default:
        return b_.Mul(x, x);
    }
  }
  Op Select() {
    const Op x = Any();
    const std::vector<int64_t> sizes = SizesOf(ShapeOf(x));
    return b_.Select(b_.Lt(x, AnyAs(sizes)), b_.Cos(x), AnyAs(sizes));
  }
  Op Clamp() {
    const Op low = b_.Mul(AnyAs({}), 0.2);
    return b_.Clamp(low, Any(), b_.Add(low, 0.5));
  }
  Op Broadcast() {
    const Op x = AnyOfRank(1, 2);
    std::vector<int64_t> sizes = SizesOf(ShapeOf(x)), dims;
    sizes.insert(sizes.begin() + Below(static_cast<int>(sizes.size()) + 1), 2);
    const int64_t rank = ShapeOf(x).rank();
    // Where the sizes of x stand in the result.
    size_t next = 0;
    for (size_t i = 0;
         i < sizes.size() && static_cast<int64_t>(dims.size()) < rank; ++i) {
      if (sizes[i] == SizesOf(ShapeOf(x))[next]) {
        dims.push_back(static_cast<int64_t>(i));
        ++next;
      }
    }
    if (static_cast<int64_t>(dims.size()) < rank) return x;
    return b_.BroadcastInDim(x, SizesArg(sizes), dims);
  }
  Op Transpose() {
    const Op x = AnyOfRank(2, 3);
    std::vector<int64_t> permutation;
    for (int64_t i = ShapeOf(x).rank(); i-- > 0;) permutation.push_back(i);
    if (permutation.size() == 3 && Below(2) == 0)
      std::swap(permutation[0], permutation[1]);
    return b_.Transpose(x, DimsArg(permutation));
  }
  Op Reshape() { return AnyOfRank(0, 3); }
  Op Reverse() {
    const Op x = AnyOfRank(1, 3);
    return b_.Rev(x, {AnyDim(x)});
  }
  Op Slice() {
    const Op x = AnyOfRank(1, 3);
    const int64_t dim = AnyDim(x),
                  size = SizesOf(ShapeOf(x))[static_cast<size_t>(dim)];
    const int64_t start = Below(static_cast<int>(size));
    return b_.SliceInDim(x, start, size, 1 + Below(2), dim);
  }
  Op Pad() {
    const Op x = AnyOfRank(1, 2);
    std::vector<PaddingDim> padding;
    for (int i = 0; i < ShapeOf(x).rank(); ++i) {
      const int64_t interior = Below(2);
      padding.push_back({Below(3), Below(2), interior});
      if (SizesOf(ShapeOf(x))[static_cast<size_t>(i)] > 1 && Below(2) == 0) {
        padding.back().low = -1;
      }
    }
    return b_.Pad(x, AnyAs({}), padding);
  }
  Op Concatenate() {
    const Op x = AnyOfRank(1, 3);
    const int64_t dim = AnyDim(x);
    std::vector<int64_t> sizes = SizesOf(ShapeOf(x));
    sizes[static_cast<size_t>(dim)] = Size();
    return b_.ConcatInDim({x, AnyAs(sizes)}, dim);
  }
  Op DynamicSlice() {
    const Op x = AnyAs({4, 3});
    return b_.DynamicSlice(x, {Index(6), Index(3)}, {2, 2});
  }
  Op DynamicUpdate() {
    return b_.DynamicUpdateSlice(AnyAs({4, 3}), AnyAs({2, 2}),
                                 {Index(6), Index(3)});
  }
  Op Gather() {
    GatherAttributes gather;
    gather.offset_dims = {1};
    gather.collapsed_slice_dims = {0};
    gather.start_index_map = {0};
    gather.index_vector_dim = 1;
    gather.slice_sizes = {1, 3};
    return b_.Gather(AnyAs({4, 3}), Rows(3), gather);
  }
  // Numbers of rows, also equal ones and ones outside.
  Op Rows(int count) {
    std::vector<int32_t> rows;
    for (int i = 0; i < count; ++i) rows.push_back(Below(6));
    return b_.Reshape(b_.ConstantR1(absl::MakeConstSpan(rows)), {count, 1});
  }
  Op Scatter() {
    ScatterAttributes scatter;
    scatter.update_window_dims = {1};
    scatter.inserted_window_dims = {0};
    scatter.scatter_dims_to_operand_dims = {0};
    scatter.index_vector_dim = 1;
    const Op x = AnyAs({4, 2}), rows = Rows(3), y = AnyAs({3, 2});
    switch (Below(4)) {
      case 0:
        return b_.Scatter(
            x, rows, y, [](Op, Op v) { return v; }, scatter);
      case 1:
        return b_.Scatter(
            x, rows, y, [](Op u, Op v) { return u * v; }, scatter);
      case 2:
        return b_.Scatter(
            x, rows, y, [this](Op u, Op v) { return b_.Max(u, v); }, scatter);
      default:
        return b_.Scatter(
            x, rows, y, [](Op u, Op v) { return u + v; }, scatter);
    }
  }
  Op Reduce() {
    const Op x = AnyOfRank(1, 3);
    constexpr ReduceKind kKinds[] = {ReduceKind::kAdd, ReduceKind::kMul,
                                     ReduceKind::kMax, ReduceKind::kMin};
    const int64_t dims[] = {AnyDim(x)};
    return b_.Reduce(x, kKinds[Below(4)], DimsArg(dims));
  }
  Op LogAdd(Op x, Op y) { return b_.Log(b_.Add(b_.Exp(x), b_.Exp(y))); }
  Op ReduceBy() {
    const Op x = AnyOfRank(1, 3);
    const int64_t dims[] = {AnyDim(x)};
    return b_.Reduce(
        x, AnyAs({}), [this](Op u, Op v) { return LogAdd(u, v); }, dims);
  }
  Op Window() {
    const Op x = AnyAs({6});
    WindowDim w;
    w.size = 1 + Below(3);
    w.stride = 1 + Below(2);
    w.padding_low = Below(3);
    w.padding_high = Below(2);
    w.base_dilation = 1 + Below(2);
    w.window_dilation = 1 + Below(2);
    const WindowDim window[] = {w};
    const int kind = Below(4);
    const Op init = AnyAs({});
    return b_.ReduceWindow(
        x, init,
        [&](Op u, Op v) {
          return kind == 0   ? u + v
                 : kind == 1 ? u * v
                 : kind == 2 ? b_.Max(u, v)
                             : LogAdd(u, v);
        },
        window);
  }
  Op Convolution() {
    ConvolutionAttributes c;
    const int64_t groups = 1 + Below(2);
    const bool by_batch = Below(2) == 0;
    (by_batch ? c.batch_group_count : c.feature_group_count) = groups;
    c.dims.input_batch = 0;
    c.dims.input_feature = 1;
    c.dims.input_spatial = {2};
    c.dims.kernel_output_feature = 0;
    c.dims.kernel_input_feature = 1;
    c.dims.kernel_spatial = {2};
    c.dims.output_batch = 0;
    c.dims.output_feature = 1;
    c.dims.output_spatial = {2};
    WindowDim w;
    w.size = 2;
    w.stride = 1 + Below(2);
    w.padding_low = Below(3) - 1;
    w.padding_high = Below(3);
    w.base_dilation = 1 + Below(2);
    w.window_dilation = 1 + Below(2);
    w.window_reversal = Below(2) == 0;
    c.window = {w};
    return b_.ConvGeneral(AnyAs({2, 2, 5}),
                          AnyAs({2, by_batch ? 2 : 2 / groups, 2}), c);
  }
  Op Dot() {
    const int64_t n = Size(), m = Size(), k = Size(), batch = Size();
    if (Below(2) == 0) return b_.Dot(AnyAs({n, k}), AnyAs({k, m}));
    DotAttributes dot;
    dot.lhs_batch_dims = {1};
    dot.rhs_batch_dims = {0};
    dot.lhs_contracting_dims = {0};
    dot.rhs_contracting_dims = {2};
    return b_.DotGeneral(AnyAs({k, batch, n}), AnyAs({batch, m, k}), dot);
  }
  Op Sort() {
    const Op x = AnyAs({2, 4}), y = AnyAs({2, 4});
    if (Below(2) == 0) return b_.Sort(x, [](Op u, Op v) { return u > v; });
    const Op both = b_.Sort(
        {x, y}, [](absl::Span<const Op> s) { return s[0] < s[1]; }, Below(2));
    return b_.Mul(b_.GetTupleElement(both, 0), b_.GetTupleElement(both, 1));
  }
  Op TopK() {
    return b_.GetTupleElement(b_.TopK(AnyAs({2, 4}), 2, Below(2) == 0), 0);
  }
  Op Fft() {
    const int64_t n = 3 + Below(3), half[] = {n};
    const Op c = b_.Fft(AnyAs({2, n}), FftType::kRfft, half);
    const Op d =
        b_.Fft(b_.Mul(c, c), Below(2) == 0 ? FftType::kFft : FftType::kIfft,
               {n / 2 + 1});
    return b_.Mul(
        b_.Fft(b_.Complex(b_.Real(d), b_.Imag(d)), FftType::kIrfft, half), 0.1);
  }
  Op Cholesky() {
    const Op x = AnyAs({3, 3});
    const Op eye = b_.ConvertElementType(
        b_.Eq(b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 0),
              b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 1)),
        kType);
    const bool lower = Below(2) == 0;
    const Op c =
        b_.Cholesky(b_.Add(b_.Dot(x, b_.Transpose(x, {1, 0})), eye), lower);
    // The other triangle isn't defined.
    const Op row = b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 0);
    const Op column = b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 1);
    return b_.Select(lower ? b_.Ge(row, column) : b_.Le(row, column), c,
                     b_.Splat(0, Shape::Of(kType, {3, 3})));
  }
  Op TriangularSolve() {
    const Op x = AnyAs({3, 3});
    const Op eye = b_.ConvertElementType(
        b_.Eq(b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 0),
              b_.Iota(Shape::Of(ElementType::kS32, {3, 3}), 1)),
        kType);
    const bool left = Below(2) == 0;
    return b_.TriangularSolve(
        b_.Add(Small(x), b_.Mul(eye, 2)), left ? AnyAs({3, 2}) : AnyAs({2, 3}),
        left, Below(2) == 0, Below(2) == 0,
        Below(2) == 0 ? TriangularSolveTranspose::kTranspose
                      : TriangularSolveTranspose::kNoTranspose);
  }
  Op BatchNorm() {
    const Op x = AnyAs({3, 2}), scale = AnyAs({2}), offset = AnyAs({2});
    if (Below(2) == 0) {
      return b_.BatchNormInference(x, scale, offset, AnyAs({2}),
                                   Positive(AnyAs({2})), 0.1f, 1);
    }
    const Op all = b_.BatchNormTraining(x, scale, offset, 0.1f, 1);
    return b_.Add(b_.GetTupleElement(all, 0),
                  b_.GetTupleElement(all, 1 + Below(2)), {1});
  }
  Op Loop() {
    const std::vector<Op> init = {AnyAs({2}), AnyAs({3, 2})};
    const bool stacks = Below(2) == 0;
    const std::vector<Op> last = b_.ForLoop(
        b_.ConstantR0<int32_t>(3), init, [&](Op i, std::vector<Op> state) {
          const Op row = b_.Reshape(
              b_.DynamicSlice(state[1], {i, b_.ConstantR0<int32_t>(0)}, {1, 2}),
              {2});
          state[0] = b_.Sin(b_.Add(b_.Mul(state[0], row), row));
          if (stacks) {
            state[1] =
                b_.DynamicUpdateSlice(state[1], b_.Reshape(state[0], {1, 2}),
                                      {i, b_.ConstantR0<int32_t>(0)});
          }
          return state;
        });
    return last[static_cast<size_t>(Below(2))];
  }
  Op Branch() {
    const Op x = AnyAs({2}), y = AnyAs({2});
    ComputationBuilder on = b_.SubBuilder("on"), off = b_.SubBuilder("off");
    const Shape shape = Shape::Of(kType, {2});
    const Op u = on.Parameter(0, Shape::Tuple({shape, shape}));
    const Op v = off.Parameter(0, shape);
    const Callee a = on.BuildCallee(
        on.Mul(on.GetTupleElement(u, 0), on.Sin(on.GetTupleElement(u, 1))));
    const Callee c = off.BuildCallee(off.Cos(v));
    return b_.Conditional(b_.Gt(AnyAs({}), 0.1), b_.Tuple({x, y}), a, y, c);
  }
  Op Call() {
    ComputationBuilder callee = b_.SubBuilder("callee");
    const Shape shape = Shape::Of(kType, {2, 2});
    const Op u = callee.Parameter(0, shape), v = callee.Parameter(1, shape);
    const Callee made = callee.BuildCallee(callee.Dot(callee.Sin(u), v));
    const Op once = b_.Call(made, {AnyAs({2, 2}), AnyAs({2, 2})});
    return b_.Call(made, {once, AnyAs({2, 2})});
  }
  Op Map() {
    const Op x = Any(), y = AnyAs(SizesOf(ShapeOf(x)));
    return b_.Map({x, y}, [](Op u, Op v) { return u * v + u; });
  }
  Op Complex() {
    const Op x = Any();
    const Op z = b_.Complex(x, AnyAs(SizesOf(ShapeOf(x))));
    switch (Below(5)) {
      case 0:
        return b_.Abs(b_.Add(z, b_.Complex(b_.Add(b_.Abs(x), 0.5), x)));
      case 1:
        return b_.Real(b_.Tanh(b_.Mul(z, z)));
      case 2:
        return b_.Imag(b_.Exp(z));
      case 3:
        return b_.Real(b_.Mul(z, b_.Sin(z)));
      default:
        return b_.Imag(b_.Sign(b_.Add(z, b_.Complex(Positive(x), x))));
    }
  }
  Op SelectScatter() {
    ComputationBuilder ge = b_.SubBuilder("ge"), add = b_.SubBuilder("add");
    const Shape scalar = Shape::Scalar(kType);
    const Op u = ge.Parameter(0, scalar), v = ge.Parameter(1, scalar);
    const Callee select = ge.BuildCallee(ge.Ge(u, v));
    const Op s = add.Parameter(0, scalar), t = add.Parameter(1, scalar);
    WindowDim w;
    w.size = 2;
    w.stride = 2;
    const WindowDim window[] = {w};
    return b_.SelectAndScatter(AnyAs({6}), select, window, AnyAs({3}),
                               AnyAs({}), add.BuildCallee(add.Add(s, t)));
  }
  Op RaggedDot() {
    DotAttributes dot;
    dot.lhs_contracting_dims = {1};
    dot.lhs_ragged_dims = {0};
    dot.rhs_contracting_dims = {1};
    dot.rhs_group_dims = {0};
    return b_.RaggedDot(AnyAs({5, 3}), AnyAs({2, 3, 2}),
                        b_.ConstantR1({1 + Below(2), 2}), dot);
  }
  Op Barrier() {
    const Op both = b_.OptimizationBarrier(b_.Tuple({Any(), Any()}));
    return b_.GetTupleElement(both, Below(2));
  }

  std::mt19937_64 random_;
  ComputationBuilder b_;
  const uint64_t number_;
  std::vector<Op> values_;
};

}  // namespace

absl::StatusOr<Module> RandomGraph(uint64_t number) {
  return Grower(number).Grow();
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Symbols say neither too much nor too little: for whatever values the symbols
// take, the operation on the sizes that result is refused or some condition
// fails, both or neither; and where it is not refused, the inferred expressions
// have the sizes of its result.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/shape/infer/op_on_shapes.h"

namespace indim {
namespace {

// What must hold of the symbols of an operation whose shape was inferred.
std::vector<Condition> ConditionsOf(const OpOnShapes& op,
                                    const std::optional<Shape>& result,
                                    const InferContext& context) {
  std::vector<Condition> conditions;
  const std::vector<const Shape*> operands = op.operand_pointers();
  for (const Condition& condition : context.conditions()) {
    const std::optional<Condition> named =
        WithSizes(condition, operands, result ? &*result : nullptr);
    EXPECT_TRUE(named) << ToString(condition);
    if (named) conditions.push_back(*named);
  }
  return conditions;
}

SymbolScope ScopeOf(const DimExpr::Values& values) {
  SymbolScope scope;
  for (const auto& [name, value] : values) {
    EXPECT_TRUE(scope.Bind(name, value).ok()) << name;
  }
  return scope;
}

// With their values in the place of symbols; `?` where that is no size.
Dim At(Dim dim, const SymbolScope& scope) {
  return scope.Apply(dim).value_or(Dim::Unknown());
}
Shape At(const Shape& shape, const SymbolScope& scope) {
  const std::optional<Shape> at = Substitute(shape, scope);
  EXPECT_TRUE(at) << shape.ToString();
  return at.value_or(shape);
}

class SymbolicTest : public testing::Test {
 protected:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  Dim PickDim() {
    static const char* const kExpressions[] = {"n",   "m",   "n",   "n+1",
                                               "2*n", "n+m", "2*m", "m+2"};
    if (Pick(0, 2) == 0) return Dim::Static(Pick(0, 4));
    return *Dim::Parse(kExpressions[Pick(0, 7)]);
  }
  Shape PickShape(int rank) {
    Shape shape = Shape::Scalar(ElementType::kF32);
    for (int i = 0; i < rank; ++i) shape.add_dim(PickDim());
    return shape;
  }

  void CheckValues(const OpOnShapes& c, const std::optional<Shape>& whole,
                   const std::vector<Condition>& conditions,
                   const DimExpr::Values& names) {
    const SymbolScope values = ScopeOf(names);
    OpOnShapes concrete = c;
    for (Shape& operand : concrete.operands) operand = At(operand, values);
    if (c.declared) concrete.declared = At(*c.declared, values);
    InferContext context;
    const std::optional<Shape> result = InferShape(&context, concrete);
    bool all_hold = true;
    std::string failed;
    for (Condition condition : conditions) {
      condition.a = At(condition.a.size(), values);
      condition.b = At(condition.b.size(), values);
      if (Decide(condition) == Answer::kProven) continue;
      all_hold = false;
      failed = ToString(condition);
    }
    const bool holds = whole && all_hold;
    EXPECT_EQ(holds, result.has_value())
        << c.text() << " at " << concrete.text() << (whole ? "" : ", refused")
        << " " << failed;
    if (!holds || !result) return;
    ++worked_;
    EXPECT_TRUE(Contains(At(*whole, values), *result))
        << c.text() << " is " << whole->ToString() << ", at " << concrete.text()
        << " " << result->ToString();
  }

  template <typename Make>
  void Check(Make make) {
    worked_ = 0;
    for (int i = 0; i < 80; ++i) {
      const OpOnShapes c = make();
      InferContext context;
      const std::optional<Shape> whole = InferShape(&context, c);
      const std::vector<Condition> conditions = ConditionsOf(c, whole, context);
      for (int64_t n = 0; n <= 5; ++n) {
        for (int64_t m = 0; m <= 3; ++m) {
          CheckValues(c, whole, conditions, {{"n", n}, {"m", m}});
        }
      }
    }
    EXPECT_GT(worked_, 50);
  }

  std::mt19937_64 random_{20261122};
  int worked_ = 0;
};

TEST_F(SymbolicTest, Broadcast) {
  Check([&] {
    ElementwiseAttributes spec;
    spec.broadcast.rule =
        Pick(0, 1) ? BroadcastRule::kNumpy : BroadcastRule::kXla;
    return OpOnShapes{Opcode::kAdd, {PickShape(2), PickShape(2)}, spec};
  });
}

TEST_F(SymbolicTest, Select) {
  Check([&] {
    Shape pred = PickShape(1);
    pred.set_element_type(ElementType::kPred);
    return OpOnShapes{Opcode::kSelect, {pred, PickShape(1), PickShape(1)}};
  });
}

TEST_F(SymbolicTest, Concatenate) {
  Check([&] {
    DimensionsAttributes along;
    along.dimensions = {Pick(0, 1)};
    return OpOnShapes{Opcode::kConcatenate,
                      {PickShape(2), PickShape(2), PickShape(2)},
                      along};
  });
}

TEST_F(SymbolicTest, Slice) {
  Check([&] {
    SliceAttributes slice;
    for (int i = 0; i < 2; ++i) {
      slice.starts.push_back(Pick(0, 2));
      slice.limits.push_back(slice.starts[i] + Pick(0, 3));
      slice.strides.push_back(Pick(1, 2));
    }
    return OpOnShapes{Opcode::kSlice, {PickShape(2)}, slice};
  });
}

TEST_F(SymbolicTest, Pad) {
  Check([&] {
    PadAttributes pad;
    for (int i = 0; i < 2; ++i) {
      pad.padding.push_back({Pick(-3, 3), Pick(-3, 3), Pick(0, 2)});
    }
    return OpOnShapes{
        Opcode::kPad, {PickShape(2), Shape::Scalar(ElementType::kF32)}, pad};
  });
}

TEST_F(SymbolicTest, Dot) {
  Check([&] {
    DotAttributes dot;
    dot.lhs_batch_dims = {0};
    dot.rhs_batch_dims = {0};
    dot.lhs_contracting_dims = {1};
    dot.rhs_contracting_dims = {1};
    return OpOnShapes{Opcode::kDot, {PickShape(3), PickShape(3)}, dot};
  });
}

TEST_F(SymbolicTest, Reshape) {
  Check([&] {
    const Shape from = PickShape(2);
    return OpOnShapes{Opcode::kReshape,
                      {from},
                      DimensionsAttributes(),
                      {},
                      PickShape(static_cast<int>(Pick(1, 3)))};
  });
}

TEST_F(SymbolicTest, ReduceWindow) {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Check([&] {
    WindowAttributes window;
    WindowDim w;
    w.size = Pick(1, 3);
    w.stride = Pick(1, 3);
    w.padding_low = Pick(-1, 2);
    w.padding_high = Pick(-1, 2);
    w.base_dilation = Pick(1, 2);
    w.window_dilation = Pick(1, 2);
    window.window = {w};
    return OpOnShapes{Opcode::kReduceWindow,
                      {PickShape(1), scalar},
                      window,
                      {{scalar, scalar}, scalar}};
  });
}

TEST_F(SymbolicTest, Convolution) {
  Check([&] {
    ConvolutionAttributes conv;
    WindowDim w;
    w.size = Pick(1, 3);
    w.stride = Pick(1, 2);
    w.padding_low = Pick(0, 2);
    conv.window = {w};
    conv.dims.input_batch = conv.dims.output_batch = 0;
    conv.dims.input_feature = conv.dims.output_feature = 1;
    conv.dims.kernel_output_feature = 0;
    conv.dims.kernel_input_feature = 1;
    conv.dims.input_spatial = conv.dims.kernel_spatial =
        conv.dims.output_spatial = {2};
    conv.feature_group_count = Pick(1, 2);
    Shape kernel = Shape::Of(ElementType::kF32, {2, 1, w.size});
    kernel.set_dim(1, PickDim());
    return OpOnShapes{Opcode::kConvolution, {PickShape(3), kernel}, conv};
  });
}

TEST_F(SymbolicTest, DynamicSliceAndUpdate) {
  const Shape index = Shape::Scalar(ElementType::kS32);
  Check([&] {
    DynamicSliceAttributes slice;
    slice.slice_sizes = {Pick(0, 4), Pick(0, 4)};
    return OpOnShapes{
        Opcode::kDynamicSlice, {PickShape(2), index, index}, slice};
  });
  Check([&] {
    return OpOnShapes{Opcode::kDynamicUpdateSlice,
                      {PickShape(2), PickShape(2), index, index}};
  });
}

TEST_F(SymbolicTest, ReduceAndSort) {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Check([&] {
    DimensionsAttributes reduced;
    reduced.dimensions = {Pick(0, 1)};
    return OpOnShapes{
        Opcode::kReduce,
        {PickShape(2), PickShape(2), scalar, scalar},
        reduced,
        {{scalar, scalar, scalar, scalar}, Shape::Tuple({scalar, scalar})}};
  });
  Check([&] {
    SortAttributes sort;
    sort.dimensions = {1};
    return OpOnShapes{
        Opcode::kSort,
        {PickShape(2), PickShape(2)},
        sort,
        {{scalar, scalar, scalar, scalar}, Shape::Scalar(ElementType::kPred)}};
  });
}

TEST_F(SymbolicTest, GatherAndScatter) {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Check([&] {
    GatherAttributes gather;
    gather.offset_dims = {1};
    gather.collapsed_slice_dims = {0};
    gather.start_index_map = {0};
    gather.index_vector_dim = 1;
    gather.slice_sizes = {Pick(0, 1), Pick(0, 3)};
    Shape indices = PickShape(1);
    indices.set_element_type(ElementType::kS32);
    return OpOnShapes{Opcode::kGather, {PickShape(2), indices}, gather};
  });
  Check([&] {
    ScatterAttributes scatter;
    scatter.update_window_dims = {1};
    scatter.inserted_window_dims = {0};
    scatter.scatter_dims_to_operand_dims = {0};
    scatter.index_vector_dim = 1;
    Shape indices = PickShape(1);
    indices.set_element_type(ElementType::kS32);
    return OpOnShapes{Opcode::kScatter,
                      {PickShape(2), indices, PickShape(2)},
                      scatter,
                      {{scalar, scalar}, scalar}};
  });
}

TEST_F(SymbolicTest, LinearAlgebra) {
  Check([&] { return OpOnShapes{Opcode::kCholesky, {PickShape(2)}}; });
  Check([&] {
    TriangularSolveAttributes solve;
    solve.left_side = Pick(0, 1) == 1;
    solve.transpose_a = TriangularSolveTranspose::kNoTranspose;
    return OpOnShapes{
        Opcode::kTriangularSolve, {PickShape(2), PickShape(2)}, solve};
  });
  Check([&] {
    TopKAttributes topk;
    topk.k = Pick(0, 4);
    return OpOnShapes{Opcode::kTopK, {PickShape(2)}, topk};
  });
  Check([&] {
    BatchNormAttributes norm;
    norm.feature_index = 1;
    return OpOnShapes{Opcode::kBatchNormTraining,
                      {PickShape(2), PickShape(1), PickShape(1)},
                      norm};
  });
}

}  // namespace
}  // namespace indim

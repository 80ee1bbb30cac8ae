// SPDX-License-Identifier: Apache-2.0
// Intervals are sound: whatever sizes the dims of the operands turn out to have
// at run time, the result that those sizes give is among those that inference
// said, and an error means that no sizes work. Random queries, every choice of
// small sizes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/shape/infer/op_on_shapes.h"

namespace indim {
namespace {

constexpr int64_t kLargest = 5;  // size that is tried of a dim without an end

std::optional<Shape> InferredShape(const OpOnShapes& op) {
  InferContext context;
  return InferShape(&context, op);
}

// Gives the dims from `operand`, `dim` on every small size they can have, and
// checks each choice against `whole`. Returns how many choices worked.
int CheckAllSizes(const OpOnShapes& c, const std::optional<Shape>& whole,
                  size_t operand, int dim) {
  while (operand < c.operands.size() && dim == c.operands[operand].rank()) {
    ++operand;
    dim = 0;
  }
  if (operand == c.operands.size()) {
    const std::optional<Shape> concrete = InferredShape(c);
    if (!concrete) return 0;
    EXPECT_TRUE(whole && Contains(*whole, *concrete))
        << c.text() << " is " << concrete->ToString() << ", not "
        << (whole ? whole->ToString() : "an error");
    return 1;
  }
  const Dim size = c.operands[operand].dim(dim);
  int worked = 0;
  for (int64_t n = size.lower();
       n <= std::min(size.upper(), std::max(kLargest, size.lower())); ++n) {
    OpOnShapes narrowed = c;
    narrowed.operands[operand].set_dim(dim, Dim::Static(n));
    worked += CheckAllSizes(narrowed, whole, operand, dim + 1);
  }
  return worked;
}

class SoundnessTest : public testing::Test {
 protected:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  Dim PickDim() {
    const int64_t low = Pick(1, 4);
    switch (Pick(0, 4)) {
      case 0:
        return *Dim::Interval(low, Dim::kInfinity);
      case 1:
      case 2:
        return *Dim::Interval(low, low + Pick(0, 2));
      default:
        return Dim::Static(Pick(0, 4));
    }
  }
  Shape PickShape(int rank) {
    Shape shape = Shape::Scalar(ElementType::kF32);
    for (int i = 0; i < rank; ++i) shape.add_dim(PickDim());
    return shape;
  }
  static Shape Index() { return Shape::Scalar(ElementType::kS32); }

  // `make` draws a case; enough of them must have sizes that work.
  template <typename Make>
  void Check(Make make) {
    int worked = 0;
    for (int i = 0; i < 400; ++i) {
      const OpOnShapes c = make();
      worked += CheckAllSizes(c, InferredShape(c), 0, 0) > 0 ? 1 : 0;
    }
    EXPECT_GT(worked, 50);
  }

  std::mt19937_64 random_{20260101};
};

TEST_F(SoundnessTest, Concatenate) {
  Check([&] {
    DimensionsAttributes along;
    along.dimensions = {Pick(0, 1)};
    return OpOnShapes{
        Opcode::kConcatenate, {PickShape(2), PickShape(2)}, along};
  });
}

TEST_F(SoundnessTest, Slice) {
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

TEST_F(SoundnessTest, Pad) {
  Check([&] {
    PadAttributes pad;
    for (int i = 0; i < 2; ++i) {
      pad.padding.push_back({Pick(-3, 3), Pick(-3, 3), Pick(0, 2)});
    }
    return OpOnShapes{
        Opcode::kPad, {PickShape(2), Shape::Scalar(ElementType::kF32)}, pad};
  });
}

TEST_F(SoundnessTest, Dot) {
  Check([&] {
    DotAttributes dot;
    dot.lhs_batch_dims = {0};
    dot.rhs_batch_dims = {0};
    dot.lhs_contracting_dims = {1};
    dot.rhs_contracting_dims = {1};
    return OpOnShapes{Opcode::kDot, {PickShape(2), PickShape(3)}, dot};
  });
}

TEST_F(SoundnessTest, Reduce) {
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
}

TEST_F(SoundnessTest, DynamicSlice) {
  Check([&] {
    DynamicSliceAttributes slice;
    slice.slice_sizes = {Pick(0, 4), Pick(0, 4)};
    return OpOnShapes{
        Opcode::kDynamicSlice, {PickShape(2), Index(), Index()}, slice};
  });
}

TEST_F(SoundnessTest, DynamicUpdateSlice) {
  Check([&] {
    return OpOnShapes{Opcode::kDynamicUpdateSlice,
                      {PickShape(2), PickShape(2), Index(), Index()}};
  });
}

TEST_F(SoundnessTest, Gather) {
  Check([&] {
    GatherAttributes gather;
    gather.offset_dims = {Pick(0, 2), 3};
    gather.collapsed_slice_dims = {1};
    gather.start_index_map = {2, 0};
    gather.index_vector_dim = Pick(0, 2);
    gather.slice_sizes = {Pick(0, 3), Pick(0, 1), Pick(0, 3)};
    Shape indices = PickShape(3);
    indices.set_element_type(ElementType::kS32);
    indices.set_dim(static_cast<int>(gather.index_vector_dim),
                    *Dim::Interval(2, Pick(2, 3)));
    return OpOnShapes{Opcode::kGather, {PickShape(3), indices}, gather};
  });
}

TEST_F(SoundnessTest, Scatter) {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
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

TEST_F(SoundnessTest, TopK) {
  Check([&] {
    TopKAttributes topk;
    topk.k = Pick(0, 4);
    return OpOnShapes{Opcode::kTopK, {PickShape(2)}, topk};
  });
}

TEST_F(SoundnessTest, SortAndShape) {
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Check([&] {
    SortAttributes sort;
    sort.dimensions = {1};
    return OpOnShapes{
        Opcode::kSort,
        {PickShape(2), PickShape(2)},
        sort,
        {{scalar, scalar, scalar, scalar}, Shape::Scalar(ElementType::kPred)}};
  });
  Check([&] {
    DimensionsAttributes permutation;
    permutation.dimensions = {1, 0};
    return OpOnShapes{Opcode::kTranspose, {PickShape(2)}, permutation};
  });
}

}  // namespace
}  // namespace indim

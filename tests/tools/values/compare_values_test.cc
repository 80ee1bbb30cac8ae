// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/values/compare_values.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace {

using ::testing::StartsWith;

Literal Of(ElementType type, std::vector<double> values) {
  return Literal::FromDoubles(type, values,
                              {static_cast<int64_t>(values.size())})
      .value();
}

Literal Complex(std::vector<std::complex<float>> values) {
  return Literal::Array(absl::MakeConstSpan(values),
                        {static_cast<int64_t>(values.size())})
      .value();
}

// f32[<=2,<=2] of these sizes; what is beyond them counts nothing.
Literal Bounded(std::vector<double> values, std::vector<int32_t> sizes) {
  Shape shape = Shape::Of(ElementType::kF32, {0, 0});
  for (int d = 0; d < 2; ++d) shape.set_dim(d, Dim::Bounded(2));
  return Literal::Bounded(
             shape, Of(ElementType::kF32, std::move(values)).bytes(), sizes)
      .value();
}

TEST(CompareValuesTest, SaysWhatDiffers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const ElementType f32 = ElementType::kF32, s32 = ElementType::kS32;
  struct Row {
    Literal computed, recorded;
    bool ok;
    std::string text;
  };
  std::vector<Literal> pair = {Of(s32, {1, 2}), Of(f32, {1, 2})};
  std::vector<Literal> other = {Of(s32, {1, 2}), Of(f32, {1, 3})};
  for (const Row& row : {
           Row{Of(f32, {1, nan, -0.0, inf}), Of(f32, {1, nan, 0, inf}), true,
               "equal"},
           Row{Of(f32, {1, 1000}), Of(f32, {1.00001, 1000}), true,
               "equal but for rounding: 1 of 2 elements, by "},
           Row{Of(f32, {1, 1}), Of(f32, {1, 1.001}), false,
               "differs: [1] is 1 here, 1.001 there; 1 of 2 elements"},
           Row{Of(f32, {1, 2}), Of(f32, {1, inf}), false,
               "differs: [1] is 2 here, inf there"},
           Row{Of(f32, {1, nan}), Of(f32, {1, 2}), false, "differs: [1] is "},
           Row{Of(ElementType::kBF16, {256}), Of(ElementType::kBF16, {257.9}),
               true, "equal but for rounding"},
           Row{Of(ElementType::kF64, {1}), Of(ElementType::kF64, {1.00001}),
               false, "differs: [0] is "},
           Row{Of(s32, {1000000, 7}), Of(s32, {1000000, 8}), false,
               "differs: [1] is 7 here, 8 there"},
           Row{Of(s32, {1}), Of(f32, {1}), false,
               "differs: it is s32[1] here, f32[1] there"},
           Row{Of(f32, {1}), Of(f32, {1, 2}), false,
               "differs: it is f32[1] here, f32[2] there"},
           Row{Complex({{1, 2}}), Complex({{1, 2}}), true, "equal"},
           Row{Complex({{1, 2}, {3, 4}}), Complex({{1, 2}, {3, 5}}), false,
               "differs: [1,1] is 4 here, 5 there; 1 of 4 elements"},
           Row{Bounded({1, 2, 3, 4}, {2, 1}), Bounded({1, 9, 3, 9}, {2, 1}),
               true, "equal"},
           Row{Bounded({1, 2, 3, 4}, {1, 2}), Bounded({1, 3, 3, 1e9}, {1, 2}),
               false, "differs: [0,1] is 2 here, 3 there; 1 of 2 elements"},
           Row{Bounded({1, 2, 3, 4}, {2, 1}), Bounded({1, 2, 3, 4}, {1, 2}),
               false,
               "differs: it is f32[<=2,<=2] of [2,1] here, f32[<=2,<=2] of "
               "[1,2] there"},
           Row{Literal::Tuple(pair), Literal::Tuple(pair), true, "equal"},
           Row{Literal::Tuple(pair), Literal::Tuple(other), false,
               "differs: {1}[1] is 2 here, 3 there; 1 of 4 elements"},
           Row{Literal::Tuple(pair), pair[0], false,
               "differs: it is (s32[2], f32[2]) here, s32[2] there"},
       }) {
    const ValueComparison result = CompareValues(row.computed, row.recorded);
    EXPECT_EQ(result.ok, row.ok) << row.text;
    EXPECT_THAT(result.text, StartsWith(row.text));
  }
}

}  // namespace
}  // namespace indim

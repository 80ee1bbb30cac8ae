// SPDX-License-Identifier: Apache-2.0
// Constants of C++ values: nothing of a number is lost on its way.

#include "indim/builder/composites/constants.h"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

// "s64[] 9007199254740993"; "IND0610" of one that is refused.
std::string Value(const CallCase& c) {
  TestBuilder b("case");
  const Op op = c.call(b);
  if (!b.status().ok()) {
    const std::string errors = b.DiagnosticsText();
    return errors.substr(errors.find("[IND") + 1, 7);
  }
  const absl::StatusOr<Literal> value = Evaluate(*b.Build(op), {});
  if (!value.ok()) return std::string(value.status().message());
  return value->shape().ToString() + " " + value->ToString();
}

using E = ElementType;

TEST(ConstantsTest, NothingIsLost) {
  const int64_t above = (int64_t{1} << 53) + 1;  // no double
  const std::vector<bool> unpacked = {true, false};
  const bool flags[] = {true, false};
  const CallCase cases[] = {
      {"s64", [&](auto& b) { return b.ConstantR0(E::kS64, above); },
       "s64[] 9007199254740993"},
      {"-s64", [&](auto& b) { return b.ConstantR0(E::kS64, -above); },
       "s64[] -9007199254740993"},
      {"greatest u64",
       [](auto& b) { return b.ConstantR0(E::kU64, UINT64_MAX); },
       "u64[] 18446744073709551615"},
      {"least s64", [](auto& b) { return b.ConstantR0(E::kS64, INT64_MIN); },
       "s64[] -9223372036854775808"},
      {"one too many",
       [](auto& b) { return b.ConstantR0(E::kS64, UINT64_MAX); }, "IND0610"},
      {"negative", [](auto& b) { return b.ConstantR0(E::kU8, -1); }, "IND0610"},
      {"u8", [](auto& b) { return b.ConstantR0(E::kU8, 255); }, "u8[] 255"},
      {"u8 too large", [](auto& b) { return b.ConstantR0(E::kU8, 256); },
       "IND0610"},
      {"s8", [](auto& b) { return b.ConstantR0(E::kS8, -128); }, "s8[] -128"},
      {"s8 too small", [](auto& b) { return b.ConstantR0(E::kS8, -129); },
       "IND0610"},
      {"s8 too large", [](auto& b) { return b.ConstantR0(E::kS8, 128); },
       "IND0610"},
      {"s4", [](auto& b) { return b.ConstantR0(E::kS4, -8); }, "s4[] -8"},
      {"s1", [](auto& b) { return b.ConstantR0(E::kS1, -1); }, "s1[] -1"},
      {"u1", [](auto& b) { return b.ConstantR0(E::kU1, 2); }, "IND0610"},
      {"pred", [](auto& b) { return b.ConstantR0(E::kPred, 256); },
       "pred[] true"},
      {"f32 of an integer", [](auto& b) { return b.ConstantR0(E::kF32, 3); },
       "f32[] 3"},
      {"bf16", [](auto& b) { return b.ConstantR0(E::kBF16, 0.5f); },
       "bf16[] 0.5"},
      {"f16", [](auto& b) { return b.ConstantR0(E::kF16, -2); }, "f16[] -2"},
      {"f8", [](auto& b) { return b.ConstantR0(E::kF8E4M3FN, 448); },
       "f8e4m3fn[] 448"},
      {"c64", [](auto& b) { return b.ConstantR0(E::kC64, -7); },
       "c64[] (-7, 0)"},
      // 2^60 + 2^36 is a tie of floats, and the 1 says which way: through a
      // double it would be lost.
      {"rounded once",
       [](auto& b) {
         return b.ConvertElementType(
             b.ConstantR0(E::kF32, (int64_t{1} << 60) + (int64_t{1} << 36) + 1),
             E::kS64);
       },
       "s64[] 1152921642045800448"},
      {"invalid", [](auto& b) { return b.ConstantR0(E::kInvalid, 1); },
       "IND0610"},
      {"progression", [](auto& b) { return Progression(b, E::kU8, 3); },
       "u8[3] {0, 1, 2}"},
      {"downwards", [](auto& b) { return Progression(b, E::kS8, 3, 7, -2); },
       "s8[3] {7, 5, 3}"},
      {"of floats",
       [](auto& b) { return Progression(b, E::kF32, 3, 0.5, 0.25); },
       "f32[3] {0.5, 0.75, 1}"},
      {"of no length", [](auto& b) { return Progression(b, E::kF32, -1); },
       "IND0120"},
      {"from nowhere", [](auto& b) { return Progression(b, E::kU8, 2, -1); },
       "IND0610"},
      // By the C++ type.
      {"bool", [](auto& b) { return b.ConstantR0(true); }, "pred[] true"},
      {"int8_t", [](auto& b) { return b.ConstantR0(int8_t{-7}); }, "s8[] -7"},
      {"int16_t", [](auto& b) { return b.ConstantR0(int16_t{7}); }, "s16[] 7"},
      {"int", [](auto& b) { return b.ConstantR0(7); }, "s32[] 7"},
      {"int64_t", [&](auto& b) { return b.ConstantR0(above); },
       "s64[] 9007199254740993"},
      {"long long", [](auto& b) { return b.ConstantR0(7LL); }, "s64[] 7"},
      {"uint8_t", [](auto& b) { return b.ConstantR0(uint8_t{7}); }, "u8[] 7"},
      {"uint16_t", [](auto& b) { return b.ConstantR0(uint16_t{7}); },
       "u16[] 7"},
      {"unsigned", [](auto& b) { return b.ConstantR0(7u); }, "u32[] 7"},
      {"uint64_t", [](auto& b) { return b.ConstantR0(UINT64_MAX); },
       "u64[] 18446744073709551615"},
      {"float", [](auto& b) { return b.ConstantR0(0.1f); }, "f32[] 0.1"},
      {"double", [](auto& b) { return b.ConstantR0(0.1); }, "f64[] 0.1"},
      {"float of 1", [](auto& b) { return b.template ConstantR0<float>(1); },
       "f32[] 1"},
      {"complex",
       [](auto& b) { return b.ConstantR0(std::complex<float>(1, 2)); },
       "c64[] (1, 2)"},
      {"complex of doubles",
       [](auto& b) { return b.ConstantR0(std::complex<double>(1, 2)); },
       "c128[] (1, 2)"},
      // Vectors and matrices.
      {"floats",
       [](auto& b) {
         return b.ConstantR1({1.5f, 2.f});
       },
       "f32[2] {1.5, 2}"},
      {"ints",
       [](auto& b) {
         return b.ConstantR1({1, 2, 3});
       },
       "s32[3] {1, 2, 3}"},
      {"int64_ts",
       [&](auto& b) {
         return b.template ConstantR1<int64_t>({above, 2});
       },
       "s64[2] {9007199254740993, 2}"},
      {"of a span",
       [&](auto& b) { return b.ConstantR1(absl::MakeConstSpan(flags)); },
       "pred[2] {1, 0}"},
      {"of a vector",
       [](auto& b) {
         return b.template ConstantR1<double>(std::vector<double>{0.1});
       },
       "f64[1] {0.1}"},
      {"complex numbers",
       [](auto& b) {
         return b.template ConstantR1<std::complex<float>>({{1, 2}});
       },
       "c64[1] {(1, 2)}"},
      {"a matrix of doubles",
       [](auto& b) {
         return b.ConstantR2({{1.0, 2.0}, {3.0, 4.0}});
       },
       "f64[2,2] { { 1, 2 }, { 3, 4 } }"},
      {"a matrix of preds",
       [](auto& b) {
         return b.ConstantR2({{true}, {false}});
       },
       "pred[2,1] { {1}, {0} }"},
      {"a matrix of other rows",
       [](auto& b) {
         return b.ConstantR2({{1}, {2, 3}});
       },
       "IND0610"},
      // What is made of one value.
      {"splat", [&](auto& b) { return b.Splat(above, "s64[2]"); },
       "s64[2] {9007199254740993, 9007199254740993}"},
      {"full like",
       [&](auto& b) {
         return FullLike(b.template ConstantR1<uint64_t>({1}), UINT64_MAX);
       },
       "u64[1] {18446744073709551615}"},
      {"scalar like",
       [&](auto& b) {
         return ScalarLike(b.template ConstantR1<int64_t>({1}), above);
       },
       "s64[] 9007199254740993"},
  };
  for (const CallCase& c : cases) EXPECT_EQ(Value(c), c.expected) << c.name;
}

}  // namespace
}  // namespace indim

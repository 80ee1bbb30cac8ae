// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, matrices, batch normalisation. Against XLA's own answers:
// xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

TEST(InferLinalgTest, Fft) {
  constexpr FftType kF = FftType::kFft, kI = FftType::kIfft,
                    kR = FftType::kRfft, kIr = FftType::kIrfft;
  struct {
    const char* operand;
    FftType type;
    DimIndices length;
    const char* answer;
  } const kCases[] = {
      {"c64[2,8]", kF, {8}, "c64[2,8]"},
      {"c128[2,8]", kI, {2, 8}, "c128[2,8]"},
      // XLA does not compare the lengths of complex transforms.
      {"c64[2,8]", kF, {5}, "c64[2,8]"},
      {"c64[2,<=8]", kF, {8}, "c64[2,<=8]"},
      {"f32[2,8]", kF, {8}, "!operand-type-class"},
      {"f32[2,8]", kR, {8}, "c64[2,5]"},
      {"f64[2,7]", kR, {7}, "c128[2,4]"},
      {"f32[2,0]", kR, {0}, "c64[2,0]"},
      {"f32[2,?]", kR, {8}, "c64[2,5]"},
      {"f32[2,?]", kR, {0}, "c64[2,?]"},
      {"f32[?,8]", kR, {3, 8}, "c64[?,5]"},
      {"f32[2,<=8]", kR, {8}, "c64[2,<=5]"},
      {"f32[2,5..9]", kR, {8}, "c64[2,5]"},
      {"f32[2,8]", kR, {6}, "!fft-length"},
      {"f32[2,8]", kR, {3, 8}, "!fft-length"},
      {"f32[2,8]", kR, {-1}, "!attribute-range"},
      {"bf16[2,8]", kR, {8}, "!operand-type-class"},
      {"c64[2,8]", kR, {8}, "!operand-type-class"},
      {"c64[2,5]", kIr, {8}, "f32[2,8]"},
      {"c64[2,5]", kIr, {9}, "f32[2,9]"},
      {"c128[3,2,5]", kIr, {2, 8}, "f64[3,2,8]"},
      {"c64[2,0]", kIr, {0}, "f32[2,0]"},
      {"c64[2,1]", kIr, {0}, "f32[2,0]"},
      {"c64[2,2]", kIr, {0}, "!fft-length"},
      {"c64[2,0]", kIr, {1}, "!fft-length"},
      {"c64[2,?]", kIr, {8}, "f32[2,8]"},
      {"c64[2,<=5]", kIr, {8}, "f32[2,<=8]"},
      {"c64[?,5]", kIr, {2, 8}, "!fft-length"},
      {"c64[2,8]", kIr, {8}, "!fft-length"},
      {"f32[2,8]", kIr, {8}, "!operand-type-class"},
      {"c64[2,8]", kF, {}, "!fft-rank"},
      {"c64[1,1,2,8]", kF, {1, 1, 2, 8}, "!fft-rank"},
      {"c64[8]", kF, {8, 8}, "!rank-too-low"},
      {"f32[*]", kR, {8}, "c64[*]"},
      {"()", kF, {8}, "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    FftAttributes attributes;
    attributes.type = c.type;
    attributes.length = c.length;
    EXPECT_EQ(Ask({Opcode::kFft, {c.operand}, attributes}), c.answer)
        << c.operand << " " << static_cast<int>(c.type);
  }
}

TEST(InferLinalgTest, Cholesky) {
  struct {
    const char* operand;
    const char* answer;
  } const kCases[] = {
      {"f32[3,3]", "f32[3,3]"},
      {"c64[2,3,3]", "c64[2,3,3]"},
      {"f32[0,0]", "f32[0,0]"},
      {"f32[<=3,3]", "f32[<=3,3]"},
      {"f32[?,3]", "f32[?,3]"},
      {"f32[*]", "f32[*]"},
      {"f32[2,3]", "!not-square"},
      {"f32[<=2,3]", "!not-square"},
      {"f32[3]", "!rank-too-low"},
      {"f32[]", "!rank-too-low"},
      {"s32[3,3]", "!operand-type-class"},
      {"()", "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kCholesky, {c.operand}, CholeskyAttributes()}),
              c.answer)
        << c.operand;
  }
}

TEST(InferLinalgTest, TriangularSolve) {
  constexpr auto kNo = TriangularSolveTranspose::kNoTranspose;
  struct {
    const char* a;
    const char* b;
    bool left;
    TriangularSolveTranspose transpose;
    const char* answer;
  } const kCases[] = {
      {"f32[3,3]", "f32[3,2]", true, kNo, "f32[3,2]"},
      {"f32[3,3]", "f32[2,3]", false, kNo, "f32[2,3]"},
      {"c64[5,3,3]", "c64[5,3,2]", true, kNo, "c64[5,3,2]"},
      {"f32[?,3,3]", "f32[?,3,2]", true, kNo, "f32[?,3,2]"},
      {"f32[?,3,3]", "f32[5,3,2]", true, kNo, "!sizes-must-match"},
      {"f32[4,3,3]", "f32[5,3,2]", true, kNo, "!sizes-must-match"},
      {"f32[3,3]", "f32[2,3]", true, kNo, "!sizes-must-match"},
      {"f32[3,3]", "f32[?,3]", true, kNo, "f32[?,3]"},
      {"f32[2,3]", "f32[3,2]", true, kNo, "!not-square"},
      {"f32[3]", "f32[3]", true, kNo, "!rank-too-low"},
      {"f32[3,3]", "f32[1,3,2]", true, kNo, "!operand-ranks-differ"},
      {"f32[3,3]", "f64[3,2]", true, kNo, "!operand-types-differ"},
      {"s32[3,3]", "s32[3,2]", true, kNo, "!operand-type-class"},
      {"f32[3,3]", "token[]", true, kNo, "!operand-not-array"},
      {"f32[*]", "f32[3,2]", true, kNo, "f32[3,2]"},
      {"f32[3,3]", "f32[*]", true, kNo, "f32[*]"},
      {"f32[3,3]", "f32[3,2]", true, TriangularSolveTranspose::kInvalid,
       "!transpose-invalid"},
  };
  for (const auto& c : kCases) {
    TriangularSolveAttributes attributes;
    attributes.left_side = c.left;
    attributes.transpose_a = c.transpose;
    EXPECT_EQ(Ask({Opcode::kTriangularSolve, {c.a, c.b}, attributes}), c.answer)
        << c.a << " " << c.b;
  }
}

struct BatchNormCase {
  Opcode opcode;
  std::vector<std::string> operands;
  int64_t feature_index;
  const char* answer;
};

TEST(InferLinalgTest, BatchNorm) {
  constexpr Opcode kTraining = Opcode::kBatchNormTraining,
                   kInference = Opcode::kBatchNormInference,
                   kGrad = Opcode::kBatchNormGrad;
  const BatchNormCase kCases[] = {
      {kTraining,
       {"f32[8,3]", "f32[3]", "f32[3]"},
       1,
       "(f32[8,3], f32[3], f32[3])"},
      {kTraining,
       {"f32[8,3]", "bf16[3]", "f64[3]"},
       1,
       "(f32[8,3], f32[3], f32[3])"},
      {kTraining,
       {"f32[8,<=3]", "f32[?]", "f32[3]"},
       1,
       "(f32[8,<=3], f32[<=3], f32[<=3])"},
      {kTraining,
       {"f32[*]", "f32[3]", "f32[3]"},
       1,
       "(f32[*], f32[?], f32[?])"},
      {kTraining, {"f32[8,3]", "f32[8]", "f32[3]"}, 1, "!feature-vector"},
      {kTraining, {"f32[8,3]", "f32[3]", "f32[3,1]"}, 1, "!feature-vector"},
      {kTraining, {"f32[8,3]", "f32[3]", "f32[]"}, 1, "!feature-vector"},
      {kTraining, {"f32[8,3]", "s32[3]", "f32[3]"}, 1, "!operand-types-differ"},
      {kTraining, {"f32[8,3]", "token[]", "f32[3]"}, 1, "!operand-not-array"},
      {kTraining, {"f32[8,3]", "f32[3]", "f32[3]"}, 2, "!dim-index-range"},
      {kTraining, {"f32[8,3]", "f32[3]", "f32[3]"}, -1, "!dim-index-range"},
      {kTraining, {"f32[]", "f32[]", "f32[]"}, 0, "!dim-index-range"},
      {kTraining, {"c64[8,3]", "c64[3]", "c64[3]"}, 1, "!operand-type-class"},
      {kInference,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"},
       1,
       "f32[8,3]"},
      // As in XLA, of mean and variance only the first dim counts.
      {kInference,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3,9]", "f32[3]"},
       1,
       "f32[8,3] ~feature-vector-odd"},
      {kInference,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[]", "f32[3]"},
       1,
       "!feature-vector"},
      {kInference,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[9,3]", "f32[3]"},
       1,
       "!feature-vector"},
      {kInference,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "s32[3]"},
       1,
       "!operand-types-differ"},
      {kGrad,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "f32[8,3]"},
       1,
       "(f32[8,3], f32[3], f32[3])"},
      {kGrad,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "f32[8,4]"},
       1,
       "!sizes-must-match"},
      {kGrad,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "f32[8]"},
       1,
       "!operand-ranks-differ"},
      {kGrad,
       {"f32[8,3]", "f32[3]", "f32[4]", "f32[3]", "f32[8,3]"},
       1,
       "!feature-vector"},
      {kGrad,
       {"f32[8,3]", "f32[3]", "f32[3]", "f32[3]", "f32[8,3]"},
       -1,
       "!dim-index-range"},
  };
  for (const BatchNormCase& c : kCases) {
    BatchNormAttributes attributes;
    attributes.feature_index = c.feature_index;
    EXPECT_EQ(Ask({c.opcode, c.operands, attributes}), c.answer)
        << Name(c.opcode) << " " << c.operands[0] << " " << c.feature_index;
  }
}

}  // namespace
}  // namespace indim

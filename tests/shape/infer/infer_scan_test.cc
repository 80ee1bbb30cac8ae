// SPDX-License-Identifier: Apache-2.0
// Scan, and random numbers. Against XLA's own answers: xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/infer/builder_forms.h"
#include "indim/tests/parsed_shape.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

struct ScanCase {
  std::vector<std::string> operands;
  DimIndices dimensions;
  int64_t carries;
  const char* step;
  const char* answer;
};

TEST(InferScanTest, Table) {
  const ScanCase kCases[] = {
      {{"f32[5,3]", "s32[]"},
       {0},
       1,
       "f32[3] s32[] -> (f64[7],s32[])",
       "(f64[5,7], s32[])"},
      {{"f32[5,3]", "s32[]"},
       {1},
       1,
       "f32[5] s32[] -> (f64[7,2],s32[])",
       "(f64[7,3,2], s32[])"},
      {{"f32[5]", "s8[5,2]"},
       {0},
       0,
       "f32[] s8[2] -> (f32[],s8[2],u8[])",
       "(f32[5], s8[5,2], u8[5])"},
      {{"f32[5]", "s32[4]"}, {0}, 1, "f32[] s32[4] -> (s32[4])", "(s32[4])"},
      // A bare result stays bare.
      {{"f32[5]"}, {0}, 0, "f32[] -> f32[2]", "f32[5,2]"},
      {{"f32[5]", "s32[]"}, {0}, 1, "f32[] s32[] -> s32[]", "s32[]"},
      // XLA counts a bound as the number of steps.
      {{"f32[<=5]"}, {0}, 0, "f32[] -> f32[]", "f32[5]"},
      {{"f32[?]"}, {0}, 0, "f32[] -> f32[]", "f32[?]"},
      {{"f32[2..5]"}, {0}, 0, "f32[] -> f32[]", "f32[2..5]"},
      {{"f32[*]", "f32[5]"}, {0}, 0, "f32[] f32[] -> f32[]", "f32[5]"},
      {{"f32[*]"}, {0}, 0, "f32[] -> f32[]", "f32[?]"},
      {{"f32[*]"},
       {std::numeric_limits<int64_t>::max()},
       0,
       "f32[] -> f32[]",
       "!dim-index-range"},
      {{"f32[5]", "f32[6]"},
       {0},
       0,
       "f32[] f32[] -> f32[]",
       "!sizes-must-match"},
      {{"f32[5]", "s32[]"}, {0}, 2, "f32[] s32[] -> s32[]", "!scan-no-inputs"},
      {{"f32[5]"}, {0}, 2, "f32[] -> f32[]", "!scan-carries"},
      {{"f32[5]"}, {0}, -1, "f32[] -> f32[]", "!scan-carries"},
      {{"f32[5]"}, {}, 0, "f32[] -> f32[]", "!dimensions-count"},
      {{"f32[5]"}, {1}, 0, "f32[] -> f32[]", "!dim-index-range"},
      {{"f32[5]"}, {-1}, 0, "f32[] -> f32[]", "!dim-index-range"},
      {{"f32[5]"}, {0}, 0, "f32[] f32[] -> f32[]", "!callee-arity"},
      {{"f32[5]"}, {0}, 0, "f32[5] -> f32[]", "!scan-parameter"},
      {{"f32[5]", "s32[]"}, {0}, 1, "f32[] s32[1] -> s32[]", "!scan-parameter"},
      {{"f32[5]", "s32[]"}, {0}, 1, "f32[] s32[] -> f32[]", "!scan-carry"},
      // A carry is what a step returns, not what it starts as.
      {{"f32[5]", "s32[?]"}, {0}, 1, "f32[] s32[4] -> s32[4]", "s32[4]"},
      {{"f32[5]", "s32[]"}, {0}, 1, "f32[] s32[] -> ()", "!scan-results"},
      {{"f32[5,3]"}, {1}, 0, "f32[5] -> f32[]", "!scan-output"},
      {{"f32[5]"}, {0}, 0, "f32[] -> token[]", "!scan-output"},
      {{"token[]"}, {0}, 0, "f32[] -> f32[]", "!operand-not-array"},
  };
  for (const ScanCase& c : kCases) {
    ScanAttributes attributes;
    attributes.dimensions = c.dimensions;
    attributes.num_carries = c.carries;
    EXPECT_EQ(Ask({Opcode::kScan, c.operands, attributes, "", {c.step}}),
              c.answer)
        << c.operands[0] << " " << c.step;
  }
}

// "f32[3]" of "f32[3] ~scalar-odd": warnings_test.cc has those.
std::string WithoutWarnings(const std::string& answer) {
  return answer.substr(0, answer.find(" ~"));
}

Query RngQuery(RandomDistribution distribution,
               std::vector<std::string> operands, const char* declared) {
  RngAttributes attributes;
  attributes.distribution = distribution;
  return {Opcode::kRng, std::move(operands), attributes, declared};
}

TEST(InferRandomTest, Rng) {
  constexpr auto kUniform = RandomDistribution::kUniform;
  constexpr auto kNormal = RandomDistribution::kNormal;
  struct {
    Query query;
    const char* builder;
    const char* verifier;
  } const kCases[] = {
      {RngQuery(kUniform, {"f32[]", "f32[]"}, "f32[3]"), "f32[3]", "f32[3]"},
      {RngQuery(kUniform, {"s32[]", "s32[]"}, "s32[3]"), "s32[3]", "s32[3]"},
      {RngQuery(kUniform, {"pred[]", "pred[]"}, "pred[3]"), "pred[3]",
       "pred[3]"},
      {RngQuery(kNormal, {"bf16[]", "bf16[]"}, "bf16[]"), "bf16[]", "bf16[]"},
      // XLA's builder takes anything.
      {RngQuery(kNormal, {"s32[]", "s32[]"}, "s32[3]"), "s32[3]",
       "!rng-operands"},
      {RngQuery(kUniform, {"c64[]", "c64[]"}, "c64[3]"), "c64[3]",
       "!rng-operands"},
      {RngQuery(kUniform, {"f32[1]", "f32[]"}, "f32[3]"), "f32[3]",
       "!rng-operands"},
      {RngQuery(kUniform, {"s32[]", "s32[]"}, "f32[3]"), "f32[3]",
       "!rng-operands"},
      {RngQuery(RandomDistribution::kInvalid, {"f32[]", "f32[]"}, "f32[3]"),
       "f32[3]", "!rng-operands"},
      {RngQuery(kUniform, {"f32[]", "f32[]"}, "()"), "!declared-shape",
       "!declared-shape"},
      {RngQuery(kUniform, {"f32[]", "f32[]"}, ""), "!result-shape-needed",
       "!result-shape-needed"},
      {RngQuery(kUniform, {"f32[]"}, "f32[]"), "!operand-count",
       "!operand-count"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(WithoutWarnings(Ask(c.query)), c.builder) << c.query.operands[0];
    EXPECT_EQ(AskVerifier(c.query), c.verifier) << c.query.operands[0];
  }
}

TEST(InferRandomTest, BitGenerator) {
  const auto ask = [](const char* state, const char* declared) {
    return Ask({Opcode::kRngBitGenerator,
                {state},
                RngBitGeneratorAttributes(),
                declared});
  };
  EXPECT_EQ(ask("u64[2]", "(u64[2], u32[3])"), "(u64[2], u32[3])");
  EXPECT_EQ(ask("u64[?]", "(u64[2], f32[3])"), "(u64[2], f32[3])");
  EXPECT_EQ(ask("u64[2]", "u32[3]"), "u32[3]");
  EXPECT_EQ(ask("u64[2]", "(u64[3], u32[3])"), "!declared-shape");
  EXPECT_EQ(ask("u64[2]", "(u64[2])"), "!declared-shape");
  EXPECT_EQ(ask("u64[2]", "(u64[2], token[])"), "!declared-shape");
  EXPECT_EQ(ask("u64[2]", "token[]"), "!declared-shape");
}

TEST(InferRandomTest, BitsOfAnyType) {
  const auto ask = [](const char* bits) {
    InferContext context;
    const std::optional<Shape> shape =
        InferRandomBits(&context, S("u64[2]"), S(bits));
    return AnswerText(context, shape);
  };
  EXPECT_EQ(ask("u32[3]"), "(u64[2], u32[3])");
  EXPECT_EQ(ask("bf16[<=3]"), "(u64[2], u16[<=3])");
  EXPECT_EQ(ask("s4[3]"), "(u64[2], u4[3])");
  EXPECT_EQ(ask("c128[3]"), "!random-bits-type");
  EXPECT_EQ(ask("pred[3]"), "!random-bits-type");
  EXPECT_EQ(ask("token[]"), "!declared-shape");
}

TEST(InferRandomTest, State) {
  EXPECT_EQ(Ask({Opcode::kRngGetAndUpdateState,
                 {},
                 RngGetAndUpdateStateAttributes()}),
            "u64[2]");
}

}  // namespace
}  // namespace indim

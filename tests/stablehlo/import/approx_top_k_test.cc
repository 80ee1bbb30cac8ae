// SPDX-License-Identifier: Apache-2.0
// The custom call ApproxTopK: what it becomes, and what is wrong with one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/ir/module.h"
#include "indim/passes/check/verify_module.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// `dims` of the inputs along their first dimension, and `size` of the results.
std::string TopKProgram(absl::string_view dims, absl::string_view size,
                        absl::string_view config) {
  return absl::StrReplaceAll(
      R"(func.func private @cmp(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%x: tensor<DIMSxf32>, %i: tensor<DIMSxi32>, %y: tensor<f32>, %j: tensor<i32>) -> (tensor<SIZExf32>, tensor<SIZExi32>) {
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %y, %j) {api_version = 4 : i32, called_computations = [@cmp], backend_config = {CONFIG}} : (tensor<DIMSxf32>, tensor<DIMSxi32>, tensor<f32>, tensor<i32>) -> (tensor<SIZExf32>, tensor<SIZExi32>)
  return %r#0, %r#1 : tensor<SIZExf32>, tensor<SIZExi32>
})",
      {{"DIMS", dims}, {"SIZE", size}, {"CONFIG", config}});
}

std::string TopKConfig(int64_t k, absl::string_view aggregate,
                       absl::string_view more = "",
                       absl::string_view recall = "9.5e-01") {
  return absl::StrCat("top_k = ", k,
                      " : i64, reduction_dim = 0 : i64, recall_target = ",
                      recall, " : f32, aggregate_to_topk = ", aggregate,
                      ", reduction_input_size_override = -1 : i64", more);
}

// The entry's operations but for parameters and tuples, with what a custom
// call is configured by; or the error.
std::string ExpansionOf(const std::string& program) {
  const absl::StatusOr<Module> module = ReadStablehlo(program);
  if (!module.ok()) return std::string(module.status().message());
  if (!VerifyModule(*module).ok()) return "wrong";
  std::string said;
  for (const Instruction i : module->entry().instructions()) {
    if (i.opcode() == Opcode::kParameter || i.opcode() == Opcode::kTuple ||
        i.opcode() == Opcode::kGetTupleElement) {
      continue;
    }
    absl::StrAppend(&said, said.empty() ? "" : " ", i.opcode_name());
    if (i.opcode() == Opcode::kCustomCall) {
      const auto& call = As<CustomCallAttributes>(i.attributes());
      absl::StrAppend(&said, " ", call.target, call.opaque);
    }
    if (i.opcode() == Opcode::kSort &&
        As<SortAttributes>(i.attributes()).is_stable) {
      said += "(stable)";
    }
  }
  return said;
}

// What XLA's reader of StableHLO makes of the calls, but that a fallback's sort
// is stable, as in newer releases.
TEST(ApproxTopKTest, BecomesWhatXlaWrites) {
  constexpr absl::string_view kFallback = ", is_fallback = true";
  const auto partial = [](int64_t log2, int64_t k, absl::string_view recall) {
    return absl::StrCat("custom-call PartialReduce{\"log2_reduction\": ", log2,
                        ", \"reduction_dim\": 0, \"to_apply_type\": "
                        "\"comparator\", \"top_k\": ",
                        k, ", \"recall_target\": ", recall, "}");
  };
  const struct {
    std::string program, operations;
  } kCases[] = {
      {TopKProgram("2000", "4", TopKConfig(4, "true", kFallback)),
       "sort(stable) slice slice"},
      // As JAX exports it.
      {absl::StrReplaceAll(
           TopKProgram("2000", "4", TopKConfig(4, "true", kFallback)),
           {{"api_version = 4 : i32", "backend_config = \"\""},
            {", backend_config = {", ", mhlo.backend_config = {"}}),
       "sort(stable) slice slice"},
      {TopKProgram("2000", "1", TopKConfig(1, "true", kFallback)),
       "reduce reshape reshape"},
      {TopKProgram("2000", "2000", TopKConfig(4, "false", kFallback)),
       "sort(stable) slice slice"},
      {TopKProgram("5000x2", "256x2", TopKConfig(4, "false", kFallback)),
       "sort(stable) slice slice"},
      {TopKProgram("100", "4", TopKConfig(4, "true")), "sort slice slice"},
      {TopKProgram("100", "100", TopKConfig(4, "false")), ""},
      {TopKProgram("5000x2", "256x2", TopKConfig(4, "false")),
       partial(5, 4, "0.950000")},
      {TopKProgram("5000x2", "4x2", TopKConfig(4, "true")),
       partial(5, 4, "0.950000") + " sort slice slice"},
      {TopKProgram("5000x2", "128x2", TopKConfig(1, "false")),
       partial(6, 1, "0.950000")},
      {TopKProgram("5000x2", "1x2", TopKConfig(1, "true")),
       partial(6, 1, "0.950000") + " reduce reshape reshape"},
      {TopKProgram("5000x2", "5000x2", TopKConfig(4, "false", "", "1.0")), ""},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ExpansionOf(c.program), c.operations) << c.program;
  }
}

TEST(ApproxTopKTest, ErrorsNameWhatIsWrong) {
  const struct {
    std::string program, error;
  } kCases[] = {
      {TopKProgram("9", "4", ""),
       "needs a backend_config with top_k of type i64"},
      {TopKProgram("9", "4", TopKConfig(4, "1 : i64")),
       "needs a backend_config with aggregate_to_topk of type i1"},
      {TopKProgram("9", "4", TopKConfig(4, "true", "", "1.5")),
       "a recall_target of type f32 in (0, 1]"},
      {absl::StrReplaceAll(TopKProgram("9", "4", TopKConfig(4, "true")),
                           {{"e-01 : f32", "e-01 : f64"}}),
       "a recall_target of type f32 in (0, 1]"},
      {TopKProgram("9", "4", TopKConfig(4, "true", ", a = 1 : i64")),
       "backend_config has no a"},
      {TopKProgram("9", "10", TopKConfig(10, "true")),
       "can't give 10 of 9 elements"},
      {TopKProgram("9", "0", TopKConfig(0, "false")),
       "can't give 0 of 9 elements"},
      {TopKProgram("9", "5", TopKConfig(4, "true")), "5"},
      {absl::StrReplaceAll(TopKProgram("9", "4", TopKConfig(4, "true")),
                           {{"override = -1", "override = 5"}}),
       "is 5, less than the 9 elements"},
      {absl::StrReplaceAll(TopKProgram("9", "4", TopKConfig(4, "true")),
                           {{"reduction_dim = 0", "reduction_dim = 1"}}),
       "is no dimension of its inputs"},
      {absl::StrReplaceAll(TopKProgram("9", "4", TopKConfig(4, "true")),
                           {{"%b: tensor<f32>, %c: tensor<i32>",
                             "%c: tensor<i32>, %b: "
                             "tensor<f32>"}}),
       "comparator must take two scalars"},
      {absl::StrReplaceAll(TopKProgram("9", "4", TopKConfig(4, "true")),
                           {{"backend_config = {", "config = {"}}),
       "needs a dictionary as backend_config"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(ExpansionOf(c.program), HasSubstr(c.error)) << c.program;
  }
}

// Other dimensions may have any sizes; along one of no known size it stays a
// call.
TEST(ApproxTopKTest, OfUnknownSizes) {
  EXPECT_EQ(ExpansionOf(TopKProgram("9x?", "4x?", TopKConfig(4, "true"))),
            "sort slice slice");
  EXPECT_EQ(ExpansionOf(TopKProgram("9x?", "1x?", TopKConfig(1, "true"))),
            "reduce reshape reshape");
  EXPECT_THAT(ExpansionOf(TopKProgram("?x9", "?x9", TopKConfig(9, "true"))),
              HasSubstr("custom-call ApproxTopK"));
}

}  // namespace
}  // namespace indim

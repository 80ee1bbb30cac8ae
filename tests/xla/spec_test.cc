// SPDX-License-Identifier: Apache-2.0
// The numeric examples of XLA's page on broadcasting, on real XLA.

#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tests/xla/judge.h"

namespace indim {
namespace {

std::string Json(const google::protobuf::Value& value) {
  std::string text;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(value, &text).ok());
  return text;
}

TEST(SpecTest, EveryNumericExample) {
  int examples = 0;
  for (const OracleCase& c : LoadOracleCases("spec_cases.jsonl")) {
    const google::protobuf::Struct* values = StructField(c.line, "values");
    if (values == nullptr) continue;
    SCOPED_TRACE(c.id);
    ++examples;
    const auto& inputs = values->fields().at("inputs").list_value();
    ASSERT_EQ(inputs.values_size(), static_cast<int>(c.operands.size()));
    JudgedModule m(c.id);
    std::vector<Op> operands;
    for (size_t i = 0; i < c.operands.size(); ++i) {
      operands.push_back(m.AddInput(c.operands[i], Json(inputs.values(i))).op);
    }
    const std::vector<int64_t> dimensions =
        c.IntsAttribute("broadcast_dimensions")
            .value_or(std::vector<int64_t>());
    Op result;
    if (c.op == "add") {
      ASSERT_EQ(operands.size(), 2);
      result = m.builder().Add(operands[0], operands[1], dimensions);
    } else {
      ASSERT_EQ(c.op, "broadcast-in-dim");
      const absl::StatusOr<Shape> target = ParseShape(c.Text("target"));
      ASSERT_TRUE(target.ok()) << target.status();
      std::vector<int64_t> sizes;
      for (const Dim dim : target->dims()) sizes.push_back(dim.size());
      result = m.builder().BroadcastInDim(operands[0], sizes, dimensions);
    }
    const absl::StatusOr<Shape> shape = m.builder().shape(result);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->ToString(), c.Answer("expect")->shape);
    m.Expect(result, absl::StrCat("np.array(",
                                  Json(values->fields().at("output")), ")"));
    m.Run();
  }
  EXPECT_EQ(examples, 9);
}

struct SizeExample {
  const char* lhs;
  const char* rhs;
  std::vector<int64_t> dimensions;
  const char* result;
};

// The page's examples that show sizes only.
TEST(SpecTest, ExamplesOfSizes) {
  const SizeExample kExamples[] = {
      {"f32[2,3,4]", "f32[3,4]", {1, 2}, "f32[2,3,4]"},
      {"f32[2,3,4,5]", "f32[5]", {3}, "f32[2,3,4,5]"},
      {"f32[2,3,4,5]", "f32[2]", {0}, "f32[2,3,4,5]"},
      {"f32[2,3,4,5]", "f32[4,5]", {2, 3}, "f32[2,3,4,5]"},
      {"f32[2,3,4,5]", "f32[3,4]", {1, 2}, "f32[2,3,4,5]"},
      {"f32[2,3,4,5]", "f32[2,5]", {0, 3}, "f32[2,3,4,5]"},
      {"f32[2,1]", "f32[2,3]", {}, "f32[2,3]"},
      {"f32[1,2,5]", "f32[7,2,5]", {}, "f32[7,2,5]"},
      {"f32[7,2,5]", "f32[7,1,5]", {}, "f32[7,2,5]"},
      {"f32[2,1]", "f32[1,3]", {}, "f32[2,3]"},
      {"f32[1,2]", "f32[4,3,1]", {1, 2}, "f32[4,3,2]"},
  };
  JudgedModule m("sizes");
  for (const SizeExample& example : kExamples) {
    const auto lhs = m.AddInput(example.lhs);
    const auto rhs = m.AddInput(example.rhs);
    const Op sum = m.builder().Add(lhs.op, rhs.op, example.dimensions);
    const absl::StatusOr<Shape> shape = m.builder().shape(sum);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->ToString(), example.result);
    std::string dimensions;
    for (int64_t d : example.dimensions) absl::StrAppend(&dimensions, d, ",");
    m.Expect(sum, absl::StrCat("op_add(*xla(", lhs.name, ", ", rhs.name, ", [",
                               dimensions, "]))"));
  }
  m.Run();
}

}  // namespace
}  // namespace indim

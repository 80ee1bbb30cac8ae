// SPDX-License-Identifier: Apache-2.0
// One axis at a time: on every recorded case what is said of a part is true of
// the whole, and nearly always something is said.

#include "indim/shape/infer/infer_components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "indim/tests/oracle_cases.h"
#include "indim/tools/query/case_reader.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

void Flatten(const Shape& shape, std::vector<Shape>* arrays) {
  if (shape.is_array()) arrays->push_back(shape);
  for (const Shape& element : shape.elements()) Flatten(element, arrays);
}

TEST(InferPartsTest, PartsOfEveryRecordedAnswerAreTrue) {
  int answers = 0, types = 0, ranks = 0;
  for (const OracleCase& line : LoadOracleCases("xla_dev.jsonl")) {
    Case c;
    if (!ReadCase(line.line, &c).ok() || c.form != CaseForm::kOp) continue;
    const CaseInputs inputs(c);
    InferContext context;
    const std::optional<Shape> whole = InferShape(&context, inputs.inputs());
    if (!whole) continue;
    ++answers;
    std::vector<Shape> arrays;
    Flatten(*whole, &arrays);
    const std::vector<ShapedTypeComponents> parts =
        InferComponents(inputs.inputs());
    ASSERT_EQ(parts.size(), arrays.size()) << line.id;
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (parts[i].element_type) {
        EXPECT_EQ(*parts[i].element_type, arrays[i].element_type()) << line.id;
      }
      if (parts[i].rank && arrays[i].has_rank()) {
        EXPECT_EQ(*parts[i].rank, arrays[i].rank()) << line.id;
      }
      if (arrays[i].has_rank()) {
        ASSERT_TRUE(parts[i].dims) << line.id;
        EXPECT_EQ(*parts[i].dims,
                  DimVector(arrays[i].dims().begin(), arrays[i].dims().end()))
            << line.id;
      }
    }
    const auto type = InferElementTypes(inputs.inputs());
    const auto rank = InferRanks(inputs.inputs());
    if (type && type->size() == arrays.size()) ++types;
    if (rank && rank->size() == arrays.size()) ++ranks;
  }
  EXPECT_GT(answers, 4000);
  EXPECT_EQ(types, answers);
  EXPECT_EQ(ranks, answers);
}

TEST(InferPartsTest, PartialAnswersAreAnswers) {
  const struct {
    const char* line;
    const char* answer;
  } kCases[] = {
      // The dims don't match, the rest is known all the same.
      {R"("op":"dot","operands":["f32[2,3]","f32[4,5]"],"attributes":{"lhs_contracting_dims":[1],"rhs_contracting_dims":[0]},"query":"components")",
       R"("components":[{"element_type":"f32","rank":2}])"},
      {R"("op":"add","operands":["f32[n]","s32[n]"],"query":"components")",
       R"("components":[{"rank":1,"dims":["n"]}])"},
      {R"("op":"add","operands":["f32[*]","f32[*]"],"query":"components")",
       R"("components":[{"element_type":"f32"}])"},
      {R"("op":"concatenate","operands":["f32[*]","f32[n,2]"],"attributes":{"dimensions":[0]},"query":"dims")",
       R"("components":[{"dims":["?",2]}])"},
      {R"("op":"transpose","operands":["f32[*]"],"attributes":{"dimensions":[1,0,2]},"query":"rank")",
       R"("components":[{"rank":3}])"},
      {R"("op":"compare","operands":["s32[n]","s32[n]"],"query":"element_type")",
       R"("components":[{"element_type":"pred"}])"},
      // What isn't written of one operand follows from others and from lists.
      {R"("op":"sort","operands":["f32[*]","s32[n,4]"],"attributes":{"dimensions":[0],"to_apply":{"parameters":["f32[]","f32[]","s32[]","s32[]"],"result":"pred[]"}},"query":"dims")",
       R"("components":[{"dims":["n",4]},{"dims":["n",4]}])"},
      {R"("op":"reduce-window","operands":["f32[*]","f32[]"],"attributes":{"window":"size=2x2","to_apply":{"parameters":["f32[]","f32[]"],"result":"f32[]"}},"query":"rank")",
       R"("components":[{"rank":2}])"},
      {R"("op":"select-and-scatter","operands":["f32[*]","f32[2,2]","f32[]"],"attributes":{"window":"size=2x2 stride=2x2","select":{"parameters":["f32[]","f32[]"],"result":"pred[]"},"scatter":{"parameters":["f32[]","f32[]"],"result":"f32[]"}},"query":"components")",
       R"("components":[{"element_type":"f32","rank":2,"dims":["?","?"]}])"},
      {R"("op":"scatter","operands":["f32[*]","s32[3,1]","f32[3,4]"],"attributes":{"update_window_dims":[1],"inserted_window_dims":[0],"scatter_dims_to_operand_dims":[0],"index_vector_dim":1,"to_apply":{"parameters":["f32[]","f32[]"],"result":"f32[]"}},"query":"rank")",
       R"("components":[{"rank":2}])"},
      {R"("op":"dynamic-update-slice","operands":["f32[*]","f32[2,?]","s32[]","s32[]"],"query":"rank")",
       R"("components":[{"rank":2}])"},
      // Forms of a builder.
      {R"("op":"reshape","operands":["f32[n,6]"],"attributes":{"new_sizes":["?",4]},"query":"dims")",
       R"("components":[{"dims":["floordiv(n,2)+n",4]}])"},
      {R"("op":"broadcast","operands":["f32[n]"],"attributes":{"broadcast_sizes":[2]},"query":"rank")",
       R"("components":[{"rank":2}])"},
      // At most as many as before.
      {R"("op":"set-dimension-size","operands":["f32[8]","s32[]"],"attributes":{"dimensions":[0]},"query":"dims")",
       R"("components":[{"dims":["<=8"]}])"},
      {R"("op":"sort","operands":["f32[n]","s32[n]"],"attributes":{"to_apply":{"parameters":["f32[]","f32[]","s32[]","s32[]"],"result":"pred[]"}},"query":"components")",
       R"([{"element_type":"f32","rank":1,"dims":["n"]},{"element_type":"s32","rank":1,"dims":["n"]}])"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(AnswerLine(std::string("{") + c.line + "}"),
                HasSubstr(c.answer))
        << c.line;
  }
}

}  // namespace
}  // namespace indim

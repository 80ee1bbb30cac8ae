// SPDX-License-Identifier: Apache-2.0
// The forms of operations: each column of ops.def can be followed.

#include "indim/stablehlo/text/op_forms.h"

#include "gtest/gtest.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {
namespace {

TEST(OpFormsTest, EachFormIsSteps) {
  for (const OpRow& row : Ops()) {
    const Form& form = FormOf(row);
    EXPECT_EQ(form.steps.empty(), row.form.empty()) << row.name;
    for (size_t i = 0; i < form.steps.size(); ++i) {
      const Step& step = form.steps[i];
      switch (step.part) {
        case Part::kAttribute:
        case Part::kTypedValue:
        case Part::kSymbolName:
          EXPECT_NE(step.attribute, nullptr) << row.name << " step " << i;
          break;
        case Part::kOptional:
        case Part::kElse:
          EXPECT_GT(step.jump, i) << row.name;
          EXPECT_LE(step.jump, form.steps.size()) << row.name;
          break;
        case Part::kOperand:
        case Part::kTypeOfOperand:
          EXPECT_LT(step.index, static_cast<size_t>(row.operands.least))
              << row.name;
          break;
        default:
          break;
      }
    }
  }
}

// An attribute that a form shows belongs to the operation.
TEST(OpFormsTest, ShownAttributesExist) {
  for (const OpRow& row : Ops()) {
    for (const absl::string_view name : FormOf(row).shown) {
      EXPECT_TRUE(FindAttribute(row, name) != nullptr)
          << row.name << " " << name;
    }
  }
}

TEST(OpFormsTest, TextsAreWordsAndCharacters) {
  const Form& form = FormOf(*FindOp("stablehlo.iota"));
  ASSERT_EQ(form.steps.size(), 5u);
  EXPECT_EQ(form.steps[0].text, " dim = ");
  ASSERT_EQ(form.steps[0].literals.size(), 2u);
  EXPECT_EQ(form.steps[0].literals[0].word, "dim");
  EXPECT_EQ(form.steps[0].literals[1].punct, '=');
  EXPECT_EQ(form.steps[1].attribute->name, "iota_dimension");
  EXPECT_EQ(form.steps[2].part, Part::kAttrs);
  EXPECT_EQ(form.steps[4].part, Part::kResults);
  EXPECT_TRUE(form.complete);
}

}  // namespace
}  // namespace indim::mlir

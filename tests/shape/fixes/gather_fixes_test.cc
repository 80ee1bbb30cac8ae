// SPDX-License-Identifier: Apache-2.0
// Fixes of gathers that inference warns of.

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/infer/infer.h"

namespace indim {
namespace {

// A dim that batches can't be chosen by an index too, and the fix that is given
// ends the warning.
TEST(GatherFixesTest, ADimOfABatchIsNotChosen) {
  const Shape operand = Shape::Of(ElementType::kS32, {2, 3});
  const Shape indices = Shape::Of(ElementType::kS32, {2, 5});
  GatherAttributes gather;
  gather.collapsed_slice_dims = {1};
  gather.start_index_map = {0};
  gather.operand_batching_dims = {0};
  gather.start_indices_batching_dims = {0};
  gather.index_vector_dim = 2;
  gather.slice_sizes = {1, 1};
  const std::vector<const Shape*> operands = {&operand, &indices};
  const Attributes attributes = gather;
  OpInputs inputs;
  inputs.opcode = Opcode::kGather;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  InferContext context;
  ASSERT_TRUE(InferShape(&context, inputs).has_value());
  ASSERT_EQ(context.diagnostics().size(), 1);
  const Diagnostic warning = context.diagnostics()[0];
  EXPECT_EQ(static_cast<int>(warning.code), 259);
  const std::optional<Fix> fix = SuggestFix(inputs, warning);
  ASSERT_TRUE(fix.has_value());
  EXPECT_EQ(fix->numbers, DimIndices({1}));
  gather.start_index_map = fix->numbers;
  const Attributes mended = gather;
  inputs.attributes = &mended;
  InferContext after;
  EXPECT_TRUE(InferShape(&after, inputs).has_value());
  EXPECT_TRUE(after.diagnostics().empty());
}

}  // namespace
}  // namespace indim

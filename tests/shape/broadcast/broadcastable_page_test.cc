// SPDX-License-Identifier: Apache-2.0
// The table of docs/broadcastable.md is what the verifier answers.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

// "`f32[4]`, `f32[?]`"
std::vector<Shape> ShapesOf(absl::string_view cell) {
  std::vector<Shape> shapes;
  for (absl::string_view text : absl::StrSplit(cell, '`', absl::SkipEmpty())) {
    if (text == ", ") continue;
    absl::StatusOr<Shape> shape = ParseShape(text);
    EXPECT_TRUE(shape.ok()) << text;
    if (shape.ok()) shapes.push_back(*shape);
  }
  return shapes;
}

std::string Inferred(BroadcastableMode mode,
                     absl::Span<const Shape* const> operands) {
  std::vector<Diagnostic> diagnostics;
  const std::optional<Shape> shape =
      InferBroadcastable(mode, operands, &diagnostics);
  return shape ? absl::StrCat("`", shape->ToString(), "`")
               : CodeText(diagnostics.at(0).code);
}

std::string Verified(BroadcastableMode mode,
                     absl::Span<const Shape* const> operands,
                     const Shape& result) {
  std::vector<Diagnostic> diagnostics;
  return VerifyBroadcastable(mode, operands, result, &diagnostics)
             ? "ok"
             : CodeText(diagnostics.at(0).code);
}

// The row as it must be, from its first two cells.
std::string Answered(absl::string_view operand_cell,
                     absl::string_view result_cell) {
  const std::vector<Shape> shapes = ShapesOf(operand_cell);
  const std::vector<Shape> result = ShapesOf(result_cell);
  if (result.size() != 1) return "a row has one result";
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  std::string inferred = Inferred(BroadcastableMode::kLenient, operands);
  EXPECT_EQ(Inferred(BroadcastableMode::kStrict, operands), inferred);
  const std::string mlir = Inferred(BroadcastableMode::kMlir, operands);
  if (mlir != inferred) absl::StrAppend(&inferred, ", mlir ", mlir);
  std::string row = absl::StrCat("| ", operand_cell, " | ", result_cell, " | ",
                                 inferred, " |");
  for (const BroadcastableMode mode :
       {BroadcastableMode::kLenient, BroadcastableMode::kStrict,
        BroadcastableMode::kMlir}) {
    absl::StrAppend(&row, " ", Verified(mode, operands, result[0]), " |");
  }
  return row;
}

TEST(BroadcastablePage, TableIsWhatTheVerifierAnswers) {
  const std::string page = FileText("docs/broadcastable.md");
  int rows = 0;
  bool in_table = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, "| operands | recorded result |")) {
      in_table = true;
    } else if (!absl::StartsWith(line, "|")) {
      in_table = false;
    }
    if (!in_table || !absl::StartsWith(line, "| `")) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, " | ");
    ASSERT_GT(cells.size(), 2u) << line;
    // The first one still has its "| ".
    const std::string answered = Answered(cells[0].substr(2), cells[1]);
    EXPECT_TRUE(absl::StartsWith(line, answered))
        << "is    " << line << "\nmust  " << answered;
    ++rows;
  }
  EXPECT_GE(rows, 17);
}

}  // namespace
}  // namespace indim

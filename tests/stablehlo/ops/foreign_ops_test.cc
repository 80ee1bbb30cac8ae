// SPDX-License-Identifier: Apache-2.0
// What StableHLO has in place of operations of other dialects.

#include "indim/stablehlo/ops/foreign_ops.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {
namespace {

struct Row {
  const char* op;
  const char* instead;
};
constexpr Row kRows[] = {
#define INDIM_MLIR_FOREIGN(op, instead) {op, instead},
#include "indim/stablehlo/ops/foreign_ops.def"
};

// What a row names exists, with its dialect, and is another operation.
TEST(ForeignOpsTest, RowsNameOperationsOfStablehlo) {
  for (const Row& row : kRows) {
    bool names_one = false;
    for (const absl::string_view word : absl::StrSplit(row.instead, ' ')) {
      if (!absl::StrContains(word, '.')) continue;
      names_one = true;
      EXPECT_NE(FindOp(word), nullptr) << row.op << ": " << word;
      EXPECT_TRUE(DialectOf(word) == "stablehlo" || DialectOf(word) == "chlo")
          << word;
    }
    EXPECT_TRUE(names_one) << row.op;
  }
}

}  // namespace
}  // namespace indim::mlir

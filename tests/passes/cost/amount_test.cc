// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/amount.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

TEST(AmountTest, IsASumOfProducts) {
  const Amount n = Amount::Named("n"), m = Amount::Named("m");
  struct {
    Amount amount;
    const char* text;
  } const rows[] = {
      {Amount(), "0"},
      {Amount(1e15) + Amount(7), "1000000000000007"},
      {Amount(0.5), "0.5"},
      {n, "n"},
      {Amount(2) * n * Amount(784) * Amount(10), "15680*n"},
      {m * n + n * m, "2*m*n"},
      {(n + Amount(1)) * (n - Amount(1)), "n*n - 1"},
      {(n + m) * (n - m), "-m*m + n*n"},
      {n - n, "0"},
      {Amount(0) * n, "0"},
  };
  for (const auto& row : rows) EXPECT_EQ(row.amount.ToString(), row.text);
}

TEST(AmountTest, EqualAmountsHaveEqualProducts) {
  const Amount n = Amount::Named("n");
  EXPECT_TRUE(n + n == Amount(2) * n);
  EXPECT_FALSE(n == Amount::Named("m"));
  EXPECT_FALSE(n == Amount(0));
  EXPECT_TRUE((n - n).is_number());
  EXPECT_GT((n * n).Estimate(), n.Estimate());
}

TEST(AmountTest, TooManyProductsAreUnknown) {
  Amount sum, product(1);
  for (size_t i = 0; i <= Amount::kMaxProducts; ++i) {
    sum += Amount::Named(absl::StrCat("n", i));
  }
  EXPECT_EQ(sum.ToString(), "unknown");
  EXPECT_EQ((sum + Amount(1)).ToString(), "unknown");
  EXPECT_EQ((sum * Amount::Named("m")).ToString(), "unknown");
  EXPECT_EQ(sum.Estimate(), 0);
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proof/tally.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/tests/sample.h"

namespace indim {
namespace proof {
namespace {

constexpr absl::string_view kRows[] = {
    "mlir: size 0",
    "pdpd: a 1 of B before its last other size",
    "xla: 0 with 1",
    "xla: ? under broadcast_dimensions",
    "xla: a bound beside another size",
    "xla: <=1 doesn't stretch",
    "xla: ? and the last dims",
    "xla: ? is used as it is",
    "xla: ? stretches no bound",
    "xla: a bound beside its own size",
    "verify: ? recorded as a size",
    "verify: a result of higher rank",
    "verify: 0 with ?",
};
static_assert(std::size(kRows) ==
              static_cast<size_t>(Exclusion::kMlirZeroWithUnknown) + 1);

using Numbers = std::map<std::string, int64_t>;

// The numbers below a heading of the page, of all cases or of the sample.
Numbers NumbersOf(const std::string& page, absl::string_view section) {
  Numbers numbers;
  std::ifstream file(page);
  EXPECT_TRUE(file) << page;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') {
      inside = absl::StripLeadingAsciiWhitespace(absl::string_view(line).substr(
                   line.rfind('#') + 1)) == section;
    }
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (!inside || cells.size() < 5) continue;
    const std::string text =
        absl::StrReplaceAll(cells[AsksAllCases() ? 2 : 3], {{",", ""}});
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number)) continue;
    numbers[std::string(absl::StripAsciiWhitespace(cells[1]))] = number;
  }
  return numbers;
}

}  // namespace

absl::string_view RowOf(Exclusion exclusion) {
  return kRows[static_cast<size_t>(exclusion)];
}

void Tally::Check(const std::string& page, absl::string_view section) const {
  Numbers shown = NumbersOf(page, section);
  for (const auto& [row, count] : counts_) {
    std::printf("%12lld  %s\n", static_cast<long long>(count), row.c_str());
    EXPECT_EQ(count, shown[row]) << page << " has another number of: " << row;
    shown.erase(row);
  }
  for (const auto& [row, number] : shown) {
    ADD_FAILURE() << page << " has " << number
                  << " of what isn't counted: " << row;
  }
}

void Tally::Check(const std::string& page, absl::string_view section,
                  Exclusion first, Exclusion last) const {
  Check(page, section);
  Numbers shown = NumbersOf(page, "What is excluded");
  EXPECT_EQ(shown.size(), std::size(kRows)) << page;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const auto found = excluded_.find(static_cast<Exclusion>(i));
    const int64_t count = found == excluded_.end() ? 0 : found->second;
    const std::string row(kRows[i]);
    std::printf("%12lld  %s\n", static_cast<long long>(count), row.c_str());
    EXPECT_GT(count, 0) << "excludes nothing: " << row;
    EXPECT_EQ(count, shown[row]) << page << " has another number of: " << row;
  }
  for (const auto& [exclusion, count] : excluded_) {
    EXPECT_TRUE(first <= exclusion && exclusion <= last) << RowOf(exclusion);
  }
}

}  // namespace proof
}  // namespace indim

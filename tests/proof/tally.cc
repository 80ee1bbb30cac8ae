#include "indim/tests/proof/tally.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

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

bool AllCases() { return std::getenv("INDIM_ALL_CASES") != nullptr; }

// The numbers of the page's tables, of all cases or of the sample.
std::map<std::string, int64_t> NumbersOf(const std::string& page) {
  std::map<std::string, int64_t> numbers;
  std::ifstream file(page);
  EXPECT_TRUE(file) << page;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 5) continue;
    const std::string text =
        absl::StrReplaceAll(cells[AllCases() ? 2 : 3], {{",", ""}});
    const std::string row = absl::StrReplaceAll(cells[1], {{"`", ""}});
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number)) continue;
    numbers[std::string(absl::StripAsciiWhitespace(row))] = number;
  }
  return numbers;
}

}  // namespace

absl::string_view RowOf(Exclusion exclusion) {
  return kRows[static_cast<size_t>(exclusion)];
}

int64_t Step(int64_t sample) { return AllCases() ? 1 : sample; }

int64_t Tally::count(absl::string_view row) const {
  const auto found = counts_.find(std::string(row));
  return found == counts_.end() ? 0 : found->second;
}

void Tally::Check(const std::string& page, Exclusion first,
                  Exclusion last) const {
  const std::map<std::string, int64_t> numbers = NumbersOf(page);
  for (const auto& [row, count] : counts_) {
    std::printf("%12lld  %s\n", static_cast<long long>(count), row.c_str());
    const auto found = numbers.find(row);
    EXPECT_EQ(count, found == numbers.end() ? -1 : found->second)
        << page << " has another number of: " << row;
  }
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    EXPECT_GT(count(kRows[i]), 0) << "excludes nothing: " << kRows[i];
  }
}

}  // namespace proof
}  // namespace indim

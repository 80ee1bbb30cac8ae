// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/suggest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"

namespace indim {
namespace {

// The number of edits that turn a into b, counting a swap of neighbours as one:
// the optimal string alignment distance. It keeps three rows of the table.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

bool IsSeparator(char c) { return c == '_' || c == '-'; }

// Whether `name` is `whole` without some letters, but with the first letter of
// each word.
bool Shortens(absl::string_view name, absl::string_view whole) {
  constexpr size_t kFewest = 4;  // fewer letters match too much
  if (name.size() < kFewest || name.size() >= whole.size()) return false;
  size_t at = 0;
  bool begins = true;  // at the start of a word
  for (const char c : whole) {
    const bool taken = at < name.size() && name[at] == c;
    if (taken) {
      ++at;
    } else if (begins || IsSeparator(c)) {
      return false;
    }
    begins = IsSeparator(c);
  }
  return at == name.size();
}

// The only one of `names` that `name` abbreviates; empty: none or several.
absl::string_view OnlyShortened(absl::string_view name,
                                absl::Span<const absl::string_view> names) {
  absl::string_view only;
  for (const absl::string_view candidate : names) {
    if (candidate == only || !Shortens(name, candidate)) continue;
    if (!only.empty()) return "";
    only = candidate;
  }
  return only;
}

}  // namespace

absl::string_view NearestName(absl::string_view name,
                              absl::Span<const absl::string_view> names) {
  constexpr size_t kLongestName = 64;
  if (name.size() > kLongestName) return "";
  absl::string_view best;
  size_t best_distance = 3;
  for (absl::string_view candidate : names) {
    if (absl::EqualsIgnoreCase(name, candidate)) return candidate;
    // The names' lengths alone are so far apart.
    if (std::max(candidate.size(), name.size()) -
            std::min(candidate.size(), name.size()) >=
        best_distance) {
      continue;
    }
    const size_t distance = EditDistance(name, candidate);
    // A word with half of its letters changed is another word.
    if (distance < best_distance && distance * 2 < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? OnlyShortened(name, names) : best;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/unique_names.h"

#include "absl/strings/str_cat.h"

namespace indim {

std::optional<uint64_t> NumberAtEnd(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos) return std::nullopt;
  const absl::string_view digits = name.substr(dot + 1);
  if (digits.empty() || digits.size() > 19 ||
      (digits[0] == '0' && digits.size() > 1)) {
    return std::nullopt;
  }
  uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + static_cast<uint64_t>(c - '0');
  }
  return number;
}

absl::string_view UniqueNames::Claim(
    absl::string_view name,
    absl::FunctionRef<bool(absl::string_view)> reserved) {
  const auto [taken, is_new] = taken_.try_emplace(name, 0);
  if (is_new && !reserved(name)) return name;
  int64_t number = taken->second;
  std::string numbered;
  do {
    numbered = absl::StrCat(name, ".", ++number);
  } while (IsTaken(numbered) || reserved(numbered));
  taken->second = number;
  const absl::string_view kept = bytes_.Copy(numbered);
  Take(kept);
  return kept;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/name_uniquer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/shape/types/element_type.h"
#include "indim/text/base/char_lanes.h"

namespace indim {
namespace {

constexpr size_t kNone = absl::string_view::npos;

bool IsAllowed(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '-' || c == '.';
}

bool MayBegin(char c) { return absl::ascii_isalpha(c) || c == '_'; }

bool IsTypeName(absl::string_view name) {
  constexpr size_t kLongest = 14;
  return name.size() <= kLongest && name.find('.') == kNone &&
         (name == "token" || name == "opaque" ||
          ElementTypeFromName(name).has_value());
}

bool IsReserved(absl::string_view name) {
  return absl::StartsWith(name, "__") && !absl::StartsWith(name, "__xla_");
}

// The position of the "." before the number of `name`; kNone: there is no
// number.
size_t NumberDot(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == kNone || dot == 0 || dot + 1 == name.size() ? kNone : dot;
}

}  // namespace

std::string SanitizedName(absl::string_view name) {
  std::string result(name);
  if (result.empty()) return result;
  if (!MayBegin(result[0])) result[0] = '_';
  for (char& c : result) {
    if (!IsAllowed(c)) c = '_';
  }
  if (IsTypeName(result)) result += '_';
  if (IsReserved(result)) result[0] = 'a';
  return result;
}

bool IsSanitizedName(absl::string_view name) {
  if (name.empty()) return true;
  CharMask dots = {};
  CharMask wrong = {};
  ForAllChars(name, [&](CharLanes lanes) {
    const CharMask is_dot = lanes == '.';
    dots |= is_dot;
    wrong |= ~(IsNameChar(lanes) | is_dot);
  });
  if (IsAny(wrong) || !MayBegin(name[0])) return false;
  if (name[0] == '_' && IsReserved(name)) return false;
  return IsAny(dots) || !IsTypeName(name);
}

bool IsReservedWord(absl::string_view word) {
  if (word.find('.') != kNone) return false;  // no type has a "."
  static constexpr absl::string_view kWords[] = {
      "ENTRY",       "FileLocations",
      "FileNames",   "FunctionNames",
      "HloModule",   "ROOT",
      "StackFrames", "false",
      "inf",         "last_tile_dim_replicate",
      "manual",      "maximal",
      "nan",         "replicated",
      "shard_as",    "shard_like",
      "true",        "unknown",
      "unreduced"};
  return std::binary_search(std::begin(kWords), std::end(kWords), word) ||
         IsTypeName(word);
}

void NameUniquer::Reserve(size_t count) {
  taken_.reserve(count);
  index_.Reserve(count);
}

NameUniquer::Parts NameUniquer::PartsOf(absl::string_view sanitized) {
  constexpr size_t kFits = 18;
  Parts parts;
  parts.stem = sanitized;
  const size_t dot = NumberDot(sanitized);
  if (dot == kNone) return parts;
  const absl::string_view number = sanitized.substr(dot + 1);
  int64_t value = 0;
  for (const char c : number) {
    if (absl::ascii_isdigit(c) && number.size() <= kFits) {
      value = 10 * value + (c - '0');
    } else if (absl::SimpleAtoi(number, &value)) {  // accepts "+1" too
      break;
    } else {
      return parts;
    }
  }
  parts.stem = sanitized.substr(0, dot);
  parts.number = value;
  parts.numbered = true;
  return parts;
}

bool NameUniquer::Take(absl::string_view stem, int64_t number) {
  const uint64_t hash = HashBytes(stem, static_cast<uint64_t>(number));
  const auto same = [&](uint32_t index) {
    return taken_[index].number == number &&
           SameBytes(taken_[index].stem, stem);
  };
  if (index_.Find(hash, same)) return false;
  index_.Insert(hash, static_cast<uint32_t>(taken_.size()));
  taken_.push_back({stem, number});
  return true;
}

absl::string_view NameUniquer::Keep(std::string name) {
  kept_.push_back(std::move(name));
  return kept_.back();
}

absl::string_view NameUniquer::Unique(absl::string_view name) {
  if (name.empty()) name = "name";
  if (!IsSanitizedName(name)) name = Keep(SanitizedName(name));
  const Parts parts = PartsOf(name);
  if (Take(parts.stem, parts.number)) {
    if (!parts.numbered) return name;
    // "x.01" becomes "x.1".
    const char first = name[parts.stem.size() + 1];
    const bool is_own = absl::ascii_isdigit(first) && first != '0';
    return is_own ? name : Keep(absl::StrCat(parts.stem, ".", parts.number));
  }
  int64_t& next = next_[parts.stem];
  while (!Take(parts.stem, next)) ++next;
  return Keep(absl::StrCat(parts.stem, ".", next++));
}

bool NameUniquer::IsPlain(absl::string_view name) {
  return !name.empty() && IsSanitizedName(name) && IsPlainIdentifier(name);
}

bool IsNumberName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isdigit(c);
  });
}

bool NameUniquer::IsPlainIdentifier(absl::string_view name) {
  if (IsReserved(name)) return false;
  // Nearly all names are like "x.12".
  size_t digits = name.size();
  while (digits > 0 && absl::ascii_isdigit(name[digits - 1])) --digits;
  if (digits > 1 && digits < name.size() && name[digits - 1] == '.') {
    return name[digits] != '0' && name.size() - digits < 19;
  }
  const size_t dot = NumberDot(name);
  if (dot == kNone) return !IsTypeName(name);  // types have no "."
  const absl::string_view number = name.substr(dot + 1);
  for (char c : number) {
    // "x.1-" isn't numbered, but "x.-1" and "x.+1" are.
    if (!absl::ascii_isdigit(c)) return number[0] != '-' && number[0] != '+';
  }
  return number[0] != '0' && number.size() < 19;
}

}  // namespace indim

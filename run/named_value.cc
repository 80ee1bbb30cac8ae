// SPDX-License-Identifier: Apache-2.0
#include "indim/run/named_value.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim::pjrt {
namespace {

struct TextOf {
  std::string operator()(const std::string& text) const {
    return absl::StrCat("\"", text, "\"");
  }
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(const std::vector<int64_t>& numbers) const {
    return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
  }
  std::string operator()(float number) const { return absl::StrCat(number); }
  std::string operator()(bool boolean) const {
    return boolean ? "true" : "false";
  }
};

}  // namespace

std::string ToString(const Value& value) { return std::visit(TextOf(), value); }

absl::string_view KindName(const Value& value) {
  constexpr absl::string_view kNames[] = {"text", "an integer", "integers",
                                          "a number", "true or false"};
  return kNames[value.index()];
}

}  // namespace indim::pjrt

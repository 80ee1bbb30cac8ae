// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/error_places.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

constexpr size_t kMostPlaces = 4;

bool IsOfName(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
}

// The words of a message that could be names of instructions, each once.
std::vector<absl::string_view> Words(absl::string_view message) {
  std::vector<absl::string_view> words;
  absl::flat_hash_set<absl::string_view> seen;
  for (size_t i = 0; i < message.size();) {
    size_t end = i;
    while (end < message.size() && IsOfName(message[end])) ++end;
    absl::string_view word = message.substr(i, end - i);
    // The full stop of a sentence.
    while (!word.empty() && word.back() == '.') word.remove_suffix(1);
    if (!word.empty() && seen.insert(word).second) words.push_back(word);
    i = end + 1;
  }
  return words;
}

}  // namespace

absl::Status WithPlaces(const absl::Status& error, const Module& module) {
  if (error.ok()) return error;
  absl::flat_hash_map<std::string, Instruction> named;
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) named.emplace(i.name(), i);
  }
  std::string places;
  size_t count = 0;
  for (const absl::string_view word : Words(error.message())) {
    const auto found = named.find(std::string(word));
    if (found == named.end()) continue;
    const std::string place = PlaceText(found->second);
    if (place.empty()) continue;
    absl::StrAppend(&places, "\n    %", word, "  ", place);
    if (++count == kMostPlaces) break;
  }
  if (places.empty()) return error;
  return WithNote(error, places);
}

}  // namespace indim::pjrt

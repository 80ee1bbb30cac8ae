// SPDX-License-Identifier: Apache-2.0
// NameUniquer: makes names unique as XLA does (xla/service/name_uniquer.cc): a
// taken "x" becomes "x.1"; a taken "x.5" gets the first free number after the
// last search.

#ifndef INDIM_TEXT_BASE_NAME_UNIQUER_H_
#define INDIM_TEXT_BASE_NAME_UNIQUER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/intern_index.h"

namespace indim {

// `name` as a valid name: characters other than letters, digits, "_", "." and
// "-" (at the front: letters and "_") become "_"; the name of a type gets "_"
// appended; the first "_" of a leading "__" (except "__xla_") becomes "a".
std::string SanitizedName(absl::string_view name);
// Whether SanitizedName(name) == name, without making it.
bool IsSanitizedName(absl::string_view name);

// Whether XLA's lexer reads `word` as something other than a name (ENTRY, true,
// f32 ...) unless "%" precedes it.
bool IsReservedWord(absl::string_view word);

// Whether `name` is a number such as "4": in the text of a recorded module, the
// name of an entity without one, by its position in the module, from 1.
bool IsNumberName(absl::string_view name);

class NameUniquer {
 public:
  // A unique name made from `name`, which must outlive the result: the result
  // is `name` itself, or lives as long as the uniquer. An empty name counts as
  // "name".
  absl::string_view Unique(absl::string_view name);
  // Reserves room for `count` names.
  void Reserve(size_t count);

  // Whether Unique would return `name` itself unless it is taken: it is
  // sanitized, and its number, if any, is written as Unique writes it.
  // Different plain names never collide.
  static bool IsPlain(absl::string_view name);
  // IsPlain for an identifier ([A-Za-z_][A-Za-z0-9_.-]*).
  static bool IsPlainIdentifier(absl::string_view name);

 private:
  // "x.5" has stem "x" and number 5; a name without a number has 0.
  struct Parts {
    absl::string_view stem;
    int64_t number = 0;
    bool numbered = false;
  };
  static Parts PartsOf(absl::string_view sanitized);
  // False: the name is taken.
  bool Take(absl::string_view stem, int64_t number);
  absl::string_view Keep(std::string name);

  std::vector<Parts> taken_;
  InternIndex index_;  // of taken_
  // Where the search for a free number continues, by stem.
  absl::flat_hash_map<absl::string_view, int64_t> next_;
  std::deque<std::string> kept_;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_NAME_UNIQUER_H_

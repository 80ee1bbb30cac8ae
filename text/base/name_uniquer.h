// Names made unique as XLA makes them (xla/service/name_uniquer.cc): "x" that
// is taken becomes "x.1", "x.5" that is taken the first free number from where
// the last search ended.

#ifndef INDIM_TEXT_BASE_NAME_UNIQUER_H_
#define INDIM_TEXT_BASE_NAME_UNIQUER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/storage/intern_index.h"

namespace indim {

// `name` as a name may be: what isn't a letter, digit, "_", "." or "-" (in
// front: a letter or "_") becomes "_"; a type's name gets "_" appended; of a
// leading "__" (but "__xla_") the first becomes "a".
std::string SanitizedName(absl::string_view name);
// SanitizedName(name) == name, without making it.
bool IsSanitizedName(absl::string_view name);

// XLA's lexer takes `word` for something else than a name (ENTRY, true, f32
// ...) unless "%" is before it.
bool IsReservedWord(absl::string_view word);

// "4": in the text of a recorded module the name of what has none, by its
// position in the module, from 1.
bool IsNumberName(absl::string_view name);

class NameUniquer {
 public:
  // The unique name for what wants to be called `name`, which must outlive what
  // it gives: that is `name` itself, or lives as long as the uniquer. An empty
  // one counts as "name".
  absl::string_view Unique(absl::string_view name);
  // Room for so many names.
  void Reserve(size_t count);

  // True when Unique would give `name` itself, were no other name of its stem
  // taken under another spelling: it is sanitized, and its number, if any, is
  // written as Unique writes it. Different such names never collide.
  static bool IsPlain(absl::string_view name);
  // The same of an identifier ([A-Za-z_][A-Za-z0-9_.-]*).
  static bool IsPlainIdentifier(absl::string_view name);

 private:
  // "x.5": stem "x" and 5. Without a number it has 0.
  struct Parts {
    absl::string_view stem;
    int64_t number = 0;
    bool numbered = false;
  };
  static Parts PartsOf(absl::string_view sanitized);
  // False: it is taken already.
  bool Take(absl::string_view stem, int64_t number);
  absl::string_view Keep(std::string name);

  std::vector<Parts> taken_;
  InternIndex index_;  // of taken_
  // Where the search of a free number goes on, by stem.
  absl::flat_hash_map<absl::string_view, int64_t> next_;
  std::deque<std::string> kept_;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_NAME_UNIQUER_H_

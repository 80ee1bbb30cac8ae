// Names made unique as XLA makes them (xla/service/name_uniquer.cc): "x" that
// is taken becomes "x.1", "x.5" that is taken the first free number from where
// the last search ended.

#ifndef INDIM_IR_TEXT_NAME_UNIQUER_H_
#define INDIM_IR_TEXT_NAME_UNIQUER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

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

class NameUniquer {
 public:
  // The unique name for what wants to be called `name`. An empty one counts as
  // "name".
  std::string Unique(absl::string_view name);

  // True when Unique would give `name` itself, were no other name of its stem
  // taken under another spelling: it is sanitized, and its number, if any, is
  // written as Unique writes it. Different such names never collide.
  static bool IsPlain(absl::string_view name);
  // The same of an identifier ([A-Za-z_][A-Za-z0-9_.-]*).
  static bool IsPlainIdentifier(absl::string_view name);

 private:
  struct Numbers {
    int64_t next = 0;
    absl::flat_hash_set<int64_t> used;
  };
  absl::flat_hash_map<std::string, Numbers> taken_;
};

}  // namespace indim

#endif  // INDIM_IR_TEXT_NAME_UNIQUER_H_

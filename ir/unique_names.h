// SPDX-License-Identifier: Apache-2.0
// UniqueNames: a set of names that must differ, where a name that is taken gets
// a number: "x" becomes "x.1", "x.2", ... This is Indim's rule for the names
// that it makes; how XLA makes names unique when it reads a text is another one
// (text/base/name_uniquer.h).

#ifndef INDIM_IR_UNIQUE_NAMES_H_
#define INDIM_IR_UNIQUE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/byte_pool.h"

namespace indim {

// The 17 of "x.17", the form of a made name; nullopt: not that form.
std::optional<uint64_t> NumberAtEnd(absl::string_view name);
// The "x" of "x.17".
inline absl::string_view WithoutNumber(absl::string_view name) {
  return name.substr(0, name.rfind('.'));
}

class UniqueNames {
 public:
  // The names that it makes live as long as `*bytes`.
  explicit UniqueNames(BytePool* bytes) : bytes_(*bytes) {}

  void Reserve(size_t count) { taken_.reserve(count); }
  bool IsTaken(absl::string_view name) const { return taken_.contains(name); }
  // False: it was taken before. `name` must outlive this.
  bool Take(absl::string_view name) {
    return taken_.try_emplace(name, 0).second;
  }
  // Takes `name`, which must outlive this, or where it is taken the first of
  // name.1, name.2, ... that is free. None of these may be `reserved`.
  absl::string_view Claim(
      absl::string_view name,
      absl::FunctionRef<bool(absl::string_view)> reserved =
          [](absl::string_view) { return false; });

 private:
  BytePool& bytes_;
  // Each name with the last number that was tried behind it, so that many equal
  // ones take linear time.
  absl::flat_hash_map<absl::string_view, int64_t, ByteHash> taken_;
};

}  // namespace indim

#endif  // INDIM_IR_UNIQUE_NAMES_H_

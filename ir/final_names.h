// The names that a module's computations and instructions have in a file: the
// given ones, made unique, and made-up ones ("add.17") for what has none.

#ifndef INDIM_IR_FINAL_NAMES_H_
#define INDIM_IR_FINAL_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/byte_pool.h"
#include "indim/ir/module_data.h"

namespace indim {

// Valid as long as the module is. Names of a file (names_as_read) are left as
// they are; of others, the first instruction (in the order of the module) keeps
// a name that several were given, the next becomes "x.17" (by its id). Where
// that is taken too, ".1", ".2", ... is appended.
class FinalNames {
 public:
  explicit FinalNames(const ModuleData& data);

  absl::string_view instruction(uint32_t position) const {
    return instructions_[position];
  }
  absl::string_view computation(uint32_t index) const {
    return computations_[index];
  }

 private:
  class Namespace;

  BytePool bytes_;
  std::vector<absl::string_view> instructions_;
  std::vector<absl::string_view> computations_;
};

// `text`, where it isn't UTF-8 with '?' for what is beyond ASCII.
std::string ToUtf8(absl::string_view text);

}  // namespace indim

#endif  // INDIM_IR_FINAL_NAMES_H_

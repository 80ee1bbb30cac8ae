// The names that a module's computations and instructions have in a file: the
// given ones, made unique, and made-up ones ("add.17") for what has none.

#ifndef INDIM_IR_FINAL_NAMES_H_
#define INDIM_IR_FINAL_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/storage/byte_hash.h"
#include "indim/storage/byte_pool.h"

namespace indim {

// Given names of a module's instructions, looked at one by one: whether all can
// stay as they are and none clashes with a made one. They nearly always can.
class GivenNames {
 public:
  GivenNames() = default;
  GivenNames(const GivenNames&) = delete;
  GivenNames& operator=(const GivenNames&) = delete;

  // False: it can't. `name` must outlive this.
  bool Add(absl::string_view name);
  // After all were added.
  bool Finish(const ModuleData& data) const;
  // No name is an opcode, "." and a number above this.
  uint64_t largest_number() const { return largest_number_; }

 private:
  absl::flat_hash_set<absl::string_view, ByteHash> names_;
  std::vector<uint64_t> numbers_;  // at the end of those that look made
  uint64_t largest_number_ = 0;
};

// Valid as long as the module is. Names of a file (names_as_read) are left as
// they are; of others, the first instruction (in the order of the module) keeps
// a name that several were given, the next becomes "x.17" (by its id). Where
// that is taken too, ".1", ".2", ... is appended.
class FinalNames {
 public:
  // kGiven: most instructions have no given name and are called by opcode and
  // id. Those names are left to whoever writes them: see is_made. kUnchecked:
  // all given names are taken for good, which whoever uses them finds out
  // (GivenNames), and ids are positions.
  enum class Keep { kAll, kGiven, kUnchecked };
  explicit FinalNames(const ModuleData& data, Keep keep = Keep::kAll);

  // Not of one that is_made.
  absl::string_view instruction(uint32_t position) const {
    if (!instructions_.empty()) return instructions_[position];
    if (!renamed_.empty()) {
      const auto found = renamed_.find(position);
      if (found != renamed_.end()) return found->second;
    }
    return data_.pools->name(data_.instructions[position].name);
  }
  // With kGiven: the name is BaseOf(its opcode), ".", its id.
  bool is_made(uint32_t position) const {
    return leaves_made_ && !data_.instructions[position].name;
  }
  static absl::string_view BaseOf(absl::string_view opcode) {
    return opcode.empty() ? "instruction" : opcode;
  }

  absl::string_view computation(uint32_t index) const {
    return computations_[index];
  }

 private:
  class Namespace;

  // As GivenNames says.
  bool ComputationsDiffer();
  bool InstructionsDiffer();
  void NameComputations();
  void NameInstructions(Keep keep);

  const ModuleData& data_;
  BytePool bytes_;
  // Empty: those in the pools, but for the renamed.
  std::vector<absl::string_view> instructions_;
  absl::flat_hash_map<uint32_t, absl::string_view> renamed_;
  bool leaves_made_ = false;
  std::vector<absl::string_view> computations_;
};

}  // namespace indim

#endif  // INDIM_IR_FINAL_NAMES_H_

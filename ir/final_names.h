// SPDX-License-Identifier: Apache-2.0
// FinalNames: the names of a module's computations and instructions in a file:
// given names, made unique, and made names ("add.17") for the others.

#ifndef INDIM_IR_FINAL_NAMES_H_
#define INDIM_IR_FINAL_NAMES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/byte_pool.h"

namespace indim {

// The names of a module; valid as long as the module. Names of a file
// (names_as_read) stay as they are. Elsewhere the first instruction (in the
// order of the module) keeps a name that several have, and others become "x.17"
// (by their ids); if that is taken too, they get ".1", ".2", ... appended.
class FinalNames {
 public:
  // kGiven: doesn't make names for instructions without a given one, which are
  // most; the caller writes those itself (is_made).
  enum class Keep { kAll, kGiven };
  explicit FinalNames(const ModuleData& data, Keep keep = Keep::kAll);

  // Call it only if !is_made(position).
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
  // With kGiven: whether instructions with higher ids may get made names too,
  // and all given names stay.
  bool leave_room() const { return leave_room_; }
  static absl::string_view BaseOf(absl::string_view opcode) {
    return opcode.empty() ? "instruction" : opcode;
  }

  absl::string_view computation(uint32_t index) const {
    return computations_[index];
  }

 private:
  class Namespace;

  // Whether the given names are unique, and made ones differ from them.
  bool ComputationsDiffer();
  bool InstructionsDiffer();
  void NameComputations();
  void NameInstructions(Keep keep);

  const ModuleData& data_;
  BytePool bytes_;
  // Empty: the names are in the pools, except for the renamed ones.
  std::vector<absl::string_view> instructions_;
  absl::flat_hash_map<uint32_t, absl::string_view> renamed_;
  bool leaves_made_ = false;
  bool leave_room_ = false;
  std::vector<absl::string_view> computations_;
};

}  // namespace indim

#endif  // INDIM_IR_FINAL_NAMES_H_

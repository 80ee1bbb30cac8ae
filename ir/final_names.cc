#include "indim/ir/final_names.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/wire.h"

namespace indim {

std::string ToUtf8(absl::string_view text) {
  std::string result(text);
  if (!IsValidUtf8(text)) {
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  }
  return result;
}

// Names that must differ from each other.
class FinalNames::Namespace {
 public:
  Namespace(bool as_read, BytePool* bytes) : as_read_(as_read), bytes_(bytes) {}

  // The name to write for what was given `name`; empty: Make must make one.
  absl::string_view Keep(absl::string_view name) {
    if (name.empty()) return name;
    const bool first = taken_.try_emplace(name, 1).second;
    if (as_read_ || (first && IsValidUtf8(name))) return name;
    return absl::string_view();
  }

  absl::string_view Make(absl::string_view base, int64_t id) {
    std::string name = absl::StrCat(ToUtf8(base), ".", id);
    auto taken = taken_.find(name);
    if (taken == taken_.end()) return Take(name);
    // The count lives with the first name, so many equal ones take linear time.
    int64_t next = taken->second;
    std::string numbered;
    do {
      numbered = absl::StrCat(name, ".", next++);
    } while (taken_.contains(numbered));
    taken->second = next;
    return Take(numbered);
  }

 private:
  absl::string_view Take(absl::string_view name) {
    const absl::string_view kept = bytes_->Copy(name);
    taken_.emplace(kept, 1);
    return kept;
  }

  const bool as_read_;
  BytePool* const bytes_;
  // With the number to try next behind the name.
  absl::flat_hash_map<absl::string_view, int64_t> taken_;
};

FinalNames::FinalNames(const ModuleData& data)
    : instructions_(data.instructions.size()),
      computations_(data.computations.size()) {
  // In a file, nameless is a name; elsewhere it is the lack of one.
  const auto to_make = [&](NameId name, absl::string_view final_name) {
    return final_name.empty() && !(data.names_as_read && name);
  };
  Namespace computations(data.names_as_read, &bytes_);
  for (size_t i = 0; i < computations_.size(); ++i) {
    computations_[i] =
        computations.Keep(data.pools->name(data.computations[i].name));
  }
  for (size_t i = 0; i < computations_.size(); ++i) {
    const ComputationRecord& record = data.computations[i];
    if (!to_make(record.name, computations_[i])) continue;
    const absl::string_view given = data.pools->name(record.name);
    computations_[i] =
        computations.Make(given.empty() ? "computation" : given, record.id);
  }
  // What a file names needs no look at the others unless some name is missing.
  bool complete = data.names_as_read;
  for (size_t i = 0; complete && i < instructions_.size(); ++i) {
    instructions_[i] = data.pools->name(data.instructions[i].name);
    complete = static_cast<bool>(data.instructions[i].name);
  }
  if (complete) return;
  Namespace instructions(data.names_as_read, &bytes_);
  for (size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i] =
        instructions.Keep(data.pools->name(data.instructions[i].name));
  }
  for (uint32_t i = 0; i < instructions_.size(); ++i) {
    const NameId name = data.instructions[i].name;
    if (!to_make(name, instructions_[i])) continue;
    const absl::string_view given = data.pools->name(name);
    const absl::string_view opcode = data.OpcodeName(i);
    instructions_[i] = instructions.Make(!given.empty()   ? given
                                         : opcode.empty() ? "instruction"
                                                          : opcode,
                                         data.InstructionId(i));
  }
}

}  // namespace indim

#include "indim/ir/final_names.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
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

namespace {

// Whether no two instructions of the module have the same id. Ids that spread
// widely are not looked at: false.
bool HasUniqueIds(const ModuleData& data) {
  if (data.ids.empty()) return true;
  const uint64_t limit = 8 * uint64_t{data.ids.size()} + 64;
  std::vector<bool> seen(limit, false);
  for (const int64_t id : data.ids) {
    if (static_cast<uint64_t>(id) >= limit || seen[static_cast<size_t>(id)]) {
      return false;
    }
    seen[static_cast<size_t>(id)] = true;
  }
  return true;
}

// "x.17": what a made name looks like.
bool EndsInNumber(absl::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && absl::ascii_isdigit(static_cast<unsigned char>(
                                     name[name.size() - 1 - digits]))) {
    ++digits;
  }
  return digits > 0 && digits < name.size() &&
         name[name.size() - 1 - digits] == '.';
}

}  // namespace

// Names that must differ from each other.
class FinalNames::Namespace {
 public:
  // `ids_differ`: no two calls of Make have the same id.
  Namespace(bool as_read, bool ids_differ, BytePool* bytes)
      : as_read_(as_read), ids_differ_(ids_differ), bytes_(bytes) {}

  // The name to write for what was given `name`; empty: Make must make one.
  absl::string_view Keep(absl::string_view name) {
    if (name.empty()) return name;
    const bool first = taken_.try_emplace(name, 1).second;
    if (ids_differ_ && EndsInNumber(name)) ids_differ_ = false;
    if (as_read_ || (first && IsValidUtf8(name))) return name;
    return absl::string_view();
  }

  // After all calls of Keep.
  absl::string_view Make(absl::string_view base, int64_t id) {
    // Then made names differ from each other, and from kept ones that don't
    // look like one.
    if (ids_differ_) return Append(base, id);
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
  absl::string_view Append(absl::string_view base, int64_t id) {
    made_.assign(base.data(), base.size());
    if (!IsValidUtf8(base)) made_ = ToUtf8(base);
    absl::StrAppend(&made_, ".", id);
    return bytes_->Copy(made_);
  }

  absl::string_view Take(absl::string_view name) {
    const absl::string_view kept = bytes_->Copy(name);
    taken_.emplace(kept, 1);
    return kept;
  }

  const bool as_read_;
  bool ids_differ_;
  BytePool* const bytes_;
  std::string made_;  // its room is used again
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
  Namespace computations(data.names_as_read, /*ids_differ=*/false, &bytes_);
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
  Namespace instructions(data.names_as_read, HasUniqueIds(data), &bytes_);
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

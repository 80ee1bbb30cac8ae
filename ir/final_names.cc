// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/final_names.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/unique_names.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

namespace {

// Ids up to here are marked one by one; most modules' ids are dense.
size_t IdLimit(const ModuleData& data) {
  return 8 * size_t{data.instructions.size()} + 64;
}

// Whether the ids of the module's instructions are unique. False also for
// widely spread ids, which aren't checked.
bool HasUniqueIds(const ModuleData& data) {
  if (data.ids.empty()) return true;
  const size_t limit = IdLimit(data);
  std::vector<bool> seen(limit, false);
  for (size_t i = 0; i < data.ids.size(); ++i) {
    const int64_t id = data.ids[i];
    if (static_cast<uint64_t>(id) >= limit || seen[static_cast<size_t>(id)]) {
      return false;
    }
    seen[static_cast<size_t>(id)] = true;
  }
  return true;
}

// Marks which of the numbers up to IdLimit are in `numbers`.
std::vector<bool> MarkNumbers(const ModuleData& data,
                              absl::Span<const uint64_t> numbers) {
  std::vector<bool> marked(IdLimit(data), false);
  for (const uint64_t number : numbers) {
    if (number < marked.size()) marked[static_cast<size_t>(number)] = true;
  }
  return marked;
}

}  // namespace

// The names of computations or of instructions: given ones first.
class FinalNames::Namespace {
 public:
  Namespace(bool as_read, BytePool* bytes)
      : as_read_(as_read), bytes_(*bytes), names_(bytes) {}

  // The name to write for the given `name`; empty: it needs a made one.
  absl::string_view Keep(absl::string_view name) {
    if (name.empty()) return name;
    const bool first = names_.Take(name);
    if (first) {
      if (const auto number = NumberAtEnd(name)) numbers_.push_back(*number);
    }
    if (as_read_ || (first && IsValidUtf8(name))) return name;
    return absl::string_view();
  }
  // The numbers at the end of the names given to Keep.
  const std::vector<uint64_t>& numbers() const { return numbers_; }
  bool IsTaken(absl::string_view base, int64_t id) {
    return names_.IsTaken(Spell(base, id));
  }

  // A made name, after all calls of Keep. It doesn't check for clashes: ids and
  // kept names must exclude them.
  absl::string_view MakePlain(absl::string_view base, int64_t id) {
    return bytes_.Copy(Spell(base, id));
  }
  absl::string_view Make(absl::string_view base, int64_t id) {
    return names_.Claim(MakePlain(base, id));
  }

 private:
  // Valid until the next call.
  absl::string_view Spell(absl::string_view base, int64_t id) {
    made_.assign(base.data(), base.size());
    if (!IsValidUtf8(base)) made_ = ToUtf8(base);
    absl::StrAppend(&made_, ".", id);
    return made_;
  }

  const bool as_read_;
  BytePool& bytes_;
  UniqueNames names_;
  std::string made_;  // its room is used again
  std::vector<uint64_t> numbers_;
};

FinalNames::FinalNames(const ModuleData& data, Keep keep)
    : data_(data), computations_(data.computations.size()) {
  NameComputations();
  NameInstructions(keep);
}

bool FinalNames::ComputationsDiffer() {
  absl::flat_hash_set<absl::string_view, ByteHash> given;
  given.reserve(computations_.size());
  for (size_t i = 0; i < computations_.size(); ++i) {
    const absl::string_view name =
        data_.pools->name(data_.computations[i].name);
    if (name.empty() || !IsValidUtf8(name) || !given.insert(name).second) {
      return false;
    }
    computations_[i] = name;
  }
  return true;
}

// A module as a builder makes it: nearly always all given names can stay,
// without a clash among them or with a made name. This makes no name.
bool FinalNames::InstructionsDiffer() {
  if (data_.names_as_read || !data_.opcode_names.empty() ||
      !HasUniqueIds(data_)) {
    return false;
  }
  absl::flat_hash_set<absl::string_view, ByteHash> given;
  std::vector<uint64_t> numbers;  // of names that look made
  for (const InstructionRecord& r : data_.instructions) {
    if (!r.name) continue;
    const absl::string_view name = data_.pools->name(r.name);
    if (name.empty() || !IsValidUtf8(name) || !given.insert(name).second) {
      return false;
    }
    // Made names begin with an opcode.
    const auto number = NumberAtEnd(name);
    const absl::string_view base = WithoutNumber(name);
    if (number && (base == BaseOf("") || OpcodeFromName(base))) {
      numbers.push_back(*number);
    }
  }
  leave_room_ = std::all_of(
      numbers.begin(), numbers.end(),
      [&](uint64_t number) { return number <= data_.instructions.size(); });
  if (numbers.empty()) return true;
  const std::vector<bool> numbered = MarkNumbers(data_, numbers);
  std::string made;
  for (uint32_t i = 0; i < data_.instructions.size(); ++i) {
    const int64_t id = data_.InstructionId(i);
    if (data_.instructions[i].name || !numbered[static_cast<size_t>(id)]) {
      continue;
    }
    made.clear();
    absl::StrAppend(&made, BaseOf(data_.OpcodeName(i)), ".", id);
    if (given.contains(made)) return false;
  }
  return true;
}

void FinalNames::NameComputations() {
  if (ComputationsDiffer()) return;
  Namespace names(data_.names_as_read, &bytes_);
  for (size_t i = 0; i < computations_.size(); ++i) {
    computations_[i] =
        names.Keep(data_.pools->name(data_.computations[i].name));
  }
  for (size_t i = 0; i < computations_.size(); ++i) {
    const ComputationRecord& record = data_.computations[i];
    if (!computations_[i].empty() || (data_.names_as_read && record.name)) {
      continue;
    }
    const absl::string_view given = data_.pools->name(record.name);
    computations_[i] =
        names.Make(given.empty() ? "computation" : given, record.id);
  }
}

void FinalNames::NameInstructions(Keep keep) {
  const Column<InstructionRecord>& all = data_.instructions;
  const uint32_t count = static_cast<uint32_t>(all.size());
  // A file's names need no checks unless a name is missing.
  if (data_.names_as_read &&
      std::all_of(all.begin(), all.end(), [](const InstructionRecord& r) {
        return static_cast<bool>(r.name);
      })) {
    return;
  }
  if (keep == Keep::kGiven) {
    leaves_made_ = InstructionsDiffer();
    if (leaves_made_) return;
    leave_room_ = false;
  }
  Namespace names(data_.names_as_read, &bytes_);
  std::vector<uint32_t> to_rename;  // with a given name that is taken
  for (uint32_t i = 0; i < count; ++i) {
    if (!all[i].name) continue;
    // In a file an empty name is a name; elsewhere it means none.
    if (names.Keep(data_.pools->name(all[i].name)).empty() &&
        !data_.names_as_read) {
      to_rename.push_back(i);
    }
  }
  const auto base_of = [&](uint32_t i) {
    const absl::string_view given = data_.pools->name(all[i].name);
    return given.empty() ? BaseOf(data_.OpcodeName(i)) : given;
  };
  const auto for_each_to_make = [&](const auto& f) {
    auto rename = to_rename.begin();
    for (uint32_t i = 0; i < count; ++i) {
      const bool renamed = rename != to_rename.end() && *rename == i;
      if (renamed) ++rename;
      if (renamed || !all[i].name) f(i);
    }
  };
  // Names made from unique ids differ, also from kept names that don't end in
  // the same number.
  bool clash = !HasUniqueIds(data_);
  if (!clash && !names.numbers().empty()) {
    const std::vector<bool> numbered = MarkNumbers(data_, names.numbers());
    for_each_to_make([&](uint32_t i) {
      const int64_t id = data_.InstructionId(i);
      clash = clash || (numbered[static_cast<size_t>(id)] &&
                        names.IsTaken(base_of(i), id));
    });
  }
  if (!clash && keep == Keep::kGiven) {
    leaves_made_ = true;
    for (const uint32_t i : to_rename) {
      renamed_[i] = names.MakePlain(base_of(i), data_.InstructionId(i));
    }
    return;
  }
  instructions_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    instructions_[i] = data_.pools->name(all[i].name);
  }
  for_each_to_make([&](uint32_t i) {
    const int64_t id = data_.InstructionId(i);
    instructions_[i] =
        clash ? names.Make(base_of(i), id) : names.MakePlain(base_of(i), id);
  });
}

}  // namespace indim

#include "indim/builder/unique_names.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace indim::internal {
namespace {

// Hands out names that nobody has yet.
class Namer {
 public:
  // `count`: how many will be claimed. `reserved` tells names that must not be
  // given.
  Namer(Pools* pools, size_t count,
        absl::FunctionRef<bool(absl::string_view)> reserved)
      : pools_(pools), reserved_(reserved) {
    taken_.reserve(count);
  }

  NameId Claim(NameId id) {
    const absl::string_view name = pools_->name(id);
    const auto [entry, is_new] = taken_.try_emplace(name, 0);
    if (is_new && !reserved_(name)) return id;
    while (true) {
      const std::string candidate = absl::StrCat(name, ".", ++entry->second);
      if (reserved_(candidate)) continue;
      NameId renamed;
      taken_.lazy_emplace(candidate, [&](const auto& make) {
        renamed = pools_->AddName(candidate);
        make(pools_->name(renamed), 0);
      });
      if (renamed) return renamed;  // `entry` may be gone now
    }
  }

 private:
  Pools* pools_;
  absl::FunctionRef<bool(absl::string_view)> reserved_;
  // Names that can't be given any more, with the last number tried behind each.
  absl::flat_hash_map<absl::string_view, int64_t> taken_;
};

// An unnamed instruction will be called so: its opcode and its id.
bool IsDefaultName(const ModuleData& data, absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos) return false;
  const absl::string_view digits = name.substr(dot + 1);
  uint64_t id;
  if (!absl::SimpleAtoi(digits, &id) || absl::StrCat(id) != digits || id < 1 ||
      id > data.instructions.size()) {
    return false;
  }
  const InstructionRecord& record = data.instructions[id - 1];
  // An opcode that the table lacks: its text is rare enough not to look.
  return !record.name && (record.flags & InstructionRecord::kUnknownOpcode) == 0
             ? Name(record.opcode) == name.substr(0, dot)
             : !record.name;
}

}  // namespace

void MakeNamesUnique(ModuleData* data, absl::Span<const uint32_t> named) {
  if (data->computations.empty()) return;
  Namer computations(data->pools.get(), data->computations.size(),
                     [](absl::string_view) { return false; });
  auto reserved = [data](absl::string_view name) {
    return IsDefaultName(*data, name);
  };
  Namer instructions(data->pools.get(),
                     named.size() + data->instructions.size() -
                         data->computations.back().count,
                     reserved);
  const auto claim = [&](InstructionRecord* record) {
    if (record->name == Pools::kNameless) record->name = NameId{};
    if (record->name) record->name = instructions.Claim(record->name);
  };
  const size_t count = data->computations.size();
  for (size_t i = 0; i < count; ++i) {
    const bool is_entry = i == 0;
    ComputationRecord& computation =
        data->computations[is_entry ? count - 1 : i - 1];
    if (data->pools->name(computation.name).empty()) {
      computation.name = data->pools->AddName("computation");
    }
    computation.name = computations.Claim(computation.name);
    InstructionRecord* const records =
        data->instructions.data() + computation.first;
    if (is_entry) {
      for (const uint32_t j : named) claim(&records[j]);
    } else {
      for (uint32_t j = 0; j < computation.count; ++j) claim(&records[j]);
    }
  }
}

}  // namespace indim::internal

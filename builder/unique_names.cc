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

// Gives out names that are still unused.
class Namer {
 public:
  // `reserved` is true of names that must not be given out.
  Namer(Pools* pools, absl::FunctionRef<bool(absl::string_view)> reserved)
      : pools_(pools), reserved_(reserved) {}

  NameId Claim(NameId id) {
    const absl::string_view name = pools_->name(id);
    const auto [entry, is_new] = claimed_.try_emplace(name, 0);
    if (is_new && !reserved_(name) && !IsMade(name)) return id;
    while (true) {
      const std::string candidate = absl::StrCat(name, ".", ++entry->second);
      // It differs from names made from other names: the part before its last
      // dot does.
      if (!reserved_(candidate) && !claimed_.contains(candidate)) {
        return pools_->AddName(candidate);
      }
    }
  }

 private:
  // Whether `name` was made here from another name, or skipped: then it can't
  // be given out either.
  bool IsMade(absl::string_view name) const {
    const size_t dot = name.rfind('.');
    if (dot == absl::string_view::npos) return false;
    const absl::string_view digits = name.substr(dot + 1);
    int64_t number;
    if (!absl::SimpleAtoi(digits, &number) || absl::StrCat(number) != digits) {
      return false;
    }
    const auto base = claimed_.find(name.substr(0, dot));
    return base != claimed_.end() && number >= 1 && number <= base->second;
  }

  Pools* pools_;
  absl::FunctionRef<bool(absl::string_view)> reserved_;
  // The claimed names, with the last number tried for each. Made names, of
  // which there may be millions, aren't stored.
  absl::flat_hash_map<absl::string_view, int64_t> claimed_;
};

// Whether an unnamed instruction will get this name: its opcode and its id.
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
  // For an opcode that the table lacks it doesn't look up the text: such
  // opcodes are rare.
  return !record.name && !record.unknown_opcode
             ? Name(record.opcode) == name.substr(0, dot)
             : !record.name;
}

}  // namespace

void MakeNamesUnique(ModuleData* data, absl::Span<const uint32_t> named) {
  if (data->computations.empty()) return;
  const auto none = [](absl::string_view) { return false; };
  Namer computations(data->pools.get(), none);
  auto reserved = [data](absl::string_view name) {
    return IsDefaultName(*data, name);
  };
  Namer instructions(data->pools.get(), reserved);
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

// SPDX-License-Identifier: Apache-2.0
// The names of a module are there and differ. Modules may have millions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/column.h"
#include "indim/passes/structure/checks.h"

namespace indim::structure {
namespace {

// A set of hashes, of which it keeps one bit each: two may share one.
class HashBits {
 public:
  // Makes room for `count` hashes.
  explicit HashBits(size_t count) {
    size_t words = 1;
    while (words * 64 < 16 * count) words *= 2;
    words_.resize(words);
  }

  bool Has(uint64_t hash) const {
    return (words_[Word(hash)] & Bit(hash)) != 0;
  }
  void Add(uint64_t hash) { words_[Word(hash)] |= Bit(hash); }

 private:
  static uint64_t Bit(uint64_t hash) { return uint64_t{1} << (hash & 63); }
  size_t Word(uint64_t hash) const { return (hash >> 6) & (words_.size() - 1); }

  Column<uint64_t> words_;
};

// Whether no two hashes are equal. Only the few that share a bit with another
// are compared: a table of all would wait for memory at each one.
bool AllDiffer(const Column<uint64_t>& hashes) {
  HashBits once(hashes.size());
  HashBits twice(hashes.size());
  for (const uint64_t hash : hashes) {
    if (once.Has(hash)) twice.Add(hash);
    once.Add(hash);
  }
  std::vector<uint64_t> compared;
  for (const uint64_t hash : hashes) {
    if (twice.Has(hash)) compared.push_back(hash);
  }
  std::sort(compared.begin(), compared.end());
  return std::adjacent_find(compared.begin(), compared.end()) == compared.end();
}

// Whether names are present and distinct, as in nearly every module. Names with
// equal hashes count as equal, which CheckNames then looks at.
bool NamesDiffer(const ModuleData& data) {
  const Pools& pools = *data.pools;
  absl::flat_hash_set<absl::string_view, ByteHash> names;
  for (const ComputationRecord& c : data.computations) {
    if (!names.insert(pools.name(c.name)).second) return false;
  }
  Column<uint64_t> hashes;
  hashes.reserve(data.instructions.size());
  for (const InstructionRecord& r : data.instructions) {
    const absl::string_view name = pools.name(r.name);
    if (name.empty()) return false;
    hashes.push_back(HashBytes(name));
  }
  return AllDiffer(hashes);
}

}  // namespace

// XLA: hlo_module.cc, HloModule::CreateFromProto; HloVerifier for a module's
// name.
void CheckNames(Context* context) {
  const ModuleData& data = context->data;
  if (data.name.empty()) {
    context->Add(Code::kModuleNameMissing, kNowhere, kNowhere);
  }
  // Other modules get names when they are exported for XLA.
  if (!data.names_as_read || data.recorded || NamesDiffer(data)) return;
  absl::flat_hash_set<absl::string_view> computations;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const absl::string_view name = data.pools->name(data.computations[c].name);
    if (!computations.insert(name).second) {
      context->Add(Code::kComputationNameTwice, c, kNowhere, name);
    }
  }
  absl::flat_hash_map<absl::string_view, uint32_t> instructions;
  instructions.reserve(data.instructions.size());
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        const absl::string_view name = data.pools->name(r.name);
        if (name.empty()) {
          context->Add(Code::kInstructionNameMissing, c, i, int64_t{i},
                       context->ComputationName(c));
          return;
        }
        const auto [first, is_new] = instructions.emplace(name, c);
        if (!is_new) {
          context->Add(Code::kInstructionNameTwice, c, i,
                       context->ComputationName(first->second), name);
        }
      });
}

}  // namespace indim::structure

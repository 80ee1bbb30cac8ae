// SPDX-License-Identifier: Apache-2.0
// The names of a module are there and differ. Modules may have millions.

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

// Entries of a part, on average.
constexpr size_t kPart = 2048;
constexpr int kMaxParts = 1 << 12;

// The first bits of a hash say the part, the last ones the place in its table.
bool PartDiffers(const uint64_t* begin, const uint64_t* end,
                 std::vector<uint64_t>* table) {
  size_t size = 16;
  while (size < 4 * static_cast<size_t>(end - begin)) size *= 2;
  table->assign(size, 0);
  bool zero = false;
  for (const uint64_t* at = begin; at != end; ++at) {
    if (*at == 0) {  // stands for a free place
      if (zero) return false;
      zero = true;
      continue;
    }
    size_t place = *at & (size - 1);
    while ((*table)[place] != 0) {
      if ((*table)[place] == *at) return false;
      place = (place + 1) & (size - 1);
    }
    (*table)[place] = *at;
  }
  return true;
}

// Whether no two hashes are equal. A table of all of them would wait for memory
// at each one; this looks at parts that fit into the cache.
bool AllDiffer(const Column<uint64_t>& hashes) {
  int bits = 0;
  while ((size_t{1} << bits) * kPart < hashes.size() &&
         (1 << bits) < kMaxParts) {
    ++bits;
  }
  std::vector<uint64_t> table;
  if (bits == 0) {
    return PartDiffers(hashes.begin(), hashes.end(), &table);
  }
  const auto part_of = [bits](uint64_t hash) {
    return static_cast<size_t>(hash >> (64 - bits));
  };
  std::vector<size_t> end(size_t{1} << bits);
  for (const uint64_t hash : hashes) ++end[part_of(hash)];
  size_t before = 0;
  for (size_t& place : end) {
    before += place;
    place = before - place;  // where the part begins, so far
  }
  Column<uint64_t> sorted(hashes.size());
  for (const uint64_t hash : hashes) sorted[end[part_of(hash)]++] = hash;
  size_t begin = 0;
  for (const size_t part_end : end) {
    if (!PartDiffers(sorted.begin() + begin, sorted.begin() + part_end,
                     &table)) {
      return false;
    }
    begin = part_end;
  }
  return true;
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

// SPDX-License-Identifier: Apache-2.0
// AttributeIds: the ids of attributes' bytes in a family's pools. Encoding
// takes a microsecond: the attributes that calls repeat are known as structs.

#ifndef INDIM_BUILDER_ATTRIBUTE_IDS_H_
#define INDIM_BUILDER_ATTRIBUTE_IDS_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "indim/ir/ids.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/shape/broadcast/broadcast_spec.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {

class AttributeIds {
 public:
  explicit AttributeIds(Pools* pools) : pools_(*pools) {}
  AttributeIds(const AttributeIds&) = delete;
  AttributeIds& operator=(const AttributeIds&) = delete;

  // The id of the bytes of the attributes of `opcode`.
  AttributeBytesId Of(Opcode opcode, const Attributes& attributes);
  AttributeBytesId Of(Opcode opcode, const BroadcastSpec& broadcast) {
    return Find(opcode, broadcast);
  }
  AttributeBytesId Of(Opcode opcode, const CompareAttributes& compare) {
    return Find(opcode, compare);
  }
  AttributeBytesId Of(Opcode opcode, const DimensionsAttributes& dimensions) {
    return Find(opcode, dimensions);
  }
  AttributeBytesId Of(Opcode opcode, const ParameterAttributes& parameter) {
    return Find(opcode, parameter);
  }
  AttributeBytesId Of(Opcode opcode, const DotAttributes& dot) {
    // Ragged products have other fields.
    return opcode == Opcode::kRaggedDot ? Encode(opcode, dot)
                                        : Find(opcode, dot);
  }

 private:
  // A cache: a struct has one place, where the latest one stays. It grows with
  // its use.
  template <typename T>
  struct Cache {
    static constexpr size_t kMost = 512;
    struct Entry {
      bool used = false;
      T held;
      AttributeBytesId id;
    };
    std::vector<Entry> entries;  // a power of two; or none
    size_t misses = 0;
  };

  // The hash of a member, behind that of the members before it.
  template <typename T>
  static uint64_t Hash(const T& number, uint64_t start) {
    return HashNumber(static_cast<uint64_t>(number), start);
  }
  static uint64_t Hash(const DimIndices& list, uint64_t start) {
    for (const int64_t number : list) start = Hash(number, start);
    return Hash(list.size(), start);
  }
  static uint64_t Hash(const std::vector<Precision>& list, uint64_t start) {
    for (const Precision precision : list) start = Hash(precision, start);
    return start;
  }
  static uint64_t Hash(const BroadcastSpec& spec, uint64_t start) {
    start = Hash(spec.axis, Hash(spec.rule, start));
    return spec.dimensions ? Hash(*spec.dimensions, start) : start;
  }

  static auto MembersOf(const BroadcastSpec& s) { return std::tie(s); }
  static auto MembersOf(const CompareAttributes& c) {
    return std::tie(c.direction, c.type, c.broadcast);
  }
  static auto MembersOf(const DimensionsAttributes& d) {
    return std::tie(d.dimensions);
  }
  static auto MembersOf(const ParameterAttributes& p) {
    return std::tie(p.number);
  }
  static auto MembersOf(const DotAttributes& d) {
    return std::tie(d.lhs_contracting_dims, d.rhs_contracting_dims,
                    d.lhs_batch_dims, d.rhs_batch_dims,
                    d.precision.operand_precision, d.precision.algorithm);
  }

  template <typename T>
  AttributeBytesId Find(Opcode opcode, const T& held) {
    uint64_t hash = 0;
    std::apply([&](const auto&... m) { ((hash = Hash(m, hash)), ...); },
               MembersOf(held));
    Cache<T>& cache = std::get<Cache<T>>(caches_);
    if (!cache.entries.empty()) {
      const auto& entry = cache.entries[PlaceOf(hash, cache)];
      if (entry.used && MembersOf(entry.held) == MembersOf(held)) {
        return entry.id;
      }
    }
    return Put(hash, held, Encode(opcode, held), &cache);
  }
  template <typename T>
  static size_t PlaceOf(uint64_t hash, const Cache<T>& cache) {
    return (hash >> 32) & (cache.entries.size() - 1);
  }
  template <typename T>
  static AttributeBytesId Put(uint64_t hash, const T& held, AttributeBytesId id,
                              Cache<T>* cache) {
    const size_t size = cache->entries.size();
    if (++cache->misses > size / 2 && size < Cache<T>::kMost) {
      cache->entries.clear();
      cache->entries.resize(size == 0 ? 8 : size * 4);
      cache->misses = 0;
    }
    cache->entries[PlaceOf(hash, *cache)] = {true, held, id};
    return id;
  }
  AttributeBytesId Encode(Opcode opcode, const BroadcastSpec& broadcast);
  AttributeBytesId Encode(Opcode opcode, const Attributes& attributes);

  Pools& pools_;
  std::tuple<Cache<BroadcastSpec>, Cache<CompareAttributes>,
             Cache<DimensionsAttributes>, Cache<ParameterAttributes>,
             Cache<DotAttributes>>
      caches_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_ATTRIBUTE_IDS_H_

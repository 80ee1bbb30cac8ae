// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/sharding.h"

#include <algorithm>

#include "indim/proto/codec/attribute_bindings.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_sharding = field::OpSharding;

DimIndices Copy(absl::Span<const int64_t> numbers) {
  return DimIndices(numbers.begin(), numbers.end());
}

Sharding OfTiles(absl::Span<const int64_t> tile_dims, bool replicate) {
  Sharding sharding;
  sharding.type = Sharding::kOther;
  sharding.tile_dims = Copy(tile_dims);
  sharding.replicate_on_last = replicate;
  return sharding;
}

// The number of arrays in a shape; an empty tuple counts as one, as in XLA.
size_t CountLeaves(const Shape& shape) {
  if (!shape.is_tuple() || shape.tuple_size() == 0) return 1;
  size_t leaves = 0;
  for (const Shape& element : shape.elements()) leaves += CountLeaves(element);
  return leaves;
}

}  // namespace

Sharding ParseSharding(absl::string_view wire) {
  Sharding sharding;
  std::string error;  // none, of canonical bytes
  binding::ReadStruct(binding::kShardingFields, 0, wire, &sharding, &error);
  return sharding;
}

std::string SerializeSharding(const Sharding& sharding) {
  return binding::WriteStruct(binding::kShardingFields, &sharding);
}

std::string ReplicateSharding() { return ""; }

std::string MaximalSharding(int64_t device) {
  Sharding sharding;
  sharding.type = Sharding::kMaximal;
  sharding.tile_dims = {1};
  sharding.devices = {device};
  return SerializeSharding(sharding);
}

std::string ManualSharding() {
  Sharding sharding;
  sharding.type = Sharding::kManual;
  return SerializeSharding(sharding);
}

std::string TileSharding(absl::Span<const int64_t> tile_dims,
                         bool replicate_on_last_dim) {
  // A single dim of all devices needs no transpose.
  int64_t devices = 1;
  for (int64_t dim : tile_dims) {
    if (__builtin_mul_overflow(devices, dim, &devices)) devices = 0;
  }
  return TileShardingByIota(tile_dims, {devices}, {0}, replicate_on_last_dim);
}

std::string TileShardingOnDevices(absl::Span<const int64_t> tile_dims,
                                  absl::Span<const int64_t> devices,
                                  bool replicate_on_last_dim) {
  Sharding sharding = OfTiles(tile_dims, replicate_on_last_dim);
  sharding.devices = Copy(devices);
  return SerializeSharding(sharding);
}

std::string TileShardingByIota(absl::Span<const int64_t> tile_dims,
                               absl::Span<const int64_t> reshape_dims,
                               absl::Span<const int64_t> transpose_perm,
                               bool replicate_on_last_dim) {
  Sharding sharding = OfTiles(tile_dims, replicate_on_last_dim);
  sharding.iota = {Copy(reshape_dims), Copy(transpose_perm)};
  return SerializeSharding(sharding);
}

std::string TupleSharding(absl::Span<const std::string> leaves) {
  FieldList fields(WireMessage::kOpSharding);
  fields.SetNumber(of_sharding::kType, Sharding::kTuple);
  fields.SetTexts(of_sharding::kTupleShardings, {leaves.begin(), leaves.end()});
  return fields.Serialize();
}

std::optional<std::string> SpreadSharding(absl::string_view sharding,
                                          size_t leaves) {
  constexpr size_t kMaxBytes = 16 << 20;
  leaves = std::max<size_t>(leaves, 1);
  if (TupleParts(sharding) || sharding.size() > kMaxBytes / leaves) {
    return std::nullopt;
  }
  return TupleSharding(std::vector<std::string>(leaves, std::string(sharding)));
}

std::optional<std::vector<absl::string_view>> TupleParts(
    absl::string_view sharding) {
  FieldList fields(WireMessage::kOpSharding, sharding);
  if (fields.Number(of_sharding::kType) != Sharding::kTuple ||
      fields.has(of_sharding::kNamedSharding)) {
    return std::nullopt;
  }
  return fields.Texts(of_sharding::kTupleShardings);
}

std::vector<absl::string_view> LeafShardings(absl::string_view sharding,
                                             size_t count) {
  auto parts = TupleParts(sharding);
  if (!parts || parts->empty()) {
    return std::vector<absl::string_view>(count, sharding);
  }
  parts->resize(count);
  return *std::move(parts);
}

std::optional<std::string> ShardingOfElements(absl::string_view sharding,
                                              const Shape& before,
                                              const Shape& after,
                                              absl::Span<const int64_t> from,
                                              bool wrapped) {
  std::vector<std::string> leaves = {std::string(sharding)};
  if (const auto parts = TupleParts(sharding)) {
    leaves = std::vector<std::string>(parts->begin(), parts->end());
    if (leaves.size() != CountLeaves(before)) return std::nullopt;
  } else if (before.is_tuple()) {
    return std::string(sharding);
  }
  std::vector<size_t> first = {0};  // leaf of each element
  if (!wrapped && before.is_tuple()) {
    for (const Shape& element : before.elements()) {
      first.push_back(first.back() + CountLeaves(element));
    }
  } else {
    first.push_back(leaves.size());
  }
  std::vector<std::string> result;
  const size_t count = static_cast<size_t>(after.tuple_size());
  for (size_t k = 0; k < std::min(from.size(), count); ++k) {
    const size_t old = static_cast<size_t>(from[k]);
    if (from[k] >= 0 && old + 1 < first.size()) {
      result.insert(result.end(), leaves.begin() + first[old],
                    leaves.begin() + first[old + 1]);
    } else {
      result.resize(result.size() + CountLeaves(after.elements()[k]));
    }
  }
  return TupleSharding(result);
}

}  // namespace indim

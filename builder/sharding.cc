#include "indim/builder/sharding.h"

#include <utility>

#include "indim/builder/recorder.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

using field::OpSharding::kIotaReshapeDims;
using field::OpSharding::kIotaTransposePerm;
using field::OpSharding::kReplicateOnLastTileDim;
using field::OpSharding::kTileAssignmentDevices;
using field::OpSharding::kTileAssignmentDimensions;
using field::OpSharding::kTupleShardings;
using field::OpSharding::kType;

// OpSharding.Type
enum Type : uint64_t { kReplicated, kMaximal, kTuple, kOther, kManual };

void AppendType(Type type, std::string* out) {
  if (type == kReplicated) return;  // the default
  AppendTag(kType, WireType::kVarint, out);
  AppendVarint(type, out);
}

void AppendPacked(uint32_t field, absl::Span<const int64_t> values,
                  std::string* out) {
  if (values.empty()) return;
  std::string packed;
  for (int64_t value : values) {
    AppendVarint(static_cast<uint64_t>(value), &packed);
  }
  AppendTag(field, WireType::kLengthDelimited, out);
  AppendLengthDelimited(packed, out);
}

void AppendReplicate(bool replicate, std::string* out) {
  if (!replicate) return;
  AppendTag(kReplicateOnLastTileDim, WireType::kVarint, out);
  AppendVarint(1, out);
}

}  // namespace

std::string ReplicateSharding() { return ""; }

std::string MaximalSharding(int64_t device) {
  std::string bytes;
  AppendType(kMaximal, &bytes);
  AppendPacked(kTileAssignmentDimensions, {1}, &bytes);
  AppendPacked(kTileAssignmentDevices, {device}, &bytes);
  return bytes;
}

std::string ManualSharding() {
  std::string bytes;
  AppendType(kManual, &bytes);
  return bytes;
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
  std::string bytes;
  AppendType(kOther, &bytes);
  AppendPacked(kTileAssignmentDimensions, tile_dims, &bytes);
  AppendPacked(kTileAssignmentDevices, devices, &bytes);
  AppendReplicate(replicate_on_last_dim, &bytes);
  return bytes;
}

std::string TileShardingByIota(absl::Span<const int64_t> tile_dims,
                               absl::Span<const int64_t> reshape_dims,
                               absl::Span<const int64_t> transpose_perm,
                               bool replicate_on_last_dim) {
  std::string bytes;
  AppendType(kOther, &bytes);
  AppendPacked(kTileAssignmentDimensions, tile_dims, &bytes);
  AppendReplicate(replicate_on_last_dim, &bytes);
  AppendPacked(kIotaReshapeDims, reshape_dims, &bytes);
  AppendPacked(kIotaTransposePerm, transpose_perm, &bytes);
  return bytes;
}

std::string TupleSharding(absl::Span<const std::string> leaves) {
  std::string bytes;
  AppendType(kTuple, &bytes);
  for (const std::string& leaf : leaves) {
    AppendTag(kTupleShardings, WireType::kLengthDelimited, &bytes);
    AppendLengthDelimited(leaf, &bytes);
  }
  return bytes;
}

ScopedSharding::ScopedSharding(ComputationBuilder* builder,
                               std::optional<std::string> op_sharding,
                               Caller caller) {
  internal::Recorder* recorder = internal::RecorderOf(*builder);
  control_ = recorder->control();
  generation_ = recorder->generation();
  before_ = recorder->sharding();
  recorder->CheckAndSetSharding(std::move(op_sharding), caller);
}

ScopedSharding::~ScopedSharding() {
  internal::Recorder::Of(control_, generation_)
      ->set_sharding(std::move(before_));
}

}  // namespace indim

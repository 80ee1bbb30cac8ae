// SPDX-License-Identifier: Apache-2.0
// XLA: HloSharding::Validate.

#include "indim/sharding/sharding_faults.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"

namespace indim {
namespace {

// Checks the sharding of one instruction.
class ShardingChecker {
 public:
  ShardingChecker(const Shape& shape, int64_t devices)
      : shape_(shape), devices_(devices) {}

  std::vector<Diagnostic> Run(absl::string_view wire) {
    if (const auto parts = TupleParts(wire)) {
      CheckTuple(*parts);
      return std::move(errors_);
    }
    const Sharding sharding = ParseSharding(wire);
    // One sharding applies to every leaf.
    if (CheckForm(sharding) && !shape_.is_token()) {
      ForEachLeaf(shape_,
                  [&](const Shape& leaf) { return Fits(sharding, leaf); });
    }
    return std::move(errors_);
  }

 private:
  void CheckTuple(absl::Span<const absl::string_view> parts);
  // False: it is not a valid sharding of one array.
  bool CheckForm(const Sharding& sharding);
  // False: it names devices that don't exist.
  bool CheckDevices(const Sharding& sharding);
  // False: it doesn't fit `leaf`.
  bool Fits(const Sharding& sharding, const Shape& leaf);

  template <typename... Args>
  void Add(Code code, Args&&... args) {
    Diagnostic& error = errors_.emplace_back();
    error.code = code;
    (error.args.push_back(std::forward<Args>(args)), ...);
  }

  const Shape& shape_;
  const int64_t devices_;
  std::vector<Diagnostic> errors_;
};

void ShardingChecker::CheckTuple(absl::Span<const absl::string_view> parts) {
  for (absl::string_view part : parts) {
    if (!CheckForm(ParseSharding(part))) return;
  }
  // The sharding of an outfeed, whose shape is a token, is about its data.
  if (shape_.is_none() || shape_.is_token()) return;
  // Tuples may share their elements, so stop counting when there are too many.
  size_t leaves = 0;
  ForEachLeaf(shape_, [&](const Shape&) { return ++leaves <= parts.size(); });
  // A shape without leaves may have one sharding, which has no effect.
  if (leaves == 0 && parts.size() == 1) return;
  if (leaves != parts.size()) {
    Add(Code::kShardingLeaves, static_cast<int64_t>(parts.size()),
        leaves > parts.size() ? std::string("more") : absl::StrCat(leaves),
        shape_);
    return;
  }
  if (!shape_.is_tuple()) {
    Add(Code::kShardingForm,
        std::string("is a tuple's, but the value is none"));
    return;
  }
  size_t next = 0;
  ForEachLeaf(shape_, [&](const Shape& leaf) {
    Fits(ParseSharding(parts[next++]), leaf);
    return true;
  });
}

bool ShardingChecker::CheckForm(const Sharding& sharding) {
  bool is_count = false;
  const std::string fault = sharding.Fault(&is_count);
  if (is_count) {
    Add(Code::kShardingTiles, *ProductOfSizes(sharding.tile_dims),
        sharding.DeviceCount());
  } else if (!fault.empty()) {
    Add(Code::kShardingForm, fault);
  }
  return fault.empty();
}

bool ShardingChecker::CheckDevices(const Sharding& sharding) {
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t device : sharding.ListedDevices()) {
    const bool is_there = device >= 0 && (devices_ == 0 || device < devices_);
    if (is_there && seen.insert(device).second) continue;
    Add(Code::kShardingDevice, device,
        is_there     ? std::string("twice")
        : device < 0 ? std::string("which can't be")
                     : absl::StrCat("of ", devices_));
    return false;
  }
  const int64_t count = sharding.IsTiled() ? sharding.DeviceCount() : devices_;
  std::string fault;
  if (sharding.IsTiled() && count == 1) {
    fault = "splits over a single device";
  } else if (devices_ != 0 && count != devices_) {
    fault = absl::StrCat("has ", count,
                         " devices, but the module is compiled for ", devices_);
  }
  if (fault.empty()) return true;
  Add(Code::kShardingForm, fault);
  return false;
}

bool ShardingChecker::Fits(const Sharding& sharding, const Shape& leaf) {
  // A missing shape, a buffer and an unranked array fit any rank.
  const bool any_rank =
      leaf.is_none() || leaf.is_buffer() || leaf.is_unranked();
  const int64_t rank = leaf.has_rank() ? leaf.rank() : 0;
  if (sharding.IsTiled() && !any_rank &&
      (rank != sharding.TiledRank() || !leaf.is_array())) {
    Add(Code::kShardingRank, sharding.TiledRank(), leaf, rank);
    return false;
  }
  return CheckDevices(sharding);
}

}  // namespace

std::vector<Diagnostic> ShardingErrors(absl::string_view wire,
                                       const Shape& shape, int64_t devices) {
  return ShardingChecker(shape, devices).Run(wire);
}

std::string ShardingFault(absl::string_view wire) {
  const auto parts = TupleParts(wire);
  if (!parts) return ParseSharding(wire).Fault();
  for (absl::string_view part : *parts) {
    std::string fault = ParseSharding(part).Fault();
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/values/tile_assignment.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim {

std::optional<int64_t> ProductOfSizes(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || product > (int64_t{1} << 62) / size) return std::nullopt;
    product *= size;
  }
  return product;
}

bool IsPermutation(absl::Span<const int64_t> order) {
  std::vector<bool> seen(order.size());
  for (const int64_t i : order) {
    if (i < 0 || i >= static_cast<int64_t>(order.size()) ||
        seen[static_cast<size_t>(i)]) {
      return false;
    }
    seen[static_cast<size_t>(i)] = true;
  }
  return true;
}

std::string IotaFault(int64_t devices, const IotaTransform& iota) {
  const DimIndices& order = iota.transpose_perm;
  const std::optional<int64_t> product = ProductOfSizes(iota.reshape_dims);
  if (!product || *product != devices) {
    return absl::StrCat("reshapes ", devices, " devices to ",
                        product ? absl::StrCat(*product) : "no sizes");
  }
  if (order.size() != iota.reshape_dims.size() || !IsPermutation(order)) {
    return "doesn't transpose each of its dims once";
  }
  return "";
}

namespace {

// One digit of a tile's number in a mixed-radix system: device = sum of digit *
// stride. A formula is a list of digits, most significant first. With
// neighbours joined where possible, the list is unique for its devices.
struct TileFactor {
  int64_t size;
  int64_t stride;
};
using Factors = std::vector<TileFactor>;

void Push(const TileFactor& factor, Factors* to) {
  if (factor.size == 1) return;
  if (!to->empty() && to->back().stride == factor.size * factor.stride) {
    to->back().size *= factor.size;
    to->back().stride = factor.stride;
    return;
  }
  to->push_back(factor);
}

Factors FactorsOf(const IotaTransform& iota) {
  std::vector<int64_t> strides(iota.reshape_dims.size());
  int64_t stride = 1;
  for (size_t i = strides.size(); i > 0; --i) {
    strides[i - 1] = stride;
    stride *= iota.reshape_dims[i - 1];
  }
  Factors factors;
  for (const int64_t dim : iota.transpose_perm) {
    const size_t at = static_cast<size_t>(dim);
    Push({iota.reshape_dims[at], strides[at]}, &factors);
  }
  return factors;
}

// Moves the least significant factors whose product is `size` from `from` to
// `taken`, splitting one if needed. False: there are none.
bool TakeMinor(int64_t size, Factors* from, Factors* taken) {
  taken->clear();
  while (size > 1) {
    if (from->empty()) return false;
    TileFactor& last = from->back();
    if (size % last.size == 0) {
      size /= last.size;
      taken->push_back(last);
      from->pop_back();
    } else if (last.size % size == 0) {
      taken->push_back({size, last.stride});
      last = {last.size / size, last.stride * size};
      size = 1;
    } else {
      return false;
    }
  }
  std::reverse(taken->begin(), taken->end());
  return true;
}

// The factors by falling stride are the dims.
IotaTransform ToFormula(const Factors& factors) {
  if (factors.empty()) return {{1}, {0}};
  std::vector<size_t> by_stride(factors.size());
  for (size_t i = 0; i < factors.size(); ++i) by_stride[i] = i;
  std::sort(by_stride.begin(), by_stride.end(), [&](size_t a, size_t b) {
    return factors[a].stride > factors[b].stride;
  });
  IotaTransform iota;
  iota.transpose_perm.resize(factors.size());
  for (size_t i = 0; i < by_stride.size(); ++i) {
    iota.reshape_dims.push_back(factors[by_stride[i]].size);
    iota.transpose_perm[by_stride[i]] = static_cast<int64_t>(i);
  }
  return iota;
}

}  // namespace

std::optional<TileAssignment> TileAssignment::List(const DimIndices& dims,
                                                   DimIndices devices) {
  const std::optional<int64_t> count = ProductOfSizes(dims);
  if (!count || static_cast<size_t>(*count) != devices.size()) {
    return std::nullopt;
  }
  TileAssignment result;
  result.dims_ = dims;
  result.count_ = *count;
  result.devices_ = std::move(devices);
  return result;
}

std::optional<TileAssignment> TileAssignment::Iota(const DimIndices& dims,
                                                   const IotaTransform& iota) {
  const std::optional<int64_t> count = ProductOfSizes(dims);
  if (!count || iota.reshape_dims.empty() || !IotaFault(*count, iota).empty()) {
    return std::nullopt;
  }
  TileAssignment result;
  result.dims_ = dims;
  result.count_ = *count;
  result.iota_ = ToFormula(FactorsOf(iota));
  return result;
}

TileAssignment TileAssignment::Reshaped(const DimIndices& dims) const {
  TileAssignment result = *this;
  result.dims_ = dims;
  return result;
}

std::optional<DimIndices> TileAssignment::Listed() const {
  if (!is_iota()) return devices_;
  if (count_ > kMaxListed) return std::nullopt;
  DimIndices devices = {0};
  for (const TileFactor& factor : FactorsOf(iota_)) {
    DimIndices next;
    next.reserve(devices.size() * static_cast<size_t>(factor.size));
    for (const int64_t device : devices) {
      for (int64_t i = 0; i < factor.size; ++i) {
        next.push_back(device + i * factor.stride);
      }
    }
    devices = std::move(next);
  }
  return devices;
}

std::optional<std::vector<std::vector<int64_t>>> TileAssignment::Rows() const {
  const std::optional<DimIndices> devices = Listed();
  if (!devices) return std::nullopt;
  std::vector<std::vector<int64_t>> rows;
  const int64_t size = dims_.empty() ? 1 : dims_.back();
  for (auto at = devices->begin(); at != devices->end(); at += size) {
    rows.emplace_back(at, at + size);
  }
  return rows;
}

std::optional<TileAssignment> TileAssignment::Transposed(
    const DimIndices& order, const DimIndices& dims) const {
  const size_t rank = dims_.size();
  // If only dimensions of size 1 move, nothing changes.
  int64_t last = -1;
  bool moves = false;
  for (const int64_t dim : order) {
    if (dims_[static_cast<size_t>(dim)] == 1) continue;
    moves = moves || dim < last;
    last = dim;
  }
  if (!moves) return Reshaped(dims);
  if (is_iota()) {
    // A dimension with its own factors moves as a whole.
    std::vector<Factors> parts(rank);
    Factors rest = FactorsOf(iota_);
    bool aligned = true;
    for (size_t i = rank; i > 0 && aligned; --i) {
      aligned = TakeMinor(dims_[i - 1], &rest, &parts[i - 1]);
    }
    if (aligned) {
      Factors moved;
      for (const int64_t dim : order) {
        for (const TileFactor& factor : parts[static_cast<size_t>(dim)]) {
          Push(factor, &moved);
        }
      }
      TileAssignment result;
      result.dims_ = dims;
      result.count_ = count_;
      result.iota_ = ToFormula(moved);
      return result;
    }
  }
  const std::optional<DimIndices> devices = Listed();
  if (!devices) return std::nullopt;
  // The distance between neighbours of each dimension. Like an odometer, each
  // step changes a tile's position by one digit.
  std::vector<int64_t> strides(rank);
  int64_t stride = 1;
  for (size_t i = rank; i > 0; --i) {
    strides[i - 1] = stride;
    stride *= dims_[i - 1];
  }
  std::vector<TileFactor> digits;  // least significant first
  for (size_t i = rank; i > 0; --i) {
    const size_t dim = static_cast<size_t>(order[i - 1]);
    if (dims_[dim] > 1) digits.push_back({dims_[dim], strides[dim]});
  }
  std::vector<int64_t> index(digits.size(), 0);
  DimIndices moved;
  moved.reserve(devices->size());
  int64_t place = 0;
  while (moved.size() < devices->size()) {
    moved.push_back((*devices)[static_cast<size_t>(place)]);
    for (size_t i = 0; i < digits.size(); ++i) {
      place += digits[i].stride;
      if (++index[i] < digits[i].size) break;
      place -= digits[i].stride * digits[i].size;
      index[i] = 0;
    }
  }
  return List(dims, std::move(moved));
}

std::optional<TileAssignment> TileAssignment::SortedInGroups(
    int64_t size) const {
  if (is_iota()) {
    Factors major = FactorsOf(iota_);
    Factors group;
    if (TakeMinor(size, &major, &group)) {
      std::sort(group.begin(), group.end(),
                [](const TileFactor& a, const TileFactor& b) {
                  return a.stride > b.stride;
                });
      for (const TileFactor& factor : group) Push(factor, &major);
      TileAssignment result = *this;
      result.iota_ = ToFormula(major);
      return result;
    }
  }
  std::optional<DimIndices> devices = Listed();
  if (!devices) return std::nullopt;
  for (auto at = devices->begin(); at != devices->end(); at += size) {
    std::sort(at, at + size);
  }
  return List(dims_, *std::move(devices));
}

std::string TileAssignment::ToString() const {
  return absl::StrCat("[", absl::StrJoin(dims_, ","), is_iota() ? "]<=" : "]",
                      DevicesText());
}

std::string TileAssignment::DevicesText() const {
  if (!is_iota()) return absl::StrJoin(devices_, ",");
  const auto& [dims, order] = iota_;
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]",
                      dims.size() > 1
                          ? absl::StrCat("T(", absl::StrJoin(order, ","), ")")
                          : "");
}

}  // namespace indim

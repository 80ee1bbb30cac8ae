// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/values/axis_use.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace indim {

std::string AxisUse::Read(const AxisRef& ref, Part* part) const {
  if (!mesh_.has(ref)) return "names axes that its mesh doesn't have";
  const int64_t size = mesh_.axes[static_cast<size_t>(ref.axis)].size;
  *part = {ref.axis, true, 1, size};
  if (!ref.factor) return "";
  const auto end = ProductOfSizes({ref.factor->pre_size, ref.factor->size});
  if (!end || size % *end != 0 || ref.factor->size < 2 ||
      ref.factor->size >= size) {
    return absl::StrCat("takes a part of axis ", ref.axis,
                        " that doesn't divide it");
  }
  *part = {ref.axis, false, ref.factor->pre_size, *end};
  return "";
}

// Whether two parts of an axis exclude each other: they overlap, or the range
// between them isn't a factor of the axis.
bool AxisUse::Exclude(const Part& a, const Part& b) const {
  if (a.whole || b.whole) return true;
  if (a.pre_size < b.end && b.pre_size < a.end) return true;
  return rules_ == Rules::kXla &&
         std::max(a.pre_size, b.pre_size) % std::min(a.end, b.end) != 0;
}

bool AxisUse::Less(const Part& a, const Part& b) {
  if (a.axis != b.axis) return a.axis < b.axis;
  if (a.whole) return b.pre_size > 1;
  if (b.whole) return a.pre_size == 1;
  return std::make_pair(a.pre_size, a.end) < std::make_pair(b.pre_size, b.end);
}

bool AxisUse::Add(const Part& part) {
  auto& of_axis = taken_[part.axis];
  for (const Part& other : of_axis) {
    if (Exclude(part, other)) return false;
  }
  of_axis.push_back(part);
  return true;
}

bool AxisUse::Add(absl::Span<const AxisRef> axes) {
  return std::all_of(axes.begin(), axes.end(), [this](const AxisRef& ref) {
    return Add(Part{ref.axis, ref.is_whole(), ref.pre_size(),
                    ref.pre_size() * mesh_.SizeOf(ref)});
  });
}

std::string AxisUse::Take(absl::Span<const AxisRef> axes, bool sorted) {
  parts_ = 1;
  Part before{};
  for (size_t k = 0; k < axes.size(); ++k) {
    Part part{};
    const std::string fault = Read(axes[k], &part);
    if (!fault.empty()) return fault;
    if (k > 0) {
      if (sorted && Less(part, before)) return "names axes out of order";
      if (CanMerge(axes[k - 1], axes[k])) {
        return absl::StrCat("names two parts of axis ", part.axis,
                            " that are one");
      }
    }
    before = part;
    if (!Add(part)) {
      return absl::StrCat("takes axis ", part.axis,
                          " twice, or parts of it that don't go together");
    }
    parts_ *= part.end / part.pre_size;
  }
  return "";
}

}  // namespace indim

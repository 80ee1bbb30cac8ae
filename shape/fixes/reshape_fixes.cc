// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/reshape_fixes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "indim/shape/dims/checked_math.h"

namespace indim {
namespace {

// One of `sizes` becomes what the others leave of `count`: one that is then a
// size of the operand's, or else the last one. False: no change of one does.
bool ChangeOne(const Shape& operand, int64_t count, DimIndices* sizes) {
  std::optional<std::pair<size_t, int64_t>> change;
  for (size_t i = sizes->size(); i-- > 0;) {
    std::optional<int64_t> others = 1;
    for (size_t k = 0; others && k < sizes->size(); ++k) {
      if (k != i) others = CheckedMultiply(*others, (*sizes)[k]);
    }
    if (!others || *others <= 0 || count % *others != 0) continue;
    const int64_t size = count / *others;
    const bool is_known =
        absl::c_linear_search(operand.dims(), Dim::Static(size));
    if (!change || is_known) change = {i, size};
    if (is_known) break;
  }
  if (change) (*sizes)[change->first] = change->second;
  return change.has_value();
}

// The divisor of `count` that is nearest to `size`; nullopt: none is near.
std::optional<int64_t> NearestDivisor(int64_t count, int64_t size) {
  constexpr int64_t kFarthest = 4096;
  for (int64_t distance = 0; distance <= kFarthest; ++distance) {
    for (const int64_t step : {-distance, distance}) {
      const std::optional<int64_t> near = CheckedAdd(size, step);
      if (near && *near > 0 && count % *near == 0) return near;
    }
  }
  return std::nullopt;
}

// Each size becomes the nearest one that divides what is left of `count`, and
// size `free` the rest.
bool ChangeAll(int64_t count, size_t free, DimIndices* sizes) {
  for (size_t i = 0; i < sizes->size(); ++i) {
    if (i == free) continue;
    const std::optional<int64_t> size = NearestDivisor(count, (*sizes)[i]);
    if (!size) return false;
    (*sizes)[i] = *size;
    count /= *size;
  }
  (*sizes)[free] = count;
  return true;
}

}  // namespace

std::optional<Fix> ResultOfSizes(const OpInputs& inputs,
                                 const Diagnostic& diagnostic) {
  constexpr int kMaxRank = 64;  // nobody edits longer lists by hand
  if (inputs.opcode != Opcode::kReshape || inputs.operands.empty() ||
      (diagnostic.code != Code::kElementCountsDiffer &&
       diagnostic.code != Code::kReshapeRemainder &&
       diagnostic.code != Code::kReshapeTwoMissing)) {
    return std::nullopt;
  }
  const auto asked = absl::c_find_if(diagnostic.args, [](const auto& arg) {
    return std::holds_alternative<Shape>(arg);
  });
  const Shape& operand = *inputs.operands[0];
  if (asked == diagnostic.args.end() || !operand.is_array() ||
      !operand.is_static() || operand.rank() > kMaxRank) {
    return std::nullopt;
  }
  const absl::Span<const Dim> dims = std::get<Shape>(*asked).dims();
  const int64_t count = operand.ElementCount().value_or(0);
  if (count == 0 || dims.empty() || dims.size() > kMaxRank) {
    return std::nullopt;
  }
  DimIndices sizes;
  size_t free = dims.size();  // the last one that isn't given
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim like = dims[i].is_unknown() && i < operand.dims().size()
                         ? operand.dims()[i]
                         : dims[i];
    if (dims[i].is_unknown()) free = i;
    sizes.push_back(like.is_static() ? like.size() : 1);
  }
  const bool all_given = free == dims.size();
  if (!(all_given && ChangeOne(operand, count, &sizes)) &&
      !ChangeAll(count, all_given ? free - 1 : free, &sizes)) {
    return std::nullopt;
  }
  Fix fix;
  fix.what = Fix::What::kRecorded;
  fix.shape = Shape::Of(operand.element_type(), sizes);
  return fix;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/values/compare_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace {

// What was found so far in all parts of two values.
struct Differences {
  int64_t elements = 0;
  int64_t different = 0;
  double largest = 0;  // of the differences that are rounding
  std::string first;   // the first that is more
};

// Of differences that are rounding, in parts of an array's largest element.
double Tolerance(ElementType type) {
  const int bits = Info(type).bits;
  return bits >= 64 ? 1e-8 : bits >= 32 ? 1e-4 : bits >= 16 ? 1e-2 : 1e-1;
}

// The index of element `i` in a row-major array.
std::string IndexText(const Shape& shape, int64_t i) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (size_t d = index.size(); d-- > 0;) {
    const int64_t size =
        std::max<int64_t>(shape.dim(static_cast<int>(d)).upper(), 1);
    index[d] = i % size;
    i /= size;
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

// Whether element `i` of a row-major array is one that a bounded array has at
// run time.
bool IsInUse(const Literal& array, int64_t i) {
  const absl::Span<const int32_t> sizes = array.dynamic_sizes();
  for (size_t d = sizes.size(); d-- > 0;) {
    const int64_t bound =
        std::max<int64_t>(array.shape().dim(static_cast<int>(d)).upper(), 1);
    if (i % bound >= sizes[d]) return false;
    i /= bound;
  }
  return true;
}

// A complex array as one of its parts, which are side by side.
absl::StatusOr<Literal> WithRealElements(const Literal& literal) {
  absl::StatusOr<Literal> expanded = literal.Expanded();
  if (!expanded.ok()) return expanded;
  const ElementType type = literal.shape().element_type();
  if (!IsComplex(type)) return expanded;
  Shape parts = Shape::Scalar(RealPart(type));
  for (const Dim& dim : literal.shape().dims()) {
    parts.add_dim(Dim::Static(dim.upper()));
  }
  parts.add_dim(Dim::Static(2));
  return Literal::FromBytes(parts, expanded->bytes());
}

// "f32[<=5]", with the sizes of run time "f32[<=5] of [3]".
std::string SizedText(const Literal& literal) {
  const std::string shape = literal.shape().ToString();
  if (literal.dynamic_sizes().empty()) return shape;
  return absl::StrCat(shape, " of [",
                      absl::StrJoin(literal.dynamic_sizes(), ","), "]");
}

// Of `array`, the `parts` of each element of `whole`.
double LargestFinite(const Literal& array, const Literal& whole,
                     int64_t parts) {
  double largest = 0;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    if (!IsInUse(whole, i / parts)) continue;
    const double value = std::abs(array.AsDouble(i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

void CompareArrays(const Literal& computed, const Literal& recorded,
                   const std::string& place, Differences* found) {
  const absl::StatusOr<Literal> a = WithRealElements(computed);
  const absl::StatusOr<Literal> b = WithRealElements(recorded);
  if (!a.ok() || !b.ok()) {
    found->first = std::string((a.ok() ? b : a).status().message());
    return;
  }
  const Shape& shape = a->shape();
  const ElementType type = shape.element_type();
  const size_t bytes = static_cast<size_t>(ElementBytes(type));
  const int64_t parts = IsComplex(computed.shape().element_type()) ? 2 : 1;
  const double within = Tolerance(type) * LargestFinite(*b, recorded, parts);
  for (int64_t i = 0; i < a->element_count(); ++i) {
    if (!IsInUse(computed, i / parts)) continue;
    ++found->elements;
    const size_t at = static_cast<size_t>(i) * bytes;
    if (a->bytes().substr(at, bytes) == b->bytes().substr(at, bytes)) continue;
    const double x = a->AsDouble(i), y = b->AsDouble(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (IsFloat(type) && x == y) continue;  // 0 and -0
    ++found->different;
    const double difference = std::abs(x - y);
    if (IsFloat(type) && difference <= within) {
      found->largest = std::max(found->largest, difference);
    } else if (found->first.empty()) {
      found->first = absl::StrCat(place, IndexText(shape, i), " is ", x,
                                  " here, ", y, " there");
    }
  }
}

void Compare(const Literal& computed, const Literal& recorded,
             const std::string& place, Differences* found) {
  if (computed.shape().is_tuple() && recorded.shape().is_tuple() &&
      computed.elements().size() == recorded.elements().size()) {
    for (size_t i = 0; i < computed.elements().size(); ++i) {
      Compare(computed.elements()[i], recorded.elements()[i],
              absl::StrCat(place, "{", i, "}"), found);
    }
    return;
  }
  if (!SameStructure(computed.shape(), recorded.shape()) ||
      computed.dynamic_sizes() != recorded.dynamic_sizes()) {
    if (computed == recorded || !found->first.empty()) return;
    found->first =
        absl::StrCat(place.empty() ? "it" : place, " is ", SizedText(computed),
                     " here, ", SizedText(recorded), " there");
    return;
  }
  if (computed.shape().is_array()) {
    CompareArrays(computed, recorded, place, found);
  }
}

}  // namespace

ValueComparison CompareValues(const Literal& computed,
                              const Literal& recorded) {
  Differences found;
  Compare(computed, recorded, "", &found);
  ValueComparison result;
  const std::string count =
      absl::StrCat(found.different, " of ", found.elements, " elements");
  if (!found.first.empty()) {
    result.ok = false;
    result.text = absl::StrCat("differs: ", found.first);
    if (found.different > 0) absl::StrAppend(&result.text, "; ", count);
  } else if (found.different > 0) {
    result.text = absl::StrCat("equal but for rounding: ", count, ", by ",
                               found.largest, " at most");
  } else {
    result.text = "equal";
  }
  return result;
}

}  // namespace indim

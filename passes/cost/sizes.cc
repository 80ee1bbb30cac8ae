// SPDX-License-Identifier: Apache-2.0
// Source of the numbers: XLA, ShapeUtil::ByteSizeOf, CpuExecutable::
// ShapeSizeBytes.

#include "indim/passes/cost/sizes.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/element_type.h"

namespace indim::internal {
namespace {

constexpr int kPointerBytes = 8;
constexpr int kBytesOfRunTimeSize = 4;

// Whether XLA keeps its sizes at run time: one is known only then. Sizes that
// are named are sizes that XLA knows when it compiles.
bool HasRunTimeSizes(const Shape& array) {
  bool has = false;
  for (const Dim dim : array.dims()) {
    if (dim.is_symbolic()) return false;
    has |= !dim.is_static();
  }
  return has;
}

// Of a dim without an upper end.
Amount NamedSize(Dim dim) {
  const std::string text = dim.ToString();
  const bool is_sum = text.find_first_of("+-") != std::string::npos;
  return Amount::Named(is_sum ? absl::StrCat("(", text, ")") : text);
}

Amount BytesOfArray(const Shape& array) {
  const Amount elements = ElementsOf(array);
  const Layout* layout = array.layout();
  Amount bytes;
  if (layout != nullptr && layout->element_size_in_bits != 0) {
    const auto bits = static_cast<double>(layout->element_size_in_bits);
    bytes = elements.is_number()
                ? Amount(std::ceil(elements.number() * bits / 8))
                : elements * Amount(bits / 8);
  } else {
    // XLA: types of less than a byte take one.
    bytes = elements * Amount((Info(array.element_type()).bits + 7) / 8);
  }
  if (HasRunTimeSizes(array)) {
    bytes += Amount(kBytesOfRunTimeSize * array.rank());
  }
  return bytes;
}

}  // namespace

Amount SizeOf(Dim dim) {
  return !dim.is_symbolic() && dim.has_upper()
             ? Amount(static_cast<double>(dim.upper()))
             : NamedSize(dim);
}

Amount SizeOf(const Shape& shape, int64_t dimension) {
  if (dimension < 0 || dimension >= shape.rank()) return Amount(1);
  return SizeOf(shape.dim(static_cast<int>(dimension)));
}

Amount ElementsOf(const Shape& shape) {
  if (shape.is_tuple() || shape.is_buffer()) {
    return shape.elements().empty() ? Amount(0)
                                    : ElementsOf(shape.elements()[0]);
  }
  if (!shape.is_array()) return Amount(0);
  if (shape.is_unranked()) return Amount::Named("?");
  Amount product(1);
  for (const Dim dim : shape.dims()) product = product * SizeOf(dim);
  return product;
}

Amount ElementsInAll(const Shape& shape) {
  if (!shape.is_tuple()) return ElementsOf(shape);
  Amount sum;
  for (const Shape& element : shape.elements()) sum += ElementsInAll(element);
  return sum;
}

Amount BytesOf(const Shape& shape) {
  switch (shape.kind()) {
    case Shape::Kind::kArray:
      return BytesOfArray(shape);
    case Shape::Kind::kTuple:
      return Amount(kPointerBytes * static_cast<double>(shape.tuple_size()));
    case Shape::Kind::kOpaque:
      return Amount(kPointerBytes);
    case Shape::Kind::kBuffer:
      return BytesOf(shape.elements()[0]);
    case Shape::Kind::kNone:
    case Shape::Kind::kToken:
      return Amount(0);
  }
  return Amount(0);
}

Amount BytesOfLeaves(const Shape& shape) {
  if (!shape.is_tuple()) return BytesOf(shape);
  Amount sum;
  for (const Shape& element : shape.elements()) sum += BytesOfLeaves(element);
  return sum;
}

}  // namespace indim::internal

#include "indim/codec/plain_array_wire.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/layout.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_fields.h"

namespace indim {
namespace {

using wire_fields::Bytes;
using wire_fields::Varint;

constexpr uint32_t kElementType = Varint(field::ShapeProto::kElementType);
constexpr uint32_t kDimensions = Bytes(field::ShapeProto::kDimensions);
constexpr uint32_t kLayout = Bytes(field::ShapeProto::kLayout);
constexpr uint32_t kIsDynamic = Bytes(field::ShapeProto::kIsDynamicDimension);
constexpr uint32_t kMinorToMajor = Bytes(field::LayoutProto::kMinorToMajor);
constexpr uint32_t kTailPadding =
    Varint(field::LayoutProto::kTailPaddingAlignmentInElements);

// All lengths are then of one byte, and so are the numbers of dims.
constexpr size_t kMostDims = 8;

bool ParseDims(absl::string_view wire, Shape* shape) {
  WireReader sizes(wire);
  while (!sizes.done()) {
    uint64_t size;
    if (shape->rank() == static_cast<int>(kMostDims) ||
        !sizes.ReadMinimalVarint(&size) ||
        size > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return false;
    }
    shape->add_dim(Dim::Static(static_cast<int64_t>(size)));
  }
  return shape->rank() > 0;
}

bool ParseOrder(absl::string_view wire, int rank, Layout* layout) {
  if (wire.size() != static_cast<size_t>(rank)) return false;
  uint32_t seen = 0;
  for (const char c : wire) {
    const int dim = static_cast<uint8_t>(c);
    if (dim >= rank || (seen >> dim & 1) != 0) return false;
    seen |= uint32_t{1} << dim;
    layout->minor_to_major.push_back(dim);
  }
  return true;
}

bool ParseLayout(absl::string_view wire, Shape* shape) {
  WireReader reader(wire);
  Layout layout;
  absl::string_view order;
  if (shape->rank() > 0 && (!reader.ConsumeTag(kMinorToMajor) ||
                            !reader.ReadMinimalLengthDelimited(&order) ||
                            !ParseOrder(order, shape->rank(), &layout))) {
    return false;
  }
  uint64_t padding;
  if (!reader.ConsumeTag(kTailPadding) || !reader.ReadMinimalVarint(&padding) ||
      padding != 1 || !reader.done()) {
    return false;
  }
  shape->set_layout(std::move(layout));
  return true;
}

// Nothing set but the order of the dims.
bool IsOnlyOrder(const Layout& layout, size_t rank) {
  if (layout.minor_to_major.size() != rank || !layout.tiles.empty() ||
      !layout.splits.empty() ||
      layout.tail_padding_alignment_in_elements != 1 ||
      layout.element_size_in_bits != 0 || layout.memory_space != 0 ||
      layout.dynamic_shape_metadata_prefix_bytes != 0) {
    return false;
  }
  for (const int64_t dim : layout.minor_to_major) {
    if (dim < 0 || dim > 0x7f) return false;
  }
  return true;
}

char* WriteLayout(const Layout& layout, char* at) {
  at = WriteVarint(kLayout, at);
  char* const length = at++;
  if (!layout.minor_to_major.empty()) {
    at = WriteVarint(kMinorToMajor, at);
    *at++ = static_cast<char>(layout.minor_to_major.size());
    for (const int64_t dim : layout.minor_to_major) {
      *at++ = static_cast<char>(dim);
    }
  }
  at = WriteVarint(kTailPadding, at);
  *at++ = 1;
  *length = static_cast<char>(at - length - 1);
  return at;
}

}  // namespace

std::optional<Shape> ParsePlainArray(absl::string_view wire) {
  WireReader reader(wire);
  uint64_t number;
  if (!reader.ConsumeTag(kElementType) || !reader.ReadMinimalVarint(&number)) {
    return std::nullopt;
  }
  const std::optional<ElementType> type =
      ElementTypeFromNumber(static_cast<int64_t>(number));
  if (!type) return std::nullopt;
  Shape shape = Shape::Scalar(*type);
  absl::string_view bytes;
  if (reader.ConsumeTag(kDimensions) &&
      (!reader.ReadMinimalLengthDelimited(&bytes) ||
       !ParseDims(bytes, &shape))) {
    return std::nullopt;
  }
  if (reader.ConsumeTag(kLayout) &&
      (!reader.ReadMinimalLengthDelimited(&bytes) ||
       !ParseLayout(bytes, &shape))) {
    return std::nullopt;
  }
  if (shape.rank() > 0) {
    if (!reader.ConsumeTag(kIsDynamic) ||
        !reader.ReadMinimalLengthDelimited(&bytes) ||
        bytes.size() != static_cast<size_t>(shape.rank()) ||
        bytes.find_first_not_of('\0') != absl::string_view::npos) {
      return std::nullopt;
    }
  }
  if (!reader.done()) return std::nullopt;
  return shape;
}

bool AppendPlainArray(const Shape& shape, std::string* out) {
  const absl::Span<const Dim> dims = shape.dims();
  const Layout* const layout = shape.layout();
  if (dims.size() > kMostDims || shape.is_unranked() ||
      (layout != nullptr && !IsOnlyOrder(*layout, dims.size()))) {
    return false;
  }
  char bytes[24 + kMostDims * (kMaxVarintBytes + 2)];
  char* at = WriteVarint(kElementType, bytes);
  at = WriteVarint(static_cast<uint64_t>(shape.element_type()), at);
  if (!dims.empty()) {
    at = WriteVarint(kDimensions, at);
    char* const length = at++;
    for (const Dim dim : dims) {
      if (!dim.is_static()) return false;
      at = WriteVarint(static_cast<uint64_t>(dim.size()), at);
    }
    *length = static_cast<char>(at - length - 1);
  }
  if (layout != nullptr) at = WriteLayout(*layout, at);
  if (!dims.empty()) {
    at = WriteVarint(kIsDynamic, at);
    *at++ = static_cast<char>(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) *at++ = 0;
  }
  out->append(bytes, static_cast<size_t>(at - bytes));
  return true;
}

}  // namespace indim

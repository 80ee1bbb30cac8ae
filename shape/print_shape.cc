// Prints shapes in the spelling of XLA's HLO text.

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "indim/shape/shape.h"

namespace indim {
namespace {

void AppendLayout(const Layout& layout, std::string* out) {
  absl::StrAppend(out, "{", absl::StrJoin(layout.minor_to_major, ","));
  bool colon = false;
  auto name = [&](absl::string_view attribute) {
    absl::StrAppend(out, colon ? "" : ":", attribute);
    colon = true;
  };
  auto number = [&](absl::string_view attribute, int64_t value) {
    name(attribute);
    absl::StrAppend(out, "(", value, ")");
  };
  if (!layout.tiles.empty()) name("T");
  for (const Layout::Tile& tile : layout.tiles) {
    auto size = [](std::string* to, int64_t n) {
      n == Layout::kCombine ? absl::StrAppend(to, "*") : absl::StrAppend(to, n);
    };
    absl::StrAppend(out, "(", absl::StrJoin(tile, ",", size), ")");
  }
  if (layout.tail_padding_alignment_in_elements != 1) {
    number("L", layout.tail_padding_alignment_in_elements);
  }
  if (layout.element_size_in_bits != 0) {
    number("E", layout.element_size_in_bits);
  }
  if (layout.memory_space != 0) number("S", layout.memory_space);
  if (!layout.splits.empty()) name("SC");
  for (const Layout::Split& split : layout.splits) {
    absl::StrAppend(out, "(", split.dimension, ":",
                    absl::StrJoin(split.indices, ","), ")");
  }
  if (layout.dynamic_shape_metadata_prefix_bytes != 0) {
    number("M", layout.dynamic_shape_metadata_prefix_bytes);
  }
  out->push_back('}');
}

void AppendArray(const Shape& shape, std::string* out) {
  absl::StrAppend(out, Name(shape.element_type()), "[");
  auto dim = [](std::string* to, Dim d) {
    d.is_static() ? absl::StrAppend(to, d.size())
                  : absl::StrAppend(to, d.ToString());
  };
  absl::StrAppend(out, absl::StrJoin(shape.dims(), ",", dim),
                  shape.is_unranked() ? "*]" : "]");
  if (shape.layout() == nullptr) return;
  // As XLA: a scalar's layout shows only when it says something.
  if (shape.is_scalar() && *shape.layout() == Layout()) return;
  AppendLayout(*shape.layout(), out);
}

void AppendShape(const Shape& shape, std::string* out) {
  switch (shape.kind()) {
    case Shape::Kind::kNone:
      absl::StrAppend(out, "none");
      return;
    case Shape::Kind::kArray:
      AppendArray(shape, out);
      return;
    case Shape::Kind::kToken:
      absl::StrAppend(out, "token[]");
      return;
    case Shape::Kind::kOpaque:
      absl::StrAppend(out, "opaque[]");
      return;
    case Shape::Kind::kTuple:
    case Shape::Kind::kBuffer:
      break;
  }
  absl::StrAppend(out, shape.is_buffer() ? "b(" : "(");
  absl::string_view separator = "";
  for (const Shape& element : shape.elements()) {
    absl::StrAppend(out, separator);
    AppendShape(element, out);
    separator = ", ";
  }
  absl::StrAppend(out, ")");
}

}  // namespace

std::string Shape::ToString() const {
  std::string text;
  AppendShape(*this, &text);
  return text;
}

std::ostream& operator<<(std::ostream& os, const Shape& shape) {
  return os << shape.ToString();
}

}  // namespace indim

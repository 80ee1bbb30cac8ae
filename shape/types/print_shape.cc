// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/print_shape.h"

#include <charconv>
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace indim {
namespace {

void AppendNumber(int64_t number, std::string* out) {
  constexpr size_t kLongest = 20;
  char text[kLongest];
  const char* const end = std::to_chars(text, text + kLongest, number).ptr;
  out->append(text, static_cast<size_t>(end - text));
}

void AppendLayout(const Layout& layout, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const int64_t dim : layout.minor_to_major) {
    if (!first) out->push_back(',');
    first = false;
    AppendNumber(dim, out);
  }
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

void AppendArray(const Shape& shape, bool layouts, std::string* out) {
  const absl::string_view type = Name(shape.element_type());
  out->append(type.data(), type.size());
  out->push_back('[');
  bool first = true;
  for (const Dim dim : shape.dims()) {
    if (!first) out->push_back(',');
    first = false;
    if (dim.is_static()) {
      AppendNumber(dim.size(), out);
    } else {
      out->append(dim.ToString());
    }
  }
  out->append(shape.is_unranked() ? "*]" : "]");
  if (!layouts || shape.layout() == nullptr) return;
  // As XLA: the default layout of a scalar is not printed.
  if (shape.is_scalar() && *shape.layout() == Layout()) return;
  AppendLayout(*shape.layout(), out);
}

}  // namespace

// Depth is at most Shape::kMaxTupleDepth.
void AppendShapeText(const Shape& shape, bool layouts, std::string* out) {
  switch (shape.kind()) {
    case Shape::Kind::kNone:
      absl::StrAppend(out, "none");
      return;
    case Shape::Kind::kArray:
      AppendArray(shape, layouts, out);
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
    AppendShapeText(element, layouts, out);
    separator = ", ";
  }
  absl::StrAppend(out, ")");
}

std::string Shape::ToString() const {
  std::string text;
  AppendShapeText(*this, /*layouts=*/true, &text);
  return text;
}

std::ostream& operator<<(std::ostream& os, const Shape& shape) {
  return os << shape.ToString();
}

}  // namespace indim

#include "indim/text/base/shape_text.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape_reader.h"

namespace indim {

namespace {

// Scans dims from `p` on and the "]"; null: something else.
const char* ScanDims(const char* p, const char* end, PlainArray* array) {
  constexpr int64_t kFits = int64_t{1} << 58;  // with one further digit too
  if (p != end && *p == ']') return p + 1;
  while (array->rank < PlainArray::kMaxDims) {
    int64_t size = 0;
    const char* const begin = p;
    for (; p != end && absl::ascii_isdigit(*p); ++p) {
      if (size >= kFits) return nullptr;
      size = 10 * size + (*p - '0');
    }
    if (p == begin || p == end) return nullptr;
    array->dims[array->rank++] = size;
    if (*p == ']') return p + 1;
    if (*p++ != ',') return nullptr;
  }
  return nullptr;
}

// Scans a nonempty layout and its "}"; null: something else.
const char* ScanOrder(const char* p, const char* end, PlainArray* array) {
  uint32_t seen = 0;
  for (size_t i = 0; i < array->rank; ++i) {
    if (end - p < 2) return nullptr;
    const size_t dim = static_cast<size_t>(static_cast<uint8_t>(*p)) - '0';
    if (dim >= array->rank || (seen >> dim & 1) != 0) return nullptr;
    seen |= uint32_t{1} << dim;
    array->order[i] = static_cast<uint8_t>(dim);
    if (p[1] != (i + 1 == array->rank ? '}' : ',')) return nullptr;
    p += 2;
  }
  array->has_layout = true;
  return array->rank == 0 ? nullptr : p;
}

// Whether no layout can follow, not even after blanks and comments.
bool IsArrayEnd(const char* p, const char* end) {
  if (p == end) return false;
  if (*p == ',' || *p == ')') return true;
  return *p == ' ' && end - p > 1 && (absl::ascii_isalnum(p[1]) || p[1] == '%');
}

}  // namespace

Shape PlainArray::ToShape(bool fill_layout) const {
  Shape shape = Shape::Scalar(type);
  for (size_t i = 0; i < rank; ++i) shape.add_dim(Dim::Static(dims[i]));
  if (has_layout) {
    Layout layout;
    layout.minor_to_major.assign(order, order + rank);
    shape.set_layout(std::move(layout));
  } else if (fill_layout) {
    shape.set_layout(Layout::RowMajor(static_cast<int>(rank)));
  }
  return shape;
}

bool ScanPlainArray(absl::string_view text, size_t at, PlainArray* array,
                    size_t* end) {
  const char* const begin = text.data() + at;
  const char* const text_end = text.data() + text.size();
  const char* p = begin;
  while (p != text_end && absl::ascii_isalnum(*p)) ++p;
  if (p == text_end || *p != '[') return false;
  const std::optional<ElementType> type = ElementTypeFromName(
      absl::string_view(begin, static_cast<size_t>(p - begin)));
  if (!type.has_value()) return false;
  array->type = *type;
  array->rank = 0;
  array->has_layout = false;
  p = ScanDims(p + 1, text_end, array);
  if (p == nullptr) return false;
  if (p != text_end && *p == '{') {
    p = ScanOrder(p + 1, text_end, array);
    if (p == nullptr) return false;
  } else if (!IsArrayEnd(p, text_end)) {
    return false;
  }
  *end = static_cast<size_t>(p - text.data());
  return true;
}

bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape) {
  absl::string_view rest = lexer->whole_text().substr(lexer->offset());
  const size_t before = rest.size();
  ShapeTextOptions options;
  options.symbols = lexer->symbols() != nullptr;
  options.scope = lexer->symbols();
  Shape read;
  ShapeTextError error;
  if (!TakeShape(&rest, options, &read, &error)) {
    // Check whether it would be valid with named sizes.
    absl::string_view again = rest;
    if (!options.symbols && ConsumeShape(&again).ok()) {
      absl::StrAppend(&error.message,
                      "; sizes have names with --symbols "
                      "(ReadOptions::symbols)");
    }
    return lexer->ErrorAt(lexer->offset() + error.offset, 1,
                          std::move(error.message));
  }
  *shape = fill_layouts ? read.WithDefaultLayout() : std::move(read);
  lexer->Seek(lexer->offset() + before - rest.size());
  return true;
}

}  // namespace indim

#include "indim/text/base/shape_text.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/layout.h"

namespace indim {

namespace {

// Adds ConsumeShape's error at its position; ConsumeShape counts columns from
// the beginning of the shape.
bool ShapeError(Lexer* lexer, absl::string_view message) {
  constexpr absl::string_view kColumn = "\", column ";
  const size_t at = message.rfind(kColumn);
  if (at == absl::string_view::npos) return lexer->Error(std::string(message));
  const absl::string_view rest = message.substr(at + kColumn.size());
  const size_t colon = rest.find(": ");
  size_t column = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(rest.substr(0, colon), &column) || column == 0) {
    return lexer->Error(std::string(message));
  }
  return lexer->ErrorAt(lexer->offset() + column - 1, 1,
                        std::string(rest.substr(colon + 2)));
}

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
  absl::StatusOr<Shape> read = ConsumeShape(&rest, options);
  if (!read.ok()) {
    std::string message(read.status().message());
    // Check whether it would be valid with named sizes.
    absl::string_view again = rest;
    if (!options.symbols && ConsumeShape(&again).ok()) {
      absl::StrAppend(&message,
                      "; sizes have names with --symbols "
                      "(ReadOptions::symbols)");
    }
    return ShapeError(lexer, message);
  }
  *shape = fill_layouts ? read->WithDefaultLayout() : *std::move(read);
  lexer->Seek(lexer->offset() + before - rest.size());
  return true;
}

}  // namespace indim

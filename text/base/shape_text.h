// Reads shapes within HLO text.

#ifndef INDIM_TEXT_BASE_SHAPE_TEXT_H_
#define INDIM_TEXT_BASE_SHAPE_TEXT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"

namespace indim {

// An array in the usual spelling: f32[2,3]{1,0}, f32[2,3].
struct PlainArray {
  static constexpr size_t kMaxDims = 8;

  ElementType type = ElementType::kInvalid;
  size_t rank = 0;
  bool has_layout = false;
  int64_t dims[kMaxDims];   // static
  uint8_t order[kMaxDims];  // the layout, minor to major

  // `fill_layout` as in ReadShape.
  Shape ToShape(bool fill_layout) const;
};

// Reads the array that begins at `at`, and its end. False: another shape,
// another spelling, or no shape.
bool ScanPlainArray(absl::string_view text, size_t at, PlainArray* array,
                    size_t* end);

// Reads the shape that begins at the current token (shape/types/shape.h has its
// grammar), and moves to the token after it. `fill_layouts`: arrays without a
// layout get the row-major one, as in XLA's reader. False after an error.
bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_SHAPE_TEXT_H_

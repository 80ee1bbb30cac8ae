// SPDX-License-Identifier: Apache-2.0
// Reads a shape at the start of a longer text, whose reader tells where errors
// are.

#ifndef INDIM_SHAPE_TYPES_SHAPE_READER_H_
#define INDIM_SHAPE_TYPES_SHAPE_READER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct ShapeTextError {
  size_t offset = 0;  // in bytes of the text
  std::string message;
};

// As ConsumeShape. False after setting *error; *text is then unchanged.
bool TakeShape(absl::string_view* text, const ShapeTextOptions& options,
               Shape* shape, ShapeTextError* error);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_READER_H_

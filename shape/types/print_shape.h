// SPDX-License-Identifier: Apache-2.0
// Prints shapes in the format of XLA's HLO text.

#ifndef INDIM_SHAPE_TYPES_PRINT_SHAPE_H_
#define INDIM_SHAPE_TYPES_PRINT_SHAPE_H_

#include <string>

#include "indim/shape/types/shape.h"

namespace indim {

// Appends shape.ToString(), or, without `layouts`,
// shape.WithoutLayout().ToString().
void AppendShapeText(const Shape& shape, bool layouts, std::string* out);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_PRINT_SHAPE_H_

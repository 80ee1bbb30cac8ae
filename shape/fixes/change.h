// SPDX-License-Identifier: Apache-2.0
// From one shape to another with one operation.

#ifndef INDIM_SHAPE_FIXES_CHANGE_H_
#define INDIM_SHAPE_FIXES_CHANGE_H_

#include <optional>

#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Whether both have as many elements, and that is known.
bool SameElementCount(const Shape& a, const Shape& b);

// The result dims of `from`'s dims when it is broadcast to `to`; nullopt: it
// can't be.
std::optional<DimIndices> DimsForBroadcast(const Shape& from, const Shape& to);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_CHANGE_H_

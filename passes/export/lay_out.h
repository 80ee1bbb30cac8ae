// SPDX-License-Identifier: Apache-2.0
// LayOut: gives a module the layouts that XLA's compiler requires. Plugins
// abort at an instruction without one (XLA shape.h, "Check failed:
// has_layout()"), though XLA's readers and verifier accept it.

#ifndef INDIM_PASSES_EXPORT_LAY_OUT_H_
#define INDIM_PASSES_EXPORT_LAY_OUT_H_

#include <optional>

#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `shape` with the default layout, row-major, for every ranked array in it that
// has none; nullopt: all have one.
std::optional<Shape> WithMissingLayouts(const Shape& shape);

// Applies WithMissingLayouts to every instruction's shape and to the program
// shapes that were read; a constant gets its literal's layout. ExpandForXla
// does this; call it after adding instructions later.
Module LayOut(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_LAY_OUT_H_

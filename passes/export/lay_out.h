// The layouts that XLA's compiler wants: plugins abort at an instruction that
// has none (XLA shape.h, "Check failed: has_layout()"), though XLA's readers
// and verifier take it.

#ifndef INDIM_PASSES_EXPORT_LAY_OUT_H_
#define INDIM_PASSES_EXPORT_LAY_OUT_H_

#include <optional>

#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `shape` with the default layout, row-major, on every ranked array in it that
// has none; nullopt: none lacks one.
std::optional<Shape> WithMissingLayouts(const Shape& shape);

// WithMissingLayouts of every instruction's shape and of the program shapes
// that were read; a constant takes its literal's layout. ExpandForXla does it:
// for who adds instructions after that.
Module LayOut(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_LAY_OUT_H_

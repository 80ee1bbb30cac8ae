// SPDX-License-Identifier: Apache-2.0
// Fixes in the words of StableHLO's text.

#ifndef INDIM_SHAPE_FIXES_STABLEHLO_FIX_H_
#define INDIM_SHAPE_FIXES_STABLEHLO_FIX_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

// "tensor<2x?xf32>"; of what is no array of a known rank the shape's text.
std::string MlirTypeText(const Shape& shape);

// The operation that turns %name from `from` into `to`:
// "stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xf32>". "" where it takes
// several, or a size isn't known.
std::string StablehloChange(const Shape& from, const Shape& to,
                            absl::string_view name);

// FixText (fix.h) for a program of StableHLO: that operation, attributes as an
// operation's own form has them ("dims = [1]"), types. "": an attribute that
// StableHLO writes otherwise, or a fix that says none of these.
std::string StablehloFixText(const Fix& fix, const OpInputs& inputs,
                             absl::Span<const std::string> names);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_STABLEHLO_FIX_H_

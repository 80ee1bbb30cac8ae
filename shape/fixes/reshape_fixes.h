// SPDX-License-Identifier: Apache-2.0
// Fixes of a reshape to sizes that the operand's elements don't fill.

#ifndef INDIM_SHAPE_FIXES_RESHAPE_FIXES_H_
#define INDIM_SHAPE_FIXES_RESHAPE_FIXES_H_

#include <optional>

#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"

namespace indim {

// The recorded result that has the operand's elements, and of what was asked
// for all sizes but one; where there is none, sizes near them. nullopt: the
// diagnostic is about something else, or not all sizes are known.
std::optional<Fix> ResultOfSizes(const OpInputs& inputs,
                                 const Diagnostic& diagnostic);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_RESHAPE_FIXES_H_

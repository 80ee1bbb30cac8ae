// SPDX-License-Identifier: Apache-2.0
// Fixes of the dimension numbers of gathers and scatters.

#ifndef INDIM_SHAPE_FIXES_GATHER_FIXES_H_
#define INDIM_SHAPE_FIXES_GATHER_FIXES_H_

#include <vector>

#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"

namespace indim {

// Changes of one attribute of a gather or a scatter, the likeliest first; the
// caller tries whether inference succeeds. Empty for another op.
std::vector<Fix> DimensionNumbers(const OpInputs& inputs);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_GATHER_FIXES_H_

// SPDX-License-Identifier: Apache-2.0
// ConstantsToParameters: takes weights out of a module.

#ifndef INDIM_EDIT_PASSES_CONSTANTS_TO_PARAMETERS_H_
#define INDIM_EDIT_PASSES_CONSTANTS_TO_PARAMETERS_H_

#include <cstdint>
#include <vector>

#include "indim/edit/editor.h"
#include "indim/proto/codec/literal.h"

namespace indim {

struct TakenConstant {
  int64_t parameter = 0;  // its number
  InstructionRef instruction;
  Literal value;
};

// Every constant of the entry with at least `min_elements` elements becomes a
// parameter, in order, with the constant's shape, name, metadata and sharding.
// Returns the values, which the module's callers must pass now. Constants
// without values, tuples, and constants with control dependencies stay.
std::vector<TakenConstant> ConstantsToParameters(
    Editor* editor, int64_t min_elements = 2, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_CONSTANTS_TO_PARAMETERS_H_

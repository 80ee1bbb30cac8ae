// SPDX-License-Identifier: Apache-2.0
// MergeCommonSubexpressions: merges instructions that compute the same.

#ifndef INDIM_EDIT_PASSES_COMMON_SUBEXPRESSIONS_H_
#define INDIM_EDIT_PASSES_COMMON_SUBEXPRESSIONS_H_

#include <cstdint>

#include "indim/edit/editor.h"

namespace indim {

// Where two instructions of a computation have the same opcode, operands,
// callees, attributes (sharding, frontend attributes and all other fields
// included) and recorded shape (layout included), users of the later one use
// the earlier one, and the later one is erased. Metadata and names don't count.
// Operands of commutative operations must stand in the same order. Parameters
// and instructions with side effects or control dependencies stay; so do random
// numbers (rng). A root that is erased is replaced. Constants are equal if
// their bytes are, up to 1 KiB. Returns how many it erased. The module's
// results stay the same, bit for bit. Takes time in proportion to the module.
int64_t MergeCommonSubexpressions(Editor* editor,
                                  Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_COMMON_SUBEXPRESSIONS_H_

// SPDX-License-Identifier: Apache-2.0
// InlineCalls: replaces calls by the instructions of their computations.

#ifndef INDIM_EDIT_PASSES_INLINE_CALLS_H_
#define INDIM_EDIT_PASSES_INLINE_CALLS_H_

#include <cstdint>

#include "indim/edit/editor.h"

namespace indim {

struct InlineOptions {
  // Calls of computations with more instructions stay; -1: no limit.
  int64_t max_instructions = -1;
  // The module doesn't grow beyond this many instructions.
  int64_t max_total = int64_t{1} << 24;
};

// Inlines every `call` (Editor::InlineCall) of every computation, callees
// first, so that inlined instructions hold no calls. Calls with control
// dependencies, composites (is_composite), calls that say how they are
// differentiated (docs/gradients.md) and calls that wouldn't fit the limits
// stay. Then it erases computations that nothing calls any more. Returns
// how many it inlined.
int64_t InlineCalls(Editor* editor, const InlineOptions& options = {},
                    Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_INLINE_CALLS_H_

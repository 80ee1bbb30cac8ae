// SPDX-License-Identifier: Apache-2.0
// RemoveDeadCode: erases instructions and computations that no result needs.

#ifndef INDIM_EDIT_PASSES_DEAD_CODE_H_
#define INDIM_EDIT_PASSES_DEAD_CODE_H_

#include <cstdint>

#include "indim/edit/editor.h"

namespace indim {

// Erases every instruction that neither the root of its computation needs nor
// one that must stay (Editor::must_stay: parameters, side effects, control
// dependencies; a call that is marked as a derivative, docs/gradients.md), then
// every computation that neither the entry calls nor what
// it calls. Returns how many instructions it erased. The module's results stay
// the same. Takes time in proportion to the module.
int64_t RemoveDeadCode(Editor* editor, Caller caller = Caller::Here());

namespace internal {
class EditSession;

// RemoveDeadCode; in `computation`, unless it is kNone, side effects
// and control dependencies keep nothing that the root doesn't need.
int64_t EraseUnneeded(EditSession* graph, uint32_t computation);
}  // namespace internal

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_DEAD_CODE_H_

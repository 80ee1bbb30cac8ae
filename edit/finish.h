// SPDX-License-Identifier: Apache-2.0
// Finish: from an EditSession to the changed module.

#ifndef INDIM_EDIT_FINISH_H_
#define INDIM_EDIT_FINISH_H_

#include "indim/builder/op.h"
#include "indim/edit/edit_result.h"
#include "indim/edit/edit_session.h"

namespace indim::internal {

// Editor::Finish().
EditResult FinishEdits(EditSession* graph, Caller caller);

}  // namespace indim::internal

#endif  // INDIM_EDIT_FINISH_H_

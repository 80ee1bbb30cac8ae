// SPDX-License-Identifier: Apache-2.0
// Infers the instructions that depend on a change, and verifies those that
// changed.

#ifndef INDIM_EDIT_CHECK_CHANGES_H_
#define INDIM_EDIT_CHECK_CHANGES_H_

#include "indim/edit/assemble.h"
#include "indim/edit/edit_session.h"
#include "indim/ir/report.h"

namespace indim::internal {

// Visits the instructions that differ from the module in their opcode,
// attributes, recorded shape or callees, or in the shapes of operands or the
// signatures of callees, in order: it infers and verifies each
// (passes/check/node_checker.h). Marks computations whose signatures change.
Report CheckChanges(EditSession* graph, Assembled* assembled);

}  // namespace indim::internal

#endif  // INDIM_EDIT_CHECK_CHANGES_H_

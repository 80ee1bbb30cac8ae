// SPDX-License-Identifier: Apache-2.0
// Rewrites the state of a module that depends on its entry's parameters and
// results, on ids and on the order of instructions.

#ifndef INDIM_EDIT_MODULE_STATE_H_
#define INDIM_EDIT_MODULE_STATE_H_

#include "absl/functional/function_ref.h"
#include "indim/edit/assemble.h"
#include "indim/edit/edit_session.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::internal {

// Call it when the shapes of `*assembled` are inferred. Calls `warn` for all
// state that it drops (Code::kEditStateDropped).
void RewriteModuleState(EditSession* graph, Assembled* assembled,
                        absl::FunctionRef<void(Diagnostic)> warn);

// The schedule (an HloScheduleProto), for RewriteModuleState.
std::string RewriteSchedule(EditSession* graph, const Assembled& assembled,
                            absl::string_view schedule);

}  // namespace indim::internal

#endif  // INDIM_EDIT_MODULE_STATE_H_

// SPDX-License-Identifier: Apache-2.0
// Passes that come in shared libraries:
//
//   absl::StatusOr<pjrt::RegisteredPass> pass =
//       pjrt::RegisterPassLibrary(plugin, "./no_tanh.so");
//
// pass_entry.h tells, in C, what such a library exports.

#ifndef INDIM_RUN_PASS_LIBRARY_H_
#define INDIM_RUN_PASS_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"
#include "indim/run/pass.h"
#include "indim/run/pass_entry.h"
#include "indim/run/plugin.h"

namespace indim::pjrt {

// Loads the library, which stays loaded, and registers its pass with its name
// and at its stage. NotFound, IND1111: the system can't load it, or it exports
// no indim_pass_1; the message has the reason. InvalidArgument, IND1111: its
// pass has no name, no function or no such stage. Others as of RegisterPass; a
// compilation fails with IND1111 where the pass calls fail() or gives bytes
// that are no module.
absl::StatusOr<RegisteredPass> RegisterPassLibrary(const Plugin& plugin,
                                                   const std::string& path);

// What such a library in C++ does in a call: reads the module, runs the
// function, and gives what it made, or its error.
//
//   const indim_pass indim_pass_1 = {
//       "no-tanh", INDIM_PASS_PRE_SCHEDULER, [](const indim_pass_call* call) {
//         pjrt::AnswerPassCall(*call, pjrt::EditingPass(NoTanh));
//       }};
void AnswerPassCall(const indim_pass_call& call, const PassFunction& function);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_PASS_LIBRARY_H_

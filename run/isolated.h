// SPDX-License-Identifier: Apache-2.0
// CompileIsolated: compiles in a process of its own, so that a plugin that ends
// the process ends that one, and the caller gets an error.
//
//   int main(int argc, char** argv) {
//     if (const auto exit = pjrt::ServeIsolated(argc, argv)) return *exit;
//     ...
//     executable = pjrt::CompileIsolated(client, module);
//
// The other process is this program, started again: its main must call
// ServeIsolated first. It costs the start of a client (40 ms on a CPU) and the
// loading of the executable.

#ifndef INDIM_RUN_ISOLATED_H_
#define INDIM_RUN_ISOLATED_H_

#include <chrono>
#include <optional>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/run/client.h"
#include "indim/run/compile/compile_options.h"
#include "indim/run/executable.h"

namespace indim::pjrt {

struct IsolateOptions {
  // After so long the other process is ended; 0: never.
  std::chrono::milliseconds limit{0};
};

// Where CompileIsolated started this process: does its work, and returns the
// exit status. Else nullopt.
std::optional<int> ServeIsolated(int argc, char** argv);

// Whether main called ServeIsolated.
bool CanIsolate();

// As Client::Compile, but an abort of the plugin, or an exception that it
// throws, is an error: Aborted, IND1107, with what the process wrote last.
// Where the plugin can't serialize executables, it compiles here once it has
// compiled there. FailedPrecondition, IND1107: main didn't call ServeIsolated.
// Custom calls that this process registered aren't there.
absl::StatusOr<Executable> CompileIsolated(
    const Client& client, const Module& module,
    const CompileOptions& options = {},
    const IsolateOptions& isolate = IsolateOptions());

}  // namespace indim::pjrt

#endif  // INDIM_RUN_ISOLATED_H_

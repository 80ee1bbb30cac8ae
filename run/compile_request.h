// SPDX-License-Identifier: Apache-2.0
// The steps of Client::Compile, for CompileIsolated too.

#ifndef INDIM_RUN_COMPILE_REQUEST_H_
#define INDIM_RUN_COMPILE_REQUEST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/run/client_state.h"
#include "indim/run/compile/compile_options.h"
#include "indim/run/compile/program.h"
#include "indim/run/executable.h"

namespace indim::pjrt {

struct Request {
  Program program;
  CompileOptions options;  // with nothing left to the module
};

// The request for a module, after the preflight. Errors as of Client::Compile.
absl::StatusOr<Request> RequestOf(const ClientState& client,
                                  const Module& module,
                                  const CompileOptions& options);

// Compiles. `options`: a CompileOptionsProto for `partitions` partitions.
absl::StatusOr<Executable> CompileEncoded(const ClientPtr& client,
                                          const Program& program,
                                          absl::string_view options,
                                          int64_t partitions);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_REQUEST_H_

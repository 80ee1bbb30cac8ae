// SPDX-License-Identifier: Apache-2.0
// The messages between CompileIsolated and its other process, as files.

#ifndef INDIM_RUN_ISOLATED_MESSAGE_H_
#define INDIM_RUN_ISOLATED_MESSAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/run/compile/program.h"
#include "indim/run/named_value.h"

namespace indim::pjrt {

struct IsolatedRequest {
  std::string plugin;  // its path
  std::vector<NamedValue> client_options;
  Program program;
  std::string compile_options;  // a CompileOptionsProto
  int64_t partitions = 1;
};

std::string WriteRequest(const IsolatedRequest& request);
// False: these aren't such bytes.
bool ReadRequest(absl::string_view bytes, IsolatedRequest* request);

// A serialized executable, or an error. Unimplemented where it compiles, but
// can't be serialized.
struct IsolatedAnswer {
  absl::Status status;
  std::string executable;
};

std::string WriteAnswer(const IsolatedAnswer& answer);
bool ReadAnswer(absl::string_view bytes, IsolatedAnswer* answer);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_ISOLATED_MESSAGE_H_

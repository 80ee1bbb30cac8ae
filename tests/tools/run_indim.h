// SPDX-License-Identifier: Apache-2.0
// The command as people run it, for tests.

#ifndef INDIM_TESTS_TOOLS_RUN_INDIM_H_
#define INDIM_TESTS_TOOLS_RUN_INDIM_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
};

// A file of the test's own.
std::string Temp(absl::string_view name);

// Such a file with these bytes; its path.
std::string Written(absl::string_view name, absl::string_view bytes);
// The bytes of a file, which must be there.
std::string Contents(absl::string_view path);

// Files among the tests' data: a module as protobuf and as text, and one whose
// broadcasts are recorded.
inline constexpr char kJaxModule[] = "tests/data/jax/dt_bitcast.hlo.pb";
inline constexpr char kJaxText[] = "tests/data/jax/dt_bitcast.hlo";
inline constexpr char kRecordedModule[] = "examples/recorded.pbtxt";

// Runs `indim ARGUMENTS` in a shell.
Outcome Indim(absl::string_view arguments);
// Runs a command of the shell, in which indim is "tools/indim".
Outcome Shell(absl::string_view command);

}  // namespace indim

#endif  // INDIM_TESTS_TOOLS_RUN_INDIM_H_

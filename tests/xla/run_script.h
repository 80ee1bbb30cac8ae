// SPDX-License-Identifier: Apache-2.0
// Runs one of this folder's Python scripts, which ask real XLA about many cases
// at once and end with a status other than 0 when something disagrees. Each is
// a process of its own: one for a test.

#ifndef INDIM_TESTS_XLA_RUN_SCRIPT_H_
#define INDIM_TESTS_XLA_RUN_SCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/tests/xla/skipped_without_xla.h"

namespace indim {

struct ScriptRun {
  bool agreed = false;  // it ran and its exit status was 0
  std::string said;     // its output and errors; or why it could not be run
  int compared = 0;     // how much it compared: its line "compared: N ..."
};

// Runs tests/xla/<arguments> (a script and its flags, as for a shell) with
// XlaPython(), from the folder of the test's data.
ScriptRun RunScript(absl::string_view arguments);

}  // namespace indim

#endif  // INDIM_TESTS_XLA_RUN_SCRIPT_H_

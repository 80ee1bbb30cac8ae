// Runs one of this folder's Python scripts, which ask real XLA about many cases
// at once and end with a status other than 0 when something disagrees.

#ifndef INDIM_TESTS_XLA_RUN_SCRIPT_H_
#define INDIM_TESTS_XLA_RUN_SCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

struct ScriptRun {
  bool agreed = false;  // it ran and its exit status was 0
  std::string said;     // its output and errors; or why it could not be run
};

// Runs tests/xla/<arguments> (a script and its flags, as for a shell) with the
// Python that INDIM_XLA_PYTHON names, from the folder of the test's data.
ScriptRun RunScript(absl::string_view arguments);

}  // namespace indim

#endif  // INDIM_TESTS_XLA_RUN_SCRIPT_H_

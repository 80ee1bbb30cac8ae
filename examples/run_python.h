// Support for examples: real XLA, from jaxlib's Python package.

#ifndef INDIM_EXAMPLES_RUN_PYTHON_H_
#define INDIM_EXAMPLES_RUN_PYTHON_H_

#include <string>

namespace indim {

// Runs examples/<script> on the file at `path`, with the Python in
// INDIM_XLA_PYTHON (./bazelw sets it). Returns its exit status; without such a
// Python it prints how to install one, and returns 1.
int RunOnXla(const std::string& script, const std::string& path);

}  // namespace indim

#endif  // INDIM_EXAMPLES_RUN_PYTHON_H_

// What an example needs around its graph: a place for its file, and the real
// XLA, which jaxlib's Python package has.

#ifndef INDIM_EXAMPLES_RUN_PYTHON_H_
#define INDIM_EXAMPLES_RUN_PYTHON_H_

#include <string>

namespace indim {

// The first argument, relative to where the user called Bazel; without one
// `name` in a new temporary folder.
std::string OutputPath(int argc, char** argv, const std::string& name);

// Runs examples/<script> on the file at `path`, with the Python that
// INDIM_XLA_PYTHON names (./bazelw sets it). Returns its exit status; without
// such a Python it says so, and how to have one, and returns 1.
int RunOnXla(const std::string& script, const std::string& path);

}  // namespace indim

#endif  // INDIM_EXAMPLES_RUN_PYTHON_H_

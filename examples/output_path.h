// Where an example writes its file.

#ifndef INDIM_EXAMPLES_OUTPUT_PATH_H_
#define INDIM_EXAMPLES_OUTPUT_PATH_H_

#include <string>

namespace indim {

// The first argument, relative to the folder where the user called Bazel;
// without one, `name` in a new temporary folder.
std::string OutputPath(int argc, char** argv, const std::string& name);

}  // namespace indim

#endif  // INDIM_EXAMPLES_OUTPUT_PATH_H_

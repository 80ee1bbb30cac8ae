// SPDX-License-Identifier: Apache-2.0
// Real XLA, for tests that ask it: the Python that has jaxlib. It is 590 MB, so
// whoever runs the tests without it gets the others.

#ifndef INDIM_TESTS_XLA_PYTHON_H_
#define INDIM_TESTS_XLA_PYTHON_H_

#include <cstdlib>
#include <string>

namespace indim {

// Its path, INDIM_XLA_PYTHON, which ./bazelw sets where it is there; "" where
// it isn't.
inline std::string XlaPython() {
  const char* const python = std::getenv("INDIM_XLA_PYTHON");
  return python == nullptr ? "" : python;
}

// What is said of what is skipped for want of it.
inline constexpr char kNeedsXlaPython[] =
    "skipped: INDIM_XLA_PYTHON names no Python with jaxlib, XLA itself; "
    "`./bazelw --setup-xla` installs it (590 MB)";

}  // namespace indim

#endif  // INDIM_TESTS_XLA_PYTHON_H_

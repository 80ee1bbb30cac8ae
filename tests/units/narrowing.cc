// SPDX-License-Identifier: Apache-2.0
// Narrows a number without saying so, which the library's flags refuse
// (LIBRARY_COPTS in packaging/units.bzl), in a generated unit too.

#include <cstdint>

namespace indim {

int Narrowed(int64_t number) { return number; }

}  // namespace indim

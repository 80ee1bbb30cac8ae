// SPDX-License-Identifier: Apache-2.0
// What must hold of every module, wherever it came from.

#ifndef INDIM_TESTS_FUZZ_MODULE_CHECKS_H_
#define INDIM_TESTS_FUZZ_MODULE_CHECKS_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// Writes and reads the module back, in bytes, text format and HLO text; reports
// what its verifier finds; and takes it through all passes: they find no error
// in a verified module (expansion may, and says why), and what they make is
// verified too. Returns the first thing that isn't so; "" when all is. `built`:
// by a builder or from HLO text, so that nothing in it has no spelling there.
std::string CheckModule(const Module& module, bool built);

// Inlined into an empty builder, a module that was built is the same graph
// again: it builds where the module is verified, and is verified too.
std::string CheckInlined(const Module& module);

// A verified module has derivatives, which are verified too, or an error says
// why it has none.
std::string CheckDerivatives(const Module& module);

}  // namespace indim

#endif  // INDIM_TESTS_FUZZ_MODULE_CHECKS_H_

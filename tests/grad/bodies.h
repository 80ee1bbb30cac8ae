// SPDX-License-Identifier: Apache-2.0
// Modules of a few lines, for tables of derivatives.

#ifndef INDIM_TESTS_GRAD_BODIES_H_
#define INDIM_TESTS_GRAD_BODIES_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// A module whose entry has these instructions, the last of which is its root:
// "x = f64[3] parameter(0);r = f64[3] sine(x)". bodies.cc has the computations
// that they may call.
Module BodyModule(const std::string& body);

}  // namespace indim

#endif  // INDIM_TESTS_GRAD_BODIES_H_

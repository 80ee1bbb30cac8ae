// SPDX-License-Identifier: Apache-2.0
// Edits that undo themselves, for all modules.

#ifndef INDIM_TESTS_EDIT_IDENTITY_H_
#define INDIM_TESTS_EDIT_IDENTITY_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// Finish() without an edit, and after edits of every computation and every
// instruction that are undone. "": both give `module`'s bytes; else what went
// wrong.
std::string IdentityFault(const Module& module);

}  // namespace indim

#endif  // INDIM_TESTS_EDIT_IDENTITY_H_

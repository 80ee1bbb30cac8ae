// SPDX-License-Identifier: Apache-2.0
// The man page, indim(1), in the man macros that groff and mandoc read.

#ifndef INDIM_TOOLS_HELP_MAN_PAGE_H_
#define INDIM_TOOLS_HELP_MAN_PAGE_H_

#include <string>

#include "indim/tools/help/program.h"

namespace indim {

// All that help says, as one page.
std::string ManPage(const CommandProgram& program);

}  // namespace indim

#endif  // INDIM_TOOLS_HELP_MAN_PAGE_H_

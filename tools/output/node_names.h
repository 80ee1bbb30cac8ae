// SPDX-License-Identifier: Apache-2.0
// What people call instructions by.

#ifndef INDIM_TOOLS_OUTPUT_NODE_NAMES_H_
#define INDIM_TOOLS_OUTPUT_NODE_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Tells instructions of one name apart: main/while.3.
std::string PathOf(const Instruction& node);
// model.py:12; "": its metadata has no source.
std::string SourceLineOf(const Instruction& node);
// The op_name of its metadata, jit(f)/attention/dot_general, without its last
// part; "": it has none.
std::string ScopeOf(const Instruction& node);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_NODE_NAMES_H_

// SPDX-License-Identifier: Apache-2.0
// What two modules differ in, instruction by instruction. Names, ids, metadata
// and the order of instructions don't count.

#ifndef INDIM_TOOLS_DIFF_MODULE_DIFF_H_
#define INDIM_TOOLS_DIFF_MODULE_DIFF_H_

#include <cstdint>
#include <string>

#include "indim/ir/module.h"

namespace indim {

struct DiffOptions {
  bool metadata = false;  // counts too
  bool layouts = true;    // count
  bool color = false;
  int context = 2;  // unchanged lines around changes
};

struct ModuleDiff {
  // Lines as a unified diff has them, "@@" for each pair of computations.
  // Empty when nothing differs.
  std::string text;
  int64_t removed = 0;  // lines with "-"
  int64_t added = 0;    // lines with "+"
  bool equal() const { return removed == 0 && added == 0; }
};

// Computations are compared from the entries on, along matched calls; what no
// matched call leads to is compared with an equal computation, else with one of
// the same name. A changed instruction is shown as "-" and "+"; what only uses
// it is not. Linear in instructions and operands.
ModuleDiff DiffModules(const Module& a, const Module& b,
                       const DiffOptions& options = {});

}  // namespace indim

#endif  // INDIM_TOOLS_DIFF_MODULE_DIFF_H_

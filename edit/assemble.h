// SPDX-License-Identifier: Apache-2.0
// Assembles the module that an EditGraph describes, still without inference.

#ifndef INDIM_EDIT_ASSEMBLE_H_
#define INDIM_EDIT_ASSEMBLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "indim/edit/edit_graph.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/column.h"

namespace indim::internal {

struct Assembled {
  std::shared_ptr<ModuleData> data;
  Column<uint32_t> nodes;              // by position in the new module
  std::vector<uint32_t> computations;  // numbers in the graph, by index
  // Instructions, or computations, that need each other; then `data` is null.
  std::vector<uint32_t> cycle;
  bool cycle_of_computations = false;
};

// Orders computations and instructions, and copies them. State of the module
// that depends on the entry's signature, or on ids, is the old one's
// (RewriteModuleState).
Assembled Assemble(EditGraph* graph);

}  // namespace indim::internal

#endif  // INDIM_EDIT_ASSEMBLE_H_

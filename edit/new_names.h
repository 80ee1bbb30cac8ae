// SPDX-License-Identifier: Apache-2.0
// Names of new instructions and computations, different from all others.

#ifndef INDIM_EDIT_NEW_NAMES_H_
#define INDIM_EDIT_NEW_NAMES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/edit/edit_graph.h"
#include "indim/ir/module_data.h"

namespace indim::internal {

// Gives ".1", ".2", ... to the names of new nodes (`nodes` are those of `data`,
// by position) and new computations (`computations`, by index) that are taken;
// untouched ones keep theirs. In a module whose names are from a file, a new
// node without a name gets one of its opcode and id. New names go to the pools
// of `graph`.
void NameNew(absl::Span<const uint32_t> nodes,
             absl::Span<const uint32_t> computations, EditGraph* graph,
             ModuleData* data);

}  // namespace indim::internal

#endif  // INDIM_EDIT_NEW_NAMES_H_

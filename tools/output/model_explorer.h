// SPDX-License-Identifier: Apache-2.0
// Modules as the JSON that Google's Model Explorer opens (the package
// ai-edge-model-explorer of PyPI; its graph_builder.py is the format).

#ifndef INDIM_TOOLS_OUTPUT_MODEL_EXPLORER_H_
#define INDIM_TOOLS_OUTPUT_MODEL_EXPLORER_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// A collection of graphs, one for each computation, the entry first.
// Instructions stand in the layers of their op_name, and lead to the graphs of
// the computations that they call.
std::string ModelExplorerJson(const Module& module);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_MODEL_EXPLORER_H_

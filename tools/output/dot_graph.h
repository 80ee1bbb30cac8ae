// SPDX-License-Identifier: Apache-2.0
// Computations as graphs for Graphviz.

#ifndef INDIM_TOOLS_OUTPUT_DOT_GRAPH_H_
#define INDIM_TOOLS_OUTPUT_DOT_GRAPH_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// A digraph in Graphviz's language: instructions with their shapes, operands
// numbered where there are several, the result with a thick edge.
std::string DotGraph(const Computation& computation);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_DOT_GRAPH_H_

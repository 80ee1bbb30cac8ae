// Names in a module: unique, as XLA wants them.

#ifndef INDIM_BUILDER_UNIQUE_NAMES_H_
#define INDIM_BUILDER_UNIQUE_NAMES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/ir/module_data.h"

namespace indim::internal {

// Gives a new name ("x" becomes "x.1", "x.2", ...) to every computation, and
// every named instruction, whose name another one has that comes first; also to
// an instruction whose name is what an unnamed one will be called ("add.17").
// What a file left nameless counts as unnamed. The last computation, the entry,
// comes first of all, so its names stay. The pools of `*data` must be its own,
// and its ids the default ones. `named`: the entry's instructions that have
// names are among these, in order. Source: XLA wants names unique across a
// module.
void MakeNamesUnique(ModuleData* data, absl::Span<const uint32_t> named);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_UNIQUE_NAMES_H_

// MakeNamesUnique: gives a module unique names, which XLA requires.

#ifndef INDIM_BUILDER_UNIQUE_NAMES_H_
#define INDIM_BUILDER_UNIQUE_NAMES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/ir/module_data.h"

namespace indim::internal {

// Gives a new name ("x" becomes "x.1", "x.2", ...) to every computation and
// named instruction whose name an earlier one has, or whose name an unnamed
// instruction will get ("add.17"). A name that a file left empty counts as
// unnamed. The last computation, the entry, comes first, so its names stay. The
// pools of `*data` must not be shared, and its ids must be the default ones.
// `named` contains, in order, all instructions of the entry that have names.
// Source: XLA requires names unique across a module.
void MakeNamesUnique(ModuleData* data, absl::Span<const uint32_t> named);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_UNIQUE_NAMES_H_

// SPDX-License-Identifier: Apache-2.0
// FlatBorder: a module whose parameters are arrays and whose result is an array
// or a tuple of arrays, as plugins want them.

#ifndef INDIM_RUN_COMPILE_FLAT_BORDER_H_
#define INDIM_RUN_COMPILE_FLAT_BORDER_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim::pjrt {

// Whether a plugin takes the entry's parameters and result as they are: no
// token, no tuple in a tuple, and a tuple only as the one parameter.
bool HasFlatBorder(const Module& module);

// Each array of a parameter becomes a parameter, depth first, and the result's
// arrays the elements of one tuple. A token is no parameter and no result any
// more: inside, a new one stands for it (effects stay in the program, and one
// run follows another). Aliases, donors and shardings of the
// arrays stay. InvalidArgument: errors of the editor (edit/editor.h).
absl::StatusOr<Module> WithFlatBorder(const Module& module);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_FLAT_BORDER_H_

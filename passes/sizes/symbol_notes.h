// SPDX-License-Identifier: Apache-2.0
// Symbol notes: named sizes in a form that XLA reads. They become `?`, and a
// frontend attribute of each instruction keeps its full shape, from which
// SymbolsFromFrontendAttributes restores it. XLA's CPU compiler refuses `?`:
// Refine (refine.h) makes a module that compiles.
//
//   %d = f32[?,4] dot(...), frontend_attributes={indim.shape="f32[2*n,4];
//   n>=1"}

#ifndef INDIM_PASSES_SIZES_SYMBOL_NOTES_H_
#define INDIM_PASSES_SIZES_SYMBOL_NOTES_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// Gives every instruction with a symbol in its shape a note, and `?` instead.
Module SymbolsToFrontendAttributes(Module module);

// The reverse: turns notes into shapes and removes them. InvalidArgument: a
// note that isn't a shape, or whose shape isn't Compatible with the
// instruction's.
absl::StatusOr<Module> SymbolsFromFrontendAttributes(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_SYMBOL_NOTES_H_

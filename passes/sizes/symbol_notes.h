// Symbols in a form that XLA reads: sizes that have names become `?`, and each
// instruction keeps its own shape as a frontend attribute, from which it comes
// back.
//
//   %d = f32[?,4] dot(...), frontend_attributes={indim.shape="f32[2*n,4];
//   n>=1"}

#ifndef INDIM_PASSES_SIZES_SYMBOL_NOTES_H_
#define INDIM_PASSES_SIZES_SYMBOL_NOTES_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// Every instruction whose shape has a symbol gets a note and `?`.
Module NoteSymbols(Module module);

// The reverse: notes become shapes and are taken away. InvalidArgument: a note
// that is no shape, or whose shape isn't Compatible with the instruction's.
absl::StatusOr<Module> RestoreSymbols(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_SYMBOL_NOTES_H_

// SPDX-License-Identifier: Apache-2.0
// ExtractCone: the part of a module that computes given instructions.

#ifndef INDIM_EDIT_PASSES_EXTRACT_H_
#define INDIM_EDIT_PASSES_EXTRACT_H_

#include <vector>

#include "absl/types/span.h"
#include "indim/edit/editor.h"

namespace indim {

struct ExtractOptions {
  // Where the cone ends: each of these instructions becomes a parameter, behind
  // the others, with its name and shape. Those that aren't needed are ignored.
  std::vector<InstructionRef> inputs;
  // Whether parameters that nothing uses stay.
  bool keep_parameters = false;
};

// Reduces the editor's module to what computes `results`, instructions of one
// computation: that becomes the entry, its root is the one result, or a tuple
// of them. Instructions that they don't need are erased, also those with side
// effects, and so are computations that nothing calls any more. The state of
// the old result (its layout and sharding, aliases) is dropped, and where
// another computation becomes the entry, the state of the old parameters too;
// warnings say so (IND1020). IND1012: no result was given. IND1002: results or
// inputs of several computations.
void ExtractCone(Editor* editor, absl::Span<const InstructionRef> results,
                 const ExtractOptions& options = {},
                 Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_EXTRACT_H_

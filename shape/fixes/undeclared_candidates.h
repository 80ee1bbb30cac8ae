// SPDX-License-Identifier: Apache-2.0
// Changes that may mend an error which no declared constraint has: shape
// functions find it.

#ifndef INDIM_SHAPE_FIXES_UNDECLARED_CANDIDATES_H_
#define INDIM_SHAPE_FIXES_UNDECLARED_CANDIDATES_H_

#include <cstdint>
#include <vector>

#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"

namespace indim {

// Nobody edits longer lists, or searches more dims, by hand.
inline constexpr int64_t kMostDims = 64;

// The numbers of an attribute of `inputs`.
DimIndices NumbersOf(const AttributeRef& list, const OpInputs& inputs);
// These numbers for an attribute.
Fix Listed(const AttributeRef& list, DimIndices numbers);

// Possible changes for the code of `diagnostic`, the likeliest first; the
// caller tries whether inference succeeds.
std::vector<Fix> UndeclaredCandidates(const OpInputs& inputs,
                                      const Diagnostic& diagnostic);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_UNDECLARED_CANDIDATES_H_

// SPDX-License-Identifier: Apache-2.0
// Paths of derivatives, for messages.

#ifndef INDIM_GRAD_PATHS_H_
#define INDIM_GRAD_PATHS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "indim/grad/linearizer.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/rendered.h"

namespace indim::internal {

// A path from the root of the node's computation through the node to a
// parameter: "%root, %node, %x", its middle left out where it is long.
// `is_needed`: whether a derivative of the root may pass an instruction;
// `is_active`: whether it has tangents.
std::string PathThrough(const Instruction& node,
                        absl::FunctionRef<bool(const Instruction&)> is_needed,
                        absl::FunctionRef<bool(const Instruction&)> is_active);

// Why the gradient of the entry's parameter is zero, as a warning for people:
// no result depends on it (IND1403), or an instruction ends each path
// (IND1402), without positions, which are of a copy of the caller's module.
// nullopt: a path is left, so it isn't zero, or by chance.
std::optional<RenderedDiagnostic> WhyZero(const Module& module,
                                          int64_t parameter);

}  // namespace indim::internal

#endif  // INDIM_GRAD_PATHS_H_

// SPDX-License-Identifier: Apache-2.0
// Paths of derivatives, for messages.

#ifndef INDIM_GRAD_PATHS_H_
#define INDIM_GRAD_PATHS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "indim/grad/linearizer.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::internal {

// A path from the root of the node's computation through the node to a
// parameter: "%root, %node, %x", its middle left out where it is long.
// `is_needed`: whether a derivative of the root may pass an instruction;
// `is_active`: whether it has tangents.
std::string PathThrough(const Instruction& node,
                        absl::FunctionRef<bool(const Instruction&)> is_needed,
                        absl::FunctionRef<bool(const Instruction&)> is_active);

// Why the gradient of its computation's root by an instruction is zero: the
// root doesn't depend on it, or each path to the root ends at `cut`, if not
// before, which may run computations; `inside` is where it ends in those.
struct ZeroGradient {
  std::optional<Instruction> cut, inside;

  // A warning (IND1402, IND1403) of what is called `by`.
  Diagnostic Warning(std::string by) const {
    return MakeDiagnostic(cut ? Code::kZeroGradient : Code::kUnusedInGradient,
                          {std::move(by)});
  }
};
// nullopt: a path is left, so it isn't zero, or by chance.
std::optional<ZeroGradient> WhyZero(const Instruction& by);

}  // namespace indim::internal

#endif  // INDIM_GRAD_PATHS_H_

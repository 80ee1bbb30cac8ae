// SPDX-License-Identifier: Apache-2.0
// Splats: constants of several equal elements, as StableHLO has them. In HLO
// one is a scalar constant and its broadcast, as XLA brings it in. A program
// may also have such a broadcast of its own; the name tells them apart, in
// files too.
//
//   constant.2 = f32[] constant(1)
//   splat_1 = f32[1000,1000] broadcast(constant.2), dimensions={}

#ifndef INDIM_IR_SPLAT_H_
#define INDIM_IR_SPLAT_H_

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

inline constexpr absl::string_view kSplatName = "splat";

// "splat", "splat_1", and what XLA makes of them: "splat_1.7.clone".
bool IsSplatName(absl::string_view name);

// Whether it is such a broadcast, of a static shape, of a scalar whose value is
// known.
bool IsSplat(const Instruction& instruction);

}  // namespace indim

#endif  // INDIM_IR_SPLAT_H_

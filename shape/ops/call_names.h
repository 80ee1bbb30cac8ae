// SPDX-License-Identifier: Apache-2.0
// What the functions for operations are called: call_names.def.

#ifndef INDIM_SHAPE_OPS_CALL_NAMES_H_
#define INDIM_SHAPE_OPS_CALL_NAMES_H_

#include "absl/strings/string_view.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

struct CallNames {
  absl::string_view cpp;     // in XLA's builder and in ours: "Mul"
  absl::string_view python;  // "": that of C++, in small letters
};
CallNames CallNamesOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_CALL_NAMES_H_

// SPDX-License-Identifier: Apache-2.0
// Arguments of the entry that share memory with results, or whose memory is
// given away.

#ifndef INDIM_STABLEHLO_EXPORT_ALIASES_H_
#define INDIM_STABLEHLO_EXPORT_ALIASES_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module.h"

namespace indim::stablehlo_export {

struct Alias {
  int64_t argument = 0;  // a leaf of the parameters
  int64_t result = 0;    // a leaf of the result
  bool must = false;     // XLA refuses to compile where it can't be
};
struct Aliases {
  std::vector<Alias> aliases;
  std::vector<int64_t> donors;  // leaves of the parameters
};
// Those of the module, by leaf. Pairs that name no leaf are left out: the
// verifier refuses them.
Aliases AliasesOf(const Module& module);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_ALIASES_H_

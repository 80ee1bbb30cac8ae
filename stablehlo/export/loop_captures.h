// SPDX-License-Identifier: Apache-2.0
// What a loop passes on unchanged.

#ifndef INDIM_STABLEHLO_EXPORT_LOOP_CAPTURES_H_
#define INDIM_STABLEHLO_EXPORT_LOOP_CAPTURES_H_

#include <vector>

#include "indim/ir/module.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// For each element of a loop's tuple whether its body passes it on unchanged;
// none unless the loop has a sharding. HLO's regions capture nothing, so such
// an element may be a value that StableHLO's regions capture. XLA makes
// captures of all of them when it reads StableHLO, and then refuses a sharding
// that has parts for them: it adds those itself.
std::vector<bool> LoopCaptures(const Instruction& loop);

// The elements of `all` that aren't captured.
template <typename T>
std::vector<T> WithoutCaptures(const std::vector<T>& all,
                               const std::vector<bool>& captures) {
  std::vector<T> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i >= captures.size() || !captures[i]) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_LOOP_CAPTURES_H_

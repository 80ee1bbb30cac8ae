// SPDX-License-Identifier: Apache-2.0
// Custom calls that say how a value is spread over devices, and hand it on.

#ifndef INDIM_SHARDING_ANNOTATION_CALLS_H_
#define INDIM_SHARDING_ANNOTATION_CALLS_H_

#include "absl/strings/string_view.h"

namespace indim {

inline bool IsAnnotationCall(absl::string_view target) {
  for (const absl::string_view annotation :
       {"Sharding", "LocalToGlobalShape", "GlobalToLocalShape",
        "xla.sdy.LocalToGlobalShape", "xla.sdy.GlobalToLocalShape",
        "xla.sdy.FuncResultSharding"}) {
    if (target == annotation) return true;
  }
  return false;
}

// Those, and where each device has its part for itself, or no longer.
inline bool IsShardingCall(absl::string_view target) {
  return IsAnnotationCall(target) || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape";
}

}  // namespace indim

#endif  // INDIM_SHARDING_ANNOTATION_CALLS_H_

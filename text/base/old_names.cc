// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/old_names.h"

#include "absl/types/span.h"

namespace indim {
namespace {

struct OldName {
  absl::string_view old;
  absl::string_view now;
};

// Opcodes of XLA from 2017 to 2019, and MLIR's name of the barrier.
constexpr OldName kOps[] = {
    {"cross-replica-sum", "\"all-reduce\""},
    {"generate-token", "\"after-all\""},
    {"optimization-barrier", "\"opt-barrier\""},
    {"equal-to", "\"compare\" with direction=EQ"},
    {"not-equal-to", "\"compare\" with direction=NE"},
    {"greater-than", "\"compare\" with direction=GT"},
    {"greater-than-or-equal-to", "\"compare\" with direction=GE"},
    {"less-than", "\"compare\" with direction=LT"},
    {"less-than-or-equal-to", "\"compare\" with direction=LE"},
};

constexpr OldName kAttributes[] = {
    {"window_bounds", "slice_sizes"},
    {"output_window_dims", "offset_dims"},
    {"elided_window_dims", "collapsed_slice_dims"},
    {"gather_dims_to_operand_dims", "start_index_map"},
    {"all_reduce_id", "channel_id"},
};

absl::string_view Find(absl::Span<const OldName> names, absl::string_view old) {
  for (const OldName& name : names) {
    if (name.old == old) return name.now;
  }
  return "";
}

}  // namespace

absl::string_view NewOpName(absl::string_view old) { return Find(kOps, old); }

absl::string_view NewAttributeName(absl::string_view old) {
  return Find(kAttributes, old);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Releases of StableHLO as portable artifacts name them.

#ifndef INDIM_STABLEHLO_BYTECODE_RELEASE_H_
#define INDIM_STABLEHLO_BYTECODE_RELEASE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// The newest release whose operations the tables hold (vhlo_table.h).
inline constexpr Version kNewestRelease = {1, 22, 0};
// The oldest release whose artifacts StableHLO promises to read.
inline constexpr Version kOldestRelease = {0, 9, 0};
// The oldest release that artifacts are written for.
inline constexpr Version kOldestTarget = {1, 0, 0};
// The release that artifacts are written for unless the caller names one. In
// August 2026 it was 12 weeks old: the age that StableHLO advises where the age
// of the reader isn't known.
inline constexpr Version kDefaultTarget = {1, 16, 2};

// "1.17.0"; an error (InvalidArgument) for any other form.
absl::StatusOr<Version> ParseRelease(absl::string_view text);

// The error that `what`, which is in artifacts from `since` on, is in one for
// an older release.
std::string NeedText(absl::string_view what, Version since, Version target);

// The version of MLIR's bytecode format that artifacts of a release use.
int BytecodeFormatOf(Version release);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_RELEASE_H_

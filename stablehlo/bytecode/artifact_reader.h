// SPDX-License-Identifier: Apache-2.0
// Reads portable artifacts: StableHLO programs as VHLO in MLIR's bytecode.

#ifndef INDIM_STABLEHLO_BYTECODE_ARTIFACT_READER_H_
#define INDIM_STABLEHLO_BYTECODE_ARTIFACT_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// The bytes begin like MLIR's bytecode. Portable artifacts do.
bool IsBytecode(absl::string_view bytes);

// The release of StableHLO that an artifact was written for. Errors
// (InvalidArgument): it isn't MLIR bytecode, or StableHLO didn't write it.
absl::StatusOr<Version> ReleaseOfArtifact(absl::string_view bytes);

// Reads an artifact of StableHLO 0.9.0 or later as a program of StableHLO, as
// MLIR's text of it would say: attributes at their defaults are left out, and
// operations of older versions are the current ones. Operations and attributes
// of Shardy are kept.
//
// Errors (InvalidArgument, with the byte that is wrong): the bytes are
// malformed, end too early, or are of a newer format; operations, attributes or
// types are unknown or of a dialect that no portable artifact has; an operation
// lacks a required attribute, or uses a value before it is defined. Memory is
// proportional to the bytes, but for bools, of which a byte holds eight.
absl::StatusOr<Ir> ReadArtifact(absl::string_view bytes);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ARTIFACT_READER_H_

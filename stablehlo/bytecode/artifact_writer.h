// SPDX-License-Identifier: Apache-2.0
// Writes portable artifacts: StableHLO programs as VHLO in MLIR's bytecode.

#ifndef INDIM_STABLEHLO_BYTECODE_ARTIFACT_WRITER_H_
#define INDIM_STABLEHLO_BYTECODE_ARTIFACT_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

struct ArtifactOptions {
  // Readers of this release of StableHLO and later ones read the artifact.
  Version target = kDefaultTarget;
  // Operations and attributes of Shardy, and the few builtin attributes that
  // VHLO lacks, are written as they are, for every target, as JAX does.
  // StableHLO itself reads such artifacts from 1.11.0 on. false: they are
  // refused.
  bool mixed = true;
};

// The artifact of `ir`, to which it adds attributes and types. Equal programs
// have equal artifacts.
//
// Operations of newer releases are written in their older forms where these say
// the same; stablehlo.tan, which is newer than 1.0.0, as sine, cosine and
// divide. Names of values, and the types of collectives' channels, are lost.
//
// Errors (InvalidArgument, naming the operation): the target lies outside
// [kOldestTarget, kNewestRelease]; an operation, attribute or type needs a
// later release, which is named; it can't be in a portable artifact at all
// (CHLO, for one: make it a composite); an operation lacks a required
// attribute.
absl::StatusOr<std::string> WriteArtifact(Ir* ir,
                                          const ArtifactOptions& options = {});

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ARTIFACT_WRITER_H_

// SPDX-License-Identifier: Apache-2.0
// Writing modules as StableHLO: MLIR text, or a portable artifact.
//
//   absl::StatusOr<std::string> text = WriteStablehlo(module);
//
//   StablehloWriteOptions options;
//   options.form = StablehloForm::kArtifact;
//   options.release = "1.10.0";
//   absl::StatusOr<std::string> artifact = WriteStablehlo(module, options);
//
// A program has operations of StableHLO and CHLO only. An instruction that they
// can't express is an error that says what to do (IND1280). Properties that
// StableHLO has no place for, such as names and schedules, are left out.
// docs/stablehlo.md has both lists. io/write.h writes files.

#ifndef INDIM_STABLEHLO_WRITE_H_
#define INDIM_STABLEHLO_WRITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

enum class StablehloForm : uint8_t {
  // The text that MLIR prints, with the operations' own forms.
  kText,
  // Text in the generic form, which every release of MLIR reads: own forms were
  // added over time.
  kGenericText,
  // A portable artifact: VHLO in MLIR's bytecode, which readers of the chosen
  // release and of later ones read.
  kArtifact,
};

struct StablehloWriteOptions {
  StablehloForm form = StablehloForm::kText;
  // Also write op_name, source positions and call stacks, as locations; where
  // an instruction has none, its name. Artifacts always have them.
  bool locations = false;
  // kArtifact: the release of StableHLO to write for, "1.10.0". Empty: the one
  // that was 12 weeks old when Indim was released.
  std::string release;
  // False: check only each node's shape, which the writer relies on, and don't
  // read the program back.
  bool verify = true;
};

// The module as a program of StableHLO: missing shapes are inferred, everything
// is verified, implicit broadcasts become explicit. The program is read back:
// what StableHLO's verifier refuses is an error too. Named sizes are written as
// `?`, as operations that take sizes at run time, and as custom calls
// shape_assertion for what must hold of them.
// InvalidArgument: the first error of the module, or an instruction that has no
// form; a release that isn't one, or that lacks something of the program (the
// message names the release that has it). Artifacts hold no CHLO: its functions
// of floats, top_k, mulhi and ragged_dot become composites with decompositions;
// scan, and functions of complex numbers, are errors.
absl::StatusOr<std::string> WriteStablehlo(
    const Module& module, const StablehloWriteOptions& options = {});

// What WriteStablehlo leaves out of this module, a text for each kind: "the
// schedule", "control dependencies of 2 instructions (add.3, ...)". Names, ids
// and types of metadata aren't listed; docs/stablehlo.md has all.
std::vector<std::string> LostAsStablehlo(const Module& module);

}  // namespace indim

#endif  // INDIM_STABLEHLO_WRITE_H_

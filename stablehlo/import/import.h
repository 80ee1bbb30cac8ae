// SPDX-License-Identifier: Apache-2.0
// Import: from a program of StableHLO, CHLO and func to a graph of HLO.

#ifndef INDIM_STABLEHLO_IMPORT_IMPORT_H_
#define INDIM_STABLEHLO_IMPORT_IMPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/text/base/text_errors.h"

namespace indim::stablehlo_import {

struct ImportOptions {
  // The name of the program in errors; instructions keep it with their lines.
  std::string file;
  // The text that the program was read from, which offsets are in. Empty: it
  // was read from bytecode.
  absl::string_view text;
  // Whether constants may lack their values, which whoever printed the program
  // left out; else it is an error (IND1208).
  bool allow_elided_constants = false;
  // Values of named sizes (StablehloReadOptions::sizes).
  DimExpr::Values sizes = {};
  // Where it isn't null, errors about constraints of StableHLO alone go here,
  // and the module is made (StablehloReadOptions::violations).
  absl::Status* violations = nullptr;
  // What the reader of the text found, as errors about constraints; by
  // ascending operations.
  absl::Span<const mlir::OperandMismatch> mismatches = {};
  // Where it isn't null, it gets what of the program the module has no place
  // for (stablehlo/read.h).
  std::vector<std::string>* left_out = nullptr;
  // The program was made, not read: the offset of an operation numbers what it
  // was made from, and is the line of the instructions that it becomes.
  bool numbered = false;
  // Where it isn't null, it gets the errors too, with their offsets.
  std::vector<TextError>* errors = nullptr;
};

// The module whose entry is the function @main, or the only public one, or the
// first. Each operation becomes the HLO operation that equals it, or several;
// regions become computations, and values that they capture parameters. The
// instructions have the types that the program declares: InferAndVerify
// (passes/check/infer_and_verify.h) compares them with inferred ones.
// InvalidArgument, with all errors of the program, written as for HLO text
// (text/base/text_errors.h): an operation that isn't known or has no form in
// HLO, wrong numbers of operands or regions, an attribute that is missing or of
// another kind, a constraint of StableHLO that HLO doesn't have.
absl::StatusOr<Module> ImportModule(const Ir& ir,
                                    const ImportOptions& options = {});

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_IMPORT_H_

// SPDX-License-Identifier: Apache-2.0
// Reading programs of StableHLO: MLIR text, or a portable artifact.
//
//   absl::StatusOr<Module> module = ReadStablehlo(bytes);
//
// The program becomes a graph of HLO (docs/stablehlo.md): each operation
// becomes the HLO operation that equals it, or several; regions and functions
// become computations. Unknown sizes get names (docs/symbols.md), and sizes
// that the program computes from them become expressions. io/read.h reads
// files.

#ifndef INDIM_STABLEHLO_READ_H_
#define INDIM_STABLEHLO_READ_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

struct StablehloRelease;

struct StablehloReadOptions {
  // The name of the program in errors, and of the text in the module
  // (Instruction::text_location).
  std::string name;
  // Where it isn't null, it gets what of the program the module has no place
  // for, a text for each kind: "jax.result_info of 2 results". Names of values
  // aren't listed; docs/stablehlo.md has all.
  std::vector<std::string>* left_out = nullptr;
  // dense_resource<__elided__>: accept it and read the constant without values.
  // Otherwise it is an error.
  bool allow_elided_constants = false;
  // Values of named sizes: an unknown size of an argument whose name has one is
  // that. Refine (passes/sizes/refine.h) gives names values later, but a
  // program may have operations for whose sizes HLO needs numbers.
  DimExpr::Values sizes = {};
  // Where it isn't null, it gets the modules of a file that holds several,
  // behind each other or one in another, but the first. Otherwise such a file
  // is an error (IND1211).
  std::vector<Module>* further = nullptr;
  // Where it isn't null, a program that breaks constraints of StableHLO
  // (IND1240) is read nevertheless, with custom calls of @indim.refused in the
  // place of operations that break them, so that the rest can be checked. It
  // gets, for each module, OK or the errors, as ReadStablehlo would return
  // them.
  std::vector<absl::Status>* violations = nullptr;
  // Where it isn't null, it gets the release that an artifact was written for,
  // and what in it needs which.
  StablehloRelease* release = nullptr;
  // The bytes are a text of operations without the function around them, as
  // `%0 = stablehlo.add %x, %y : tensor<2x3xf32>`: values that none of them
  // defines are parameters, results of the last one those of the module.
  bool is_statement = false;
};

// What the release of StableHLO means to an artifact.
struct StablehloRelease {
  std::string written_for;  // "1.10.0"; "": the program is a text
  // What only releases from one on have, the newest first: "1.6.0: algorithm of
  // stablehlo.dot_general", "1.4.0: stablehlo.tan".
  std::vector<std::string> needs;
};

// Reads text or an artifact of StableHLO 0.9.0 or later; the content tells
// which. It reads StableHLO, CHLO, func and the parts of Shardy, shape, arith
// and tensor that exported programs use, and checks StableHLO's own constraints
// where HLO's are less strict. Shapes stay as the program declares them:
// VerifyModule (passes/check/verify_module.h) compares them with the operands'.
// InvalidArgument: of text all errors found, each with its line and a caret; of
// an artifact the byte or the operation. Errors are also types that HLO lacks
// (quantized ones), operations without a form in HLO, and sizes that depend on
// data.
absl::StatusOr<Module> ReadStablehlo(absl::string_view bytes,
                                     const StablehloReadOptions& options = {});

}  // namespace indim

#endif  // INDIM_STABLEHLO_READ_H_

// SPDX-License-Identifier: Apache-2.0
// MLIR text.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"
#include "indim/tests/fuzz/fuzz_target.h"

namespace indim {

// What is printed is read, and then printed the same, in both forms.
std::string CheckMlirText(absl::string_view text) {
  const absl::StatusOr<mlir::Ir> ir = mlir::ParseMlirText(text);
  if (!ir.ok()) return "";
  for (const bool generic : {false, true}) {
    mlir::MlirPrintOptions options;
    options.generic = generic;
    options.locations = true;
    const std::string printed = mlir::PrintMlirText(*ir, options);
    const absl::StatusOr<mlir::Ir> back = mlir::ParseMlirText(printed);
    if (!back.ok()) {
      return absl::StrCat("what is printed can't be read: ",
                          back.status().message());
    }
    const std::string again = mlir::PrintMlirText(*back, options);
    if (again != printed) {
      return absl::StrCat("it is printed otherwise:\n", printed, "\n", again);
    }
  }
  return "";
}

}  // namespace indim

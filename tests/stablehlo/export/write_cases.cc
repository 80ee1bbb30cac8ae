// SPDX-License-Identifier: Apache-2.0
// Writes modules as StableHLO: write_cases FILE... OUT. For each FILE that is
// refused it prints why; the text of each other goes to OUT/NAME.mlir.
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/stablehlo/export/export.h"
#include "indim/stablehlo/text/print_mlir_text.h"

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const std::string out = argv[argc - 1];
  int refused = 0;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string path = argv[i];
    const auto module = indim::ReadModuleFile(path);
    if (!module.ok()) {
      std::cout << path << ": unreadable: " << module.status() << "\n";
      continue;
    }
    const indim::StablehloProgram program = indim::ToStablehlo(*module);
    if (!program.ok()) {
      ++refused;
      std::cout << path << ": refused\n"
                << indim::RenderReport(program.module, program.report);
      continue;
    }
    indim::mlir::MlirPrintOptions options;
    options.locations = true;
    const std::string name = path.substr(path.rfind('/') + 1);
    std::ofstream(absl::StrCat(out, "/", name, ".mlir"))
        << indim::mlir::PrintMlirText(program.ir, options);
  }
  std::cout << refused << " refused\n";
}

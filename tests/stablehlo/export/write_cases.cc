// Writes modules as StableHLO: write_cases FILE... OUT. For each FILE a line
// with its verdict; its text goes to OUT/NAME.mlir.
#include <fstream>
#include <iostream>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/stablehlo/export/export.h"
#include "tests/stablehlo/export/debug_text.h"

int main(int argc, char** argv) {
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
      std::cout << path << ": refused\n";
      for (const auto& d : program.report.diagnostics()) {
        std::cout << indim::RenderDiagnostic(program.module, d) << "\n";
        for (const auto& arg : d.diagnostic.args) {
          const auto* text = std::get_if<std::string>(&arg);
          if (text != nullptr) std::cout << "        " << *text << "\n";
        }
      }
      continue;
    }
    const std::string name = path.substr(path.rfind('/') + 1);
    std::ofstream(absl::StrCat(out, "/", name, ".mlir"))
        << indim::DebugText(program.ir);
  }
  std::cout << refused << " refused\n";
}

// Reads a module and verifies every node, Broadcastable ones in the mode that
// is given: docs/broadcastable.md, docs/tutorial.md.
//
//   verify_file MODULE.pb lenient|strict|mlir

#include <iostream>
#include <optional>

#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"

int main(int argc, char** argv) {
  std::optional<indim::BroadcastableMode> mode =
      indim::BroadcastableModeFromName(argc == 3 ? argv[2] : "");
  if (!mode) {
    std::cerr << "usage: verify_file MODULE.pb lenient|strict|mlir\n";
    return 2;
  }
  absl::StatusOr<indim::Module> module = indim::ReadModuleFile(argv[1]);
  if (!module.ok()) {
    std::cerr << module.status().message() << "\n";
    return 2;
  }
  indim::VerifyOptions options;
  options.mode = *mode;
  const indim::VerifyResult result = indim::VerifyModule(*module, options);
  std::cout << indim::RenderReport(*module, result.report) << result.inferred
            << " inferred, " << result.related << " related, "
            << result.unchecked << " unchecked; " << result.broadcastable
            << " broadcastable, " << result.report.error_count() << " wrong\n";
  return result.ok() ? 0 : 1;
}

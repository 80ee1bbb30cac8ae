// SPDX-License-Identifier: Apache-2.0
// Prints, for every breakage of the modules given, what Indim says, and the
// broken module: for tests/xla/broken_modules.py, which asks XLA of each.
#include <iostream>
#include <string>

#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/passes/breakage_verdict.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/proto/wire/wire_oracle.h"

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const auto bytes = indim::ReadFile(argv[k]);
    indim::proto::HloModuleProto module;
    if (!bytes.ok() || !module.ParseFromString(*bytes)) {
      std::cerr << argv[k] << " can't be read\n";
      return 1;
    }
    indim::ForEachBreakage(module, [&](const indim::Breakage& b,
                                       const indim::proto::HloModuleProto& m) {
      const std::string wire = indim::DeterministicBytes(m);
      const indim::BreakageVerdict verdict = indim::Verify(b, wire);
      std::cout << argv[k] << "\t" << Name(b.kind) << "\t" << b.opcode << "\t"
                << b.instruction << "\t" << b.field << "\t" << b.change << "\t"
                << (verdict.found       ? "found"
                    : verdict.elsewhere ? "elsewhere"
                                        : "missed")
                << "\t" << verdict.code << "\t" << wire.size() << "\n"
                << wire;
    });
  }
  return 0;
}

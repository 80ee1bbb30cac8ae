// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/fuzz/fuzz_target.h"

#include "indim/tests/fuzz/mutate.h"

namespace indim {

absl::Span<const FuzzTarget> FuzzTargets() {
  static constexpr FuzzTarget kTargets[] = {
      {"wire_import", CheckWireImport, MutateModuleBytes},
      {"proto_text", CheckProtoText, MutateModuleProtoText},
      {"hlo_text", CheckHloText, MutateText},
      {"shape_text", CheckShapeText, MutateText},
      {"query", CheckQuery, MutateText},
      {"explain", CheckExplain, MutateText},
      {"builder", CheckBuilder, MutateBytes},
      {"declared_calls", CheckDeclaredCalls, MutateBytes},
      {"editor", CheckEditor, MutateBytes},
      {"artifact", CheckArtifact, MutateBytes},
      {"mlir_text", CheckMlirText, MutateText},
      {"stablehlo_import", CheckStablehloImport, MutateText},
  };
  return kTargets;
}

const FuzzTarget* FindFuzzTarget(absl::string_view name) {
  for (const FuzzTarget& target : FuzzTargets()) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

}  // namespace indim

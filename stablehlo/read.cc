// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/read.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/needs.h"
#include "indim/stablehlo/import/import.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim {
namespace {

// The modules that have more in them than modules, in the order of the text.
// At least one.
std::vector<mlir::OpId> ModulesIn(const mlir::Ir& ir) {
  std::vector<mlir::OpId> found;
  std::vector<mlir::OpId> waiting = {ir.module_op()};
  while (!waiting.empty()) {
    const mlir::OpId module = waiting.back();
    waiting.pop_back();
    std::vector<mlir::OpId> inner;
    bool has_others = false;
    for (const mlir::RegionId region : ir.regions(ir.op(module))) {
      for (const mlir::BlockId block : ir.region(region).blocks) {
        for (const mlir::OpId op : ir.block(block).ops) {
          if (ir.name(ir.op(op)) == "builtin.module") {
            inner.push_back(op);
          } else {
            has_others = true;
          }
        }
      }
    }
    if (has_others) found.push_back(module);
    waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
  }
  if (found.empty()) found.push_back(ir.module_op());
  return found;
}

StablehloRelease ReleaseOf(const mlir::Ir& ir, mlir::Version version) {
  StablehloRelease release;
  release.written_for = ToString(version);
  for (const mlir::ReleaseNeed& need : mlir::NeedsOf(ir)) {
    release.needs.push_back(absl::StrCat(ToString(need.since), ": ",
                                         absl::StrJoin(need.what, ", ")));
  }
  return release;
}

}  // namespace

absl::StatusOr<Module> ReadStablehlo(absl::string_view bytes,
                                     const StablehloReadOptions& options) {
  const bool is_artifact = !options.is_statement && mlir::IsBytecode(bytes);
  std::vector<mlir::OperandMismatch> mismatches;
  auto* const kept = options.violations == nullptr ? nullptr : &mismatches;
  absl::StatusOr<mlir::Ir> ir =
      is_artifact            ? mlir::ReadArtifact(bytes)
      : options.is_statement ? mlir::ParseMlirStatement(bytes, options.name)
                             : mlir::ParseMlirText(bytes, options.name, kept);
  if (!ir.ok()) return ir.status();
  if (is_artifact && options.release != nullptr) {
    const absl::StatusOr<mlir::Version> version =
        mlir::ReleaseOfArtifact(bytes);
    if (version.ok()) *options.release = ReleaseOf(*ir, *version);
  }
  stablehlo_import::ImportOptions import;
  import.file = options.name;
  if (!is_artifact) import.text = bytes;
  import.allow_elided_constants = options.allow_elided_constants;
  import.sizes = options.sizes;
  import.left_out = options.left_out;
  std::stable_sort(mismatches.begin(), mismatches.end(),
                   [](const auto& a, const auto& b) { return a.op < b.op; });
  import.mismatches = mismatches;
  const std::vector<mlir::OpId> modules = ModulesIn(*ir);
  if (modules.size() > 1 && options.further == nullptr) {
    return WithFileName(
        options.name.empty() ? "the program" : options.name,
        ErrorWithCode(
            absl::StatusCode::kInvalidArgument, Code::kNoHloForm,
            absl::StrCat(
                "it holds ", modules.size(),
                " modules, and a graph is one of them; `indim check` checks "
                "each, for more put each in a file of its own")));
  }
  std::optional<Module> first;
  for (const mlir::OpId module : modules) {
    ir->SetModule(module);
    absl::Status violations;
    if (options.violations != nullptr) import.violations = &violations;
    absl::StatusOr<Module> made = stablehlo_import::ImportModule(*ir, import);
    if (!made.ok()) return made;
    if (options.violations != nullptr) {
      options.violations->push_back(std::move(violations));
    }
    if (!first.has_value()) {
      first = *std::move(made);
    } else {
      options.further->push_back(*std::move(made));
    }
  }
  return *std::move(first);
}

}  // namespace indim

#include "indim/passes/export.h"

#include <optional>
#include <utility>
#include <vector>

#include "indim/ir/file.h"
#include "indim/ir/missing_values.h"
#include "indim/ir/report.h"
#include "indim/ir/wire_writer.h"
#include "indim/passes/expand_broadcasts.h"
#include "indim/passes/expanded_writer.h"
#include "indim/passes/infer_shapes.h"
#include "indim/passes/lay_out.h"
#include "indim/passes/spelling.h"
#include "indim/passes/verify_module.h"

namespace indim {
namespace {

// Shapes that are in the pools but on no instruction don't count, so this looks
// at each distinct shape once and then for its instruction.
void CheckSpelling(const Module& module, Report* report) {
  const ShapeTable& shapes = module.data().pools->shapes();
  std::vector<bool> bad(shapes.size(), false);
  bool any = false;
  for (uint32_t id = 1; id < shapes.size(); ++id) {
    bad[id] = !HasXlaSpelling(shapes.shape(ShapeId{id}));
    any = any || bad[id];
  }
  if (!any) return;
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      if (!bad[instruction.record().shape.value]) continue;
      Diagnostic d;
      d.rule = Rule::kNoXlaSpelling;
      report->Add({std::move(d), static_cast<uint32_t>(computation.index()),
                   static_cast<uint32_t>(instruction.index())});
    }
  }
}

// Nor can XLA make up what a constant's values are.
void CheckValues(const Module& module, Report* report) {
  for (const Instruction& constant : ConstantsWithoutValues(module.data())) {
    report->Add({MissingValuesError("XLA"),
                 static_cast<uint32_t>(constant.computation().index()),
                 static_cast<uint32_t>(constant.index())});
  }
}

ExpandedModule Expand(Module module, ExportCheck check) {
  InferOptions fill;
  fill.only_missing = true;
  InferResult inferred = InferShapes(std::move(module), fill);
  if (!inferred.report.ok()) {
    return {std::move(inferred.module), std::move(inferred.report)};
  }
  const bool all =
      check == ExportCheck::kAll || inferred.module.computation_count() == 0;
  VerifyResult verified =
      all ? VerifyModule(inferred.module) : VerifyShapes(inferred.module);
  if (!verified.ok()) {
    return {std::move(inferred.module), std::move(verified.report)};
  }
  Report unsayable;
  CheckSpelling(inferred.module, &unsayable);
  CheckValues(inferred.module, &unsayable);
  if (!unsayable.ok()) {
    return {std::move(inferred.module), std::move(unsayable)};
  }
  const bool recorded = inferred.module.is_recorded();
  ExpandResult expanded = ExpandBroadcasts(std::move(inferred.module));
  if (all && recorded && expanded.report.ok()) {
    // XLA's builder takes more than its verifier, which sees the result.
    expanded.report = VerifyShapes(expanded.module).report;
  }
  if (expanded.report.ok())
    expanded.module = LayOut(std::move(expanded.module));
  return {std::move(expanded.module), std::move(expanded.report)};
}

}  // namespace

ExpandedModule ExpandForXla(Module module) {
  return Expand(std::move(module), ExportCheck::kAll);
}

absl::StatusOr<std::string> ExportHloModuleProto(Module module,
                                                 const ExportOptions& options) {
  const ExportCheck check =
      options.verify ? ExportCheck::kAll : ExportCheck::kShapes;
  std::optional<std::string> bytes = VerifyExpandAndWrite(module, check);
  if (bytes) return *std::move(bytes);
  const ExpandedModule expanded = Expand(std::move(module), check);
  if (!expanded.report.ok()) return ToStatus(expanded.module, expanded.report);
  return SerializeModule(expanded.module);
}

absl::Status WriteHloModuleProto(const Module& module, absl::string_view path,
                                 const WriteOptions& options) {
  if (!options.external_min_bytes.has_value()) {
    std::optional<FileWriter> file;
    const std::optional<absl::Status> written = VerifyExpandAndWriteTo(
        module, ExportCheck::kAll,
        [&] {
          absl::StatusOr<FileWriter> opened = FileWriter::Open(path);
          if (opened.ok()) file.emplace(*std::move(opened));
          return opened.status();
        },
        [&](absl::string_view bytes) { return file->Write(bytes); });
    if (written) return written->ok() ? file->Commit() : *written;
  }
  const ExpandedModule expanded = ExpandForXla(module);
  if (!expanded.report.ok()) return ToStatus(expanded.module, expanded.report);
  return WriteModuleFile(expanded.module, ModuleWrapper(), path, options);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/read_back.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/stablehlo/import/import.h"
#include "indim/text/base/text_errors.h"

namespace indim {
namespace {

// `offset`: OffsetOf of the instruction, or nobody's.
void Refuse(mlir::Offset offset, absl::string_view message,
            StablehloProgram* program) {
  ModuleDiagnostic d;
  d.diagnostic.code = Code::kNoStablehloForm;
  d.diagnostic.args = {absl::StrCat("breaks a rule there: ", message),
                       "write it as operations that keep the rule"};
  d.computation = d.instruction = kNowhere;
  const ModuleData& data = internal::DataOf(program->module);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const uint64_t first = data.computations[c].first;
    if (offset <= first || offset > first + data.computations[c].count) {
      continue;
    }
    d.computation = c;
    d.instruction = static_cast<uint32_t>(offset - first - 1);
  }
  program->report.Add(std::move(d));
}

void AddErrors(const Module& module, const Report& found,
               StablehloProgram* program) {
  for (const ModuleDiagnostic& d : found.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    const std::optional<Instruction> instruction = InstructionAt(module, d);
    mlir::Offset offset = 0;
    if (instruction.has_value()) {
      offset =
          internal::DataOf(module).places->at(instruction->position()).line;
    }
    Refuse(offset, MessageText(module, d), program);
  }
}

}  // namespace

void ReadBack(StablehloProgram* program) {
  std::vector<TextError> errors;
  stablehlo_import::ImportOptions options;
  options.numbered = true;
  options.errors = &errors;
  absl::StatusOr<Module> read =
      stablehlo_import::ImportModule(program->ir, options);
  for (const TextError& error : errors) {
    Refuse(error.offset, error.message, program);
  }
  if (!read.ok()) {
    if (errors.empty()) Refuse(0, read.status().message(), program);
    return;
  }
  const InferAndVerifyResult result = InferAndVerify(*std::move(read));
  AddErrors(result.inferred.module, result.inferred.report, program);
  AddErrors(result.inferred.module, result.verified.report, program);
}

}  // namespace indim

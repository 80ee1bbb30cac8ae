#include <cmath>

#include "indim/edit/editor.h"
#include "indim/edit/pattern.h"
#include "indim/examples/passes/native_passes.h"

namespace indim {

absl::StatusOr<std::optional<Module>> CallSoftsign(const Module& module) {
  Editor editor(module);
  absl::StatusOr<Pattern> tanh = Pattern::Parse("tanh(parameter(0)): f32");
  if (!tanh.ok()) return tanh.status();
  for (const InstructionRef fusion : editor.FindAll(Opcode::kFusion)) {
    const ComputationRef body = editor.callees(fusion)[0];
    if (!tanh->Match(editor, editor.root(body))) continue;
    CustomCallAttributes attributes;
    attributes.api_version = kApiTypedFfi;
    Insertion at = editor.Before(fusion);
    const Op call =
        at->CustomCall("softsign", {at.Use(editor.operands(fusion)[0])},
                       editor.shape(fusion), attributes);
    editor.ReplaceAllUses(fusion, at.Insert(call));
    editor.Erase(fusion);
  }
  EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return std::move(result.module);
}

absl::Status Softsign(const pjrt::CustomCall& call) {
  const auto* const from = static_cast<const float*>(call.arguments[0].data);
  auto* const to = static_cast<float*>(call.results[0].data);
  const int64_t count = call.results[0].shape.ElementCount().value_or(0);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] / (1 + std::abs(from[i]));
  return absl::OkStatus();
}

}  // namespace indim

#include <cmath>

#include "indim/edit/pattern.h"
#include "indim/examples/passes/native_passes.h"

namespace indim {

absl::Status CallSoftsign(Editor& editor) {
  absl::StatusOr<Pattern> tanh = Pattern::Parse("tanh(parameter(0)): f32");
  if (!tanh.ok()) return tanh.status();
  for (const InstructionRef fusion : editor.FindAll(Opcode::kFusion)) {
    if (!tanh->Match(editor, editor.root(editor.callees(fusion)[0]))) continue;
    Insertion at = editor.Before(fusion);
    const Op x = at.Use(editor.operands(fusion)[0]);
    const Op y = at->CustomCall("softsign", {x}, editor.shape(fusion),
                                pjrt::TypedCall());
    editor.ReplaceAllUses(fusion, at.Insert(y));
    editor.Erase(fusion);
  }
  return absl::OkStatus();
}

absl::Status Softsign(const pjrt::CustomCall& call) {
  const absl::Span<const float> x = call.arguments[0].values<float>();
  const absl::Span<float> y = call.results[0].values<float>();
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i] / (1 + std::abs(x[i]));
  return absl::OkStatus();
}

}  // namespace indim

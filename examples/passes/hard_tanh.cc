#include "indim/edit/editor.h"
#include "indim/edit/pattern.h"
#include "indim/examples/passes/native_passes.h"

namespace indim {

absl::StatusOr<std::optional<Module>> HardTanh(const Module& module) {
  Editor editor(module);
  absl::StatusOr<Pattern> tanh = Pattern::Parse("tanh(?x): f32");
  if (!tanh.ok()) return tanh.status();
  for (const PatternMatch& match : FindAll(editor, *tanh)) {
    Insertion at = editor.Before(match.root);
    const Op clamped = at->Clamp(at->ConstantR0(-1.0f), at.Use(match["x"]),
                                 at->ConstantR0(1.0f));
    editor.ReplaceAllUses(match.root, at.Insert(clamped));
    editor.Erase(match.root);
  }
  EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return std::move(result.module);
}

}  // namespace indim

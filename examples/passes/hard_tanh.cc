#include "indim/edit/pattern.h"
#include "indim/examples/passes/native_passes.h"

namespace indim {

absl::Status HardTanh(Editor& editor) {
  absl::StatusOr<Pattern> tanh = Pattern::Parse("tanh(?x): f32");
  if (!tanh.ok()) return tanh.status();
  for (const PatternMatch& match : FindAll(editor, *tanh)) {
    Insertion at = editor.Before(match.root);
    const Op clamped = at->Clamp(at->ConstantR0(-1.0f), at.Use(match["x"]),
                                 at->ConstantR0(1.0f));
    editor.ReplaceAllUses(match.root, at.Insert(clamped));
    editor.Erase(match.root);
  }
  return absl::OkStatus();
}

}  // namespace indim

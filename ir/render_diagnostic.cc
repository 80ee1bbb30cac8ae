// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/render_diagnostic.h"

#include <optional>
#include <string>

namespace indim {

RenderedDiagnostic Rendered(const Module& module, const ModuleDiagnostic& d,
                            absl::string_view within) {
  RenderedDiagnostic r;
  r.diagnostic = d.diagnostic;
  if (const std::optional<Instruction> at = InstructionAt(module, d)) {
    r.computation = d.computation;
    r.instruction = at->position();
    r.computation_name = std::string(at->computation().name());
    r.instruction_name = at->text_name();
    const SourceLocation source = at->location();
    r.file = source.file;
    r.line = source.line;
    const SourceLocation text = at->text_location();
    r.text_file = text.file;
    r.text_position = {text.line, text.column};
  }
  r.message = MessageText(module, d, within);
  r.fix = FixText(module, d, within);
  r.text = RenderDiagnostic(module, d, within);
  return r;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// RenderedDiagnostic: a diagnostic with its place and its texts, for programs
// that show it or word it themselves. It needs nothing else to live on.

#ifndef INDIM_SHAPE_DIAGNOSTICS_RENDERED_H_
#define INDIM_SHAPE_DIAGNOSTICS_RENDERED_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {

struct RenderedDiagnostic {
  // The code, its severity, and the numbers of operands and dims.
  Diagnostic diagnostic;
  // The file and the line of the program; "" and 0: not known.
  std::string file;
  int64_t line = 0;
  // Where a text has it; "": not known.
  std::string text_file;
  TextPosition text_position;
  // The instruction of a module and its computation: their positions, -1: none,
  // and their names.
  int64_t computation = -1;
  int64_t instruction = -1;
  std::string computation_name;
  std::string instruction_name;
  // "add can't match f32[8,10] with f32[10]: ranks differ, ..."
  std::string message;
  // "Add(dot.3, bias, {1}) matches dim 0 of bias with ..."; "": no fix known.
  std::string fix;
  // The whole text, ending in a newline: the place, the message, the code, and
  // below them a picture and the fix.
  std::string text;
};

// A diagnostic of a call without a graph. With a line its place stands first.
RenderedDiagnostic Rendered(Diagnostic diagnostic,
                            const DiagnosticSubject& subject,
                            absl::string_view file = "", int64_t line = 0,
                            std::string fix = "");

// An error whose message is a report that begins with the text of `d`.
absl::Status ErrorOf(absl::StatusCode kind, const RenderedDiagnostic& d,
                     absl::string_view report);

}  // namespace indim

#endif  // INDIM_SHAPE_DIAGNOSTICS_RENDERED_H_

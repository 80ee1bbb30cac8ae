// CallDiagnostic: an error or a warning of a builder about one call, in parts,
// for programs that word it themselves.

#ifndef INDIM_BUILDER_CALL_DIAGNOSTIC_H_
#define INDIM_BUILDER_CALL_DIAGNOSTIC_H_

#include <string>

#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

struct CallDiagnostic {
  // The code, its severity, and the numbers of operands and dims.
  Diagnostic diagnostic;
  // The caller's file and line; "" and 0: not given.
  std::string file;
  int line = 0;
  // "add can't match f32[8,10] with f32[10]: ranks differ, ..."
  std::string message;
  // "Add(dot.3, bias, {1}) matches dim 0 of bias with ..."; "": no fix known.
  std::string fix;
  // The whole text as in ComputationBuilder::DiagnosticsText(), ending in a
  // newline.
  std::string text;
};

}  // namespace indim

#endif  // INDIM_BUILDER_CALL_DIAGNOSTIC_H_

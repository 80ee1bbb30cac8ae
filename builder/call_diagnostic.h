// What a builder found wrong (or odd) with one call, for programs that say it
// in their own words.

#ifndef INDIM_BUILDER_CALL_DIAGNOSTIC_H_
#define INDIM_BUILDER_CALL_DIAGNOSTIC_H_

#include <string>

#include "indim/shape/rules/diagnostic.h"

namespace indim {

struct CallDiagnostic {
  // The rule, its severity, operands and dims by number.
  Diagnostic diagnostic;
  // The caller's; empty: it said none.
  std::string file;
  int line = 0;
  // "add can't match f32[8,10] with f32[10]: ranks differ, ..."
  std::string message;
  // "Add(dot.3, bias, {1}) matches dim 0 of bias with ..."; "": not known.
  std::string fix;
  // All of it, as ComputationBuilder::DiagnosticsText() has it, ending in a
  // newline.
  std::string text;
};

}  // namespace indim

#endif  // INDIM_BUILDER_CALL_DIAGNOSTIC_H_

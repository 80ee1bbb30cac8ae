// Reading HLO text.
//
//   absl::StatusOr<Module> m = ParseHloText("ENTRY e { ROOT c = f32[] ... }");
//
// Every module that XLA's text parser reads is read. Linear in its input;
// nothing recurses deeper than XLA's own limit.

#ifndef INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_
#define INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

struct ParseOptions {
  // Names the text in errors.
  std::string file;
  // `constant({...})` is read as a constant without values (its literal is
  // absent) instead of an error.
  bool allow_elided_constants = false;
  // Layouts that are left out are made: {rank-1, ..., 0}, as XLA does.
  bool fill_missing_layouts = true;
  // Sizes may be expressions over symbols, f32[2*n+1,m], which XLA's text has
  // not; `scope` and the header (symbol_facts.h) say what is known of them.
  // Printing writes such sizes as they are, and what is known in the header.
  bool symbols = false;
  SymbolScope scope;
};

// Reads a module with or without its header, or instructions without a
// computation: the last is the root unless one says ROOT, and an operand with a
// shape that nothing before it is named becomes a parameter (reference: XLA's
// hlo_parser.cc, which reads one such instruction). A byte order mark may stand
// in front. An instruction's result shape may be left out where it can be
// inferred. InvalidArgument with all errors found (text_errors.h): file, line,
// column, the line and a caret, what was expected, the nearest name. Declared
// shapes are believed: VerifyModule (passes/check/verify_module.h) compares
// them with the operands'.
absl::StatusOr<Module> ParseHloText(absl::string_view text,
                                    const ParseOptions& options = {});

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_

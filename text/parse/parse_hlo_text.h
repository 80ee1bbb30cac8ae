// SPDX-License-Identifier: Apache-2.0
// Reads HLO text.
//
//   absl::StatusOr<Module> m = ParseHloText("ENTRY e { ROOT c = f32[] ... }");
//
// It reads every module that XLA's text parser reads. Time is linear in the
// input; recursion is not deeper than XLA's own limit.

#ifndef INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_
#define INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

struct ParseOptions {
  // The name of the text in errors.
  std::string file;
  // `constant({...})` gives a constant without values (without a literal)
  // instead of an error.
  bool allow_elided_constants = false;
  // Arrays without a layout get {rank-1, ..., 0}, as in XLA.
  bool fill_missing_layouts = true;
  // Sizes may be expressions over symbols, f32[2*n+1,m], which XLA's text
  // lacks. `scope` and the header (symbol_facts.h) have facts about the
  // symbols. The printer writes such sizes unchanged, and the facts in the
  // header, which is read without this too.
  bool symbols = false;
  SymbolScope scope;
};

// Reads a module with or without its header, or instructions without a
// computation. In the latter the last one is the root unless one is marked
// ROOT, and an operand with a shape and an unknown name becomes a parameter
// (source: XLA's hlo_parser.cc, which reads one such instruction). A byte order
// mark may precede the text. An instruction may omit a result shape that can be
// inferred. InvalidArgument with all errors found (text_errors.h): file, line,
// column, the line and a caret, what was expected, the nearest name. It doesn't
// check declared shapes: VerifyModule (passes/check/verify_module.h) compares
// them with the operands'.
absl::StatusOr<Module> ParseHloText(absl::string_view text,
                                    const ParseOptions& options = {});

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_PARSE_HLO_TEXT_H_

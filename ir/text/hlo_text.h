// HLO text, both ways: what people read and write.
//
//   absl::StatusOr<Module> m = ParseHloText("ENTRY e { ROOT c = f32[] ... }");
//   std::string text = PrintHloText(*m);
//
// Every module that XLA's text parser reads is read, and what is printed is
// what XLA prints, byte for byte. Both are linear in their input; nothing
// recurses deeper than XLA's own limit.

#ifndef INDIM_IR_TEXT_HLO_TEXT_H_
#define INDIM_IR_TEXT_HLO_TEXT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/text/print_options.h"
#include "indim/shape/dim_expr.h"

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
// shapes are believed: VerifyModule (passes/verify_module.h) compares them with
// the operands'.
absl::StatusOr<Module> ParseHloText(absl::string_view text,
                                    const ParseOptions& options = {});

// XLA's HloModule::ToString(options); of a recorded module what
// docs/hlo_text.md, "Recorded modules", says, which ParseHloText reads back to
// the same bytes (large_constants or not, constants of more than ten elements
// aside). Total: a module that XLA would refuse is
// printed as well as it can be, and what has too many bodies inside bodies
// (PrintOptions::max_body_text) with names instead of the last.
std::string PrintHloText(const Module& module,
                         const PrintOptions& options = {});

// The same in pieces, for `sink`, none of them valid after its call: of a text
// of any size only a few MiB, and the line that is being printed, are held.
// ResourceExhausted: there were names instead of bodies, because those would be
// larger than options.max_body_text or nest deeper than 200 levels.
absl::Status PrintHloText(const Module& module, const PrintOptions& options,
                          absl::FunctionRef<void(absl::string_view)> sink);

}  // namespace indim

#endif  // INDIM_IR_TEXT_HLO_TEXT_H_

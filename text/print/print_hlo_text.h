// SPDX-License-Identifier: Apache-2.0
// Printing HLO text.
//
//   std::string text = PrintHloText(module);
//
// The text is the same as XLA's, byte for byte. Time is linear in the input;
// recursion is not deeper than XLA's own limit.

#ifndef INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_
#define INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/base/print_options.h"

namespace indim {

// XLA's HloModule::ToString(options). For a recorded module the text follows
// docs/hlo_text.md, "Recorded modules"; ParseHloText reads it back to the same
// bytes (without large_constants except constants of more than ten elements).
// It prints any module, also one that XLA would refuse, as well as it can; past
// options.max_body_text it prints names instead of bodies.
std::string PrintHloText(const Module& module,
                         const PrintOptions& options = {});

// Prints in pieces to `sink`; a piece is valid only during its call. Memory
// holds a few MiB and the current line, whatever the size of the text.
// ResourceExhausted: it printed names instead of bodies, which would exceed
// options.max_body_text or nest deeper than 200 levels.
absl::Status PrintHloText(const Module& module, const PrintOptions& options,
                          absl::FunctionRef<void(absl::string_view)> sink);

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_

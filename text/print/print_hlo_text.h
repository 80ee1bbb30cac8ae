// Printing HLO text.
//
//   std::string text = PrintHloText(module);
//
// What is printed is what XLA prints, byte for byte. Linear in its input;
// nothing recurses deeper than XLA's own limit.

#ifndef INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_
#define INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/base/print_options.h"

namespace indim {

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

#endif  // INDIM_TEXT_PRINT_PRINT_HLO_TEXT_H_

// SPDX-License-Identifier: Apache-2.0
// Prints the first line of a module's text: its name and its attributes.

#ifndef INDIM_TEXT_PRINT_MODULE_HEADER_H_
#define INDIM_TEXT_PRINT_MODULE_HEADER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/base/print_options.h"

namespace indim {

// Appends "HloModule name, is_scheduled=true, entry_computation_layout={...}",
// in XLA's order (HloModule::Print, PrintConfig), without a newline. `name` is
// the module's, as printed. `append_entry_layout` appends that part to `out`,
// if there is an entry.
void AppendModuleHeader(const Module& module, absl::string_view name,
                        const PrintOptions& options,
                        absl::FunctionRef<void()> append_entry_layout,
                        std::string* out);

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_MODULE_HEADER_H_

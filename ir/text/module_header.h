// The first line of a module's text: its name and what is said of it as a
// whole.

#ifndef INDIM_IR_TEXT_MODULE_HEADER_H_
#define INDIM_IR_TEXT_MODULE_HEADER_H_

#include <string>

#include "indim/ir/module.h"
#include "indim/ir/text/print_options.h"

namespace indim {

// "HloModule name, is_scheduled=true, entry_computation_layout={...}", in XLA's
// order (HloModule::Print, PrintConfig). No newline at the end.
void AppendModuleHeader(const Module& module, const PrintOptions& options,
                        std::string* out);

}  // namespace indim

#endif  // INDIM_IR_TEXT_MODULE_HEADER_H_

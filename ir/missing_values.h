// Constants without values: XLA's dumps write `constant({...})` for large ones
// unless told otherwise, as our own `indim print` does. Such a constant has no
// literal in the graph, and says {...} in every text.

#ifndef INDIM_IR_MISSING_VALUES_H_
#define INDIM_IR_MISSING_VALUES_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"

namespace indim {

// In the module's order. `data` must outlive them.
std::vector<Instruction> ConstantsWithoutValues(const ModuleData& data);

// IND0812 about the first of them, which counts the others; nullopt: there is
// none.
std::optional<ModuleDiagnostic> MissingValuesWarning(const ModuleData& data);

// IND0813: what `needs` them ("XLA", "evaluation") can't be had.
Diagnostic MissingValuesError(absl::string_view needs);

}  // namespace indim

#endif  // INDIM_IR_MISSING_VALUES_H_

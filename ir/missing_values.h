// SPDX-License-Identifier: Apache-2.0
// Constants without values. XLA's dumps print large constants as
// `constant({...})` by default, and so does `indim print`. Such a constant has
// no literal in the graph, and is {...} in every text.

#ifndef INDIM_IR_MISSING_VALUES_H_
#define INDIM_IR_MISSING_VALUES_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"

namespace indim {

// Whether `r` is such a constant.
bool LacksValues(const ModuleData& data, const InstructionRecord& r);

// These constants in the module's order. `data` must outlive them.
std::vector<Instruction> ConstantsWithoutValues(const ModuleData& data);

// IND0812 about the first such constant, with their number; nullopt: there is
// none.
std::optional<ModuleDiagnostic> MissingValuesWarning(const ModuleData& data);

// IND0813: values are missing that `needs` ("XLA", "evaluation") requires.
Diagnostic MissingValuesError(absl::string_view needs);

}  // namespace indim

#endif  // INDIM_IR_MISSING_VALUES_H_

// SPDX-License-Identifier: Apache-2.0
// Costs and statistics as JSON, one object a module: what `indim cost --json`
// and `indim stats --json` write (docs/cost.md has the fields).

#ifndef INDIM_TOOLS_COST_COST_JSON_H_
#define INDIM_TOOLS_COST_COST_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/passes/cost/cost.h"
#include "indim/passes/cost/peak_memory.h"
#include "indim/passes/cost/statistics.h"
#include "indim/tools/cost/cost_rows.h"

namespace indim {

// `path` is what the object calls the file, `rows` are put together by `by`.
std::string CostJson(absl::string_view path, const CostReport& report,
                     const absl::StatusOr<MemoryUse>& memory,
                     absl::Span<const CostSum> rows, CostKey by);

// "argument", "result", "temporary", "temporary in a result".
absl::string_view Name(MemoryUse::Value::Kind kind);

std::string StatisticsJson(absl::string_view path, const Module& module,
                           const ModuleStatistics& all);

}  // namespace indim

#endif  // INDIM_TOOLS_COST_COST_JSON_H_

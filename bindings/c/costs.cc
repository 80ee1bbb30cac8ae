// SPDX-License-Identifier: Apache-2.0
// What modules hold and cost, as JSON.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/passes/cost/cost.h"
#include "indim/passes/cost/peak_memory.h"
#include "indim/passes/cost/statistics.h"
#include "indim/tools/cost/cost_json.h"
#include "indim/tools/cost/cost_rows.h"

namespace indim::capi {
extern "C" {

indim_error* indim_module_cost_json(const indim_module* module,
                                    const char* path, size_t path_size,
                                    const indim_cost_options* options,
                                    indim_bytes** json) {
  return GuardOptions(
      {{"module", module}, {"path", path, path_size}, {"json", json}},
      "indim_cost_options", options, [&](const indim_cost_options& given) {
        const absl::string_view by = Text(given.by, given.by_size);
        const std::optional<CostKey> key =
            by.empty() ? CostKey::kInstruction : CostKeyFromName(by);
        if (!key) {
          return Misuse(absl::StrCat("costs have no rows by '", by, "'"));
        }
        if (!IsList(given.branches, given.branch_count)) {
          return NullArgument("branches");
        }
        std::vector<std::string> texts;
        for (const indim_text& text :
             List(given.branches, given.branch_count)) {
          texts.emplace_back(Text(text.data, text.size));
        }
        auto weights = BranchWeightsFrom(texts);
        if (!weights.ok()) return ErrorOf(weights.status());
        CostOptions how;
        how.branch_weights = *std::move(weights);
        const absl::StatusOr<CostReport> report = Cost(module->module, how);
        if (!report.ok()) return ErrorOf(report.status());
        return GiveNew(
            CostJson(Text(path, path_size), *report, PeakMemory(module->module),
                     CostSums(*report, *key), *key),
            json);
      });
}

indim_error* indim_module_statistics_json(const indim_module* module,
                                          const char* path, size_t path_size,
                                          indim_bytes** json) {
  return Guard(
      {{"module", module}, {"path", path, path_size}, {"json", json}}, [&] {
        return GiveNew(StatisticsJson(Text(path, path_size), module->module,
                                      Statistics(module->module)),
                       json);
      });
}

}  // extern "C"
}  // namespace indim::capi

// SPDX-License-Identifier: Apache-2.0
// indim stats: what is in modules.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/cost/statistics.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/cost/cost_json.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/node_names.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/output/quantity_text.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

using NamedCounts = std::map<std::string, int64_t>;

using StatsRows = std::vector<std::vector<std::string>>;

// "1 loop", "2 loops".
std::string Counted(int64_t count, absl::string_view thing) {
  return absl::StrCat(count, " ", thing, count == 1 ? "" : "s");
}

std::string HeldText(const ModuleStatistics::Held& held,
                     absl::string_view thing) {
  return absl::StrCat(Counted(held.count, thing), ", ", ShortBytes(held.bytes));
}

// The most frequent first.
std::vector<std::pair<std::string, int64_t>> Sorted(const NamedCounts& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(),
                                                      counts.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

void PrintCounts(absl::string_view title, const NamedCounts& counts) {
  if (counts.empty()) return;
  StatsRows rows;
  for (const auto& [name, count] : Sorted(counts)) {
    rows.push_back({name, absl::StrCat(count)});
  }
  std::cout << title << ":\n" << TextTable(rows);
}

void PrintOne(const std::string& file, const Module& module,
              const ModuleStatistics& all) {
  std::cout << file << ": module " << module.name() << ", "
            << Counted(all.computations, "computation") << ", "
            << Counted(all.instructions, "instruction") << "\n"
            << HeldText(all.parameters, "parameter") << "; "
            << HeldText(all.results, "result") << "; "
            << HeldText(all.constants, "constant") << "\n";
  PrintCounts("operations", all.opcodes);
  if (!all.loops.empty()) {
    StatsRows rows;
    for (const ModuleStatistics::Loop& loop : all.loops) {
      rows.push_back({PathOf(loop.loop),
                      loop.steps ? Counted(*loop.steps, "step")
                                 : std::string("steps unknown"),
                      SourceLineOf(loop.loop)});
    }
    std::cout << "loops:\n" << TextTable(rows);
  }
  if (!all.collectives.empty()) {
    StatsRows rows = {{"", "operation", "bytes", "groups", "of", "source"}};
    for (const ModuleStatistics::Collective& c : all.collectives) {
      rows.push_back(
          {PathOf(c.instruction), std::string(c.instruction.opcode_name()),
           ShortBytes(c.bytes), c.groups == 0 ? "all" : absl::StrCat(c.groups),
           c.groups == 0 ? "" : absl::StrCat(c.group_size),
           SourceLineOf(c.instruction)});
    }
    std::cout << "collectives, with the bytes of their operands:\n"
              << TextTable(rows);
  }
  PrintCounts("custom calls, by target", all.custom_calls);
  PrintCounts("source files", all.source_files);
}

int64_t Total(const NamedCounts& counts) {
  int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

// A row of the table of several files.
std::vector<std::string> RowOf(const std::string& file,
                               const ModuleStatistics& all) {
  return {file,
          absl::StrCat(all.computations),
          absl::StrCat(all.instructions),
          ShortBytes(all.parameters.bytes),
          ShortBytes(all.results.bytes),
          ShortBytes(all.constants.bytes),
          absl::StrCat(all.loops.size()),
          absl::StrCat(all.collectives.size()),
          absl::StrCat(Total(all.custom_calls))};
}

}  // namespace

int RunStats(absl::Span<const std::string> paths) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const std::vector<PathInFolder> files = ModuleFiles(paths);
  const bool is_json = absl::GetFlag(FLAGS_json);
  StatsRows rows = {{"file", "computations", "instructions", "parameters",
                     "results", "constants", "loops", "collectives",
                     "custom calls"}};
  NamedCounts opcodes, custom_calls;
  ProgressStage stage("");
  int exit = kExitOk;
  FilesDone done{0, files.size()};
  for (const PathInFolder& file : files) {
    stage.Next(done.Text(ReadingText(file.path)));
    ++done.done;
    const absl::StatusOr<WrappedModule> read =
        file.status.ok() ? ReadModuleAndWarn(file.path)
                         : absl::StatusOr<WrappedModule>(file.status);
    if (!read.ok()) {
      stage.Done();
      exit = Fail(WithFileName(file.path, read.status()));
      continue;
    }
    const ModuleStatistics all = Statistics(read->module);
    if (is_json) {
      std::cout << StatisticsJson(file.path, read->module, all) << "\n";
    } else if (files.size() == 1) {
      PrintOne(file.path, read->module, all);
    } else {
      rows.push_back(RowOf(file.path, all));
      for (const auto& [name, count] : all.opcodes) opcodes[name] += count;
      for (const auto& [name, count] : all.custom_calls) {
        custom_calls[name] += count;
      }
    }
  }
  stage.Done();
  if (rows.size() > 1) {
    std::cout << TextTable(rows);
    PrintCounts("operations of all", opcodes);
    PrintCounts("custom calls of all, by target", custom_calls);
  }
  return exit;
}

}  // namespace indim

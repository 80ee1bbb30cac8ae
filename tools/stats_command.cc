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
#include "indim/tools/formats.h"
#include "indim/tools/output/json_writer.h"
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

// The place that tells loops of one name apart: main/while.3.
std::string PathOf(const Instruction& node) {
  return absl::StrCat(node.computation().name(), "/", node.text_name());
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
      rows.push_back({PathOf(loop.loop), loop.steps
                                             ? Counted(*loop.steps, "step")
                                             : std::string("steps unknown")});
    }
    std::cout << "loops:\n" << TextTable(rows);
  }
  if (!all.collectives.empty()) {
    StatsRows rows;
    for (const auto& [name, held] : all.collectives) {
      rows.push_back({name, absl::StrCat(held.count), ShortBytes(held.bytes)});
    }
    std::cout << "collectives, with the bytes of their operands:\n"
              << TextTable(rows);
  }
  PrintCounts("custom calls, by target", all.custom_calls);
  PrintCounts("source files", all.source_files);
}

std::string CountsJson(const NamedCounts& counts) {
  JsonWriter json;
  for (const auto& [name, count] : counts) json.Add(name, count);
  return json.text();
}

std::string HeldJson(const ModuleStatistics::Held& held) {
  return JsonWriter()
      .Add("count", held.count)
      .AddRaw("bytes", AmountJson(held.bytes))
      .text();
}

void PrintStatsJson(const std::string& file, const Module& module,
                    const ModuleStatistics& all) {
  std::vector<std::string> loops;
  for (const ModuleStatistics::Loop& loop : all.loops) {
    JsonWriter json;
    json.Add("computation", loop.loop.computation().name())
        .Add("instruction", loop.loop.text_name());
    if (loop.steps) {
      json.Add("steps", *loop.steps);
    } else {
      json.AddNull("steps");
    }
    loops.push_back(json.text());
  }
  JsonWriter collectives;
  for (const auto& [name, held] : all.collectives) {
    collectives.AddRaw(name, HeldJson(held));
  }
  std::cout << JsonWriter()
                   .Add("file", file)
                   .Add("module", module.name())
                   .Add("computations", all.computations)
                   .Add("instructions", all.instructions)
                   .AddRaw("parameters", HeldJson(all.parameters))
                   .AddRaw("results", HeldJson(all.results))
                   .AddRaw("constants", HeldJson(all.constants))
                   .AddRaw("operations", CountsJson(all.opcodes))
                   .AddList("loops", loops)
                   .AddRaw("collectives", collectives.text())
                   .AddRaw("custom_calls", CountsJson(all.custom_calls))
                   .AddRaw("source_files", CountsJson(all.source_files))
                   .text()
            << "\n";
}

int64_t Total(const NamedCounts& counts) {
  int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

// A row of the table of several files.
std::vector<std::string> RowOf(const std::string& file,
                               const ModuleStatistics& all) {
  int64_t collectives = 0;
  for (const auto& [name, held] : all.collectives) collectives += held.count;
  return {file,
          absl::StrCat(all.computations),
          absl::StrCat(all.instructions),
          ShortBytes(all.parameters.bytes),
          ShortBytes(all.results.bytes),
          ShortBytes(all.constants.bytes),
          absl::StrCat(all.loops.size()),
          absl::StrCat(collectives),
          absl::StrCat(Total(all.custom_calls))};
}

}  // namespace

int RunStats(absl::Span<const std::string> paths) {
  const std::vector<PathInFolder> files = ModuleFiles(paths);
  const bool is_json = absl::GetFlag(FLAGS_json);
  StatsRows rows = {{"file", "computations", "instructions", "parameters",
                     "results", "constants", "loops", "collectives",
                     "custom calls"}};
  NamedCounts opcodes;
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
      PrintStatsJson(file.path, read->module, all);
    } else if (files.size() == 1) {
      PrintOne(file.path, read->module, all);
    } else {
      rows.push_back(RowOf(file.path, all));
      for (const auto& [name, count] : all.opcodes) opcodes[name] += count;
    }
  }
  stage.Done();
  if (rows.size() > 1) {
    std::cout << TextTable(rows);
    PrintCounts("operations of all", opcodes);
  }
  return exit;
}

}  // namespace indim

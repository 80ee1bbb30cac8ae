// SPDX-License-Identifier: Apache-2.0
// indim cost: what a module computes and moves.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/cost/cost.h"
#include "indim/passes/cost/peak_memory.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/attributes.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/output/quantity_text.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

// The scope of an op_name: what stands before its last part.
std::string ScopeOf(const Instruction& node) {
  const absl::string_view op_name =
      FieldList(WireMessage::kOpMetadata, node.metadata())
          .Text(field::OpMetadata::kOpName);
  const size_t slash = op_name.rfind('/');
  if (op_name.empty()) return "(no op_name)";
  return std::string(
      slash == absl::string_view::npos ? op_name : op_name.substr(0, slash));
}

std::string LineOf(const Instruction& node) {
  const SourceLocation place = node.location();
  if (place.file.empty()) return "(no source)";
  return absl::StrCat(place.file, ":", place.line);
}

// What --by puts together.
std::string KeyOf(const Instruction& node, absl::string_view by) {
  if (by == "opcode") return std::string(node.opcode_name());
  if (by == "line") return LineOf(node);
  if (by == "scope") return ScopeOf(node);
  if (by == "computation") return std::string(node.computation().name());
  return absl::StrCat(node.computation().name(), "/", node.text_name());
}

struct Group {
  std::string key;
  Costs costs;
  Amount operations() const { return costs.flops + costs.transcendentals; }
};

// Those that cost anything, the dominating ones first: by operations, then by
// bytes.
std::vector<Group> Groups(const CostReport& report, absl::string_view by) {
  std::map<std::string, Costs> sums;
  for (const InstructionCost& cost : report.instructions) {
    if ((cost.total.flops + cost.total.transcendentals + cost.total.bytes) ==
        Amount(0)) {
      continue;
    }
    sums[KeyOf(cost.instruction, by)] += cost.total;
  }
  std::vector<Group> groups;
  groups.reserve(sums.size());
  for (auto& [key, costs] : sums) groups.push_back({key, std::move(costs)});
  const auto rank = [](const Group& group) {
    return std::make_pair(group.operations().Estimate(),
                          group.costs.bytes.Estimate());
  };
  std::stable_sort(
      groups.begin(), groups.end(),
      [&](const Group& a, const Group& b) { return rank(a) > rank(b); });
  return groups;
}

// "#####" for a quarter of all.
std::string Bar(double share) {
  constexpr int kWidth = 20;
  const double filled = std::round(std::clamp(share, 0.0, 1.0) * kWidth);
  return std::string(static_cast<size_t>(filled), '#');
}

std::string Percent(double part, double all) {
  if (all <= 0) return "";
  return absl::StrCat(std::lround(100 * part / all), " %");
}

void PrintGroups(const std::vector<Group>& groups, absl::string_view by,
                 int64_t rows_wanted) {
  double all = 0, all_bytes = 0;
  for (const Group& group : groups) {
    all += group.operations().Estimate();
    all_bytes += group.costs.bytes.Estimate();
  }
  // Names are last, because they are long.
  std::vector<std::vector<std::string>> rows = {
      {"", "share", "FLOPs", "transcendentals", "bytes"}};
  std::vector<std::string> names = {std::string(by)};
  for (const Group& group : groups) {
    if (static_cast<int64_t>(names.size()) > rows_wanted) break;
    // Of a module that only moves bytes the bars are of these.
    const double part =
        all > 0 ? group.operations().Estimate() : group.costs.bytes.Estimate();
    const double whole = all > 0 ? all : all_bytes;
    rows.push_back({whole > 0 ? Bar(part / whole) : "", Percent(part, whole),
                    ShortCount(group.costs.flops),
                    ShortCount(group.costs.transcendentals),
                    ShortBytes(group.costs.bytes)});
    names.push_back(group.key);
  }
  const std::vector<std::string> lines =
      absl::StrSplit(TextTable(rows), '\n', absl::SkipEmpty());
  for (size_t i = 0; i < lines.size(); ++i) {
    std::cout << lines[i] << "   " << names[i] << "\n";
  }
  const auto left = static_cast<int64_t>(groups.size()) - rows_wanted;
  if (left > 0) std::cout << "  and " << left << " more (--rows)\n";
}

std::string SumText(const Costs& costs) {
  return absl::StrCat(ShortCount(costs.flops), " FLOPs, ",
                      ShortCount(costs.transcendentals), " transcendentals, ",
                      ShortBytes(costs.bytes), " accessed");
}

void PrintMemory(const MemoryUse& use) {
  const auto bytes = [](double n) { return ShortBytes(Amount(n)); };
  std::cout << "peak memory " << bytes(use.peak) << ": arguments "
            << bytes(use.arguments) << ", results " << bytes(use.results);
  if (use.reused > 0) {
    std::cout << " (" << bytes(use.reused) << " in donated arguments)";
  }
  std::cout << ", temporaries " << bytes(use.temporaries);
  if (use.temporaries > 0) std::cout << " at " << use.at.text_name();
  std::cout << "\n";
}

void PrintText(const std::string& file, const CostReport& report,
               const absl::StatusOr<MemoryUse>& memory,
               const std::vector<Group>& groups, absl::string_view by) {
  std::cout << file << ": " << SumText(report.total) << "\n";
  if (memory.ok()) {
    PrintMemory(*memory);
  } else {
    std::cout << "peak memory unknown: " << memory.status().message() << "\n";
  }
  const auto differs = [](const Amount& a, const Amount& b) {
    return !(a == b);
  };
  if (differs(report.xla.flops, report.total.flops) ||
      differs(report.xla.bytes, report.total.bytes) ||
      differs(report.xla.transcendentals, report.total.transcendentals)) {
    std::cout << "XLA counts " << SumText(report.xla)
              << ": loops once, a custom call as -1\n";
  }
  std::map<std::string, Amount> calls;
  for (const UnknownCost& unknown : report.unknown) {
    if (unknown.why == UnknownCost::Why::kSteps) {
      std::cout << "unknown: how often " << unknown.instruction.text_name()
                << " runs its body\n";
    } else {
      calls[As<CustomCallAttributes>(unknown.instruction.attributes())
                .target] += unknown.times;
    }
  }
  for (const auto& [target, times] : calls) {
    std::cout << "unknown: the custom call " << target << ", "
              << ShortCount(times) << " times\n";
  }
  PrintGroups(groups, by, absl::GetFlag(FLAGS_rows));
}

JsonWriter& AddCosts(const Costs& costs, JsonWriter* json) {
  return json->AddRaw("flops", AmountJson(costs.flops))
      .AddRaw("transcendentals", AmountJson(costs.transcendentals))
      .AddRaw("bytes", AmountJson(costs.bytes));
}

std::string MemoryJson(const MemoryUse& use) {
  const auto bytes = [](double n) { return AmountJson(Amount(n)); };
  return JsonWriter()
      .AddRaw("peak", bytes(use.peak))
      .AddRaw("arguments", bytes(use.arguments))
      .AddRaw("results", bytes(use.results))
      .AddRaw("reused", bytes(use.reused))
      .AddRaw("temporaries", bytes(use.temporaries))
      .AddRaw("constants", bytes(use.constants))
      .Add("is_scheduled", use.is_scheduled)
      .text();
}

void PrintCostJson(const std::string& file, const CostReport& report,
                   const absl::StatusOr<MemoryUse>& memory,
                   const std::vector<Group>& groups, const std::string& by) {
  JsonWriter json, xla;
  json.Add("file", file);
  AddCosts(report.total, &json);
  AddCosts(report.xla, &xla);
  std::vector<std::string> unknown, loops, rows;
  for (const UnknownCost& u : report.unknown) {
    unknown.push_back(JsonWriter()
                          .Add("instruction", u.instruction.text_name())
                          .Add("why", u.why == UnknownCost::Why::kSteps
                                          ? "steps"
                                          : "custom-call")
                          .AddRaw("times", AmountJson(u.times))
                          .text());
  }
  for (const LoopSteps& loop : report.loops) {
    loops.push_back(JsonWriter()
                        .Add("instruction", loop.loop.text_name())
                        .AddRaw("steps", AmountJson(loop.steps))
                        .text());
  }
  for (const Group& group : groups) {
    JsonWriter row;
    row.Add(by, group.key);
    rows.push_back(AddCosts(group.costs, &row).text());
  }
  json.AddRaw("xla", xla.text());
  if (memory.ok()) {
    json.AddRaw("memory", MemoryJson(*memory));
  } else {
    json.AddNull("memory");
  }
  std::cout << json.AddList("loops", loops)
                   .AddList("unknown", unknown)
                   .AddList("rows", rows)
                   .text()
            << "\n";
}

// "cond.3=0.9:0.1,cond.4=1:0"
absl::StatusOr<CostOptions> ReadCostOptions() {
  CostOptions options;
  for (const std::string& item : absl::GetFlag(FLAGS_branches)) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    std::vector<double>& weights = options.branch_weights[parts.first];
    for (const absl::string_view text : absl::StrSplit(parts.second, ':')) {
      double weight;
      if (!absl::SimpleAtod(text, &weight)) {
        return absl::InvalidArgumentError(
            absl::StrCat("--branches: '", item,
                         "' isn't a conditional's name and a weight of each "
                         "branch; expected NAME=W:W"));
      }
      weights.push_back(weight);
    }
  }
  return options;
}

// What --budget allows, by name.
absl::StatusOr<std::map<std::string, double>> ReadBudget() {
  std::map<std::string, double> budget;
  for (const std::string& item : absl::GetFlag(FLAGS_budget)) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    const std::optional<double> most = ParseQuantity(parts.second);
    if (!most || (parts.first != "flops" && parts.first != "bytes" &&
                  parts.first != "transcendentals" && parts.first != "peak")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--budget: '", item,
          "' is no limit; expected flops=N, transcendentals=N, bytes=N or "
          "peak=N, where N may have a unit: 1.5G, 2GiB"));
    }
    budget[parts.first] = *most;
  }
  return budget;
}

// Whether all is within the budget; else says what isn't.
bool IsWithin(const std::map<std::string, double>& budget,
              const std::string& file, const CostReport& report,
              const absl::StatusOr<MemoryUse>& memory) {
  const std::map<std::string, Amount> all = {
      {"flops", report.total.flops},
      {"transcendentals", report.total.transcendentals},
      {"bytes", report.total.bytes},
      {"peak", memory.ok() ? Amount(memory->peak) : Amount::Named("unknown")}};
  bool is_within = true;
  for (const auto& [name, most] : budget) {
    const Amount& used = all.at(name);
    if (used.is_number() && used.number() <= most) continue;
    is_within = false;
    std::cerr << file << ": error: " << name << " is " << used.ToString()
              << (used.is_number() ? ", more than the budget of "
                                   : ", which isn't known to be within the "
                                     "budget of ")
              << Amount(most).ToString() << "\n";
  }
  return is_within;
}

bool LacksShapes(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.shape().is_none()) return true;
    }
  }
  return false;
}

}  // namespace

int RunCost(absl::Span<const std::string> paths) {
  const absl::StatusOr<CostOptions> options = ReadCostOptions();
  if (!options.ok()) return Fail(options.status());
  const absl::StatusOr<std::map<std::string, double>> budget = ReadBudget();
  if (!budget.ok()) return Fail(budget.status());
  const std::string by = absl::GetFlag(FLAGS_by);
  const std::string& file = paths[0];
  ProgressStage stage(ReadingText(file));
  absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  Module module = std::move(read->module);
  if (LacksShapes(module)) {
    stage.Next(InstructionsText("inferring", module));
    InferResult inferred = InferShapes(std::move(module));
    if (!inferred.ok()) {
      stage.Done();
      std::cerr << RenderReport(inferred.module, inferred.report, file);
      return kExitErrors;
    }
    module = std::move(inferred.module);
  }
  stage.Next(InstructionsText("counting", module));
  const absl::StatusOr<CostReport> report = Cost(module, *options);
  if (!report.ok()) return Fail(WithFileName(file, report.status()));
  const absl::StatusOr<MemoryUse> memory = PeakMemory(module);
  const std::vector<Group> groups = Groups(*report, by);
  stage.Done();
  if (absl::GetFlag(FLAGS_json)) {
    PrintCostJson(file, *report, memory, groups, by);
  } else {
    PrintText(file, *report, memory, groups, by);
  }
  return IsWithin(*budget, file, *report, memory) ? kExitOk : kExitErrors;
}

}  // namespace indim

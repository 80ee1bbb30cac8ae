// SPDX-License-Identifier: Apache-2.0
// indim cost: what a module computes and moves.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/cost/cost.h"
#include "indim/passes/cost/peak_memory.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/attributes.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/cost/cost_json.h"
#include "indim/tools/cost/cost_rows.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/node_names.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/output/quantity_text.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

// "#####" for a quarter of all.
std::string Bar(double share) {
  constexpr int kWidth = 20;
  const double filled = std::round(std::clamp(share, 0.0, 1.0) * kWidth);
  return std::string(static_cast<size_t>(filled), '#');
}

std::string Percent(double part, double all) {
  if (all <= 0) return "";
  const double percent = 100 * part / all;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return percent < 9.95 ? absl::StrFormat("%.1f %%", percent)
                        : absl::StrFormat("%.0f %%", percent);
}

void PrintGroups(const std::vector<CostSum>& groups, CostKey by,
                 int64_t rows_wanted, bool is_cut) {
  if (rows_wanted <= 0) return;
  double all = 0, all_bytes = 0;
  for (const CostSum& group : groups) {
    all += group.costs.operations().Estimate();
    all_bytes += group.costs.bytes.Estimate();
  }
  // Names are last, because they are long.
  std::vector<std::vector<std::string>> rows = {
      {"", "share", "FLOPs", "transcendentals", "bytes"}};
  if (is_cut) rows[0].push_back("FLOPs of a device");
  std::vector<std::string> names = {std::string(Name(by))};
  for (const CostSum& group : groups) {
    if (static_cast<int64_t>(names.size()) > rows_wanted) break;
    // Of a module that only moves bytes the bars are of these.
    const double part = all > 0 ? group.costs.operations().Estimate()
                                : group.costs.bytes.Estimate();
    const double whole = all > 0 ? all : all_bytes;
    rows.push_back({whole > 0 ? Bar(part / whole) : "", Percent(part, whole),
                    ShortCount(group.costs.flops),
                    ShortCount(group.costs.transcendentals),
                    ShortBytes(group.costs.bytes)});
    if (is_cut) rows.back().push_back(ShortCount(group.on_device.flops));
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

void PrintDevice(const CostReport& report) {
  if (report.devices <= 1) return;
  std::cout << "each of " << report.devices << " devices: ";
  if (!report.is_cut) {
    std::cout << "all of it\n";
    return;
  }
  std::cout << SumText(report.on_device) << ", as far as shardings tell\n";
}

void PrintMemory(const MemoryUse& use) {
  const auto bytes = [](double n) { return ShortBytes(Amount(n)); };
  std::cout << "peak memory " << bytes(use.peak) << ": arguments "
            << bytes(use.arguments) << ", results " << bytes(use.results);
  if (use.reused > 0) {
    std::cout << " (" << bytes(use.reused) << " in donated arguments)";
  }
  std::cout << ", temporaries " << bytes(use.temporaries);
  if (use.temporaries > 0) std::cout << " at " << PathOf(use.at);
  if (use.devices > 1) {
    std::cout << "; on each of " << use.devices << " devices"
              << (use.is_cut ? ", as far as shardings tell" : "");
  }
  if (!use.is_scheduled) {
    std::cout << (use.is_own_order ? "; without a schedule, in an order found"
                                   : "; without a schedule, in file order");
  }
  std::cout << "\n";
  constexpr size_t kMostShown = 5;
  std::vector<std::vector<std::string>> rows;
  for (const MemoryUse::Value& value : use.values) {
    if (rows.size() == kMostShown) break;
    rows.push_back({bytes(value.bytes), std::string(Name(value.kind)),
                    PathOf(value.instruction),
                    value.shape.WithoutLayout().ToString(),
                    SourceLineOf(value.instruction)});
  }
  std::cout << TextTable(rows);
}

bool IsEqual(const Costs& a, const Costs& b) {
  return a.flops == b.flops && a.transcendentals == b.transcendentals &&
         a.bytes == b.bytes;
}

// What XLA's analysis says, where that is something else, and why.
void PrintXla(const CostReport& report, bool has_custom_calls) {
  if (IsEqual(report.xla, report.total)) return;
  std::vector<std::string> why;
  if (!report.loops.empty()) why.push_back("loops once");
  if (has_custom_calls) why.push_back("a custom call as -1");
  std::cout << "XLA counts " << SumText(report.xla) << (why.empty() ? "" : ": ")
            << absl::StrJoin(why, ", ") << "\n";
}

void PrintLoops(const CostReport& report) {
  constexpr size_t kMostShown = 8;
  for (size_t i = 0; i < report.loops.size() && i < kMostShown; ++i) {
    const LoopSteps& loop = report.loops[i];
    std::cout << "loop " << PathOf(loop.loop) << ": "
              << (loop.steps.is_number()
                      ? absl::StrCat(loop.steps.ToString(), " steps")
                      : std::string("steps unknown"))
              << "\n";
  }
  if (report.loops.size() > kMostShown) {
    std::cout << "and " << report.loops.size() - kMostShown
              << " more loops (--json)\n";
  }
}

void PrintText(const std::string& file, const CostReport& report,
               const absl::StatusOr<MemoryUse>& memory,
               const std::vector<CostSum>& groups, CostKey by) {
  std::cout << file << ": " << SumText(report.total) << "\n";
  PrintDevice(report);
  if (memory.ok()) {
    PrintMemory(*memory);
  } else {
    std::cout << "peak memory unknown: " << memory.status().message() << "\n";
  }
  std::map<std::string, Amount> calls;
  for (const UnknownCost& unknown : report.unknown) {
    if (unknown.why != UnknownCost::Why::kCustomCall) continue;
    calls[As<CustomCallAttributes>(unknown.instruction.attributes()).target] +=
        unknown.times;
  }
  PrintXla(report,
           std::any_of(report.instructions.begin(), report.instructions.end(),
                       [](const InstructionCost& row) {
                         return row.instruction.opcode() == Opcode::kCustomCall;
                       }));
  PrintLoops(report);
  for (const auto& [target, times] : calls) {
    std::cout << "unknown: the custom call " << target << ", "
              << ShortCount(times) << " times\n";
  }
  PrintGroups(groups, by, absl::GetFlag(FLAGS_rows), report.is_cut);
}

// What --budget may limit. What is of a device is of each of those that share
// the program.
struct BudgetItem {
  absl::string_view name;
  Costs CostReport::*sum = nullptr;  // null: peak memory
  Amount Costs::*part = nullptr;
  bool is_bytes = false;
};
constexpr BudgetItem kBudgetItems[] = {
    {"flops", &CostReport::total, &Costs::flops},
    {"transcendentals", &CostReport::total, &Costs::transcendentals},
    {"bytes", &CostReport::total, &Costs::bytes, true},
    {"device-flops", &CostReport::on_device, &Costs::flops},
    {"device-transcendentals", &CostReport::on_device, &Costs::transcendentals},
    {"device-bytes", &CostReport::on_device, &Costs::bytes, true},
    {"peak", nullptr, nullptr, true},
};

struct Limit {
  BudgetItem item;
  double most;
};

// What --budget allows; of an item that it names twice, what it says last.
absl::StatusOr<std::vector<Limit>> ReadBudget() {
  std::map<absl::string_view, Limit> budget;
  for (const std::string& text : absl::GetFlag(FLAGS_budget)) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    const std::optional<double> most = ParseQuantity(parts.second);
    const auto* const item = std::find_if(
        std::begin(kBudgetItems), std::end(kBudgetItems),
        [&](const BudgetItem& i) { return i.name == parts.first; });
    if (!most || item == std::end(kBudgetItems)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--budget: '", text,
                       "' is no limit; expected NAME=N, where NAME is one of ",
                       absl::StrJoin(kBudgetItems, ", ",
                                     [](std::string* out, const BudgetItem& i) {
                                       absl::StrAppend(out, i.name);
                                     }),
                       " and N may have a unit: 1.5G, 2GiB"));
    }
    budget.insert_or_assign(item->name, Limit{*item, *most});
  }
  std::vector<Limit> limits;
  for (const auto& [name, limit] : budget) limits.push_back(limit);
  return limits;
}

// Whether all is within the budget; says what is and what isn't.
bool IsWithin(const std::vector<Limit>& budget, const std::string& file,
              const CostReport& report, const absl::StatusOr<MemoryUse>& memory,
              bool is_quiet) {
  const Amount peak =
      memory.ok() ? Amount(memory->peak) : Amount::Named("unknown");
  const auto call = std::find_if(
      report.unknown.begin(), report.unknown.end(), [](const UnknownCost& u) {
        return u.why == UnknownCost::Why::kCustomCall &&
               !(u.times == Amount(0));
      });
  bool is_within = true;
  for (const auto& [item, most] : budget) {
    const absl::string_view name = item.name;
    const Amount& used =
        item.sum == nullptr ? peak : report.*item.sum.*item.part;
    const auto text = item.is_bytes ? ShortBytes : ShortCount;
    const bool is_above = used.is_number() && used.number() > most;
    // What a custom call computes and moves is in no sum; its memory is its
    // operands and its result.
    const bool is_part = item.sum != nullptr && call != report.unknown.end();
    if (used.is_number() && !is_above && !is_part) {
      if (!is_quiet) {
        std::cout << file << ": " << name << " is " << text(used)
                  << ", within the budget of " << text(Amount(most)) << "\n";
      }
      continue;
    }
    is_within = false;
    std::cerr << file << ": error: " << name << " is " << text(used);
    if (is_part) {
      std::cerr << " and what the custom call " << PathOf(call->instruction)
                << " costs";
    }
    std::cerr << (is_above ? ", more than the budget of "
                           : ", which isn't known to be within the budget of ")
              << text(Amount(most)) << "\n";
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

// What the command line asks for.
struct CostJob {
  CostOptions options;
  std::vector<Limit> budget;
  CostKey by = CostKey::kInstruction;
  bool is_json = false;
  bool is_quiet = false;
  bool is_table = false;  // a row for each file
  std::vector<std::vector<std::string>> rows = {
      {"file", "FLOPs", "transcendentals", "bytes", "peak memory"}};
};

int RunOnFile(const std::string& file, ProgressStage* stage, CostJob* job) {
  absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  Module module = std::move(read->module);
  if (LacksShapes(module)) {
    stage->Next(InstructionsText("inferring", module));
    InferResult inferred = InferShapes(std::move(module));
    if (!inferred.ok()) {
      stage->Done();
      std::cerr << RenderReport(inferred.module, inferred.report, file);
      return kExitErrors;
    }
    module = std::move(inferred.module);
  }
  stage->Next(InstructionsText("counting", module));
  const absl::StatusOr<CostReport> report = Cost(module, job->options);
  if (!report.ok()) return Fail(WithFileName(file, report.status()));
  const absl::StatusOr<MemoryUse> memory = PeakMemory(module);
  std::vector<CostSum> groups;
  if (job->is_json || !(job->is_table || job->is_quiet)) {
    groups = CostSums(*report, job->by, absl::GetFlag(FLAGS_depth));
  }
  stage->Done();
  if (job->is_json) {
    std::cout << CostJson(file, *report, memory, groups, job->by) << "\n";
  } else if (job->is_table) {
    job->rows.push_back(
        {file, ShortCount(report->total.flops),
         ShortCount(report->total.transcendentals),
         ShortBytes(report->total.bytes),
         memory.ok() ? ShortBytes(Amount(memory->peak)) : "unknown"});
  } else if (!job->is_quiet) {
    PrintText(file, *report, memory, groups, job->by);
  }
  return IsWithin(job->budget, file, *report, memory,
                  job->is_quiet || job->is_json)
             ? kExitOk
             : kExitErrors;
}

}  // namespace

int RunCost(absl::Span<const std::string> paths) {
  CostJob job;
  auto weights = BranchWeightsFrom(absl::GetFlag(FLAGS_branches));
  if (!weights.ok()) return Fail(weights.status());
  job.options.branch_weights = *std::move(weights);
  auto budget = ReadBudget();
  if (!budget.ok()) return Fail(budget.status());
  job.budget = *std::move(budget);
  job.by = CostKeyFromName(absl::GetFlag(FLAGS_by)).value_or(job.by);
  job.is_json = absl::GetFlag(FLAGS_json);
  job.is_quiet = absl::GetFlag(FLAGS_quiet);
  StartProgress(job.is_quiet);
  const std::vector<PathInFolder> files = ModuleFiles(paths);
  job.is_table = files.size() > 1;
  ProgressStage stage("");
  FilesDone done{0, files.size()};
  int exit = kExitOk;
  for (const PathInFolder& file : files) {
    stage.Next(done.Text(ReadingText(file.path)));
    ++done.done;
    exit = std::max(exit, file.status.ok()
                              ? RunOnFile(file.path, &stage, &job)
                              : Fail(WithFileName(file.path, file.status)));
  }
  if (job.rows.size() > 1 && !job.is_quiet) std::cout << TextTable(job.rows);
  return exit;
}

}  // namespace indim

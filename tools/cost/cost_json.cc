// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/cost/cost_json.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/node_names.h"
#include "indim/tools/output/quantity_text.h"

namespace indim {
namespace {

// The largest values that memory lists.
constexpr size_t kMostValues = 20;

JsonWriter& AddCosts(const Costs& costs, JsonWriter* json) {
  return json->AddRaw("flops", AmountJson(costs.flops))
      .AddRaw("transcendentals", AmountJson(costs.transcendentals))
      .AddRaw("bytes", AmountJson(costs.bytes));
}

std::string CostsJson(const Costs& costs) {
  JsonWriter json;
  return AddCosts(costs, &json).text();
}

std::string MemoryJson(const MemoryUse& use) {
  const auto bytes = [](double n) { return AmountJson(Amount(n)); };
  std::vector<std::string> values;
  for (const MemoryUse::Value& value : use.values) {
    if (values.size() == kMostValues) break;
    values.push_back(JsonWriter()
                         .Add("instruction", PathOf(value.instruction))
                         .Add("kind", Name(value.kind))
                         .AddRaw("bytes", bytes(value.bytes))
                         .Add("shape", value.shape.WithoutLayout().ToString())
                         .text());
  }
  JsonWriter json;
  json.AddRaw("peak", bytes(use.peak))
      .AddRaw("arguments", bytes(use.arguments))
      .AddRaw("results", bytes(use.results))
      .AddRaw("reused", bytes(use.reused))
      .AddRaw("temporaries", bytes(use.temporaries))
      .AddRaw("constants", bytes(use.constants))
      .Add("is_scheduled", use.is_scheduled)
      .Add("is_own_order", use.is_own_order)
      .Add("devices", use.devices)
      .Add("is_cut", use.is_cut);
  if (use.temporaries > 0) {
    json.Add("at", PathOf(use.at));
  } else {
    json.AddNull("at");
  }
  return json.AddList("largest", values).text();
}

std::string CountsJson(const std::map<std::string, int64_t>& counts) {
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

}  // namespace

absl::string_view Name(MemoryUse::Value::Kind kind) {
  switch (kind) {
    case MemoryUse::Value::Kind::kArgument:
      return "argument";
    case MemoryUse::Value::Kind::kResult:
      return "result";
    case MemoryUse::Value::Kind::kTemporary:
      return "temporary";
    case MemoryUse::Value::Kind::kInResult:
      return "temporary in a result";
  }
  return "";
}

std::string CostJson(absl::string_view path, const CostReport& report,
                     const absl::StatusOr<MemoryUse>& memory,
                     absl::Span<const CostSum> rows, CostKey by) {
  JsonWriter json;
  json.Add("file", path);
  AddCosts(report.total, &json);
  std::vector<std::string> unknown, loops, row_list;
  for (const UnknownCost& u : report.unknown) {
    unknown.push_back(JsonWriter()
                          .Add("instruction", PathOf(u.instruction))
                          .Add("why", u.why == UnknownCost::Why::kSteps
                                          ? "steps"
                                          : "custom-call")
                          .AddRaw("times", AmountJson(u.times))
                          .text());
  }
  for (const LoopSteps& loop : report.loops) {
    loops.push_back(JsonWriter()
                        .Add("instruction", PathOf(loop.loop))
                        .AddRaw("steps", AmountJson(loop.steps))
                        .text());
  }
  for (const CostSum& row : rows) {
    JsonWriter of_row;
    of_row.Add(Name(by), row.key);
    AddCosts(row.costs, &of_row);
    if (report.is_cut) of_row.AddRaw("on_device", CostsJson(row.on_device));
    row_list.push_back(of_row.text());
  }
  json.AddRaw("xla", CostsJson(report.xla))
      .Add("devices", report.devices)
      .Add("is_cut", report.is_cut)
      .AddRaw("on_device", CostsJson(report.on_device));
  if (memory.ok()) {
    json.AddRaw("memory", MemoryJson(*memory));
  } else {
    json.AddNull("memory");
  }
  return json.AddList("loops", loops)
      .AddList("unknown", unknown)
      .AddList("rows", row_list)
      .text();
}

std::string StatisticsJson(absl::string_view path, const Module& module,
                           const ModuleStatistics& all) {
  std::vector<std::string> loops;
  for (const ModuleStatistics::Loop& loop : all.loops) {
    JsonWriter json;
    json.Add("instruction", PathOf(loop.loop))
        .Add("source", SourceLineOf(loop.loop));
    if (loop.steps) {
      json.Add("steps", *loop.steps);
    } else {
      json.AddNull("steps");
    }
    loops.push_back(json.text());
  }
  std::vector<std::string> collectives;
  for (const ModuleStatistics::Collective& c : all.collectives) {
    collectives.push_back(JsonWriter()
                              .Add("instruction", PathOf(c.instruction))
                              .Add("opcode", c.instruction.opcode_name())
                              .AddRaw("bytes", AmountJson(c.bytes))
                              .Add("groups", c.groups)
                              .Add("group_size", c.group_size)
                              .Add("source", SourceLineOf(c.instruction))
                              .text());
  }
  return JsonWriter()
      .Add("file", path)
      .Add("module", module.name())
      .Add("computations", all.computations)
      .Add("instructions", all.instructions)
      .AddRaw("parameters", HeldJson(all.parameters))
      .AddRaw("results", HeldJson(all.results))
      .AddRaw("constants", HeldJson(all.constants))
      .AddRaw("operations", CountsJson(all.opcodes))
      .AddList("loops", loops)
      .AddList("collectives", collectives)
      .AddRaw("custom_calls", CountsJson(all.custom_calls))
      .AddRaw("source_files", CountsJson(all.source_files))
      .text();
}

}  // namespace indim

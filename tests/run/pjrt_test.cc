// SPDX-License-Identifier: Apache-2.0
// What Indim exports, handed to PJRT plugins directly, and its results compared
// with the evaluator's. INDIM_PJRT_PLUGINS names the plugins, with ':' between
// (bazelw sets it); INDIM_PJRT_ALL asks for all modules. docs/testing.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/sizes/refine.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/data_files.h"
#include "indim/tests/edit/random_module.h"
#include "indim/tests/example_graphs.h"
#include "indim/tests/run/compared_runs.h"
#include "indim/tests/run/exceptions.h"
#include "indim/tests/run/plugin_process.h"
#include "indim/tests/tools/op_builders.h"

namespace indim {
namespace {

bool AsksForAll() { return std::getenv("INDIM_PJRT_ALL") != nullptr; }

struct Case {
  std::string name;
  Module module;
};

// --- One module -------------------------------------------------------------

// What became of it, for the sum at the end.
enum class Outcome { kCompared, kRan, kRefused, kNotAsked };

Outcome RunCase(const Case& c, PluginProcess* plugin) {
  const Exception* const exception = FindException(c.name);
  if (exception != nullptr && exception->kind == ExceptionKind::kNotAsked) {
    return Outcome::kNotAsked;
  }
  const std::optional<std::vector<Literal>> inputs = MakeInputs(c.module);
  if (!inputs) return Outcome::kNotAsked;
  const absl::StatusOr<Literal> result = plugin->Run(c.module, *inputs);
  EXPECT_FALSE(absl::IsAborted(result.status())) << result.status();
  const bool may_refuse =
      exception != nullptr && exception->kind == ExceptionKind::kRefused;
  EXPECT_TRUE(result.ok() || may_refuse) << result.status();
  if (!result.ok()) return Outcome::kRefused;
  const bool has_own_value =
      exception != nullptr && exception->kind == ExceptionKind::kOwnValue;
  if (has_own_value) return Outcome::kRan;
  const absl::StatusOr<Literal> ours = Evaluate(c.module, *inputs);
  if (!ours.ok()) return Outcome::kRan;
  ExpectClose(*ours, *result);
  return Outcome::kCompared;
}

// How many were compared. What is listed as refused must be, by one of two
// plugins.
int RunCases(const std::vector<Case>& cases) {
  int least = static_cast<int>(cases.size());
  std::set<std::string> refused;
  for (const std::string& path : PluginPaths()) {
    PluginProcess plugin(path);
    int counts[4] = {};
    for (const Case& c : cases) {
      SCOPED_TRACE(absl::StrCat(c.name, " on ", path));
      const Outcome outcome = RunCase(c, &plugin);
      ++counts[static_cast<int>(outcome)];
      if (outcome == Outcome::kRefused) refused.insert(c.name);
      if (outcome != Outcome::kCompared) {
        const char* const kWords[] = {"", "ran", "refused", "not asked"};
        std::cout << c.name << ": " << kWords[static_cast<int>(outcome)]
                  << "\n";
      }
    }
    std::cout << path << ": " << counts[0] << " compared, " << counts[1]
              << " ran, " << counts[2] << " refused, " << counts[3]
              << " not asked\n";
    least = std::min(least, counts[0]);
  }
  if (PluginPaths().size() < 2) return least;
  for (const Case& c : cases) {
    const Exception* const exception = FindException(c.name);
    if (exception != nullptr && exception->kind == ExceptionKind::kRefused) {
      EXPECT_EQ(refused.count(c.name), 1) << c.name << " is refused by none";
    }
  }
  return least;
}

// --- The modules ------------------------------------------------------------

TEST(PjrtTest, ThereArePlugins) {
  EXPECT_FALSE(PluginPaths().empty())
      << "INDIM_PJRT_PLUGINS names none; ./bazelw test //tests/run sets it";
}

TEST(PjrtTest, EveryOp) {
  std::vector<Case> cases;
  for (const OpBuilder& op : AllOpBuilders()) {
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(op.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    cases.push_back({std::string(Name(op.opcode)), *module});
  }
  EXPECT_GE(RunCases(cases), 80);
}

TEST(PjrtTest, TheExamples) {
  std::vector<Case> cases;
  for (const ExampleGraph& graph : ExampleGraphs()) {
    ASSERT_TRUE(graph.module.ok()) << graph.module.status();
    cases.push_back({graph.name, *graph.module});
  }
  EXPECT_EQ(RunCases(cases), 3);
}

// Calls, loops, reductions, tuples and constants as they come.
TEST(PjrtTest, RandomModules) {
  std::vector<Case> cases;
  for (uint64_t seed = 1; seed <= (AsksForAll() ? 500 : 20); ++seed) {
    RandomStream random(seed);
    const absl::StatusOr<Module> module = RandomModule(&random);
    ASSERT_TRUE(module.ok()) << module.status();
    cases.push_back({absl::StrCat("random module ", seed), *module});
  }
  EXPECT_EQ(RunCases(cases), static_cast<int>(cases.size()));
}

// What JAX exported with sizes that have names, once they are set.
TEST(PjrtTest, ModulesWithNamedSizes) {
  const struct {
    const char* file;
    std::vector<std::string> settings;
  } kModules[] = {{"matmul", {"0=f32[5,8]", "1=f32[8,3]"}},
                  {"concatenate_sum", {"0=f32[3,4]"}},
                  {"multiply_tanh", {"0=f32[3,4]", "1=f32[3,4]"}}};
  std::vector<Case> cases;
  for (const auto& m : kModules) {
    const absl::StatusOr<WrappedModule> file = ReadWrappedModuleFile(
        absl::StrCat("tests/data/symbols/", m.file, ".hlo.pb"));
    ASSERT_TRUE(file.ok()) << file.status();
    RefineOptions options;
    for (const std::string& setting : m.settings) {
      ASSERT_TRUE(AddSetting(setting, &options).ok()) << setting;
    }
    RefineResult refined = Refine(file->module, options);
    ASSERT_TRUE(refined.report.ok()) << RenderRefinement(file->module, refined);
    cases.push_back({m.file, std::move(refined.module)});
  }
  EXPECT_EQ(RunCases(cases), 3);
}

// Of the modules of files, those that few others are like; or all.
TEST(PjrtTest, ModulesOfFiles) {
  const std::set<std::string> chosen = {
      "ct_cond_switch", "dt_bitcast",        "dt_f16_mixed",
      "dt_int_bits",    "ix_dynamic_slices", "np_reductions",
      "sy_batch_norm",  "sy_case_if_while",  "ct_while_fori"};
  std::vector<std::string> paths = JaxModules();
  // What XLA's text has of its own; all of them are chosen.
  const std::set<std::string> texts = {"async_sugar", "frames", "order",
                                       "scheduled"};
  for (const std::string& name : texts) {
    paths.push_back(absl::StrCat("tests/data/ir/hlo_text/", name, ".hlo.pb"));
  }
  std::vector<Case> cases;
  for (const std::string& path : paths) {
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string name = file.substr(0, file.find(".hlo.pb"));
    if (!AsksForAll() && chosen.count(name) + texts.count(name) == 0) continue;
    const absl::StatusOr<std::string> bytes = ReadFile(path);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    cases.push_back({name, *module});
  }
  EXPECT_GE(RunCases(cases), AsksForAll() ? 16 : 7);
}

}  // namespace
}  // namespace indim

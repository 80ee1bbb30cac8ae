// SPDX-License-Identifier: Apache-2.0
// Portable artifacts that Indim writes for old and new releases of StableHLO,
// handed to PJRT plugins as they are: those whose release is not older read
// them, and compute what the evaluator computes. docs/stablehlo.md.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/eval/evaluator.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/run/compile/interface.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/tests/data_files.h"
#include "indim/tests/run/compared_runs.h"
#include "indim/tests/run/plugin_process.h"
#include "indim/tests/stablehlo/import/cases.h"
#include "indim/tests/tools/op_builders.h"

namespace indim {
namespace {

constexpr const char* kReleases[] = {"1.0.0", "1.10.0", "1.17.0"};

struct Case {
  std::string name;
  Module module;
};

// Whether a plugin that has release `has` reads artifacts for `target`.
bool Reads(const std::string& has, const std::string& target) {
  const auto numbers = [](const std::string& release) {
    std::vector<int> parts;
    for (const auto part : absl::StrSplit(release, '.')) {
      parts.push_back(0);
      EXPECT_TRUE(absl::SimpleAtoi(part, &parts.back())) << release;
    }
    return parts;
  };
  return numbers(target) <= numbers(has);
}

// The artifact and what the evaluator says of it. Why there is nothing to
// compare: `skipped`.
struct Prepared {
  std::string artifact;
  std::vector<Literal> inputs;
  Literal expected;
  std::string skipped;
};

Prepared Prepare(const Module& module, const std::string& release) {
  Prepared prepared;
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  options.release = release;
  absl::StatusOr<std::string> artifact = WriteStablehlo(module, options);
  if (!artifact.ok()) {
    prepared.skipped =
        absl::StrCat("not written: ", artifact.status().message());
    return prepared;
  }
  prepared.artifact = *std::move(artifact);
  // Tuples are gone in it.
  const absl::StatusOr<Module> again = ReadStablehlo(prepared.artifact);
  EXPECT_TRUE(again.ok()) << again.status();
  if (!again.ok()) return prepared;
  std::optional<std::vector<Literal>> inputs = MakeInputs(*again);
  if (!inputs) {
    prepared.skipped = "no inputs that a plugin takes";
    return prepared;
  }
  prepared.inputs = *std::move(inputs);
  EvalOptions limits;
  limits.max_steps = 20'000'000;
  absl::StatusOr<Literal> expected = Evaluate(*again, prepared.inputs, limits);
  if (expected.ok()) {
    prepared.expected = *std::move(expected);
  } else {
    prepared.skipped =
        absl::StrCat("not evaluated: ", expected.status().message());
  }
  return prepared;
}

// What a plugin may say of a program that isn't of the artifact's making.
struct Exception {
  absl::string_view part;  // of the message
  absl::string_view why;
};

constexpr Exception kExceptions[] = {
    {"No registered implementation", "needs custom calls"},
    {"No FFI handler registered", "needs custom calls"},
    {"is not supported by XLA:CPU", "XLA's CPU hasn't it"},
    {"Invalid LLVM IR", "XLA's CPU makes wrong code of it"},
    {"custom element sizes on non-sub-byte types",
     "layouts of 4-bit elements come on s32"},
    {"the plugin compiled a program of 1 results, but the module has 0",
     "returns a token"},
};

const Exception* FindException(absl::string_view message) {
  for (const Exception& exception : kExceptions) {
    if (absl::StrContains(message, exception.part)) return &exception;
  }
  return nullptr;
}

// How often each thing became of a case.
using Counts = std::map<std::string, int>;

std::string ToString(const Counts& counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", what);
  }
  return text;
}

// "compared", or why it wasn't.
std::string RunCase(const Prepared& prepared, PluginProcess* plugin) {
  const absl::StatusOr<Literal> said =
      plugin->RunStablehlo(prepared.artifact, prepared.inputs);
  if (!said.ok()) {
    const Exception* const exception = FindException(said.status().message());
    EXPECT_NE(exception, nullptr) << said.status();
    return exception == nullptr ? "failed" : std::string(exception->why);
  }
  ExpectClose(prepared.expected, *said);
  return "compared";
}

// XLA of that time makes inf of maximum(inf, NaN) where both are constants.
bool IsMisfolded(absl::string_view name, const std::string& release) {
  return Reads("1.13.3", release) && (absl::StartsWith(name, "maximum_") ||
                                      absl::StartsWith(name, "minimum_"));
}

// What became of the cases, written for `target`, on one plugin.
Counts RunOn(const std::string& path, const std::vector<Case>& cases,
             const std::vector<Prepared>& prepared, const std::string& target) {
  Counts counts;
  PluginProcess plugin(path);
  const absl::StatusOr<std::string> release = plugin.StablehloRelease();
  EXPECT_TRUE(release.ok()) << release.status();
  if (!release.ok() || !Reads(*release, target)) return counts;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(absl::StrCat(cases[i].name, " for ", target, " on ", *release,
                              ", of ", path));
    const bool is_asked =
        prepared[i].skipped.empty() && !IsMisfolded(cases[i].name, *release);
    ++counts[is_asked ? RunCase(prepared[i], &plugin) : "not asked"];
  }
  std::cout << "for " << target << " on " << *release << ": "
            << ToString(counts) << std::endl;
  return counts;
}

// How many runs were compared, of all plugins and releases. One plugin has a
// process at a time: a second one would keep the ends of the first one's pipes
// open.
int RunCases(const std::vector<Case>& cases) {
  int compared = 0;
  for (const std::string target : kReleases) {
    std::vector<Prepared> prepared;
    for (const Case& c : cases) {
      prepared.push_back(Prepare(c.module, target));
      if (prepared.back().skipped.empty()) continue;
      std::cout << c.name << " for " << target << ": "
                << prepared.back().skipped << std::endl;
    }
    for (const std::string& path : PluginPaths()) {
      compared += RunOn(path, cases, prepared, target)["compared"];
    }
  }
  return compared;
}

// One of how many cases is asked, unless INDIM_PJRT_ALL asks for all.
size_t Step(size_t step) {
  return std::getenv("INDIM_PJRT_ALL") != nullptr ? 1 : step;
}

TEST(StablehloArtifactsTest, EveryOp) {
  std::vector<Case> cases;
  for (const OpBuilder& op : AllOpBuilders()) {
    if (op.opcode == Opcode::kWhile) continue;     // it never ends
    if (op.opcode == Opcode::kCholesky) continue;  // made-up matrices have none
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(op.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    cases.push_back({std::string(Name(op.opcode)), *module});
  }
  EXPECT_GE(RunCases(cases), 300);
}

// The programs of StableHLO's own interpreter.
TEST(StablehloArtifactsTest, ProgramsOfTheInterpreter) {
  std::vector<Case> cases;
  const std::vector<ShloCase> all =
      ReadShloCases("tests/data/stablehlo/interpret.jsonl");
  for (size_t i = 0; i < all.size(); i += Step(8)) {
    const absl::StatusOr<Module> module = ReadStablehlo(all[i].text);
    if (module.ok()) cases.push_back({all[i].id, *module});
  }
  // On two plugins, for five pairs of a release and a plugin.
  EXPECT_GE(RunCases(cases), 4 * static_cast<int>(cases.size()));
}

TEST(StablehloArtifactsTest, ModulesOfJax) {
  std::vector<Case> cases;
  const std::vector<std::string> all = JaxModules();
  for (size_t i = 0; i < all.size(); i += Step(6)) {
    const absl::StatusOr<std::string> bytes = ReadFile(all[i]);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    cases.push_back({all[i].substr(all[i].rfind('/') + 1), *module});
  }
  EXPECT_GE(RunCases(cases), 1);
}

TEST(StablehloArtifactsTest, ThereArePlugins) {
  EXPECT_FALSE(PluginPaths().empty())
      << "INDIM_PJRT_PLUGINS names none; ./bazelw test //tests/run sets it";
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/steps.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "indim/bench/graphs.h"
#include "indim/bench/peers/timing.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/extract.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"
#include "indim/tools/diff/module_diff.h"

namespace indim::bench {
namespace {

using benchmark::State;

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::abort();
}

// Times one step as the peers' programs do: the least time of a single run,
// without destroying its result.
class Stopwatch {
 public:
  template <typename F>
  auto Time(F&& step) {
    std::optional<decltype(step())> result;
    least_.Time([&] { result.emplace(step()); });
    return *std::move(result);
  }
  // For the tables: ns per item.
  void Report(int64_t items, State* state) const {
    state->SetItemsProcessed(state->iterations() * items);
    state->counters[kLeastNs] = least_.ns() / static_cast<double>(items);
    state->counters[kItems] = static_cast<double>(items);
  }

 private:
  peer::Least least_;
};

void Record(State& state, const Graph& graph, int64_t n) {
  Stopwatch watch;
  int64_t ops = 0;
  for (auto unused : state) {
    ComputationBuilder b("bench");
    Op root;
    ops = watch.Time([&] { return graph.record(&b, n, &root); });
    benchmark::DoNotOptimize(root);
  }
  watch.Report(ops, &state);
}

void BuildAndExport(State& state, const Graph& graph, int64_t n, bool verify) {
  Stopwatch watch;
  int64_t ops = 0;
  ExportOptions options;
  options.verify = verify;
  for (auto unused : state) {
    ComputationBuilder b("bench");
    Op root;
    ops = graph.record(&b, n, &root);
    const absl::StatusOr<std::string> bytes =
        watch.Time([&]() -> absl::StatusOr<std::string> {
          absl::StatusOr<Module> module = b.Build(root);
          if (!module.ok()) return module.status();
          return ExportHloModuleProto(*std::move(module), options);
        });
    if (!bytes.ok()) Die(bytes.status());
    benchmark::DoNotOptimize(bytes->data());
  }
  watch.Report(ops, &state);
}

// Reads without copying; the bytes outlive the module.
Module Read(const std::string& bytes) {
  absl::StatusOr<Module> module = ReadHloModuleProto(bytes, nullptr);
  if (!module.ok()) Die(module.status());
  return *std::move(module);
}

void Import(State& state, const std::string& bytes) {
  Stopwatch watch;
  int64_t count = 0;
  for (auto unused : state) {
    count = watch.Time([&] { return Read(bytes); }).instruction_count();
  }
  watch.Report(count, &state);
}

void Infer(State& state, const std::string& bytes) {
  Stopwatch watch;
  Module module = Read(bytes);
  for (auto unused : state) {
    InferResult inferred =
        watch.Time([&] { return InferShapes(std::move(module)); });
    if (!inferred.report.ok()) std::abort();
    module = std::move(inferred.module);
  }
  watch.Report(module.instruction_count(), &state);
}

void Verify(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  for (auto unused : state) {
    if (!watch.Time([&] { return VerifyModule(module); }).report.ok()) {
      std::abort();
    }
  }
  watch.Report(module.instruction_count(), &state);
}

void ImportInferVerify(State& state, const std::string& bytes) {
  Stopwatch watch;
  int64_t count = 0;
  for (auto unused : state) {
    const auto result = watch.Time([&] { return InferAndVerify(Read(bytes)); });
    if (!result.inferred.report.ok() || !result.verified.report.ok()) {
      std::abort();
    }
    count = result.inferred.module.instruction_count();
  }
  watch.Report(count, &state);
}

void Serialize(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  for (auto unused : state) {
    benchmark::DoNotOptimize(
        watch.Time([&] { return SerializeModule(module); }));
  }
  watch.Report(module.instruction_count(), &state);
}

void ProtobufParse(State& state, const std::string& bytes) {
  Stopwatch watch;
  const int64_t count = Read(bytes).instruction_count();
  for (auto unused : state) {
    indim::proto::HloModuleProto proto;
    if (!watch.Time([&] { return proto.ParseFromString(bytes); })) std::abort();
  }
  watch.Report(count, &state);
}

void PrintText(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  for (auto unused : state) {
    const std::string text = watch.Time([&] { return PrintHloText(module); });
    benchmark::DoNotOptimize(text.data());
  }
  watch.Report(module.instruction_count(), &state);
}

void ParseText(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  const std::string text = PrintHloText(module, PrintOptions::LargeConstants());
  for (auto unused : state) {
    const auto parsed = watch.Time([&] { return ParseHloText(text); });
    if (!parsed.ok()) Die(parsed.status());
  }
  watch.Report(module.instruction_count(), &state);
}

// An edit of a module whose pools nobody else has, and Finish().
template <typename Edit>
void EditModule(State& state, const std::string& bytes, const Edit& edit) {
  Stopwatch watch;
  int64_t count = 0;
  for (auto unused : state) {
    Module module = Read(bytes);
    count = module.instruction_count();
    const EditResult result = watch.Time([&] {
      Editor editor(std::move(module));
      edit(&editor);
      return editor.Finish();
    });
    // The editor refuses some modules that can be read and checked.
    if (!result.ok()) return state.SkipWithError(result.text().c_str());
  }
  watch.Report(count, &state);
}

void RemoveDead(State& state, const std::string& bytes) {
  EditModule(state, bytes, [](Editor* editor) { RemoveDeadCode(editor); });
}

void MergeCommon(State& state, const std::string& bytes) {
  EditModule(state, bytes,
             [](Editor* editor) { MergeCommonSubexpressions(editor); });
}

// Every instruction of the entry that has users gets a copy, which all of them
// use instead.
void ReplaceAll(State& state, const std::string& bytes) {
  EditModule(state, bytes, [](Editor* editor) {
    for (const InstructionRef x : editor->instructions(editor->entry())) {
      if (editor->opcode(x) == Opcode::kParameter) continue;
      editor->ReplaceAllUses(x, editor->Clone(x));
    }
  });
}

InstructionRef Middle(const Editor& editor) {
  const std::vector<InstructionRef> all = editor.instructions(editor.entry());
  return all[all.size() / 2];
}

void Extract(State& state, const std::string& bytes) {
  EditModule(state, bytes,
             [](Editor* editor) { ExtractCone(editor, {Middle(*editor)}); });
}

// --- Verbs of the command that only --scale times ---------------------------

void Export(State& state, const std::string& bytes) {
  Stopwatch watch;
  int64_t count = 0;
  for (auto unused : state) {
    Module module = Read(bytes);
    count = module.instruction_count();
    const auto exported =
        watch.Time([&] { return ExportHloModuleProto(std::move(module)); });
    if (!exported.ok()) Die(exported.status());
  }
  watch.Report(count, &state);
}

template <StablehloForm form>
std::string Stablehlo(const Module& module) {
  StablehloWriteOptions options;
  options.form = form;
  absl::StatusOr<std::string> written = WriteStablehlo(module, options);
  if (!written.ok()) Die(written.status());
  return *std::move(written);
}

template <StablehloForm form>
void ToStablehlo(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  for (auto unused : state) {
    const std::string written =
        watch.Time([&] { return Stablehlo<form>(module); });
    benchmark::DoNotOptimize(written.data());
  }
  watch.Report(module.instruction_count(), &state);
}

template <StablehloForm form>
void FromStablehlo(State& state, const std::string& bytes) {
  Stopwatch watch;
  const std::string program = Stablehlo<form>(Read(bytes));
  int64_t count = 0;
  for (auto unused : state) {
    const auto module = watch.Time([&] { return ReadStablehlo(program); });
    if (!module.ok()) Die(module.status());
    count = module->instruction_count();
  }
  watch.Report(count, &state);
}

// Beside a module whose middle instruction is negated for one of its users.
void Diff(State& state, const std::string& bytes) {
  Stopwatch watch;
  const Module module = Read(bytes);
  Editor editor(module);
  const InstructionRef middle = Middle(editor);
  Insertion at = editor.After(middle);
  const InstructionRef negated = at.Insert(at.builder().Neg(at.Use(middle)));
  editor.SetOperand(editor.users(middle)[0], 0, negated);
  const EditResult changed = editor.Finish();
  if (!changed.ok()) return state.SkipWithError(changed.text().c_str());
  for (auto unused : state) {
    const ModuleDiff diff =
        watch.Time([&] { return DiffModules(module, changed.module); });
    if (diff.equal()) return state.SkipWithError("no difference was found");
  }
  watch.Report(module.instruction_count(), &state);
}

using OnBytes = void (*)(State&, const std::string&);
struct StepOnBytes {
  const char* name;
  OnBytes run;
};
constexpr StepOnBytes kStepsOnBytes[] = {
    {"import", Import},
    {"infer", Infer},
    {"verify", Verify},
    {"import+infer+verify", ImportInferVerify},
    {"serialize", Serialize},
    {"protobuf-parse", ProtobufParse},
    {"print-text", PrintText},
    {"parse-text", ParseText},
    {"edit-dead-code", RemoveDead},
    {"edit-common", MergeCommon},
    {"edit-replace-all", ReplaceAll},
};
constexpr StepOnBytes kGrowing[] = {
    {"edit-extract", Extract},
    {"diff", Diff},
    {"export", Export},
    {"to-stablehlo", ToStablehlo<StablehloForm::kText>},
    {"from-stablehlo", FromStablehlo<StablehloForm::kText>},
    {"to-artifact", ToStablehlo<StablehloForm::kArtifact>},
    {"from-artifact", FromStablehlo<StablehloForm::kArtifact>},
};

benchmark::internal::Benchmark* Settle(benchmark::internal::Benchmark* b) {
  return b->Unit(benchmark::kMillisecond)->MinTime(0.2)->Repetitions(5);
}
// For so many ops that single runs can be timed. The first run allocates the
// memory, which the heap keeps.
benchmark::internal::Benchmark* RunSingly(benchmark::internal::Benchmark* b) {
  return b->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(6);
}

}  // namespace

void RegisterRecording(const Graph& graph, int64_t n) {
  constexpr int64_t kMany = 1000000;
  const auto settle = n < kMany ? Settle : RunSingly;
  settle(benchmark::RegisterBenchmark(
      absl::StrCat("record/", graph.name, "/", n).c_str(), Record, graph, n));
  for (const bool verify : {false, true}) {
    settle(benchmark::RegisterBenchmark(
        absl::StrCat(verify ? "build+verify+write/" : "build+write/",
                     graph.name, "/", n)
            .c_str(),
        BuildAndExport, graph, n, verify));
  }
}

void RegisterGrowth(const Graph& graph, int64_t n) {
  // Made when the first row runs, and kept for the next ones.
  const auto bytes = std::make_shared<std::string>();
  const auto add = [&](const StepOnBytes& step) {
    // libprotobuf is no verb of ours.
    if (step.run == ProtobufParse) return;
    auto* const row = RunSingly(benchmark::RegisterBenchmark(
        absl::StrCat(step.name, "/", graph.name, "/", n).c_str(),
        [run = step.run, &graph, n, bytes](State& state) {
          if (bytes->empty()) {
            absl::StatusOr<std::string> made =
                ExportHloModuleProto(Make(graph, n));
            if (!made.ok()) Die(made.status());
            *bytes = *std::move(made);
          }
          run(state, *bytes);
        }));
    // The first run takes memory from the system, the second has it.
    if (n == kManyOps) row->Repetitions(2);
  };
  for (const StepOnBytes& step : kStepsOnBytes) add(step);
  for (const StepOnBytes& step : kGrowing) add(step);
}

void RegisterBytes(const std::string& name,
                   std::shared_ptr<const std::string> bytes) {
  for (const auto& [step, run] : kStepsOnBytes) {
    Settle(benchmark::RegisterBenchmark(
        absl::StrCat(step, "/", name).c_str(),
        [run = run, bytes](State& state) { run(state, *bytes); }));
  }
}

}  // namespace indim::bench

#include "indim/bench/steps.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "indim/bench/graphs.h"
#include "indim/bench/peers/timing.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

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
    if (!result.ok()) Die(result.status());
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

using OnBytes = void (*)(State&, const std::string&);
constexpr struct {
  const char* name;
  OnBytes step;
} kStepsOnBytes[] = {
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

void RegisterBytes(const std::string& name,
                   std::shared_ptr<const std::string> bytes) {
  for (const auto& [step, run] : kStepsOnBytes) {
    Settle(benchmark::RegisterBenchmark(
        absl::StrCat(step, "/", name).c_str(),
        [run = run, bytes](State& state) { run(state, *bytes); }));
  }
}

}  // namespace indim::bench

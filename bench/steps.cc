#include "indim/bench/steps.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "indim/bench/graphs.h"
#include "indim/ir/text/hlo_text.h"
#include "indim/ir/wire_reader.h"
#include "indim/ir/wire_writer.h"
#include "indim/passes/export.h"
#include "indim/passes/infer_and_verify.h"
#include "indim/passes/infer_shapes.h"
#include "indim/passes/verify_module.h"
#include "indim/proto/hlo.pb.h"

namespace indim::bench {
namespace {

using benchmark::State;

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::abort();
}

void Count(State& state, int64_t items) {
  state.SetItemsProcessed(state.iterations() * items);
}

void Record(State& state, const Graph& graph, int64_t n) {
  int64_t ops = 0;
  for (auto unused : state) {
    ComputationBuilder b("bench");
    Op root;
    ops = graph.record(&b, n, &root);
    benchmark::DoNotOptimize(root);
    // Taking the graph apart again is not recording it.
    state.PauseTiming();
    { ComputationBuilder gone = std::move(b); }
    state.ResumeTiming();
  }
  Count(state, ops);
}

void BuildAndExport(State& state, const Graph& graph, int64_t n, bool verify) {
  int64_t ops = 0;
  ExportOptions options;
  options.verify = verify;
  for (auto unused : state) {
    state.PauseTiming();
    ComputationBuilder b("bench");
    Op root;
    ops = graph.record(&b, n, &root);
    state.ResumeTiming();
    absl::StatusOr<Module> module = b.Build(root);
    if (!module.ok()) Die(module.status());
    absl::StatusOr<std::string> bytes =
        ExportHloModuleProto(*std::move(module), options);
    if (!bytes.ok()) Die(bytes.status());
    benchmark::DoNotOptimize(bytes->data());
  }
  Count(state, ops);
}

// The bytes outlive the module: nobody needs to keep them for it, and it copies
// nothing.
Module Read(const std::string& bytes) {
  absl::StatusOr<Module> module = ReadHloModuleProto(bytes, nullptr);
  if (!module.ok()) Die(module.status());
  return *std::move(module);
}

void Import(State& state, const std::string& bytes) {
  int64_t count = 0;
  for (auto unused : state) count = Read(bytes).instruction_count();
  Count(state, count);
}

void Infer(State& state, const std::string& bytes) {
  Module module = Read(bytes);
  for (auto unused : state) {
    InferResult inferred = InferShapes(std::move(module));
    if (!inferred.report.ok()) std::abort();
    module = std::move(inferred.module);
  }
  Count(state, module.instruction_count());
}

void Verify(State& state, const std::string& bytes) {
  const Module module = Read(bytes);
  for (auto unused : state) {
    if (!VerifyModule(module).report.ok()) std::abort();
  }
  Count(state, module.instruction_count());
}

void ImportInferVerify(State& state, const std::string& bytes) {
  int64_t count = 0;
  for (auto unused : state) {
    const auto [inferred, verified] = InferAndVerify(Read(bytes));
    if (!inferred.report.ok() || !verified.report.ok()) std::abort();
    count = inferred.module.instruction_count();
  }
  Count(state, count);
}

void Serialize(State& state, const std::string& bytes) {
  const Module module = Read(bytes);
  for (auto unused : state) {
    benchmark::DoNotOptimize(SerializeModule(module));
  }
  Count(state, module.instruction_count());
}

void ProtobufParse(State& state, const std::string& bytes) {
  const int64_t count = Read(bytes).instruction_count();
  for (auto unused : state) {
    auto proto = std::make_unique<indim::proto::HloModuleProto>();
    if (!proto->ParseFromString(bytes)) std::abort();
    state.PauseTiming();
    proto.reset();
    state.ResumeTiming();
  }
  Count(state, count);
}

void PrintText(State& state, const std::string& bytes) {
  const Module module = Read(bytes);
  for (auto unused : state) {
    benchmark::DoNotOptimize(PrintHloText(module).data());
  }
  Count(state, module.instruction_count());
}

void ParseText(State& state, const std::string& bytes) {
  const Module module = Read(bytes);
  const std::string text = PrintHloText(module, PrintOptions::LargeConstants());
  for (auto unused : state) {
    const absl::StatusOr<Module> parsed = ParseHloText(text);
    if (!parsed.ok()) Die(parsed.status());
  }
  Count(state, module.instruction_count());
}

using OnBytes = void (*)(State&, const std::string&);
constexpr struct {
  const char* name;
  OnBytes step;
} kStepsOnBytes[] = {
    {"import", Import},        {"infer", Infer},
    {"verify", Verify},        {"import+infer+verify", ImportInferVerify},
    {"serialize", Serialize},  {"protobuf-parse", ProtobufParse},
    {"print-text", PrintText}, {"parse-text", ParseText},
};

benchmark::internal::Benchmark* Settle(benchmark::internal::Benchmark* b) {
  return b->Unit(benchmark::kMillisecond)->MinTime(0.2)->Repetitions(5);
}
// For so many ops that one time says enough; the first is spent on getting the
// memory, which the heap keeps.
benchmark::internal::Benchmark* RunThrice(benchmark::internal::Benchmark* b) {
  return b->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);
}

}  // namespace

void RegisterRecording(const Graph& graph, int64_t n) {
  constexpr int64_t kMany = 1000000;
  const auto settle = n < kMany ? Settle : RunThrice;
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

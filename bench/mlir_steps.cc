// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/mlir_steps.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "indim/bench/peers/timing.h"
#include "indim/bench/steps.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"

namespace indim::bench {
namespace {

using benchmark::State;

// The newest release that the peer has.
constexpr mlir::Version kTarget = {1, 17, 0};

template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n",
                 std::string(result.status().message()).c_str());
    std::abort();
  }
  return *std::move(result);
}

void Report(const peer::Least& least, size_t ops, State* state) {
  state->SetItemsProcessed(state->iterations() * static_cast<int64_t>(ops));
  state->counters[kLeastNs] = least.ns() / static_cast<double>(ops);
  state->counters[kItems] = static_cast<double>(ops);
}

void Parse(State& state, const std::string& text) {
  peer::Least least;
  size_t ops = 0;
  for (auto unused : state) {
    mlir::Ir ir;
    least.Time([&] { ir = OrDie(mlir::ParseMlirText(text)); });
    ops = ir.op_count();
  }
  Report(least, ops, &state);
}

void Print(State& state, const std::string& text) {
  peer::Least least;
  const mlir::Ir ir = OrDie(mlir::ParseMlirText(text));
  for (auto unused : state) {
    std::string printed;
    least.Time([&] { printed = mlir::PrintMlirText(ir); });
    benchmark::DoNotOptimize(printed.data());
  }
  Report(least, ir.op_count(), &state);
}

void Write(State& state, const std::string& text) {
  peer::Least least;
  mlir::Ir ir = OrDie(mlir::ParseMlirText(text));
  for (auto unused : state) {
    std::string artifact;
    least.Time([&] { artifact = OrDie(mlir::WriteArtifact(&ir, {kTarget})); });
    benchmark::DoNotOptimize(artifact.data());
  }
  Report(least, ir.op_count(), &state);
}

void Read(State& state, const std::string& text) {
  peer::Least least;
  mlir::Ir program = OrDie(mlir::ParseMlirText(text));
  const std::string artifact = OrDie(mlir::WriteArtifact(&program, {kTarget}));
  size_t ops = 0;
  for (auto unused : state) {
    mlir::Ir ir;
    least.Time([&] { ir = OrDie(mlir::ReadArtifact(artifact)); });
    ops = ir.op_count();
  }
  Report(least, ops, &state);
}

constexpr struct {
  const char* name;
  void (*step)(State&, const std::string&);
  bool of_artifact;
} kSteps[] = {{"mlir-parse", Parse, false},
              {"mlir-print", Print, false},
              {"artifact-write", Write, true},
              {"artifact-read", Read, true}};

// Whether the release has all that the text has; says what it lacks.
bool HasArtifact(const std::string& name, const std::string& text) {
  mlir::Ir ir = OrDie(mlir::ParseMlirText(text));
  const absl::Status status = mlir::WriteArtifact(&ir, {kTarget}).status();
  if (!status.ok()) {
    std::fprintf(stderr, "%s has no artifact: %s\n", name.c_str(),
                 std::string(status.message()).c_str());
  }
  return status.ok();
}

}  // namespace

std::string MlirChain(int64_t ops) {
  static constexpr const char* kOperations[] = {
      "stablehlo.add %d, %%arg1", "stablehlo.exponential %d",
      "stablehlo.multiply %d, %d", "stablehlo.reverse %d, dims = [0, 1]",
      "stablehlo.maximum %d, %%arg0"};
  std::string text =
      "func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>) -> "
      "tensor<8x16xf32> {\n";
  std::string last = "%arg0";
  for (int64_t i = 0; i < ops; ++i) {
    absl::StrAppend(&text, "  %", i, " = ");
    for (const char* c = kOperations[i % 5]; *c != '\0'; ++c) {
      if (*c != '%') {
        text += *c;
      } else if (*++c == 'd') {
        text += last;
      } else {
        text += '%';
      }
    }
    text += " : tensor<8x16xf32>\n";
    last = absl::StrCat("%", i);
  }
  absl::StrAppend(&text, "  return ", last, " : tensor<8x16xf32>\n}\n");
  return text;
}

std::string MlirConstant(int64_t bytes) {
  std::string text =
      "func.func @main() -> tensor<4xi8> {\n  %0 = stablehlo.constant "
      "dense<\"0x";
  for (int64_t i = 0; i < bytes; ++i) {
    text += "0123456789ABCDEF"[i * 7 % 16];
    text += "0123456789ABCDEF"[i * i % 16];
  }
  absl::StrAppend(&text, "\"> : tensor<", bytes, "xi8>\n");
  absl::StrAppend(&text, "  %1 = stablehlo.slice %0 [0:4] : (tensor<", bytes,
                  "xi8>) -> tensor<4xi8>\n  return %1 : tensor<4xi8>\n}\n");
  return text;
}

void RegisterMlir(const std::string& name, const std::string& text) {
  const auto shared = std::make_shared<const std::string>(text);
  const bool has_artifact = HasArtifact(name, text);
  for (const auto& [step, run, of_artifact] : kSteps) {
    if (of_artifact && !has_artifact) continue;
    benchmark::RegisterBenchmark(
        absl::StrCat(step, "/", name).c_str(),
        [run = run, shared](State& state) { run(state, *shared); })
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.2)
        ->Repetitions(3);
  }
}

}  // namespace indim::bench

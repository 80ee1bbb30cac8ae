// SPDX-License-Identifier: Apache-2.0
// The client of PJRT plugins beside jaxlib, which has the same runtime under
// Python. Both do each thing on their own, in turn, in one run:
//
//   INDIM_PJRT_CPU_PLUGIN=... bazel run -c opt //bench:pjrt_bench
//
// `pjrt_bench --child THING` does one thing and prints how long it took, in
// seconds; peers/jaxlib_runs.py THING does the same.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"

namespace indim {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Fails the benchmark: there is nobody to hand an error to.
template <typename T>
T Must(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", std::string(value.status().message()).c_str());
  std::exit(EXIT_FAILURE);
}

pjrt::Client NewClient() {
  return Must(pjrt::Client::Create(Must(pjrt::Plugin::Find("cpu"))));
}

// y = x + x for f32[4].
pjrt::Executable Tiny(const pjrt::Client& client) {
  ComputationBuilder b("tiny");
  Op x = b.Parameter(0, "f32[4]", "x");
  return Must(client.Compile(Must(b.Build(b.Add(x, x)))));
}

constexpr int kRuns = 10000;

// Starts a client, compiles and runs: what a program does until its first
// result.
void First() {
  const pjrt::Client client = NewClient();
  Must(Tiny(client).Run({Literal::Vector({1, 2, 3, 4})}));
}

// Seconds of one call of run(), whose result is read in place.
template <typename Run>
double SecondsOfRuns(const Run& run) {
  double sum = 0;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kRuns; ++i) {
    const pjrt::Execution execution = run();
    const pjrt::BufferView view = Must(execution.results[0].View());
    sum += static_cast<const float*>(view.data())[0];
  }
  const double seconds = SecondsSince(start) / kRuns;
  if (sum != 2.0 * kRuns) std::exit(EXIT_FAILURE);
  return seconds;
}

// Runs with an input that stays, and reads the result in place.
double InPlace() {
  const pjrt::Client client = NewClient();
  const pjrt::Executable tiny = Tiny(client);
  const std::vector<pjrt::Buffer> inputs = {
      Must(client.ToDevice(Literal::Vector({1, 2, 3, 4})))};
  return SecondsOfRuns([&] { return Must(tiny.Execute(inputs)); });
}

// Likewise with a new input each time, in place too.
double NewInputs() {
  const pjrt::Client client = NewClient();
  const pjrt::Executable tiny = Tiny(client);
  alignas(pjrt::Client::kHostAlignment) float values[4] = {1, 2, 3, 4};
  const Shape shape = Shape::Of(ElementType::kF32, {4});
  return SecondsOfRuns([&] {
    return Must(tiny.Execute(
        {Must(client.ShareWithDevice(shape, values, sizeof(values), [] {}))}));
  });
}

// 1 GB to the device and back, both copied.
double Transfer() {
  const pjrt::Client client = NewClient();
  std::vector<float> values(250 * 1000 * 1000, 1);
  const Clock::time_point start = Clock::now();
  const pjrt::Buffer buffer = Must(
      client.ToDevice<float>(values, {static_cast<int64_t>(values.size())}));
  // Without values of its own, as NumPy makes it.
  const std::unique_ptr<float[]> back(new float[values.size()]);
  if (!buffer.Read(absl::MakeSpan(back.get(), values.size())).ok()) {
    std::exit(EXIT_FAILURE);
  }
  return SecondsSince(start);
}

// What the table has, in the words of a child.
struct Row {
  const char* thing;
  const char* what;
  int times;
};
constexpr Row kRows[] = {
    {"first", "process start to first result", 7},
    {"in_place", "execute f32[4], read in place", 7},
    {"new_inputs", "the same with a new input each time", 7},
    {"transfer", "1 GB there and back", 5},
};

int Child(const std::string& thing) {
  double seconds = 0;
  if (thing == "first") {
    First();
  } else if (thing == "in_place") {
    seconds = InPlace();
  } else if (thing == "new_inputs") {
    seconds = NewInputs();
  } else if (thing == "transfer") {
    seconds = Transfer();
  } else {
    return EXIT_FAILURE;
  }
  std::printf("%.9f\n", seconds);
  std::fflush(stdout);
  return EXIT_SUCCESS;
}

// The seconds of one run of a command; of `first` the process itself is timed.
// Below 0: it failed.
double Time(const std::string& command, const Row& row) {
  const Clock::time_point start = Clock::now();
  FILE* const pipe = popen((command + " " + row.thing).c_str(), "r");
  if (pipe == nullptr) return -1;
  double seconds = 0;
  const bool read = std::fscanf(pipe, "%lf", &seconds) == 1;
  if (pclose(pipe) != 0 || !read) return -1;
  return std::string(row.thing) == "first" ? SecondsSince(start) : seconds;
}

int Compare(const std::string& self) {
  const char* const python = std::getenv("INDIM_XLA_PYTHON");
  if (python == nullptr) {
    std::fprintf(stderr, "INDIM_XLA_PYTHON names no Python with jaxlib\n");
    return EXIT_FAILURE;
  }
  const std::string peer = std::string(python) + " bench/peers/jaxlib_runs.py";
  std::printf("| what | Indim | jaxlib | ratio |\n|---|---|---|---|\n");
  for (const Row& row : kRows) {
    // The best of each; in turn, since other programs share the machine.
    double ours = -1, theirs = -1;
    for (int i = 0; i < row.times; ++i) {
      const double own = Time(self + " --child", row), other = Time(peer, row);
      if (own < 0 || other < 0) return EXIT_FAILURE;
      ours = i == 0 ? own : std::min(ours, own);
      theirs = i == 0 ? other : std::min(theirs, other);
    }
    std::printf("| %s | %.3g ms | %.3g ms | %.2f |\n", row.what, ours * 1e3,
                theirs * 1e3, ours / theirs);
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--child") {
    return indim::Child(argv[2]);
  }
  return indim::Compare(argv[0]);
}

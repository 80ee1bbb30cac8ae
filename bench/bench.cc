// bazel run -c opt //bench: every step against a peer or a floor of the same
// run, in one table.
//
//   bench [--peers=FOLDER] [--module=FILE.pb] [--scale] [Google Benchmark
//   flags]
//
// --peers: where xla_peer and mlir_peer are (peers.md); default bench/peers/bin
// below the directory that Bazel was called in. --module: one more module to
// read. --scale: also the graphs of 10 million ops.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "indim/bench/common_module.h"
#include "indim/bench/graphs.h"
#include "indim/bench/memory.h"
#include "indim/bench/peers.h"
#include "indim/bench/peers/timing.h"
#include "indim/bench/steps.h"
#include "indim/ir/file.h"
#include "indim/passes/export.h"

namespace indim::bench {
namespace {

constexpr int64_t kOps = 100000;
constexpr int64_t kManyOps = 100 * kOps;  // --scale

// Keeps the least time of each benchmark, in ns per item.
class LeastTimes : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const auto least = run.counters.find(kLeastNs);
      if (least == run.counters.end()) continue;
      // Names end in "/min_time:...": the table wants what we called it.
      double& ns = times_[run.run_name.function_name];
      if (ns == 0 || least->second < ns) ns = least->second;
    }
    ConsoleReporter::ReportRuns(runs);
  }
  const std::map<std::string, double>& times() const { return times_; }

 private:
  std::map<std::string, double> times_;
};

// What a row is compared with: a peer's time or one of our own run.
void PrintRow(const std::string& name, double ns, const std::string& other,
              const std::map<std::string, double>& times) {
  auto it = times.find(other);
  if (it == times.end()) {
    std::printf("| %-44s | %9.1f | %-34s | %9s | %7s |\n", name.c_str(), ns,
                other.c_str(), "not here", "");
  } else {
    std::printf("| %-44s | %9.1f | %-34s | %9.1f | %6.1fx |\n", name.c_str(),
                ns, other.c_str(), it->second, it->second / ns);
  }
}

// The peers of a row: XLA where it has the step, MLIR for recording, bare
// protobuf for reading.
std::vector<std::string> PeersOf(absl::string_view name) {
  std::vector<std::string> peers;
  if (absl::StartsWith(name, "import") || absl::StartsWith(name, "infer") ||
      absl::StartsWith(name, "verify")) {
    absl::string_view graph = name;
    graph.remove_prefix(graph.find('/') + 1);
    peers.push_back(absl::StrCat("protobuf-parse/", graph));
  }
  if (name == "record/same/100000" || name == "record/indim/100000") {
    peers.push_back("mlir/record/same-given/100000");
    peers.push_back("mlir/record/same-inferred/100000");
  }
  // XLA infers while it creates a graph, and doesn't verify what it builds.
  if (!absl::StartsWith(name, "protobuf-parse") &&
      !absl::StartsWith(name, "infer")) {
    std::string step(name);
    absl::StrReplaceAll({{"build+verify+write", "build+write"},
                         // What XLA survives (peers/xla_peer.cc).
                         {absl::StrCat("deep-calls/", kOps),
                          absl::StrCat("deep-calls/", kOps / 100)}},
                        &step);
    peers.push_back(absl::StrCat("xla/", step));
  }
  return peers;
}

// What a row is compared with where the peer doesn't have it: without
// verification where it refuses the module.
std::string OrElse(const std::string& peer,
                   const std::map<std::string, double>& times) {
  absl::string_view graph = peer;
  if (times.count(peer) == 0 &&
      absl::ConsumePrefix(&graph, "xla/import+infer+verify/")) {
    const std::string import = absl::StrCat("xla/import/", graph);
    if (times.count(import) != 0) return import;
  }
  return peer;
}

void PrintTable(const std::map<std::string, double>& ours,
                const std::map<std::string, double>& peers) {
  std::map<std::string, double> all = peers;
  all.insert(ours.begin(), ours.end());
  std::printf("\n| %-44s | %9s | %-34s | %9s | %7s |\n", "step", "ns",
              "compared with", "ns", "ratio");
  std::printf("|---|---|---|---|---|\n");
  for (const auto& [name, ns] : ours) {
    for (const std::string& peer : PeersOf(name)) {
      // Of --scale; that has a table of its own.
      if (absl::EndsWith(name, absl::StrCat("/", kManyOps))) continue;
      PrintRow(name, ns, OrElse(peer, all), all);
    }
  }
}

// How linear each step is: time per op at kManyOps by that at kOps.
void PrintScale(const std::map<std::string, double>& ours) {
  std::printf("\n| %-44s | %9s | %9s | %7s |\n|---|---|---|---|\n",
              "ns per op, by number of ops", absl::StrCat(kOps).c_str(),
              absl::StrCat(kManyOps).c_str(), "ratio");
  for (const auto& [name, many] : ours) {
    absl::string_view step = name;
    if (!absl::ConsumeSuffix(&step, absl::StrCat("/", kManyOps))) continue;
    const auto few = ours.find(absl::StrCat(step, "/", kOps));
    if (few == ours.end()) continue;
    std::printf("| %-44s | %9.1f | %9.1f | %6.2fx |\n",
                std::string(step).c_str(), few->second, many,
                many / few->second);
  }
}

// A file that goes away, whose name is that of a row.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes) {
    const char* folder = std::getenv("TMPDIR");
    folder_ = absl::StrCat(folder != nullptr ? folder : "/tmp", "/indimXXXXXX");
    if (mkdtemp(folder_.data()) == nullptr) return;
    path_ = absl::StrCat(folder_, "/", name);
    if (!WriteFile(path_, bytes).ok()) path_.clear();
  }
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }  // empty: there is none

 private:
  std::string folder_;
  std::string path_;
};

struct Flags {
  std::string peers;
  std::vector<std::string> modules;
  bool scale = false;
};

// Takes our flags out of argv.
Flags TakeFlags(int* argc, char** argv) {
  Flags flags;
  const char* start = std::getenv("BUILD_WORKING_DIRECTORY");
  const std::string here = start != nullptr ? start : ".";
  flags.peers = here + "/bench/peers/bin";
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--peers=")) {
      flags.peers = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--module=")) {
      flags.modules.push_back(absl::StartsWith(arg, "/")
                                  ? std::string(arg)
                                  : absl::StrCat(here, "/", arg));
    } else if (arg == "--scale") {
      flags.scale = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  return flags;
}

// The steps of `bytes`, which the peers read from a file of `files`.
void RegisterFile(const std::string& name, std::string bytes,
                  std::deque<TemporaryFile>* files) {
  files->emplace_back(name, bytes);
  RegisterBytes(name, std::make_shared<std::string>(std::move(bytes)));
}

absl::Status RegisterModule(const std::string& path,
                            std::deque<TemporaryFile>* files) {
  const absl::StatusOr<std::string> file = ReadFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> module = CommonModule(*file);
  if (!module.ok()) return module.status();
  RegisterFile(path.substr(path.rfind('/') + 1), *std::move(module), files);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const Flags flags = TakeFlags(&argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  // First, while the heap of this process, which each row begins with, is
  // small.
  PrintMemory(flags.modules);
  peer::WarmHeap();
  for (const Graph& graph : PeerGraphs()) RegisterRecording(graph, kOps);
  for (const Graph& graph : HardGraphs()) {
    RegisterRecording(graph, kOps);
    if (flags.scale) RegisterRecording(graph, kManyOps);
  }
  const Graph& transformer = PeerGraphs().back();
  absl::StatusOr<std::string> bytes =
      ExportHloModuleProto(Make(transformer, kOps));
  if (!bytes.ok()) return 1;
  std::deque<TemporaryFile> files;
  RegisterFile("transformer", *std::move(bytes), &files);
  for (const std::string& path : flags.modules) {
    const absl::Status status = RegisterModule(path, &files);
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), status.ToString().c_str());
      return 1;
    }
  }
  LeastTimes reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::vector<std::string> paths;
  for (const TemporaryFile& file : files) {
    if (!file.path().empty()) paths.push_back(file.path());
  }
  PrintTable(reporter.times(), RunPeers(flags.peers, paths));
  if (flags.scale) PrintScale(reporter.times());
  return 0;
}

}  // namespace
}  // namespace indim::bench

int main(int argc, char** argv) { return indim::bench::Main(argc, argv); }

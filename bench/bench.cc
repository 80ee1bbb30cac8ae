// SPDX-License-Identifier: Apache-2.0
// bazel run -c opt //bench: every step against a peer or a floor of the same
// run, in one table.
//
//   bench [--peers=FOLDER] [--module=FILE.pb] [--mlir=FILE.mlir] [--scale]
//   [Google Benchmark flags]
//
// --peers: the folder of xla_peer and mlir_peer (peers.md); default
// bench/peers/bin below the directory in which Bazel was called. --module: a
// further module to read. --mlir: a further StableHLO text. --scale: also the
// graphs of 10 million ops, every verb on the transformer of 100,000 and of 10
// million, StableHLO of a million, a constant of 100 MB.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "indim/bench/common_module.h"
#include "indim/bench/graphs.h"
#include "indim/bench/memory.h"
#include "indim/bench/mlir_steps.h"
#include "indim/bench/peers.h"
#include "indim/bench/peers/timing.h"
#include "indim/bench/steps.h"
#include "indim/bench/tables.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"

namespace indim::bench {
namespace {

// Keeps each benchmark's results for the tables.
class LeastTimes : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const auto least = run.counters.find(kLeastNs);
      const auto items = run.counters.find(kItems);
      if (least == run.counters.end() || items == run.counters.end()) continue;
      // Names end in "/min_time:..."; the table needs the name without it.
      Measured& row = rows_[run.run_name.function_name];
      if (row.ns == 0 || least->second < row.ns) row.ns = least->second;
      row.items = items->second;
    }
    ConsoleReporter::ReportRuns(runs);
  }
  const Rows& rows() const { return rows_; }

 private:
  Rows rows_;
};

// A file that is removed at the end, named like its row.
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
  std::vector<std::string> texts;
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
    const auto path = [&] {
      return absl::StartsWith(arg, "/") ? std::string(arg)
                                        : absl::StrCat(here, "/", arg);
    };
    if (absl::ConsumePrefix(&arg, "--peers=")) {
      flags.peers = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--module=")) {
      flags.modules.push_back(path());
    } else if (absl::ConsumePrefix(&arg, "--mlir=")) {
      flags.texts.push_back(path());
    } else if (arg == "--scale") {
      flags.scale = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  return flags;
}

// Registers the steps of `bytes`; the peers read them from a file of `files`.
void RegisterFile(const std::string& name, std::string bytes,
                  std::deque<TemporaryFile>* files) {
  files->emplace_back(name, bytes);
  RegisterBytes(name, std::make_shared<std::string>(std::move(bytes)));
}

// The name of a module in rows.
std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// OK when the module can be read and verifies, also once its shapes are
// inferred.
absl::Status Right(const std::string& bytes) {
  absl::StatusOr<Module> module = ReadHloModuleProto(bytes, nullptr);
  if (!module.ok()) return module.status();
  const VerifyResult verified = VerifyModule(*module);
  if (!verified.ok()) return ToStatus(*module, verified.report);
  const InferAndVerifyResult both = InferAndVerify(*std::move(module));
  if (both.ok()) return absl::OkStatus();
  return ToStatus(both.inferred.module, both.inferred.ok()
                                            ? both.verified.report
                                            : both.inferred.report);
}

absl::Status RegisterModule(const std::string& path,
                            std::deque<TemporaryFile>* files) {
  const absl::StatusOr<std::string> file = ReadFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> module = CommonModule(*file);
  if (!module.ok()) return module.status();
  // What doesn't verify has no time to compare, but the others have.
  const absl::Status right = Right(*module);
  if (!right.ok()) {
    std::fprintf(stderr, "%s is left out: %s\n", path.c_str(),
                 std::string(right.message()).c_str());
    return absl::OkStatus();
  }
  RegisterFile(NameOf(path), *std::move(module), files);
  return absl::OkStatus();
}

// Registers the steps of StableHLO texts; jaxlib reads them from `files`.
absl::Status RegisterTexts(const Flags& flags,
                           std::deque<TemporaryFile>* files) {
  const auto add = [&](const std::string& name, const std::string& text) {
    files->emplace_back(name, text);
    RegisterMlir(name, text);
  };
  add(absl::StrCat("chain-", kOps), MlirChain(kOps));
  if (flags.scale) {
    add(absl::StrCat("chain-", 10 * kOps), MlirChain(10 * kOps));
    add("constant-100MB", MlirConstant(100 << 20));
  }
  for (const std::string& path : flags.texts) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    add(NameOf(path), *text);
  }
  return absl::OkStatus();
}

std::vector<std::string> Paths(const std::deque<TemporaryFile>& files) {
  std::vector<std::string> paths;
  for (const TemporaryFile& file : files) {
    if (!file.path().empty()) paths.push_back(file.path());
  }
  return paths;
}

std::set<std::string> ModuleNames(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const std::string& path : paths) names.insert(NameOf(path));
  return names;
}

int Main(int argc, char** argv) {
  const Flags flags = TakeFlags(&argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  // First, because each row begins with the heap of this process, which is
  // still small.
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
  if (flags.scale) {
    for (const int64_t n : {kOps, kManyOps}) RegisterGrowth(transformer, n);
  }
  std::deque<TemporaryFile> texts;
  const absl::Status status = RegisterTexts(flags, &texts);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  LeastTimes reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::map<std::string, double> peers = RunPeers(flags.peers, Paths(files));
  peers.merge(RunJaxlib(Paths(texts)));
  const Tables tables(reporter.rows(), peers);
  tables.PrintAll();
  if (!flags.modules.empty()) tables.PrintTogether(ModuleNames(flags.modules));
  if (!flags.texts.empty()) tables.PrintTogether(ModuleNames(flags.texts));
  if (flags.scale) tables.PrintScale();
  return 0;
}

}  // namespace
}  // namespace indim::bench

int main(int argc, char** argv) { return indim::bench::Main(argc, argv); }

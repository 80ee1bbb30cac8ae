// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/memory.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "indim/bench/graphs.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"

namespace indim::bench {
namespace {

// A line of /proc/self/status, in bytes; 0 if there is none.
double Status(const std::string& key) {
  FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const std::string text = line;
    if (text.rfind(key + ":", 0) == 0) {
      kilobytes = std::strtod(line + key.size() + 1, nullptr);
    }
  }
  std::fclose(file);
  return kilobytes * 1024;
}

// Runs `before_it`, then `body`, which returns the number of items it made, in
// a child process, and prints how much body's peak adds to the memory, per
// item.
void PrintPeak(const std::string& name, const std::string& unit,
               const std::function<void()>& before_it,
               const std::function<double()>& body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    before_it();
    (void)Status("VmRSS");  // loads this function's own pages before measuring
#ifdef __GLIBC__
    malloc_trim(0);  // free heap that is left over would not be counted
#endif
    // The peak starts at the present resident set.
    if (FILE* f = std::fopen("/proc/self/clear_refs", "w")) {
      std::fputs("5", f);
      std::fclose(f);
    }
    const double before = Status("VmRSS");
    const double items = body();
    std::printf("| %-40s | %8.2f %s |\n", name.c_str(),
                (Status("VmHWM") - before) / items, unit.c_str());
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

void PrintPeak(const std::string& name, const std::string& unit,
               const std::function<double()>& body) {
  PrintPeak(
      name, unit, [] {}, body);
}

}  // namespace

void PrintMemory(const std::vector<std::string>& files) {
  constexpr int64_t kOps = 1000000;
  std::printf("\n| memory at the peak | |\n|---|---|\n");
  for (const Graph& graph : PeerGraphs()) {
    const std::string name = graph.name;
    PrintPeak("record " + name, "bytes per instruction", [&] {
      return static_cast<double>(Make(graph, kOps).instruction_count());
    });
    // The number of written instructions.
    int64_t written =
        ExpandForXla(Make(graph, kOps)).module.instruction_count();
    PrintPeak("record and export " + name, "bytes per instruction", [&] {
      const absl::StatusOr<std::string> bytes =
          ExportHloModuleProto(Make(graph, kOps));
      return static_cast<double>(bytes.ok() ? written : 0);
    });
    PrintPeak("record and write a file " + name, "bytes per instruction", [&] {
      const absl::Status status =
          WriteHloModuleProto(Make(graph, kOps), "/dev/null");
      return static_cast<double>(status.ok() ? written : 0);
    });
  }
  for (const std::string& path : files) {
    const absl::StatusOr<std::string> bytes = ReadFile(path);
    if (!bytes.ok()) continue;
    const std::string name = path.substr(path.rfind('/') + 1);
    // The file was read before and stays in memory, and so does the code: pages
    // of the program aren't part of a module.
    const std::function<void()> touch_code = [&] {
      (void)ReadHloModuleProto(*bytes, nullptr).ok();
    };
    PrintPeak("import " + name, "times the file, beyond the file", touch_code,
              [&] {
                const absl::StatusOr<Module> module =
                    ReadHloModuleProto(*bytes, nullptr);
                return static_cast<double>(bytes->size());
              });
  }
}

}  // namespace indim::bench

// SPDX-License-Identifier: Apache-2.0
// Prints every module of a folder and compares with XLA's own text beside it:
//
//   bazel run -c opt //tests/text:compare_corpus -- FOLDER...
//
// For each NAME.hlo.pb with a NAME.hlo: equal to that text (constants whole,
// or elided), or the first line that differs. At the end the counts and the
// time that an instruction took. Exit status 1 when any text differs.

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

// The first line that differs, from both.
void ShowDifference(const std::string& ours, const std::string& xla) {
  const std::vector<absl::string_view> a = absl::StrSplit(ours, '\n');
  const std::vector<absl::string_view> b = absl::StrSplit(xla, '\n');
  size_t line = 0;
  while (line < std::min(a.size(), b.size()) && a[line] == b[line]) ++line;
  const absl::string_view line_a = line < a.size() ? a[line] : "(end)";
  const absl::string_view line_b = line < b.size() ? b[line] : "(end)";
  // A long line from a little before its first difference on.
  size_t begin = 0;
  while (begin < std::min(line_a.size(), line_b.size()) &&
         line_a[begin] == line_b[begin]) {
    ++begin;
  }
  begin -= std::min<size_t>(begin, 60);
  constexpr size_t kShown = 200;
  std::cout << "  line " << line + 1
            << "\n    indim: " << line_a.substr(begin, kShown)
            << "\n    xla:   " << line_b.substr(begin, kShown) << "\n";
}

struct Totals {
  int64_t equal = 0;
  int64_t differ = 0;
  int64_t instructions = 0;
  double nanoseconds = 0;
};

// Of this thread's work, which a busy machine doesn't lengthen.
double Nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 +
         static_cast<double>(time.tv_nsec);
}

// The fastest of three.
std::string TimedPrint(const Module& module, const PrintOptions& options,
                       Totals* totals) {
  std::string text;
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = Nanoseconds();
    text = PrintHloText(module, options);
    const double time = Nanoseconds() - start;
    best = i == 0 ? time : std::min(best, time);
  }
  totals->nanoseconds += best;
  totals->instructions += module.instruction_count();
  return text;
}

void Compare(const std::string& pb, Totals* totals) {
  const std::string bytes = *ReadFile(pb);
  const absl::StatusOr<std::string> xla = ReadFile(pb.substr(0, pb.size() - 3));
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  if (!module.ok()) {
    std::cout << pb << ": " << module.status() << "\n";
    ++totals->differ;
    return;
  }
  const std::string text =
      TimedPrint(*module, PrintOptions::LargeConstants(), totals);
  if (!xla.ok()) return;
  const std::string elided = PrintHloText(*module);
  if (text == *xla || elided == *xla) {
    ++totals->equal;
    return;
  }
  ++totals->differ;
  std::cout << pb << ":\n";
  // Elided texts are the ones that say so.
  const bool is_elided = xla->find("{...}") != std::string::npos;
  ShowDifference(is_elided ? elided : text, *xla);
}

int Main(int argc, char** argv) {
  Totals totals;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (entry.path().extension() == ".pb") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) Compare(file, &totals);
  }
  std::cout << absl::StreamFormat(
      "%d texts equal, %d differ; %d instructions, %.0f ns each\n",
      totals.equal, totals.differ, totals.instructions,
      totals.nanoseconds /
          static_cast<double>(std::max<int64_t>(totals.instructions, 1)));
  return totals.differ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) { return indim::Main(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
// The same calls give the same bytes in another process, with other addresses
// (from which Abseil's hash tables take their seed), and in another locale.
//
// The test runs itself again, with an output file as its first argument: then
// it writes everything it can make into that file.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <fstream>
#include <functional>
#include <iostream>
#include <locale>
#include <set>
#include <string>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/builder/computation_builder.h"
#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/tests/data_files.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

constexpr char kChild[] = "--write_to=";

// Numbers as a German writes them, in every stream.
class Comma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// --- What is made ------------------------------------------------------------

// Calls, broadcasts, constants, attributes of many kinds, names given twice;
// with mistakes when `broken`.
absl::StatusOr<Module> Build(bool broken) {
  ComputationBuilder b("made");
  b.set_op_name("place");
  std::vector<Op> results;
  for (int i = 0; i < 200; ++i) {
    ComputationBuilder sum = b.SubBuilder(absl::StrCat("sum", i % 50));
    sum.Add(sum.Parameter(0, "f32[]", "a"), sum.Parameter(1, "f32[]", "b"));
    const Op x = b.ConstantLiteral(*Literal::FromDoubles(
        ElementType::kF32, {1234.5 + i, -0.25, 1e-9 * i}, {3}));
    const Op y = b.Iota(*ParseShape(absl::StrCat("f32[", i + 1, ",3]")), 0);
    const Op z = b.Add(y, x, {1});
    b.SetName(z, absl::StrCat("z", i % 7));
    b.SetFrontendAttribute(z, absl::StrCat("k", i % 5), absl::StrCat(i));
    b.SetFrontendAttribute(z, absl::StrCat("j", i % 3), "v");
    results.push_back(b.Reduce(z, b.ConstantR0(ElementType::kF32, 1000000.5),
                               sum.BuildCallee(), {0}));
    if (broken && i % 20 == 0) b.Add(x, y, {0});
  }
  return b.Build(b.Tuple(results));
}

void Add(const Module& module, std::string* all) {
  absl::StrAppend(all, *SerializeModule(module));
  absl::StrAppend(all, PrintHloText(module, PrintOptions::LargeConstants()));
  absl::StrAppend(all, *WriteHloModuleText(module));
  absl::StrAppend(all, RenderReport(module, VerifyModule(module).report));
  InferOptions drop;
  drop.drop = true;
  const InferResult inferred = InferShapes(module, drop);
  absl::StrAppend(all, *SerializeModule(inferred.module));
  const absl::StatusOr<std::string> exported = ExportHloModuleProto(module);
  absl::StrAppend(all, exported.ok()
                           ? *exported
                           : std::string(exported.status().message()));
  const absl::StatusOr<Module> text = ParseHloText(
      PrintHloText(module, PrintOptions::LargeConstants()), ParseOptions());
  absl::StrAppend(all, text.ok() ? *SerializeModule(*text)
                                 : std::string(text.status().message()));
}

std::string Everything() {
  std::string all;
  Add(*Build(/*broken=*/false), &all);
  absl::StrAppend(&all, Build(/*broken=*/true).status().message());
  for (const std::string& file : JaxModules()) {
    const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(file);
    if (!read.ok()) return absl::StrCat(file, read.status().message());
    if (read->module.instruction_count() < 2000 / SampleStep(5))
      Add(read->module, &all);
  }
  return all;
}

int WriteEverything(absl::string_view path) {
  // Whatever the machine has of the locale that it was started in.
  std::setlocale(LC_ALL, "");
  if (getenv("INDIM_TEST_COMMA") != nullptr) {
    std::locale::global(std::locale(std::locale(), new Comma));
    std::cout.imbue(std::locale());
  }
  const absl::Status written = WriteFile(path, Everything());
  // Where things are, as a hash table sees it.
  std::ofstream(absl::StrCat(path, ".seed"))
      << absl::Hash<std::string>()("seed");
  return written.ok() ? 0 : 1;
}

// --- Other processes ---------------------------------------------------------

// A locale that few machines have ready, made of what Debian's `locales` has;
// without that the C locale stays.
void SetLocale(const std::string& name) {
  const std::string folder = testing::TempDir();
  const std::string made =
      absl::StrCat("localedef -i ", name, " -f UTF-8 ", folder, "/", name,
                   ".UTF-8 >/dev/null 2>&1");
  if (system(made.c_str()) != 0) std::cout << "no locale " << name << "\n";
  setenv("LOCPATH", folder.c_str(), 1);
  setenv("LC_ALL", absl::StrCat(name, ".UTF-8").c_str(), 1);
}

// Runs this program once more, after `prepare`; what it writes.
std::string RunAgain(int number, const std::function<void()>& prepare,
                     std::set<std::string>* seeds) {
  const std::string path = absl::StrCat(testing::TempDir(), "/run", number);
  const std::string argument = absl::StrCat(kChild, path);
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    execl("/proc/self/exe", "/proc/self/exe", argument.c_str(), nullptr);
    _exit(127);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "run " << number;
  const absl::StatusOr<std::string> seed = ReadFile(path + ".seed");
  if (seed.ok()) seeds->insert(*seed);
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  return bytes.ok() ? *bytes : "";
}

TEST(DeterminismTest, ProcessesAndLocalesDoNotCount) {
  std::set<std::string> seeds;
  const std::string here = Everything();
  EXPECT_GT(here.size(), 1000000u / SampleStep(5));
  const std::vector<std::function<void()>> preparations = {
      [] {},
      [] {},
      [] { personality(ADDR_NO_RANDOMIZE); },
      [] { setenv("INDIM_TEST_COMMA", "1", 1); },
      [] { SetLocale("de_DE"); },  // 1.234,5
      [] { SetLocale("tr_TR"); },  // I and i aren't one letter
  };
  int number = 0;
  for (const std::function<void()>& prepare : preparations) {
    const std::string there = RunAgain(number++, prepare, &seeds);
    // Not EXPECT_EQ: nobody reads megabytes.
    EXPECT_TRUE(there == here) << "run " << number << ": " << there.size()
                               << " bytes, not " << here.size();
  }
  RecordProperty("hash_seeds", static_cast<int>(seeds.size()));
  // Where the system gives every run the same addresses, there is one seed.
  const absl::StatusOr<std::string> randomized =
      ReadFile("/proc/sys/kernel/randomize_va_space");
  if (randomized.ok() && absl::StartsWith(*randomized, "2")) {
    EXPECT_GE(seeds.size(), 2u) << "the runs had the same addresses";
  }
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  absl::string_view first = argc > 1 ? argv[1] : "";
  if (absl::ConsumePrefix(&first, indim::kChild)) {
    return indim::WriteEverything(first);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

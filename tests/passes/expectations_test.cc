// SPDX-License-Identifier: Apache-2.0
// What a project could expect of the HLO of its programs (tests/data/releases)
// holds over releases of jaxlib and under cosmetic changes, and no longer after
// changes of meaning.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/edit/editor.h"
#include "indim/edit/pattern.h"
#include "indim/io/read.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/data_files.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/passes/cosmetic_changes.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

constexpr char kNewest[] = "tests/data/releases/jaxlib_0.10.2.txt";

// The modules of a release, by the program and its form: "mlp.lowered".
using Programs = std::map<std::string, Module>;

std::string TextOfFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

Programs ProgramsOf(const std::string& path) {
  Programs programs;
  const std::vector<std::string> parts =
      absl::StrSplit(TextOfFile(path), "=== ", absl::SkipEmpty());
  for (const absl::string_view part : parts) {
    const std::pair<std::string, std::string> named =
        absl::StrSplit(part, absl::MaxSplits('\n', 1));
    absl::StatusOr<Module> module = ReadModuleText(named.second);
    EXPECT_TRUE(module.ok()) << path << " " << named.first << module.status();
    if (module.ok()) programs.emplace(named.first, *std::move(module));
  }
  return programs;
}

// A line of expectations.txt.
struct Expectation {
  std::string program;
  std::string count;
  std::string pattern;
};

std::vector<Expectation> Expectations() {
  std::vector<Expectation> all;
  const std::string text = TextOfFile("tests/data/releases/expectations.txt");
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    std::vector<std::string> words;
    for (int i = 0; i < 2; ++i) {
      const size_t end = std::min(line.find(' '), line.size());
      words.emplace_back(line.substr(0, end));
      line = absl::StripLeadingAsciiWhitespace(line.substr(end));
    }
    all.push_back({words[0], words[1], std::string(line)});
  }
  return all;
}

bool Holds(const Expectation& e, const Module& module, const Module& newest) {
  if (e.count == "=") return Fingerprint(module) == Fingerprint(newest);
  const absl::StatusOr<Pattern> pattern = Pattern::Parse(e.pattern);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  if (!pattern.ok()) return false;
  const Editor editor(module);
  const size_t found = FindAll(editor, *pattern).size();
  size_t wanted = 0;
  if (absl::SimpleAtoi(e.count, &wanted)) return found == wanted;
  return found > 0;
}

TEST(ExpectationsTest, HoldOverReleases) {
  const std::vector<std::string> releases = DataFiles("releases", ".txt");
  const Programs newest = ProgramsOf(kNewest);
  const std::vector<Expectation> expectations = Expectations();
  EXPECT_GE(expectations.size(), 20u);
  int count = 0;
  for (const std::string& path : releases) {
    if (path.find("jaxlib_") == std::string::npos) continue;
    ++count;
    const Programs programs = ProgramsOf(path);
    for (const Expectation& e : expectations) {
      ASSERT_EQ(programs.count(e.program), 1u) << path << e.program;
      EXPECT_TRUE(Holds(e, programs.at(e.program), newest.at(e.program)))
          << path << ": " << e.program << " " << e.count << " " << e.pattern;
    }
  }
  EXPECT_GE(count, 6);
}

proto::HloModuleProto ProtoOf(const Module& module) {
  proto::HloModuleProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(SerializeModule(module).value()));
  return parsed;
}

// Whether all expectations of a program hold for what it has become; a module
// that can't be read fails them.
bool AllHold(const std::vector<Expectation>& of_program,
             const proto::HloModuleProto& changed, const Module& newest) {
  const absl::StatusOr<Module> module =
      ReadHloModuleProto(DeterministicBytes(changed));
  if (!module.ok()) return false;
  for (const Expectation& e : of_program) {
    if (!Holds(e, *module, newest)) return false;
  }
  return true;
}

std::vector<Expectation> ExpectationsOf(const std::string& program) {
  std::vector<Expectation> all = Expectations();
  all.erase(std::remove_if(
                all.begin(), all.end(),
                [&](const Expectation& e) { return e.program != program; }),
            all.end());
  return all;
}

TEST(ExpectationsTest, NoCosmeticChangeFailsOne) {
  Random random(53);
  const Programs newest = ProgramsOf(kNewest);
  const int each = 1000 / static_cast<int>(newest.size()) + 1;
  for (const auto& [program, module] : newest) {
    const std::vector<Expectation> expectations = ExpectationsOf(program);
    for (int i = 0; i < each; ++i) {
      proto::HloModuleProto changed = ProtoOf(module);
      ChangeLooks(&random, &changed);
      ASSERT_TRUE(AllHold(expectations, changed, module)) << program;
    }
  }
}

struct ChangeCounts {
  int changes = 0;
  int failed = 0;
};

// Of programs whose graph is expected, nearly every change fails that; a
// pattern sees only what it names.
TEST(ExpectationsTest, ChangesOfMeaningFailOne) {
  ChangeCounts of_graphs, of_patterns;
  for (const auto& entry : ProgramsOf(kNewest)) {
    const std::string& program = entry.first;
    const Module& module = entry.second;
    const std::vector<Expectation> expectations = ExpectationsOf(program);
    ChangeCounts& counts =
        expectations[0].count == "=" ? of_graphs : of_patterns;
    ForEachBreakage(ProtoOf(module), [&](const Breakage& b,
                                         const proto::HloModuleProto& broken) {
      ++counts.changes;
      if (!AllHold(expectations, broken, module)) {
        ++counts.failed;
      } else if (&counts == &of_graphs) {
        std::cout << program << ": " << Name(b.kind) << " of " << b.opcode
                  << " " << b.instruction << ": " << b.field << " " << b.change
                  << "\n";
      }
    });
  }
  std::cout << "of " << of_graphs.changes << " changes of graphs "
            << of_graphs.failed << " fail an expectation; of "
            << of_patterns.changes << " where only patterns are expected "
            << of_patterns.failed << "\n";
  EXPECT_GE(of_graphs.changes, 1000);
  EXPECT_GE(of_graphs.failed * 100, of_graphs.changes * 95);
  EXPECT_GT(of_patterns.failed, 0);
}

}  // namespace
}  // namespace indim

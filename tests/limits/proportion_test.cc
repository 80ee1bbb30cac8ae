// SPDX-License-Identifier: Apache-2.0
// Time and memory stay within a multiple of the input's size, whatever it asks
// for. Counts every allocation of the process, so it is a test of its own.
//
// The multiples are stated here: kMemory bytes at the peak for a byte of input
// (text is the costly one: `c0 {` makes a computation of four bytes), and time
// that grows no faster than the input, give or take kSlack.

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/allocation_counter.h"
#include "indim/tests/limits/hostile_inputs.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

constexpr size_t kMemory = 100;
constexpr size_t kFixed = size_t{1} << 20;  // whatever the size
constexpr double kSlack = 3;

// All that is done to a file: read, verify, write, print.
void Process(const HostileInput& input) {
  ReadAndVerify(input);
  const absl::StatusOr<Module> module = ReadInput(input);
  if (!module.ok()) return;
  EXPECT_TRUE(SerializeModule(*module).ok());
  PrintHloText(*module);
}

// Of this process, however busy the machine is; the least of three.
double CpuSeconds(const HostileInput& input) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    Process(input);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    least = std::min(
        least, static_cast<double>(after.tv_sec - before.tv_sec) +
                   static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9);
  }
  return least;
}

void ExpectMemoryInProportion(const HostileInput& input) {
  SCOPED_TRACE(input.name);
  const size_t used = PeakBytesOf([&] { Process(input); });
  EXPECT_LE(used, kFixed + kMemory * input.bytes.size())
      << used / input.bytes.size() << " bytes for each of "
      << input.bytes.size();
}

TEST(ProportionTest, MemoryOfWhatIsLarge) {
  for (const HostileInput& input : LargeInputs(8000)) {
    ExpectMemoryInProportion(input);
  }
}

TEST(ProportionTest, MemoryOfWhatIsWrong) {
  for (const HostileInput& input : WrongInputs()) {
    ExpectMemoryInProportion(input);
  }
}

// Eight times the input: linear time is 8 times, quadratic 64.
TEST(ProportionTest, TimeGrowsAsTheInput) {
  const std::vector<HostileInput> small = LargeInputs(1000 / SampleStep(2));
  const std::vector<HostileInput> large = LargeInputs(8000 / SampleStep(2));
  ASSERT_EQ(small.size(), large.size());
  for (size_t i = 0; i < small.size(); ++i) {
    SCOPED_TRACE(large[i].name);
    const double growth = static_cast<double>(large[i].bytes.size()) /
                          static_cast<double>(small[i].bytes.size());
    const double base = CpuSeconds(small[i]);
    const double time = CpuSeconds(large[i]);
    // Too little to be measured is little enough.
    EXPECT_LE(time, std::max(base * growth * kSlack, 0.01))
        << time / base << " times the time of " << base << " s";
  }
}

// A text that ends anywhere is a graph, or an error that says where.
void ExpectReadOrRefused(absl::string_view text) {
  SCOPED_TRACE(absl::StrCat("the first ", text.size(), " bytes"));
  const absl::StatusOr<Module> module = ParseHloText(text);
  if (module.ok()) {
    EXPECT_TRUE(SerializeModule(*module).ok());
    return;
  }
  absl::string_view message = module.status().message();
  int64_t line = 0, column = 0;
  const std::vector<std::string> parts =
      absl::StrSplit(message, absl::MaxSplits(':', 3));
  ASSERT_EQ(parts.size(), 4) << message;
  EXPECT_EQ(parts[0], "text");
  ASSERT_TRUE(absl::SimpleAtoi(parts[1], &line)) << message;
  ASSERT_TRUE(absl::SimpleAtoi(parts[2], &column)) << message;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  ASSERT_GE(line, 1);
  ASSERT_LE(line, static_cast<int64_t>(lines.size())) << message;
  EXPECT_GE(column, 1);
  EXPECT_LE(column, static_cast<int64_t>(
                        lines[static_cast<size_t>(line - 1)].size() + 1))
      << message;
  EXPECT_LE(message.size(), kFixed);
}

double CpuSecondsOfPrefixes(absl::string_view text, size_t first, size_t step) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
  };
  const double begin = now();
  for (size_t size = first; size <= text.size(); size += step) {
    const size_t used =
        PeakBytesOf([&] { ExpectReadOrRefused(text.substr(0, size)); });
    EXPECT_LE(used, kFixed + kMemory * size) << size;
  }
  return now() - begin;
}

// A small module at every byte; others at bytes of every remainder, where their
// instructions are: a text that was cut costs no more than a whole one.
TEST(ProportionTest, TextsThatEndAnywhere) {
  struct Case {
    const char* name;
    size_t step;
  };
  for (const Case& c :
       {Case{"ct_callbacks.opt.hlo", 1}, Case{"ct_while_fori.hlo", 13},
        Case{"ct_cond_switch.hlo", 29}, Case{"dt_int4_weight_only.hlo", 101}}) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat("tests/data/jax/", c.name));
    ASSERT_TRUE(text.ok()) << text.status();
    ASSERT_TRUE(ParseHloText(*text).ok());
    const size_t step = c.step * SampleStep(7);
    const size_t prefixes = text->size() / step + 1;
    double whole = 1e9;
    for (int i = 0; i < 10; ++i) {
      whole = std::min(
          whole, CpuSecondsOfPrefixes(*text, text->size(), text->size() + 1));
    }
    EXPECT_LE(CpuSecondsOfPrefixes(*text, 0, step),
              kSlack * whole * static_cast<double>(prefixes));
  }
}

}  // namespace
}  // namespace indim

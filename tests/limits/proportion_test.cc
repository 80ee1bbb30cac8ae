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

#include "indim/ir/text/hlo_text.h"
#include "indim/ir/wire_writer.h"
#include "indim/tests/allocation_counter.h"
#include "indim/tests/limits/hostile_inputs.h"

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
  const std::vector<HostileInput> small = LargeInputs(1000);
  const std::vector<HostileInput> large = LargeInputs(8000);
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

}  // namespace
}  // namespace indim

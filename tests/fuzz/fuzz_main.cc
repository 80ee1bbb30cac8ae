// SPDX-License-Identifier: Apache-2.0
// One target under libFuzzer: fuzz --target=NAME [flags of libFuzzer] [folders]
// A copy of the program that is named like a target runs that one.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "indim/tests/fuzz/fuzz_target.h"

namespace {
const indim::FuzzTarget* target = nullptr;
}  // namespace

// libFuzzer's. NOLINTBEGIN
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr absl::string_view kFlag = "--target=";
  const absl::string_view program = (*argv)[0];
  target = indim::FindFuzzTarget(program.substr(program.rfind('/') + 1));
  for (int i = 1; i < *argc; ++i) {
    const absl::string_view argument = (*argv)[i];
    if (argument.substr(0, kFlag.size()) != kFlag) continue;
    target = indim::FindFuzzTarget(argument.substr(kFlag.size()));
  }
  if (target != nullptr) return 0;
  std::fprintf(stderr, "usage: fuzz --target=NAME ...; there are:");
  for (const indim::FuzzTarget& t : indim::FuzzTargets()) {
    std::fprintf(stderr, " %s", t.name);
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string complaint =
      target->check({reinterpret_cast<const char*>(data), size});
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", target->name, complaint.c_str());
  std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  if (seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::mt19937_64 random(seed);
  const std::string mutated =
      target->mutate({reinterpret_cast<const char*>(data), size}, &random);
  if (mutated.size() > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
// NOLINTEND

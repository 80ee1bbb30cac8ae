// SPDX-License-Identifier: Apache-2.0
// Fuzz targets: what reads input from anywhere, and what must hold of every
// input.
//
// A target is a function from bytes to a complaint, empty when all is well, so
// that one definition serves libFuzzer (fuzz_main.cc, docs/fuzzing.md) and an
// ordinary test (replay_test.cc), which runs every input that was ever a find.

#ifndef INDIM_TESTS_FUZZ_FUZZ_TARGET_H_
#define INDIM_TESTS_FUZZ_FUZZ_TARGET_H_

#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

struct FuzzTarget {
  const char* name;
  // What was wrong; "" if nothing. Errors of the library are no complaints:
  // what it must not do is crash, or contradict itself or its judge.
  std::string (*check)(absl::string_view input);
  // An input like `input`, changed in a way that its readers have to look at.
  std::string (*mutate)(absl::string_view input, std::mt19937_64* random);
};

// All of them. Inputs of each are in a folder of its name in tests/data/fuzz.
absl::Span<const FuzzTarget> FuzzTargets();

// Null if there is none of that name.
const FuzzTarget* FindFuzzTarget(absl::string_view name);

// The targets, one to a file.
std::string CheckWireImport(absl::string_view bytes);
std::string CheckProtoText(absl::string_view text);
std::string CheckHloText(absl::string_view text);
std::string CheckShapeText(absl::string_view text);
std::string CheckQuery(absl::string_view lines);
std::string CheckExplain(absl::string_view question);
std::string CheckBuilder(absl::string_view program);
std::string CheckDeclaredCalls(absl::string_view program);
std::string CheckEditor(absl::string_view program);
std::string CheckArtifact(absl::string_view bytes);
std::string CheckMlirText(absl::string_view text);
std::string CheckStablehloImport(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TESTS_FUZZ_FUZZ_TARGET_H_

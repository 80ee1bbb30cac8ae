// SPDX-License-Identifier: Apache-2.0
// Changes to inputs that their readers have to look at: random bytes alone
// seldom get past the first length or bracket.

#ifndef INDIM_TESTS_FUZZ_MUTATE_H_
#define INDIM_TESTS_FUZZ_MUTATE_H_

#include <random>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// Bits, bytes, numbers and pieces of `input`.
std::string MutateBytes(absl::string_view input, std::mt19937_64* random);

// Words, numbers, signs and lines of `input`.
std::string MutateText(absl::string_view input, std::mt19937_64* random);

// Fields of an HloModuleProto: numbers, ids, names, whole messages of one place
// in another; now and then its bytes. What isn't one is mutated as bytes.
std::string MutateModuleBytes(absl::string_view input, std::mt19937_64* random);

// The same of text format; what isn't one is mutated as text.
std::string MutateModuleProtoText(absl::string_view input,
                                  std::mt19937_64* random);

}  // namespace indim

#endif  // INDIM_TESTS_FUZZ_MUTATE_H_

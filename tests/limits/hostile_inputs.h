// SPDX-License-Identifier: Apache-2.0
// Inputs that ask for too much, or contradict themselves, in every form that is
// read; and what is said of them.

#ifndef INDIM_TESTS_LIMITS_HOSTILE_INPUTS_H_
#define INDIM_TESTS_LIMITS_HOSTILE_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

enum class InputForm { kWire, kProtoText, kHloText };

struct HostileInput {
  std::string name;
  InputForm form;
  std::string bytes;
  // Pieces of the error that reading, or else verifying, gives: the place and
  // the value. Empty: nothing is wrong with it, it is only large.
  std::vector<std::string> says;
};

// Ranks, operands and lists of `n`.
std::vector<HostileInput> WideInputs(int n);
// They and all others whose size depends on `n`: nesting, calls, names.
std::vector<HostileInput> LargeInputs(int n);
// More called computations than an instruction may have, 2^23 of them.
std::vector<HostileInput> ManyCallees();
// Small ones.
std::vector<HostileInput> WrongInputs();

absl::StatusOr<Module> ReadInput(const HostileInput& input);
// Reads and verifies: "" if all is well, else the error or the report.
std::string ReadAndVerify(const HostileInput& input);

}  // namespace indim

#endif  // INDIM_TESTS_LIMITS_HOSTILE_INPUTS_H_

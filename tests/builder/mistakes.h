// SPDX-License-Identifier: Apache-2.0
// Mistakes that people make in calls: each message names the operand, the dim
// and the line, and its fix works when it is typed.

#ifndef INDIM_TESTS_BUILDER_MISTAKES_H_
#define INDIM_TESTS_BUILDER_MISTAKES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {

// Lists and numbers of a call, by the names that fixes have for them.
using Numbers = std::map<std::string, std::vector<int64_t>>;

struct Mistake {
  const char* name;
  // Parameters x, y, z, u, v.
  std::vector<std::string> operands;
  Numbers numbers;
  Op (*call)(TestBuilder& b, const Ops& x, const Numbers& n);
  const char* code;
  const char* says;  // a part of the message
  const char* fix;   // "": none is printed
};

// Calls of the builder, and composites.
std::vector<Mistake> CallMistakes();
std::vector<Mistake> CompositeMistakes();

// DotGeneral of x and y with n's contracting dims.
Op DotOf(TestBuilder& b, const Ops& x, const Numbers& n);

// Whether the fix is code, and not words about a computation, say.
bool CanBeTyped(const Mistake& mistake);

// What is printed, and that the call succeeds once the fix is typed.
void ExpectTold(const Mistake& mistake);

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_MISTAKES_H_

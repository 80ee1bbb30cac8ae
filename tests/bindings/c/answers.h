// SPDX-License-Identifier: Apache-2.0
// The functions of the C interface that return no error, and what they answer
// where they are given nothing: a row each.

#ifndef INDIM_TESTS_BINDINGS_C_ANSWERS_H_
#define INDIM_TESTS_BINDINGS_C_ANSWERS_H_

#include <functional>
#include <vector>

namespace indim {

struct Answer {
  const char* function;
  std::function<bool()> holds;
};
const std::vector<Answer>& Answers();

}  // namespace indim

#endif  // INDIM_TESTS_BINDINGS_C_ANSWERS_H_

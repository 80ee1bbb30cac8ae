// SPDX-License-Identifier: Apache-2.0
// `indim check --format=junit`: JUnit's XML, which CI systems show as tests. A
// file is a test case; one with errors has a <failure>, one that nobody can
// read an <error>, and warnings are what the case wrote.

#ifndef INDIM_TOOLS_CHECK_JUNIT_OUTPUT_H_
#define INDIM_TOOLS_CHECK_JUNIT_OUTPUT_H_

#include <ostream>
#include <string>

#include "indim/tools/check/check_output.h"

namespace indim {

class JunitOutput : public CheckOutput {
 public:
  JunitOutput(const CheckOutputOptions& options, std::ostream& out)
      : options_(options), out_(out) {}

  void Add(const CheckedFile& file) override;
  // Writes all: the counts stand before the cases.
  void End(int exit) override;

 private:
  const CheckOutputOptions options_;
  std::ostream& out_;
  std::string cases_;
  int tests_ = 0, failures_ = 0, errors_ = 0;
};

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_JUNIT_OUTPUT_H_

// SPDX-License-Identifier: Apache-2.0
// `indim check --format=github`: a line for each finding, in the syntax of
// GitHub's workflow commands, which makes it an annotation of the file:
//
//   ::error file=m.hlo,line=5,col=3,title=IND0007 ranks-differ::add can't ...
//
// A value has % , : and line ends escaped, a message % and line ends.

#ifndef INDIM_TOOLS_CHECK_GITHUB_OUTPUT_H_
#define INDIM_TOOLS_CHECK_GITHUB_OUTPUT_H_

#include <ostream>

#include "indim/tools/check/check_output.h"

namespace indim {

class GithubOutput : public CheckOutput {
 public:
  GithubOutput(const CheckOutputOptions& options, std::ostream& out)
      : options_(options), out_(out) {}

  // The annotations, then the file's summary behind "indim: ", so that no file
  // name makes it a command.
  void Add(const CheckedFile& file) override;

 private:
  const CheckOutputOptions options_;
  std::ostream& out_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_GITHUB_OUTPUT_H_

// SPDX-License-Identifier: Apache-2.0
// Pages of the documentation, as tests see them: their blocks of code, and the
// commands in these with what the page says that they print.

#ifndef INDIM_TESTS_PAGE_H_
#define INDIM_TESTS_PAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim {

// Lines between two fences (```), or each indented by four blanks and the first
// after an empty one; without fences and indentation, a line end after each. Of
// indented ones commands, after an empty line, are a block of their own.
struct PageBlock {
  int line = 0;  // of the page, from 1
  std::string text;
};
std::vector<PageBlock> PageBlocks(absl::string_view page);

// A line that begins with "$ ", and the lines up to the next such one. Empty
// lines before that, or at the block's end, don't count.
struct PageCommand {
  int line = 0;
  std::string command;
  std::string output;
};
// Of a block that begins with a command; none of any other.
std::vector<PageCommand> PageCommands(const PageBlock& block);

// A folder as the top of this repository after a build, where the commands of
// one page run, one after the other: examples/, tests/ and bazel-bin/ are those
// of the running test (its `data`), `indim` is on the PATH.
class PageFolder {
 public:
  PageFolder();

  // What the shell prints, standard error too, without empty lines at its end.
  std::string Run(const std::string& command) const;

 private:
  std::string path_;
};

// The file's bytes; "" where there is none.
std::string FileText(const std::string& path);

// What the shell prints on standard output.
std::string OutputOf(const std::string& command);

}  // namespace indim

#endif  // INDIM_TESTS_PAGE_H_

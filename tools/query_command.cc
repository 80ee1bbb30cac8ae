// indim query: the stream around query.h.

#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/tools/commands.h"
#include "indim/tools/query.h"

namespace indim {
namespace {

// Answers line by line, so that a program can ask and wait for the answer.
int AnswerAll(std::istream& in) {
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << AnswerLine(line) << "\n";
    if (in.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  std::cout.flush();
  return std::cout.good() ? kExitOk
                          : Fail(absl::UnknownError("can't write the answers"));
}

}  // namespace

int RunQuery(absl::Span<const std::string> files) {
  if (files.empty() || files[0] == "-") {
    std::ios::sync_with_stdio(false);
    return AnswerAll(std::cin);
  }
  std::ifstream file(files[0]);
  if (!file) {
    return Fail(absl::NotFoundError(absl::StrCat("can't open ", files[0])));
  }
  return AnswerAll(file);
}

}  // namespace indim

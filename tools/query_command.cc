// SPDX-License-Identifier: Apache-2.0
// indim query: the stream around query.h.

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

// The next line, without its end. Of one that is too long for a question only
// the beginning, which is none either. False: there is no line.
bool ReadLine(std::istream& in, std::string* line) {
  constexpr size_t kMaxLineBytes = size_t{64} << 20;
  line->clear();
  std::streambuf* const bytes = in.rdbuf();
  int c = bytes->sbumpc();
  if (c == std::char_traits<char>::eof()) return false;
  for (; c != std::char_traits<char>::eof() && c != '\n'; c = bytes->sbumpc()) {
    if (line->size() < kMaxLineBytes) line->push_back(static_cast<char>(c));
  }
  return true;
}

// Answers line by line, so that a program can ask and wait for the answer.
int AnswerAll(std::istream& in) {
  constexpr int64_t kShownEach = 1000;
  StartProgress(absl::GetFlag(FLAGS_quiet));
  ProgressStage stage("");  // people who type questions see none
  int64_t answered = 0;
  std::string line;
  while (ReadLine(in, &line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << AnswerLine(line) << "\n";
    if (++answered % kShownEach == 0) {
      stage.Next(absl::StrCat("answered ", answered, " questions"));
    }
    if (in.rdbuf()->in_avail() <= 0) std::cout.flush();
    if (!std::cout.good()) break;  // main says so
  }
  return kExitOk;
}

}  // namespace

int RunQuery(absl::Span<const std::string> files) {
  if (files.empty() || files[0] == "-") {
    std::ios::sync_with_stdio(false);
    return AnswerAll(std::cin);
  }
  std::error_code error;
  if (std::filesystem::is_directory(files[0], error)) {
    return Fail(
        absl::ErrnoToStatus(EISDIR, absl::StrCat("can't read ", files[0])));
  }
  std::ifstream file(files[0]);
  if (!file) {
    return Fail(
        absl::ErrnoToStatus(errno, absl::StrCat("can't open ", files[0])));
  }
  return AnswerAll(file);
}

}  // namespace indim

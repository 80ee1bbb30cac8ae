// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/page.h"

#include <stdio.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace indim {
namespace {

constexpr absl::string_view kFence = "```";
constexpr absl::string_view kIndent = "    ";
constexpr absl::string_view kPrompt = "$ ";

std::string WithoutEmptyEnd(const std::string& text) {
  const size_t last = text.find_last_not_of('\n');
  return last == std::string::npos ? "" : text.substr(0, last + 1) + "\n";
}

}  // namespace

std::vector<PageBlock> PageBlocks(absl::string_view page) {
  std::vector<PageBlock> blocks;
  enum { kProse, kFenced, kIndented } state = kProse;
  bool after_empty = true;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    ++number;
    const bool fence = absl::StartsWith(line, kFence);
    const bool indented = absl::StartsWith(line, kIndent);
    if (state == kIndented && !line.empty() && !indented) state = kProse;
    if (fence) {
      state = state == kFenced ? kProse : kFenced;
      if (state == kFenced) blocks.push_back({number + 1, ""});
    } else if (state == kFenced) {
      absl::StrAppend(&blocks.back().text, line, "\n");
    } else {
      const bool starts = state == kProse && after_empty && indented;
      absl::ConsumePrefix(&line, kIndent);
      // A program or a file, then what is done with it.
      const bool commands = state == kIndented && after_empty &&
                            absl::StartsWith(line, kPrompt) &&
                            !absl::StartsWith(blocks.back().text, kPrompt);
      if (starts || commands) blocks.push_back({number, ""});
      if (starts) state = kIndented;
      if (state == kIndented) absl::StrAppend(&blocks.back().text, line, "\n");
    }
    after_empty = line.empty();
  }
  for (PageBlock& block : blocks) block.text = WithoutEmptyEnd(block.text);
  return blocks;
}

std::vector<PageCommand> PageCommands(const PageBlock& block) {
  std::vector<PageCommand> commands;
  if (!absl::StartsWith(block.text, kPrompt)) return commands;
  int number = block.line;
  for (absl::string_view line : absl::StrSplit(block.text, '\n')) {
    if (absl::ConsumePrefix(&line, kPrompt)) {
      commands.push_back({number, std::string(line), ""});
    } else {
      absl::StrAppend(&commands.back().output, line, "\n");
    }
    ++number;
  }
  for (PageCommand& command : commands) {
    command.output = WithoutEmptyEnd(command.output);
  }
  return commands;
}

PageFolder::PageFolder() {
  const char* temporary = getenv("TEST_TMPDIR");
  path_ =
      absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/page.XXXXXX");
  if (mkdtemp(path_.data()) == nullptr) path_ = "/nowhere";
  const std::filesystem::path top = std::filesystem::current_path();
  std::error_code error;
  for (const char* name : {"examples", "tests"}) {
    std::filesystem::create_symlink(top / name,
                                    std::filesystem::path(path_) / name, error);
  }
  std::filesystem::create_symlink(
      top, std::filesystem::path(path_) / "bazel-bin", error);
}

std::string PageFolder::Run(const std::string& command) const {
  return WithoutEmptyEnd(
      OutputOf(absl::StrCat("exec 2>&1; PATH=\"$PWD/tools:$PATH\"; cd '", path_,
                            "' && {\n", command, "\n}")));
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  size_t n;
  while (pipe != nullptr && (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    text.append(buffer, n);
  }
  if (pipe != nullptr) pclose(pipe);
  return text;
}

}  // namespace indim

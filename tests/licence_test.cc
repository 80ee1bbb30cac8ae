// SPDX-License-Identifier: Apache-2.0
// Each source begins with the line that names its licence, for programs that
// ask single files: after the line that names an interpreter, where one does.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kLine = "SPDX-License-Identifier: Apache-2.0\n";

// How a comment begins in a source; "" where the file is none. Programs
// without an ending say by their first line what reads them.
absl::string_view CommentOf(const fs::path& path, absl::string_view text) {
  static const auto& comments = *new std::map<std::string, absl::string_view>{
      {".cc", "// "}, {".h", "// "},  {".def", "// "}, {".hpp", "// "},
      {".c", "// "},  {".go", "// "}, {".rs", "// "},  {".proto", "// "},
      {".py", "# "},  {".sh", "# "},  {".bzl", "# "},  {".cmake", "# "},
  };
  const auto found = comments.find(path.extension().string());
  if (found != comments.end()) return found->second;
  return absl::StartsWith(text, "#!") ? "# " : "";
}

// What to add, and where; "" where the line is there, or needn't be.
std::string Missing(const fs::path& path, absl::string_view text) {
  const absl::string_view comment = CommentOf(path, text);
  if (comment.empty()) return "";
  int line = 1;
  if (absl::StartsWith(text, "#!")) {
    text.remove_prefix(text.find('\n') + 1);
    line = 2;
  }
  // Headers for C have no other comments than those of C90.
  if (absl::StartsWith(text, "/* SPDX-License-Identifier: Apache-2.0 */\n") ||
      (absl::ConsumePrefix(&text, comment) && absl::StartsWith(text, kLine))) {
    return "";
  }
  return absl::StrCat("add as line ", line, ": ", comment,
                      absl::StripSuffix(kLine, "\n"));
}

TEST(Licence, LinesThatAreMissingAreTold) {
  EXPECT_EQ(Missing("a.cc", "// SPDX-License-Identifier: Apache-2.0\n\n"), "");
  EXPECT_EQ(Missing("a", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"),
            "");
  EXPECT_EQ(Missing("a.txt", "any"), "");
  for (const char* text : {"", "// A\n// SPDX-License-Identifier: Apache-2.0\n",
                           "// SPDX-License-Identifier: Apache-2.0 OR MIT\n"}) {
    EXPECT_EQ(Missing("a.def", text),
              "add as line 1: // SPDX-License-Identifier: Apache-2.0");
  }
  EXPECT_EQ(Missing("a.py", "#!/usr/bin/env python3\n\"\"\"Doc.\"\"\"\n"),
            "add as line 2: # SPDX-License-Identifier: Apache-2.0");
}

// Pages quote the examples, with the numbers of their lines; data of tests is
// as others wrote it; what begins with a dot or is a link isn't the checkout's.
TEST(Licence, EachSourceNamesIt) {
  std::vector<std::string> missing;
  int sources = 0;
  const fs::path top = Checkout();
  for (fs::recursive_directory_iterator it(top), end; it != end; ++it) {
    const std::string path = it->path().lexically_relative(top).string();
    const std::string name = it->path().filename().string();
    if (it->is_symlink()) continue;
    if (it->is_directory()) {
      if (name[0] == '.' || name == "out" || name == "__pycache__" ||
          path == "tests/data" || path == "examples") {
        it.disable_recursion_pending();
      }
      continue;
    }
    const std::string text = FileText(it->path());
    sources += !CommentOf(path, text).empty();
    const std::string told = Missing(path, text);
    if (!told.empty()) missing.push_back(absl::StrCat(path, ": ", told));
  }
  EXPECT_THAT(missing, ::testing::IsEmpty());
  EXPECT_GT(sources, 1000);
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Pages that teach show nothing that isn't so: each command prints what stands
// under it, byte for byte, and every other block is part of a file that is
// built or read here.

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/tests/page.h"
#include "indim/tests/xla_python.h"

namespace indim {
namespace {

struct Page {
  std::string path;
  // What its blocks without commands are parts of, each of which it shows;
  // none: those blocks aren't checked here (readme_test.cc checks README.md's).
  std::vector<std::string> files;
};

const std::vector<Page>& Pages() {
  static const auto& pages = *new std::vector<Page>{
      {"README.md", {}},
      {"docs/broadcastable.md",
       {"examples/verify_file.cc", "tests/data/broadcastable/modes.hlo"}},
      {"docs/building.md", {"examples/building.cc"}},
      {"docs/cpp.md", {"examples/c/tour.cc"}},
      {"docs/debugging.md", {"examples/tutorial/strided.hlo"}},
      {"docs/check.md", {}},
      {"docs/editing.md",
       {"examples/edit_module.cc", "examples/editing/score.hlo"}},
      {"docs/training.md",
       {"examples/training.cc", "examples/train_step.cc", "examples/mlp.py"}},
      {"docs/tutorial.md",
       {"examples/tutorial_affine.cc", "examples/tutorial_rows.cc",
        "examples/tutorial/mistake.hlo", "examples/tutorial/named.hlo"}},
  };
  return pages;
}

TEST(Pages, CommandsPrintWhatIsShown) {
  for (const Page& page : Pages()) {
    const PageFolder folder;
    int commands = 0;
    for (const PageBlock& block : PageBlocks(FileText(page.path))) {
      for (const PageCommand& command : PageCommands(block)) {
        ++commands;
        if (absl::StrContains(command.command, "INDIM_XLA_PYTHON") &&
            XlaPython().empty()) {
          std::cout << page.path << ":" << command.line << ": "
                    << kNeedsXlaPython << "\n";
          continue;
        }
        EXPECT_EQ(folder.Run(command.command), command.output)
            << page.path << ":" << command.line << ": $ " << command.command;
      }
    }
    EXPECT_GT(commands, 0) << page.path;
  }
}

// Whole lines of the file.
bool IsPartOf(const std::string& text, const std::string& file) {
  return absl::StrContains(absl::StrCat("\n", FileText(file)),
                           absl::StrCat("\n", text));
}

TEST(Pages, OtherBlocksArePartsOfFiles) {
  for (const Page& page : Pages()) {
    if (page.files.empty()) continue;
    std::vector<int> shown(page.files.size());
    for (const PageBlock& block : PageBlocks(FileText(page.path))) {
      if (!PageCommands(block).empty()) continue;
      bool found = false;
      for (size_t i = 0; i < page.files.size(); ++i) {
        if (!IsPartOf(block.text, page.files[i])) continue;
        found = true;
        ++shown[i];
      }
      EXPECT_TRUE(found) << page.path << ":" << block.line << "\n"
                         << block.text;
    }
    for (size_t i = 0; i < page.files.size(); ++i) {
      EXPECT_GT(shown[i], 0)
          << page.path << " shows nothing of " << page.files[i];
    }
  }
}

// As docs/passes.md says.
TEST(Pages, PassesAreShort) {
  for (const char* name :
       {"accumulate_in_f32.py", "barriers.py", "call_softsign.cc",
        "hard_tanh.cc", "refuse_all_gathers.py", "watch_for_nan.cc"}) {
    const std::string text = FileText(absl::StrCat("examples/passes/", name));
    const std::vector<std::string> lines =
        absl::StrSplit(text, '\n', absl::SkipWhitespace());
    EXPECT_GT(lines.size(), 5u) << name;
    EXPECT_LE(lines.size(), 25u) << name;
  }
}

TEST(Pages, Blocks) {
  const std::vector<PageBlock> blocks = PageBlocks(
      "# A page\n"
      "\n"
      "    $ echo 1\n"
      "    1\n"
      "\n"
      "    $ echo; echo 2\n"
      "\n"
      "    2\n"
      "\n"
      "Prose\n"
      "    that is no block.\n"
      "\n"
      "    ENTRY\n"
      "\n"
      "    $ true\n"
      "```c++\n"
      "    int x;\n"
      "\n"
      "```\n");
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].line, 3);
  EXPECT_EQ(blocks[1].text, "ENTRY\n");
  EXPECT_TRUE(PageCommands(blocks[1]).empty());
  EXPECT_EQ(blocks[2].text, "$ true\n");
  EXPECT_EQ(blocks[2].line, 15);
  EXPECT_EQ(blocks[3].line, 17);
  EXPECT_EQ(blocks[3].text, "    int x;\n");

  const std::vector<PageCommand> commands = PageCommands(blocks[0]);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].command, "echo 1");
  EXPECT_EQ(commands[0].output, "1\n");
  EXPECT_EQ(commands[1].line, 6);
  EXPECT_EQ(commands[1].output, "\n2\n");
  const PageFolder folder;
  for (const PageCommand& command : commands) {
    EXPECT_EQ(folder.Run(command.command), command.output);
  }
  EXPECT_EQ(folder.Run("echo 3 >&2; echo 4 > here; cat here"), "3\n4\n");
  EXPECT_EQ(folder.Run("cat here"), "4\n");
}

}  // namespace
}  // namespace indim

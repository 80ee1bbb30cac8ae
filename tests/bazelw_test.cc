// SPDX-License-Identifier: Apache-2.0
// What ./bazelw says that it will do, what it asks Bazel for, and that a set-up
// which was stopped is done again: a copy of it, in a checkout of nothing else
// and with a folder instead of /usr.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A command line, and words of what it sets up where nothing is there, and of
// what it doesn't.
struct SetUpCase {
  const char* arguments;
  std::set<std::string> missing;
  std::set<std::string> unasked;
};

class BazelwTest : public testing::Test {
 protected:
  // The checkout lies as deep as Bazel's links to its outputs lead.
  void SetUp() override {
    const char* const test =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::filesystem::path base =
        std::filesystem::canonical(testing::TempDir()) / "bazelw" / test;
    std::filesystem::remove_all(base);
    folder_ = (base / "execroot/indim").string();
    OutputOf(absl::StrCat("mkdir -p ", folder_,
                          "/packaging/third_party/cross && sed 's|/usr/|",
                          folder_, "/usr/|g' bazelw > ", folder_, "/bazelw"));
    for (const char* list :
         {"requirements", "pjrt_plugins", "pjrt_accelerator_plugins",
          "pjrt_cpu_plugin", "z3", "json_schemas", "mypy", "model_explorer",
          "spdx", "jax", "site", "cross/wheels", "cross/sources"}) {
      Write(absl::StrCat("packaging/third_party/", list, ".txt"), list);
    }
  }

  void Write(const std::string& path, const std::string& text) {
    OutputOf(absl::StrCat("cd ", folder_, " && mkdir -p $(dirname ", path,
                          ") && cat > ", path, " << 'END'\n", text,
                          "\nEND\nchmod +x ", path));
  }

  // Each file by which bazelw knows a package, where a pattern has x for *; as
  // Bazel, a script that prints its arguments, and as `query` gives the text of
  // the file `query`.
  void InstallPackages() {
    OutputOf(absl::StrCat("cd ", folder_, " && for file in $(grep -o '",
                          folder_, "/usr/[^ \"]*' bazelw | tr '*' x); do ",
                          "mkdir -p $(dirname $file) && touch $file; done"));
    Write("usr/bin/bazel",
          "#!/usr/bin/env bash\n"
          "if [ $1 = query ]; then . ./query; exit; fi\n"
          "echo \"bazel $*; python ${INDIM_XLA_PYTHON:-none}\"");
    Write("query", "");
  }

  std::string Run(const std::string& arguments,
                  const std::string& environment = "") {
    return OutputOf(absl::StrCat(
        "cd ", folder_, " && env -u INDIM_XLA_PYTHON -u INDIM_PJRT_PLUGINS ",
        "-u INDIM_PJRT_CPU_PLUGIN -u INDIM_PJRT_ACCELERATORS -u INDIM_Z3 ",
        "-u INDIM_JSON_SCHEMAS -u INDIM_MYPY -u INDIM_SPDX -u INDIM_JAX ",
        "-u INDIM_MODEL_EXPLORER ", environment, " bash ./bazelw ", arguments,
        " 2>&1"));
  }

  // The words of the lines that say what `arguments` would set up.
  std::set<std::string> Missing(const std::string& arguments,
                                const std::string& environment = "") {
    std::set<std::string> words;
    const std::string said =
        Run(absl::StrCat("--dry-run ", arguments), environment);
    EXPECT_THAT(said, HasSubstr("bazelw: "));
    for (const std::string& line :
         std::vector<std::string>(absl::StrSplit(said, '\n'))) {
      const std::vector<std::string> parts =
          absl::StrSplit(line, absl::ByAnyChar(" ,:"), absl::SkipEmpty());
      if (parts.size() < 2) continue;
      EXPECT_EQ(parts[0], "bazelw") << said;
      if (parts[1] == "missing") words.insert(parts.begin(), parts.end());
    }
    return words;
  }

  void ExpectMissing(const std::vector<SetUpCase>& cases) {
    for (const SetUpCase& c : cases) {
      SCOPED_TRACE(c.arguments);
      const std::set<std::string> missing = Missing(c.arguments);
      EXPECT_THAT(missing, IsSupersetOf(c.missing));
      for (const std::string& word : c.unasked) {
        EXPECT_THAT(missing, Not(Contains(word)));
      }
    }
  }

  std::string folder_;
};

TEST_F(BazelwTest, SaysWhatIsMissing) {
  ExpectMissing({
      {"build //...", {"bazel-bootstrap", "g++"}, {"clang-16"}},
      {"query //...", {"bazel-bootstrap"}, {".venv", "python3"}},
      {"shutdown", {"bazel-bootstrap"}, {".venv", "python3"}},
      {"run //tools:indim -- --help", {"g++"}, {".venv", "python3"}},
      {"run //examples:quickstart", {"g++"}, {".venv", "python3"}},
      {"run -c opt //:install -- --prefix=/x", {"g++"}, {".venv"}},
      {"run //examples:affine_on_xla -- --xla", {".venv"}, {".pjrt_cpu"}},
      {"run //examples:train_step", {".venv", "python3-venv"}, {}},
      {"test //...", {"libgtest-dev"}, {".venv", "python3", "clang-16"}},
      {"test --config=sanitize //...", {"clang-16", "lld-16"}, {".venv"}},
      {"coverage //...", {"g++"}, {".venv"}},
      {"--setup", {"bazel-bootstrap"}, {".venv", "clang-16"}},
      {"--setup --config=sanitize", {"clang-16"}, {".venv"}},
      {"--setup-xla", {".venv", "python3", "python3-venv"}, {"g++"}},
      {"test //tests/xla", {".venv"}, {}},
      {"test //tests/xla/...", {".venv"}, {}},
      {"build //tests/xla", {"g++"}, {".venv"}},
      {"test //tests/bindings/python:python_test", {".venv"}, {".mypy"}},
  });
}

// pip, without XLA, is enough for them.
TEST_F(BazelwTest, SingleTargetsHaveTheirOwn) {
  ExpectMissing({
      {"test //tests/run:pjrt_test",
       {".pjrt"},
       {".z3", ".pjrt_cpu", ".pjrt_accelerators", ".venv"}},
      {"test //tests/run:accelerators_test",
       {".pjrt_accelerators"},
       {".pjrt", ".venv"}},
      {"test //tests/run:c_interface_test", {".pjrt", ".venv"}, {}},
      {"run //examples:train -- --plugin=cpu", {".pjrt_cpu"}, {".venv"}},
      {"run //tools:indim -- run --plugin=cpu m.pb", {"g++"}, {".pjrt_cpu"}},
      {"test //tests/proof:prove_plans_test",
       {".z3", "python3-venv"},
       {".pjrt", ".cross", ".venv"}},
      {"build //tests/proof:prove_plans_test", {"g++"}, {".z3"}},
      {"test //tests/tools:json_schemas_test",
       {".json_schemas"},
       {".z3", ".venv"}},
      {"test //tests/tools:model_explorer_test",
       {".model_explorer", "nodejs"},
       {".json_schemas"}},
      {"test //tests/tools:graphviz_test", {"graphviz"}, {"nodejs"}},
      {"test //tests/bindings/python:types_test", {".mypy"}, {".venv"}},
      {"test //tests/packaging:release_test", {".spdx"}, {"golang-go"}},
      {"--setup packaging/site", {".site"}, {".spdx"}},
      {"test //tests/packaging:workflows_test", {"golang-go"}, {".spdx"}},
      {"test //tests/bindings/python:jax_test", {".venv", ".jax"}, {".mypy"}},
      {"test //tests/cross:s390x_test",
       {".cross", ".cross/sources", "ninja-build", "qemu-user"},
       {".z3", ".venv"}},
      {"--setup //bindings/python:wheels", {".cross", "cmake"}, {"clang-16"}},
      {"test //tests/tools/help:shells_test", {"zsh"}, {"abigail-tools"}},
  });
}

TEST_F(BazelwTest, WhatTheUserNamesIsTaken) {
  EXPECT_THAT(Missing("--setup-xla", "INDIM_XLA_PYTHON=/usr/bin/python3"),
              Not(Contains(".venv")));
  EXPECT_THAT(Missing("run //examples:train -- --plugin=cpu",
                      "INDIM_PJRT_CPU_PLUGIN=/a.so"),
              Not(Contains(".pjrt_cpu")));
  EXPECT_THAT(Missing("test //tests/proof:prove_plans_test", "INDIM_Z3=/z3"),
              Not(Contains(".z3")));
}

TEST_F(BazelwTest, TestsOnXlaAreLeftOutUntilJaxlibIsThere) {
  InstallPackages();
  const std::string left_out = "bazelw: left out: //tests/xla/...";
  EXPECT_THAT(Run("--dry-run test //..."), "bazelw: nothing is missing\n");
  std::string said = Run("test --jobs=2 //...");
  EXPECT_THAT(said, HasSubstr(left_out));
  EXPECT_THAT(said, HasSubstr("./bazelw --setup-xla"));
  EXPECT_THAT(said, HasSubstr("bazel test --jobs=2 //... -- -//tests/xla/...; "
                              "python none\n"));
  EXPECT_THAT(Run("test -- //... -//a"),
              HasSubstr("bazel test -- //... -//a -//tests/xla/...;"));
  for (const char* arguments :
       {"test //tests/shape/...", "build //...", "run //tools:indim"}) {
    EXPECT_EQ(Run(arguments),
              absl::StrCat("bazel ", arguments, "; python none\n"));
  }
  EXPECT_EQ(Run("test //...", "INDIM_XLA_PYTHON=/usr/bin/python3"),
            "bazel test //...; python /usr/bin/python3\n");
  Write(".venv/installed.txt", "pip");
  EXPECT_THAT(Run("test //..."), HasSubstr(left_out));
  Write(".venv/installed.txt", "requirements");
  EXPECT_EQ(Run("test //..."), absl::StrCat("bazel test //...; python ",
                                            folder_, "/.venv/bin/python\n"));
  EXPECT_EQ(Run("--max_idle_secs=9 shutdown"),
            absl::StrCat("bazel --max_idle_secs=9 shutdown; python ", folder_,
                         "/.venv/bin/python\n"));
}

TEST_F(BazelwTest, SaysHowMuchIsCompiled) {
  InstallPackages();
  // It takes its time, which is told.
  Write("query",
        "sleep 5\n"
        "echo 'generated file //a:a.unit.cc'\n"
        "echo 'source file //a:main.cc'\n"
        "echo 'source file //b/c:d/e.cc'\n"
        "echo 'cc_test rule //b:b_test'");
  const std::string said = Run("test //a //b/...");
  EXPECT_THAT(said, ContainsRegex(
                        "bazelw: Bazel reads the BUILD files, [1-9][0-9]* s"));
  EXPECT_THAT(said, HasSubstr("bazelw: Bazel compiles 3 of 3 units, about "));
  EXPECT_THAT(said, HasSubstr("runs 1 test programs"));
  OutputOf(absl::StrCat("sed -i /sleep/d ", folder_, "/query"));

  // What has been compiled isn't compiled again.
  const std::string outputs =
      absl::StrCat("bazel-out/$(uname -m | sed s/x86_64/k8/)-fastbuild/bin/");
  Write(outputs + "a/_objs/a/a.unit.pic.o", "");
  Write(outputs + "b/c/_objs/c/e.o", "");
  EXPECT_THAT(Run("run //a -- //x"), HasSubstr("compiles 1 of 3 units"));
  EXPECT_THAT(Run("build -c opt //a"), HasSubstr("compiles 3 of 3 units"));
  const std::string log = "../../command.log";
  Write(log, "ERROR: build interrupted\nINFO: Elapsed time: 9 s");
  EXPECT_THAT(Run("build //a"), HasSubstr("compiles 1 of 3 units"));
  // After a build that came to its end Bazel isn't asked.
  Write(log, "INFO: Elapsed time: 9 s");
  EXPECT_EQ(Run("build //a"), "bazel build //a; python none\n");
  EXPECT_THAT(Run("build -c opt //a"), HasSubstr("compiles 3 of 3 units"));
}

// Bazel takes the script's process over; a shell that runs the file `build`.
TEST_F(BazelwTest, TellsThatBazelWorksOn) {
  InstallPackages();
  OutputOf(absl::StrCat("cp /bin/bash ", folder_, "/usr/bin/bazel"));
  Write("bazel-out/bin/x", "");
  Write("build", "sleep 4; echo built");
  Write("../../command.log", "Elapsed time\n[5 / 9] Compiling a.unit.cc");
  OutputOf(
      absl::StrCat("touch -d '1 minute ago' ", folder_, "/../../command.log"));
  const std::string said = Run("build");
  EXPECT_THAT(said, HasSubstr("bazelw: Bazel works on, 6"));
  EXPECT_THAT(said, HasSubstr(" s after: [5 / 9] Compiling a.unit.cc\n"));
  EXPECT_THAT(said, EndsWith("built\n"));
  EXPECT_EQ(Run("build --noshow_progress"), "built\n");
}

TEST_F(BazelwTest, AStoppedSetUpIsDoneAgain) {
  InstallPackages();
  // Files of packages that apt-get unpacked only are there.
  Write(".setup_unfinished", "");
  EXPECT_THAT(Missing("build //..."), Contains("g++"));
  OutputOf(absl::StrCat("rm ", folder_, "/.setup_unfinished"));
  EXPECT_THAT(Missing("build //..."), Not(Contains("g++")));

  // pip, which ends in the middle.
  Write("python",
        "#!/usr/bin/env bash\n"
        "mkdir -p .z3/z3 && [ -e ready ] && echo \"$*\"> .z3/z3/said");
  const std::string python = "INDIM_XLA_PYTHON=./python";
  const std::string setup = "--setup //tests/proof:prove_plans_test";
  const std::string said = Run(setup, python);
  EXPECT_THAT(said, HasSubstr("bazelw: missing: .z3, by pip from PyPI, 39 MB"));
  EXPECT_THAT(said, HasSubstr("pip could not install"));
  EXPECT_THAT(said, HasSubstr("INDIM_Z3 names another"));
  EXPECT_THAT(Missing(setup, python), Contains(".z3"));
  Write("ready", "");
  EXPECT_THAT(Run(setup, python), HasSubstr("bazelw: set up\n"));
  EXPECT_THAT(FileText(folder_ + "/.z3/z3/said"), HasSubstr("-m pip install"));
  EXPECT_THAT(Missing(setup, python), Not(Contains(".z3")));
  EXPECT_EQ(Run(setup, python), "");
}

}  // namespace
}  // namespace indim

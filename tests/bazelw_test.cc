// Which commands of ./bazelw set up the 600 MB of real XLA: a copy of it, with
// nothing set up beside it, says what it would do.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

// What `arguments` would set up in a fresh checkout.
std::string Missing(const std::string& environment,
                    const std::string& arguments) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/checkout");
  return OutputOf(absl::StrCat(
      "mkdir -p ", folder, "/third_party && cp -L bazelw ", folder,
      " && echo jaxlib > ", folder, "/third_party/requirements.txt && env ",
      "-u INDIM_XLA_PYTHON -u INDIM_PJRT_PLUGINS "
      "-u INDIM_PJRT_CPU_PLUGIN -u INDIM_Z3 ",
      environment, " bash ", folder, "/bazelw --dry-run ", arguments, " 2>&1"));
}

TEST(BazelwTest, OnlyWhatAsksXlaSetsItUp) {
  struct Case {
    const char* arguments;
    bool venv;
  };
  for (const Case& c : {
           Case{"build //...", false},
           Case{"query //...", false},
           Case{"shutdown", false},
           Case{"run //tools:indim -- --help", false},
           Case{"run //examples:quickstart", false},
           Case{"run -c opt //:install -- --prefix=/tmp/x", false},
           Case{"run //examples:quickstart -- affine.pb", false},
           Case{"run //examples:quickstart -- --xla", true},
           Case{"run //examples:quickstart -- affine.pb --xla", true},
           Case{"run //examples:train_step", true},
           Case{"test //...", true},
           Case{"test --config=sanitize //...", true},
           Case{"coverage //...", true},
           Case{"--setup", true},
       }) {
    SCOPED_TRACE(c.arguments);
    const std::string missing = Missing("", c.arguments);
    EXPECT_TRUE(absl::StrContains(missing, "bazelw: missing:")) << missing;
    EXPECT_EQ(absl::StrContains(missing, ".venv"), c.venv) << missing;
  }
}

TEST(BazelwTest, APythonOfTheUserIsTaken) {
  EXPECT_FALSE(absl::StrContains(
      Missing("INDIM_XLA_PYTHON=/usr/bin/python3", "test //..."), ".venv"));
}

TEST(BazelwTest, SingleTestsHaveTheirOwn) {
  const std::string plugins = Missing("", "test //tests/pjrt:pjrt_test");
  EXPECT_TRUE(absl::StrContains(plugins, ".pjrt")) << plugins;
  EXPECT_FALSE(absl::StrContains(plugins, ".z3")) << plugins;
  EXPECT_FALSE(absl::StrContains(plugins, ".pjrt_cpu")) << plugins;
  const std::string accelerators =
      Missing("", "test //tests/pjrt:accelerators_test");
  EXPECT_TRUE(absl::StrContains(accelerators, ".pjrt_accelerators"))
      << accelerators;
  EXPECT_FALSE(absl::StrContains(accelerators, ".pjrt ")) << accelerators;
  EXPECT_FALSE(absl::StrContains(plugins, ".pjrt_accelerators")) << plugins;
  const std::string cpu =
      Missing("", "run //examples:quickstart -- --plugin=cpu");
  EXPECT_TRUE(absl::StrContains(cpu, ".pjrt_cpu")) << cpu;
  EXPECT_FALSE(absl::StrContains(cpu, ".venv")) << cpu;
  EXPECT_FALSE(
      absl::StrContains(Missing("INDIM_PJRT_CPU_PLUGIN=/a.so",
                                "run //examples:quickstart -- --plugin=cpu"),
                        ".pjrt_cpu"));
  EXPECT_FALSE(absl::StrContains(
      Missing("", "run //tools:indim -- run --plugin=cpu m.pb"), ".pjrt_cpu"));
  const std::string z3 = Missing("", "test //tests/proof:prove_plans_test ");
  EXPECT_FALSE(absl::StrContains(z3, ".pjrt")) << z3;
  EXPECT_TRUE(absl::StrContains(z3, ".z3")) << z3;
  EXPECT_FALSE(absl::StrContains(z3, ".cross")) << z3;
  const std::string schemas =
      Missing("", "test //tests/tools:json_schemas_test ");
  EXPECT_FALSE(absl::StrContains(schemas, ".z3")) << schemas;
  EXPECT_TRUE(absl::StrContains(schemas, ".json_schemas")) << schemas;
  const std::string mypy = Missing("", "test //tests/python:types_test ");
  EXPECT_FALSE(absl::StrContains(mypy, ".json_schemas")) << mypy;
  EXPECT_TRUE(absl::StrContains(mypy, ".mypy")) << mypy;
  const std::string cross = Missing("", "test //tests/cross:s390x_test");
  EXPECT_FALSE(absl::StrContains(cross, ".z3")) << cross;
  EXPECT_TRUE(absl::StrContains(cross, ".cross")) << cross;
}

}  // namespace
}  // namespace indim

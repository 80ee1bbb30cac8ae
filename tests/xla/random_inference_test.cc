// Asks XLA and Indim the same random questions about shapes, on every op whose
// result XLA's text parser infers: random_inference.py, which can be run by
// hand with other seeds and for longer.

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(RandomInferenceTest, NoDisagreementIsUnexplained) {
  const char* python = getenv("INDIM_XLA_PYTHON");
  ASSERT_NE(python, nullptr)
      << "run `./bazelw test //...`, which installs jaxlib and sets the name "
         "of a Python that has it";
  // One seed, so that the test is the same every time; some 200 cases an op.
  const std::string command =
      absl::StrCat("'", python,
                   "' -B tests/xla/random_inference.py --indim=tools/indim "
                   "--seed=20 --cases=18400 2>&1");
  FILE* answer = popen(command.c_str(), "r");
  ASSERT_NE(answer, nullptr);
  std::string said;
  char buffer[4096];
  size_t size;
  while ((size = fread(buffer, 1, sizeof(buffer), answer)) > 0) {
    said.append(buffer, size);
  }
  const int status = pclose(answer);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << said;
  // The table is its last line's sum: it did ask.
  EXPECT_NE(said.find("both accept"), std::string::npos) << said;
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/tools/run_indim.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"

namespace indim {

std::string Temp(absl::string_view name) {
  return absl::StrCat(getenv("TEST_TMPDIR"), "/", name);
}

std::string Written(absl::string_view name, absl::string_view bytes) {
  const std::string path = Temp(name);
  EXPECT_TRUE(WriteFile(path, bytes).ok()) << path;
  return path;
}

std::string Contents(absl::string_view path) {
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

Outcome Indim(absl::string_view arguments) {
  return Shell(absl::StrCat("tools/indim ", arguments));
}

Outcome Shell(absl::string_view command) {
  const std::string out = Temp("out"), err = Temp("err");
  const int status =
      system(absl::StrCat("( ", command, " ) >", out, " 2>", err).c_str());
  return {WEXITSTATUS(status), ReadFile(out).value_or(""),
          ReadFile(err).value_or("")};
}

}  // namespace indim

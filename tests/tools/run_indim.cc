#include "indim/tests/tools/run_indim.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "indim/storage/file.h"

namespace indim {

std::string Temp(absl::string_view name) {
  return absl::StrCat(getenv("TEST_TMPDIR"), "/", name);
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

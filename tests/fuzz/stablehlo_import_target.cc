// SPDX-License-Identifier: Apache-2.0
// Programs of StableHLO that become graphs.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/passes/check/verify_module.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/tests/fuzz/fuzz_target.h"

namespace indim {

// A program that can be read is judged. Where it is right, what is written of
// it is right again, and then written the same; but integers that only named
// sizes were made of are computed once more each time.
std::string CheckStablehloImport(absl::string_view text) {
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  if (!module.ok() || !VerifyModule(*module).ok()) return "";
  const absl::StatusOr<std::string> written = WriteStablehlo(*module);
  if (!written.ok()) return "";
  const absl::StatusOr<Module> back = ReadStablehlo(*written);
  if (!back.ok()) {
    return absl::StrCat("what is written can't be read: ",
                        back.status().message(), "\n", *written);
  }
  if (!VerifyModule(*back).ok()) {
    return absl::StrCat("what is written is wrong:\n", *written);
  }
  const absl::StatusOr<std::string> again = WriteStablehlo(*back);
  if (!again.ok()) {
    return absl::StrCat("what is read can't be written again: ",
                        again.status().message());
  }
  return *again == *written || absl::StrContains(*written, '?')
             ? ""
             : absl::StrCat("it is written otherwise:\n", *written, "\n",
                            *again);
}

}  // namespace indim

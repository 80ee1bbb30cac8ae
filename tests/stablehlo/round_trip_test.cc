// SPDX-License-Identifier: Apache-2.0
// HLO to StableHLO and back, in all forms: what comes back is written as it was
// before.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/io/read.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/tests/data_files.h"

namespace indim {
namespace {

// The first lines in which two texts differ; "": none.
std::string Difference(absl::string_view a, absl::string_view b) {
  const std::vector<absl::string_view> lines = absl::StrSplit(a, '\n');
  const std::vector<absl::string_view> others = absl::StrSplit(b, '\n');
  for (size_t i = 0; i < lines.size() && i < others.size(); ++i) {
    if (lines[i] == others[i]) continue;
    return absl::StrCat("line ", i + 1, ":\n  ", lines[i], "\n  ", others[i]);
  }
  return lines.size() == others.size()
             ? ""
             : absl::StrCat(lines.size(), " and ", others.size(), " lines");
}

// Reads what was written in `form`, and writes it as text.
std::string Again(const Module& module, StablehloForm form,
                  const StablehloWriteOptions& print) {
  StablehloWriteOptions options;
  options.form = form;
  options.locations = true;
  options.release = "1.22.0";
  const absl::StatusOr<std::string> written = WriteStablehlo(module, options);
  if (!written.ok()) return std::string(written.status().message());
  const absl::StatusOr<Module> read = ReadStablehlo(*written);
  if (!read.ok()) return absl::StrCat(read.status().message(), "\n", *written);
  const absl::StatusOr<std::string> text = WriteStablehlo(*read, print);
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(RoundTripTest, ModulesOfJaxComeBack) {
  int compared = 0;
  for (const std::string& path : JaxModules()) {
    if (absl::StrContains(path, ".opt.")) continue;
    SCOPED_TRACE(path);
    const absl::StatusOr<Module> module = ReadModuleFile(path);
    ASSERT_TRUE(module.ok()) << module.status();
    const StablehloWriteOptions print;
    const absl::StatusOr<std::string> text = WriteStablehlo(*module, print);
    if (!text.ok()) {
      EXPECT_TRUE(absl::StrContains(text.status().message(), "IND1280"))
          << text.status();
      continue;
    }
    for (const StablehloForm form :
         {StablehloForm::kText, StablehloForm::kGenericText,
          StablehloForm::kArtifact}) {
      if (form == StablehloForm::kArtifact &&
          absl::StrContains(*text, "chlo.")) {
        continue;
      }
      EXPECT_EQ(Difference(*text, Again(*module, form, print)), "");
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace indim

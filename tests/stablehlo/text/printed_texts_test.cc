// Texts that jaxlib 0.10.2 printed: pretty, generic, and with locations. Each
// is read and printed the same, and the generic text gives the pretty one.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"
#include "indim/storage/file.h"

namespace indim::mlir {
namespace {

constexpr char kFile[] = "tests/data/stablehlo/printed.txt";

struct PrintedText {
  std::string name;
  std::string pretty;
  std::string generic;
  std::string locations;  // empty: it has none
};

// "=== name", the pretty text, "--- generic", that, "--- locations", that.
std::vector<PrintedText> ReadPrintedTexts() {
  std::vector<PrintedText> texts;
  const absl::StatusOr<std::string> file = ReadFile(kFile);
  if (!file.ok()) return texts;
  std::string* part = nullptr;
  for (const absl::string_view line : absl::StrSplit(*file, '\n')) {
    if (line.substr(0, 4) == "=== ") {
      texts.emplace_back();
      texts.back().name = std::string(line.substr(4));
      part = &texts.back().pretty;
    } else if (line == "--- generic") {
      part = &texts.back().generic;
    } else if (line == "--- locations") {
      part = &texts.back().locations;
    } else {
      absl::StrAppend(part, line, "\n");
    }
  }
  // The last line break of the file.
  if (part != nullptr) part->pop_back();
  return texts;
}

std::string Reprint(absl::string_view text, MlirPrintOptions options) {
  const absl::StatusOr<Ir> ir = ParseMlirText(text);
  if (!ir.ok()) return std::string(ir.status().message());
  return PrintMlirText(*ir, options);
}

TEST(PrintedTextsTest, EachIsPrintedTheSame) {
  MlirPrintOptions generic;
  generic.generic = true;
  MlirPrintOptions locations;
  locations.locations = true;
  const std::vector<PrintedText> texts = ReadPrintedTexts();
  int with_locations = 0;
  for (const PrintedText& c : texts) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Reprint(c.pretty, {}), c.pretty);
    EXPECT_EQ(Reprint(c.generic, generic), c.generic);
    EXPECT_EQ(Reprint(c.generic, {}), c.pretty);
    // The pretty text leaves out attributes that have their defaults.
    EXPECT_EQ(Reprint(Reprint(c.pretty, generic), {}), c.pretty);
    if (c.locations.empty()) continue;
    ++with_locations;
    EXPECT_EQ(Reprint(c.locations, locations), c.locations);
    EXPECT_EQ(Reprint(c.locations, {}), c.pretty);
  }
  EXPECT_GT(texts.size(), 200u);
  EXPECT_GT(with_locations, 100);
}

}  // namespace
}  // namespace indim::mlir

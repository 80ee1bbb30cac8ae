// SPDX-License-Identifier: Apache-2.0
// XLA since 2026 writes a comparison's order where it wrote its type. Files of
// both spellings mean the same: in text, in StableHLO, to a fingerprint, and
// when they run.

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  i = s32[3] parameter(2)
  total = pred[3] compare(x, y), direction=LT, type=TOTALORDER
  partial = pred[3] compare(x, y), direction=LT
  signed = pred[3] compare(i, i), direction=LE
  ROOT r = (pred[3], pred[3], pred[3]) tuple(total, partial, signed)
}
)";

// The bytes as jaxlib 0.12.0.1 writes them.
std::string InNewerSpelling(const std::string& bytes) {
  proto::HloModuleProto module;
  EXPECT_TRUE(module.ParseFromString(bytes));
  const std::string text = absl::StrReplaceAll(
      module.DebugString(),
      {{"comparison_type: \"FLOAT\"", "comparison_order: \"PARTIAL\""},
       {"comparison_type: \"TOTALORDER\"", "comparison_order: \"TOTAL\""},
       {"comparison_type: \"SIGNED\"", "comparison_order: \"TOTAL\""}});
  EXPECT_EQ(text.find("comparison_type"), std::string::npos);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &module));
  return module.SerializeAsString();
}

TEST(ComparisonOrderTest, MeansWhatTheTypeMeant) {
  const absl::StatusOr<Module> older = ParseHloText(kText);
  ASSERT_TRUE(older.ok()) << older.status();
  const absl::StatusOr<std::string> bytes = SerializeModule(*older);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const std::string spelled = InNewerSpelling(*bytes);
  const absl::StatusOr<Module> newer = ReadHloModuleProto(spelled);
  ASSERT_TRUE(newer.ok()) << newer.status();
  EXPECT_TRUE(VerifyModule(*newer).ok());
  EXPECT_EQ(*SerializeModule(*newer), spelled);
  EXPECT_EQ(PrintHloText(*newer), PrintHloText(*older));
  EXPECT_EQ(Fingerprint(*newer), Fingerprint(*older));
  EXPECT_EQ(*WriteStablehlo(*newer), *WriteStablehlo(*older));

  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Literal> arguments = {
      Literal::Vector({-0.0f, 1.0f, 1.0f}), Literal::Vector({0.0f, nan, 2.0f}),
      *Literal::Splat(ElementType::kS32, 7, {3})};
  const absl::StatusOr<Literal> values = Evaluate(*newer, arguments);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->ToString(), Evaluate(*older, arguments)->ToString());
}

// 0 and -0 are equal, all NaN are, and these are above infinity: what jaxlib
// 0.12.0.1 computes.
TEST(ComparisonOrderTest, WeakOrder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<Literal> arguments = {
      Literal::Vector({-0.0f, 0.0f, nan, inf, -nan, nan, -inf, 1.0f}),
      Literal::Vector({0.0f, -0.0f, -nan, nan, inf, 1.0f, -nan, 2.0f})};
  const struct {
    const char* direction;
    const char* values;
  } kCases[] = {
      {"EQ", "11100000"}, {"NE", "00011111"}, {"LT", "00010011"},
      {"LE", "11110011"}, {"GT", "00001100"}, {"GE", "11101100"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module = ParseHloText(absl::StrCat(
        "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n"
        "  y = f32[8] parameter(1)\n  ROOT r = pred[8] compare(x, y), "
        "direction=",
        c.direction, ", order=WEAK\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_TRUE(VerifyModule(*module).ok());
    const absl::StatusOr<Literal> values = Evaluate(*module, arguments);
    ASSERT_TRUE(values.ok()) << values.status();
    std::vector<std::string> bits;
    for (const char* bit = c.values; *bit != 0; ++bit) {
      bits.push_back(std::string(1, *bit));
    }
    EXPECT_EQ(values->ToString(),
              absl::StrCat("{", absl::StrJoin(bits, ", "), "}"))
        << c.direction;

    // Through bytes, text, StableHLO and an artifact.
    const std::string print = PrintHloText(*module);
    EXPECT_NE(print.find("order=WEAK"), std::string::npos) << print;
    EXPECT_EQ(PrintHloText(*ReadHloModuleProto(*SerializeModule(*module))),
              print);
    for (const StablehloForm form :
         {StablehloForm::kText, StablehloForm::kArtifact}) {
      StablehloWriteOptions options;
      options.form = form;
      options.release = "1.22.0";
      const absl::StatusOr<std::string> written =
          WriteStablehlo(*module, options);
      ASSERT_TRUE(written.ok()) << written.status();
      const absl::StatusOr<Module> read = ReadStablehlo(*written);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(Fingerprint(*read), Fingerprint(*module));
    }
  }
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// XLA since 2026 writes a comparison's order where it wrote its type. Files of
// both spellings mean the same: in text, in StableHLO, to a fingerprint, and
// when they run.

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
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
  int changed = 0;
  for (auto& computation : *module.mutable_computations()) {
    for (auto& node : *computation.mutable_instructions()) {
      if (node.opcode() != "compare") continue;
      ++changed;
      node.set_comparison_order(node.comparison_type() == "FLOAT" ? "PARTIAL"
                                                                  : "TOTAL");
      node.clear_comparison_type();
    }
  }
  EXPECT_EQ(changed, 3);
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

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// For each code about a module's structure: what one change to a module in
// which nothing is wrong is told.
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/report.h"
#include "indim/passes/structure/structure.h"
#include "indim/tests/passes/structure/cases.h"
#include "indim/tests/passes/structure/victim.h"

namespace indim {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<StructureCase> Cases() {
  std::vector<StructureCase> all;
  for (const auto& cases : {NameAndShapeCases(), CallCases(), PairCases(),
                            DeviceCases(), EntryCases(), AttributeCases(),
                            BufferCases(), DevicesAndLayoutCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

TEST(StructureCodesTest, EachChangeIsFound) {
  for (const StructureCase& c : Cases()) {
    SCOPED_TRACE(c.what);
    Victim victim;
    c.change(victim);
    Module module;
    const StructureResult result = Verify(victim.module, &module, c.devices);
    std::set<Code> codes;
    for (const ModuleDiagnostic& d : result.report.diagnostics()) {
      codes.insert(d.diagnostic.code);
    }
    const std::string report = RenderReport(module, result.report);
    EXPECT_EQ(codes, c.codes) << report;
    EXPECT_THAT(report, Not(ContainsRegex("[{][a-z]"))) << "a placeholder";
    if (result.report.diagnostics().empty()) continue;
    const ModuleDiagnostic& first = result.report.diagnostics().front();
    EXPECT_THAT(MessageText(module, first), HasSubstr(c.message));
    const std::string place =
        first.instruction == kNowhere
            ? ""
            : module.computation(static_cast<int>(first.computation))
                  .instruction(static_cast<int>(first.instruction))
                  .name();
    EXPECT_EQ(place, c.instruction) << report;
  }
}

TEST(StructureCodesTest, EveryCodeHasACase) {
  // Those of structure_test.cc first.
  std::set<Code> seen = {Code::kNoEntry, Code::kOperandOrder,
                         Code::kCalleeOrder, Code::kNoRoot};
  for (const StructureCase& c : Cases())
    seen.insert(c.codes.begin(), c.codes.end());
  for (const CodeInfo& info : AllCodes()) {
    const int number = static_cast<int>(info.code);
    if (number < 710 || number > 799) continue;
    EXPECT_EQ(seen.count(info.code), 1u) << info.slug;
  }
  EXPECT_GT(StructureChecks().size(), 15u);
}

}  // namespace
}  // namespace indim

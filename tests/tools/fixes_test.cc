// SPDX-License-Identifier: Apache-2.0
// Fixes of the command are in HLO text, since whoever runs it has a file: what
// is printed works when it is typed into that file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNames[] = {"x", "y", "z"};

// An instruction of parameters x, y, z.
struct HloMistake {
  std::string opcode;
  std::vector<std::string> shapes;
  std::string attributes;
  std::string result;
  std::string fix;
};

// The module, with a line before the root.
std::string ModuleOf(const HloMistake& m, const std::string& line,
                     const std::vector<std::string>& operands,
                     const std::string& call = "") {
  std::string text = "HloModule m, recorded=true\n\nENTRY e {\n";
  for (size_t i = 0; i < m.shapes.size(); ++i) {
    absl::StrAppend(&text, "  ", kNames[i], " = ", m.shapes[i], " parameter(",
                    i, ")\n");
  }
  absl::StrAppend(
      &text, line, "  ROOT r = ", m.result, " ",
      call.empty()
          ? absl::StrCat(m.opcode, "(", absl::StrJoin(operands, ", "), ")",
                         m.attributes.empty() ? "" : ", ", m.attributes)
          : call,
      "\n}\n");
  return text;
}

std::vector<std::string> OperandsOf(const HloMistake& m) {
  return {kNames, kNames + m.shapes.size()};
}

// The module after somebody did what the fix says.
std::string Typed(HloMistake m) {
  const std::string fix = m.fix;
  std::vector<std::string> operands = OperandsOf(m);
  if (absl::StartsWith(fix, "operand ")) {  // "operand 1 of shape f32[8]"
    m.shapes[static_cast<size_t>(fix[8] - '0')] =
        fix.substr(fix.find(" shape ") + 7);
    return ModuleOf(m, "", operands);
  }
  const size_t as = fix.find(" as operand ");
  if (as != fix.npos) {
    const auto index = static_cast<size_t>(fix[as + 12] - '0');
    operands[index] = "fixed";
    return ModuleOf(m, absl::StrCat("  fixed = ", fix.substr(0, as), "\n"),
                    operands);
  }
  if (absl::StartsWith(fix, m.opcode + "(")) {
    const size_t end = std::min(fix.find(" matches"), fix.find(" multiplies"));
    return ModuleOf(m, "", operands, fix.substr(0, end));
  }
  // One attribute in the place of that of its name.
  const size_t colon = fix.rfind(": ");
  const std::string changed = colon == fix.npos ? fix : fix.substr(colon + 2);
  const std::string name = changed.substr(0, changed.find('=') + 1);
  const size_t at = m.attributes.find(name);
  EXPECT_NE(at, std::string::npos) << fix;
  const size_t end =
      name == "slice=" ? m.attributes.npos : m.attributes.find(", ", at);
  m.attributes.replace(at, end == m.attributes.npos ? end : end - at, changed);
  return ModuleOf(m, "", operands);
}

TEST(Fixes, OfTheCommandWorkWhenTyped) {
  const std::vector<HloMistake> kMistakes = {
      {"add",
       {"f32[8,10]", "f32[10]"},
       "",
       "f32[8,10]",
       "add(x, y), broadcast_dimensions={1} matches dim 0 of y with dim 1 of x "
       "(10 = 10)"},
      {"compare",
       {"f32[8,10]", "f32[8]"},
       "direction=LT",
       "pred[8,10]",
       "compare(x, y), direction=LT, broadcast_dimensions={0} matches dim 0 of "
       "y with dim 0 of x (8 = 8)"},
      {"add",
       {"f32[8]", "s32[8]"},
       "",
       "f32[8]",
       "f32[8] convert(y) as operand 1: f32[8]"},
      {"add",
       {"(f32[8], s32[])", "f32[8]"},
       "",
       "f32[8]",
       "f32[8] get-tuple-element(x), index=0 as operand 0: f32[8]"},
      {"select",
       {"s32[8]", "f32[8]", "f32[8]"},
       "",
       "f32[8]",
       "pred[8] convert(x) as operand 0: pred[8]"},
      {"select",
       {"pred[2,3]", "f32[2,3]", "f32[6]"},
       "",
       "f32[2,3]",
       "f32[2,3] reshape(z) as operand 2: f32[2,3]"},
      {"select",
       {"pred[2,3]", "f32[2,3]", "f32[3]"},
       "",
       "f32[2,3]",
       "f32[2,3] broadcast(z), dimensions={1} as operand 2: f32[2,3]"},
      {"dot",
       {"f32[8,784]", "f32[10,784]"},
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "f32[8,10]",
       "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1} matches "
       "dim 1 of x with dim 1 of y (784 = 784)"},
      {"dot",
       {"f32[2,3,4]", "f32[2,4,5]"},
       "lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       "f32[2,3,5]",
       "dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_batch_dims={0}, rhs_contracting_dims={1} multiplies batch by "
       "batch, as a product of matrices does"},
      {"dot",
       {"f32[8,4]", "f32[8]"},
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "f32[4]",
       "dot(x, y), lhs_batch_dims={}, lhs_contracting_dims={0}, "
       "rhs_batch_dims={}, rhs_contracting_dims={0} matches dim 0 of x with "
       "dim 0 of y (8 = 8)"},
      {"transpose",
       {"f32[8,3]"},
       "dimensions={1,1}",
       "f32[3,8]",
       "dimensions={1,0}"},
      {"concatenate",
       {"f32[8,3]", "f32[8,4]"},
       "dimensions={0}",
       "f32[16,3]",
       "operand 1 of shape f32[8,3]"},
      {"slice",
       {"f32[8,3]"},
       "slice={[0:9], [0:3]}",
       "f32[8,3]",
       "slice={[0:8], [0:3]}"},
      {"pad",
       {"f32[8,3]", "f32[]"},
       "padding=1_1",
       "f32[10,3]",
       "padding=1_1_0x0_0_0"},
      {"convolution",
       {"f32[8,28,28,3]", "f32[3,3,3,16]"},
       "window={size=3x3}, dim_labels=bf01_oi01->bf01",
       "f32[8,26,26,16]",
       "x is NHWC and y is HWIO: dim_labels=b01f_01io->b01f"},
  };
  for (const HloMistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.opcode + " " + mistake.fix);
    const std::string file =
        Written("typed.hlo", ModuleOf(mistake, "", OperandsOf(mistake)));
    const Outcome wrong = Indim("check " + file);
    EXPECT_EQ(wrong.exit, 1);
    EXPECT_THAT(wrong.out, HasSubstr("  to fix: " + mistake.fix + "\n"));
    const std::string typed = Written("typed.hlo", Typed(mistake));
    const Outcome right = Indim("check " + typed);
    EXPECT_EQ(right.exit, 0) << right.out << Contents(typed);
  }
}

}  // namespace
}  // namespace indim

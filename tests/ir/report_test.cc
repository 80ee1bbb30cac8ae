// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/report.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/ir/proto_modules.h"

namespace indim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The page's example: x, w, bias, dot.3, add.5.
std::string Affine(const std::string& add, const std::string& rest = "") {
  return absl::StrCat(R"(
      name: "affine" entry_computation_id: 1 recorded { version: 1 }
      computations { name: "main" id: 1 root_id: 5
        instructions { name: "x" opcode: "parameter" id: 1
          shape { element_type: F32 dimensions: [8, 784] } }
        instructions { name: "w" opcode: "parameter" id: 2 parameter_number: 1
          shape { element_type: F32 dimensions: [784, 10] } }
        instructions { opcode: "dot" id: 3 operand_ids: [1, 2]
          shape { element_type: F32 dimensions: [8, 10]
                  layout { minor_to_major: [1, 0] } }
          dot_dimension_numbers { lhs_contracting_dimensions: 1
                                  rhs_contracting_dimensions: 0 }
          metadata { source_file: "affine.cc" source_line: 14 } }
        instructions { name: "bias" opcode: "parameter" id: 4
          parameter_number: 2 shape { element_type: F32 dimensions: 10 }
          metadata { source_file: "affine.cc" source_line: 13 } }
        instructions { opcode: "add" id: 5 operand_ids: [3, 4] )",
                      add, " } }", rest);
}

ModuleDiagnostic RanksDiffer() {
  ModuleDiagnostic d;
  d.instruction = 4;
  d.diagnostic.code = Code::kRanksDiffer;
  d.diagnostic.operand = 0;
  d.diagnostic.other_operand = 1;
  d.diagnostic.fix_broadcast_dimensions = DimIndices{1};
  return d;
}

TEST(ReportTest, RendersThePagesExample) {
  const Module module = ModuleOfProtoText(
      Affine("metadata { source_file: \"affine.cc\" source_line: 14 }"));
  EXPECT_EQ(RenderDiagnostic(module, RanksDiffer()),
            "affine.cc:14: error: add can't match f32[8,10] with f32[10]: "
            "ranks differ, no broadcast_dimensions given  [IND0007]\n"
            "    %dot.3 = f32[8,10] dot(%x, %w)        affine.cc:14\n"
            "    %bias  = f32[10] parameter(2)         affine.cc:13\n"
            "  to fix: Add(dot.3, bias, {1}) matches dim 0 of bias with dim 1 "
            "of dot.3 (10 = 10)\n");
  EXPECT_EQ(MessageText(module, RanksDiffer()),
            "add can't match f32[8,10] with f32[10]: ranks differ, no "
            "broadcast_dimensions given");
}

TEST(ReportTest, ShowsTheInstructionThatHasANameOrAShape) {
  const Module module = ModuleOfProtoText(
      Affine("name: \"sum\" shape { element_type: F32 dimensions: [8, 10] } "));
  const std::string text = RenderDiagnostic(module, RanksDiffer());
  EXPECT_THAT(text, StartsWith("affine/main: error: add can't match"));
  EXPECT_THAT(text,
              HasSubstr("\n    %sum   = f32[8,10] add(%dot.3, %bias)\n"
                        "    %dot.3 = f32[8,10] dot(%x, %w)               "
                        "affine.cc:14\n"));
}

TEST(ReportTest, FindsPlacesInTheStackFrames) {
  const Module module =
      ModuleOfProtoText(Affine("metadata { stack_frame_id: 2 }", R"(
      stack_frame_index {
        file_names: "a.py" file_names: "b.py" function_names: "f"
        file_locations { file_name_id: 1 function_name_id: 1 line: 3 }
        file_locations { file_name_id: 2 function_name_id: 1 line: 7 }
        stack_frames { file_location_id: 1 }
        stack_frames { file_location_id: 2 parent_frame_id: 1 } })"));
  EXPECT_THAT(RenderDiagnostic(module, RanksDiffer()),
              StartsWith("b.py:7: error: "));
}

TEST(ReportTest, DrawsTheDimsThatDoNotMatch) {
  const Module module = ModuleOfProtoText(
      Affine("implicit_broadcast { broadcast_dimensions: 0 }"));
  ModuleDiagnostic d;
  d.instruction = 4;
  d.diagnostic.code = Code::kDimsDiffer;
  d.diagnostic.operand = 1;
  d.diagnostic.dim = 0;
  d.diagnostic.other_operand = 0;
  d.diagnostic.other_dim = 0;
  d.diagnostic.fix_broadcast_dimensions = DimIndices{1};
  EXPECT_EQ(RenderDiagnostic(module, d),
            "affine/main: error: add can't match f32[10] with f32[8,10]: dim 0 "
            "is 10, but dim 0 of f32[8,10] is 8; sizes must be equal or one of "
            "them 1  [IND0001]\n"
            "    %dot.3 = f32[8,10] dot(%x, %w)        affine.cc:14\n"
            "    %bias  = f32[10] parameter(2)         affine.cc:13\n"
            "      operand 0  f32[ 8,10]\n"
            "      operand 1  f32[10   ]\n"
            "                     ^^\n"
            "  to fix: Add(dot.3, bias, {1}) matches dim 0 of bias with dim 1 "
            "of dot.3 (10 = 10)\n");
}

struct FixCase {
  const char* opcode;
  const char* lhs;
  const char* rhs;
  DimIndices fix;
  const char* text;  // empty: no such line
};

TEST(ReportTest, SaysTheCallThatWouldHaveWorked) {
  const FixCase cases[] = {
      {"subtract",
       "3",
       "2, 3",
       {1},
       "Sub(a, b, {1}) matches dim 0 of a with dim 1 of b (3 = 3)"},
      {"compare",
       "4, 2, 3",
       "2, 1",
       {1, 2},
       "Lt(a, b, {1,2}) matches dims 0,1 of b with dims 1,2 of a (2 = 2, 1 "
       "stretches to 3)"},
      {"maximum",
       "2, 3",
       "2, 3",
       {0, 1},
       "Max(a, b) without broadcast_dimensions"},
      {"remainder", "2, 3", "", {}, "Rem(a, b) without broadcast_dimensions"},
      {"and", "2, 3", "2", {5}, ""},
      {"and", "2, 3", "2", {0, 1}, ""},
  };
  for (const FixCase& c : cases) {
    const auto parameter = [](int i, const char* name, const char* dims) {
      return absl::StrCat(
          "instructions { name: '", name, "' opcode: 'parameter' id: ", i,
          " parameter_number: ", i - 1,
          " shape { element_type: F32 dimensions: [", dims, "] } } ");
    };
    const Module module = ModuleOfProtoText(absl::StrCat(
        "computations { root_id: 3 ", parameter(1, "a", c.lhs),
        parameter(2, "b", c.rhs), "instructions { opcode: '", c.opcode,
        "' id: 3 operand_ids: [1, 2] comparison_direction: 'LT' } }"));
    ModuleDiagnostic d = RanksDiffer();
    d.instruction = 2;
    d.diagnostic.fix_broadcast_dimensions = c.fix;
    const std::string text = RenderDiagnostic(module, d);
    if (*c.text == '\0') {
      EXPECT_THAT(text, Not(HasSubstr("to fix"))) << text;
    } else {
      EXPECT_THAT(text, EndsWith(absl::StrCat("  to fix: ", c.text, "\n")));
    }
  }
}

// Where broadcasting has no answer, what the op's row declares has.
TEST(ReportTest, SaysTheOperandThatWouldHaveWorked) {
  const Module module = ModuleOfProtoText(R"(
      computations { root_id: 3
        instructions { name: "x" opcode: "parameter" id: 1
          shape { element_type: F32 dimensions: 2 } }
        instructions { name: "y" opcode: "parameter" id: 2 parameter_number: 1
          shape { element_type: S32 dimensions: 2 } }
        instructions { opcode: "add" id: 3 operand_ids: [1, 2] } })");
  ModuleDiagnostic d;
  d.instruction = 2;
  d.diagnostic.code = Code::kOperandTypesDiffer;
  d.diagnostic.operand = 0;
  d.diagnostic.other_operand = 1;
  EXPECT_THAT(RenderDiagnostic(module, d),
              EndsWith("  to fix: ConvertElementType(y, ElementType::kF32) as "
                       "operand 1: f32[2]\n"));
  // Not what inference would say of this add.
  d.diagnostic.code = Code::kOperandNotToken;
  EXPECT_THAT(RenderDiagnostic(module, d), Not(HasSubstr("to fix")));
}

// HLO has no implicit broadcasts: the operand as it would be written out.
TEST(ReportTest, SaysTheBroadcastThatWouldHaveWorked) {
  struct Row {
    const char* lhs;
    const char* rhs;
    int fault;
    Shape wanted;
    const char* fix;
  };
  const Shape matrix = Shape::Of(ElementType::kF32, {2, 3});
  const Shape vector = Shape::Of(ElementType::kF32, {3});
  for (const Row& row :
       {Row{"2, 3", "3", 1, matrix,
            "BroadcastInDim(b, {2,3}, {1}) as operand 1: f32[2,3]"},
        Row{"3", "2, 3", 1, vector,
            "BroadcastInDim(a, {2,3}, {1}) as operand 0: f32[2,3]"},
        Row{"2, 3", "", 1, matrix,
            "Broadcast(b, {2,3}) as operand 1: f32[2,3]"},
        Row{"2, 1", "2, 3", 0, matrix,
            "BroadcastInDim(a, {2,3}, {0,1}) as operand 0: f32[2,3]"},
        Row{"2, 3", "2", 1, matrix,
            "BroadcastInDim(b, {2,3}, {0}) as operand 1: f32[2,3]"}}) {
    const Module module = ModuleOfProtoText(absl::StrCat(
        "computations { root_id: 3 instructions { name: 'a' opcode: "
        "'parameter' id: 1 shape { element_type: F32 dimensions: [",
        row.lhs,
        "] } } instructions { name: 'b' opcode: 'parameter' id: 2 "
        "parameter_number: 1 shape { element_type: F32 dimensions: [",
        row.rhs,
        "] } } instructions { name: 'c' opcode: 'add' id: 3 operand_ids: [1, "
        "2] shape { element_type: F32 dimensions: [2, 3] } } }"));
    ModuleDiagnostic d;
    d.instruction = 2;
    d.diagnostic.code = Code::kImplicitBroadcast;
    d.diagnostic.operand = row.fault;
    d.diagnostic.args = {row.wanted};
    EXPECT_EQ(FixText(module, d), row.fix);
  }
}

// A tuple of many operands whose names are hard to print.
Module Hostile() {
  proto::HloModuleProto message;
  proto::HloComputationProto* computation = message.add_computations();
  for (int i = 1; i <= 1000; ++i) {
    proto::HloInstructionProto* parameter = computation->add_instructions();
    parameter->set_name(i == 1   ? std::string(100000, 'x')
                        : i == 2 ? "a\nb\x01"
                                 : absl::StrCat("p", i));
    parameter->set_opcode("parameter");
    parameter->set_id(i);
    parameter->set_parameter_number(i - 1);
    parameter->mutable_shape()->set_element_type(proto::F32);
  }
  proto::HloInstructionProto* tuple = computation->add_instructions();
  tuple->set_name("t");
  tuple->set_opcode("tuple");
  tuple->set_id(1001);
  for (int i = 1; i <= 1000; ++i) tuple->add_operand_ids(i);
  computation->set_root_id(1001);
  return ModuleOfProto(message);
}

TEST(ReportTest, ShortensWhatIsLong) {
  const Module module = Hostile();
  const Instruction tuple = module.entry().root();
  const std::string text = InstructionText(tuple);
  EXPECT_LT(text.size(), 300u);
  EXPECT_THAT(text, StartsWith("%t = tuple(%xxx"));
  EXPECT_THAT(text, HasSubstr(", %a\\x0ab\\x01, %p3, "));
  EXPECT_THAT(text, EndsWith(", %p8, ..., 992 more)"));

  ModuleDiagnostic d;
  d.instruction = 1000;
  d.diagnostic.code = Code::kRanksDiffer;
  d.diagnostic.operand = 700;
  d.diagnostic.other_operand = 4;
  const std::string about = RenderDiagnostic(module, d);
  EXPECT_THAT(about, HasSubstr("    %p5   = f32[] parameter(4)\n"
                               "    %p701 = f32[] parameter(700)\n"
                               "    ... and 998 more operands\n"));
  d.diagnostic.operand = d.diagnostic.other_operand = -1;
  EXPECT_THAT(RenderDiagnostic(module, d),
              HasSubstr("    ... and 996 more operands\n"));
}

TEST(ReportTest, AnOperandUsedTwiceIsShownOnce) {
  const Module module = ModuleOfProtoText(
      "computations { root_id: 2 instructions { name: 'x' id: 1 opcode: "
      "'parameter' shape { element_type: F32 } } instructions { id: 2 opcode: "
      "'add' operand_ids: [1, 1] } }");
  ModuleDiagnostic d;
  d.instruction = 1;
  d.diagnostic.code = Code::kRanksDiffer;
  EXPECT_THAT(RenderDiagnostic(module, d),
              EndsWith("[IND0007]\n    %x = f32[] parameter(0)\n"));
}

TEST(ReportTest, InstructionTextShowsValues) {
  const Module module = ModuleOfProtoText(R"(
      computations { root_id: 1
        instructions { name: "c" id: 1 opcode: "constant"
          shape { element_type: F32 dimensions: 2 }
          literal { shape { element_type: F32 dimensions: 2 } f32s: [1.5, 2] }
        }
        instructions { name: "d" id: 2 opcode: "constant"
          shape { element_type: F32 } literal { } }
        instructions { id: 3 opcode: "no-such-op" operand_ids: 1 }
        instructions { name: "i" id: 4 opcode: "iota"
          shape { element_type: TUPLE } } })");
  const Computation c = module.entry();
  EXPECT_EQ(InstructionText(c.instruction(0)),
            "%c = f32[2] constant({1.5, 2})");
  EXPECT_EQ(InstructionText(c.instruction(1)), "%d = f32[] constant()");
  EXPECT_EQ(InstructionText(c.instruction(2)),
            "%no-such-op.3 = no-such-op(%c)");
  EXPECT_EQ(InstructionText(c.instruction(3)), "%i = () iota()");
}

TEST(ReportTest, DiagnosticsOfNoInstructionAreTold) {
  const Module module = ModuleOfProtoText(Affine(""));
  for (auto [computation, instruction] :
       {std::pair<uint32_t, uint32_t>{0, 99}, {7, 0}}) {
    ModuleDiagnostic d = RanksDiffer();
    d.computation = computation;
    d.instruction = instruction;
    EXPECT_THAT(RenderDiagnostic(module, d),
                StartsWith("error:  can't match ? with ?"));
  }
  EXPECT_THAT(RenderDiagnostic(Module(), RanksDiffer()), StartsWith("error: "));
}

ModuleDiagnostic Of(Code code) {
  ModuleDiagnostic d = RanksDiffer();
  d.diagnostic.code = code;
  return d;
}

TEST(ReportTest, CountsAndCapsByCode) {
  const Module module = ModuleOfProtoText(Affine(""));
  Report report;
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(ToStatus(module, report).ok());
  EXPECT_EQ(RenderReport(module, report), "");
  report.Add(Of(Code::kXlaPlacesAtEnd));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.warning_count(), 1);
  EXPECT_THAT(RenderReport(module, report), HasSubstr(": warning: "));
  report.Add(Of(Code::kRanksDiffer));
  EXPECT_THAT(std::string(ToStatus(module, report).message()),
              EndsWith("(10 = 10)"));
  for (int i = 0; i < 29; ++i) report.Add(Of(Code::kRanksDiffer));
  report.Add(Of(Code::kDimsDiffer));
  EXPECT_EQ(report.error_count(), 31);
  EXPECT_EQ(report.diagnostics().size(), 22u);
  EXPECT_EQ(report.dropped(Code::kRanksDiffer), 10);
  EXPECT_EQ(report.dropped(Code::kDimsDiffer), 0);
  EXPECT_EQ(report.dropped(Code::kAxisRange), 0);
  EXPECT_THAT(RenderReport(module, report),
              EndsWith("... and 10 more of IND0007 ranks-differ\n"));
  const absl::Status status = ToStatus(module, report);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("affine/main: error: add can't match"));
  EXPECT_THAT(std::string(status.message()), EndsWith("and 30 more errors"));
}

}  // namespace
}  // namespace indim

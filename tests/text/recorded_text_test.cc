// SPDX-License-Identifier: Apache-2.0
// The text of recorded modules: how ops broadcast, shapes and names that nobody
// has given, shapes that HLO hasn't. It comes back byte for byte, and so does
// the module.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/example_graphs.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/proto/codec/attribute_samples.h"
#include "indim/tests/proto/wire/attribute_bytes_samples.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const Module& module) {
  return PrintHloText(module, PrintOptions::LargeConstants());
}

// What is read of the text prints as it, and its bytes say the same.
void ExpectComesBack(const std::string& text) {
  const absl::StatusOr<Module> module = ParseHloText(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_TRUE(module->is_recorded());
  EXPECT_EQ(Text(*module), text);
  const absl::StatusOr<std::string> bytes = SerializeModule(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Text(*read), text);
  EXPECT_EQ(*SerializeModule(*ParseHloText(Text(*read))), *bytes);
}

std::string Entry(const std::string& lines) {
  return absl::StrCat("HloModule m, recorded=true\n\nENTRY %e {\n", lines,
                      "}\n\n");
}

TEST(RecordedTextTest, HowAnOpBroadcasts) {
  for (const char* attributes :
       {"", ", broadcast_dimensions={1}", ", broadcast_dimensions={}",
        ", broadcast_rule=numpy", ", broadcast_rule=none",
        ", broadcast_rule=pdpd, axis=1", ", broadcast_rule=bidirectional",
        ", broadcast_dimensions={0}, broadcast_rule=pdpd"}) {
    SCOPED_TRACE(attributes);
    for (const char* call :
         {"add(%x, %y)", "compare(%x, %y), direction=EQ", "complex(%x, %y)"}) {
      ExpectComesBack(Entry(absl::StrCat(
          "  %x = f32[8,10] parameter(0)\n  %y = f32[10] parameter(1)\n"
          "  ROOT %r = ",
          call, attributes, "\n")));
    }
  }
}

TEST(RecordedTextTest, EveryKindOfShape) {
  for (const char* shape :
       {"f32[]", "f32[2,3]", "f32[2,3]{0,1}", "f32[?]", "f32[<=4,?]", "f32[*]",
        "f32[2..3]", "f32[2..]", "s32[n]", "s32[2*n,m]", "(f32[*], s32[?])",
        "token[]", "opaque[]", "(f32[2..3], (s8[n]), token[])", "u4[0]",
        "f8e4m3fn[1,<=1]"}) {
    SCOPED_TRACE(shape);
    const std::string text = absl::StrCat(
        "HloModule m, recorded=true\n\nENTRY %e (x: ",
        shape == std::string("f32[2,3]{0,1}") ? "f32[2,3]" : shape, ") -> ",
        shape == std::string("f32[2,3]{0,1}") ? "f32[2,3]" : shape,
        " {\n  ROOT %x = ", shape, " parameter(0)\n}\n\n");
    ExpectComesBack(text);
  }
}

TEST(RecordedTextTest, NamesThatNobodyGave) {
  const std::string text = Entry(
      "  %x = f32[8] parameter(0)\n  %2 = negate(%x)\n"
      "  ROOT %3 = add(%2, %x)\n");
  ExpectComesBack(text);
  const absl::StatusOr<Module> module = ParseHloText(text);
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(module->entry().instruction(1).shape().is_none());
}

TEST(RecordedTextTest, AnotherWritersMark) {
  ExpectComesBack(
      "HloModule m, recorded={version=2 producer=\"a \\\"person\\\"\"}\n\n"
      "ENTRY %e (x: f32[8]) -> f32[8] {\n  ROOT %x = f32[8] parameter(0)\n"
      "}\n\n");
}

TEST(RecordedTextTest, Callees) {
  ExpectComesBack(
      "HloModule m, recorded=true\n\n"
      "%sum (a: f32[], b: f32[]) -> f32[] {\n"
      "  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
      "  ROOT %s = f32[] add(%a, %b)\n}\n\n"
      "ENTRY %e {\n  %x = f32[n,8] parameter(0)\n"
      "  %zero = f32[] constant(0)\n"
      "  ROOT %r = reduce(%x, %zero), dimensions={1}, to_apply=%sum\n}\n\n");
}

// A thousand random graphs had these in one attribute or the other.
TEST(RecordedTextTest, WhatXlasTextHasNoPlaceFor) {
  for (const char* call :
       {"custom-call(%x), custom_call_target=\"f\", "
        "operand_layout_constraints={f32[2]}, constrain_layout=false",
        "custom-call(%x), custom_call_target=\"f\", "
        "operand_layout_constraints={f32[2]}",
        "custom-call(%x), custom_call_target=\"f\", "
        "operand_layout_constraints={(f32[], s32[2]{0})}",
        "custom-call(%x), custom_call_target=\"f\"",
        "custom-call(%x), custom_call_target=\"f\", "
        "api_version=API_VERSION_ORIGINAL",
        "concatenate(%x), dimensions={0}, result_accuracy={mode=highest}",
        "exponential(%x), result_accuracy={mode=highest}",
        "map(%x), to_apply=%f",
        "map(%x), dimensions={0}, to_apply=%f",
        "compare(%x, %x), direction=EQ, type=FLOAT",
        "exponential(%x), result_accuracy={mode=default}",
        "exponential(%x), "
        "result_accuracy={tolerance={atol=0.123456789,rtol=inf,ulps=3}}",
        "exponential(%x), result_accuracy={tolerance={atol=0.5,rtol=0,"
        "ulps=9223372036854775807}}",
        "all-gather(%x), channel_id=-2, dimensions={0}",
        "all-gather(%x), replica_groups=[2,4]<=[8], dimensions={0}, "
        "use_global_device_ids=true, has_dynamic_root=true",
        "all-to-all(%x), replica_groups={{0,1}}, constrain_layout=true, "
        "use_global_device_ids=true",
        "dot(%x, %x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
        "operand_precision={default,default}",
        "dot(%x, %x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
        "operand_precision={high,255}",
        "batch-norm-inference(%x, %x, %x, %x, %x), epsilon=0.12345679, "
        "feature_index=0",
        "all-gather(%x), dimensions={0}"}) {
    SCOPED_TRACE(call);
    ExpectComesBack(
        absl::StrCat("HloModule m, recorded=true\n\n%f (p: f32[]) -> f32[] {\n"
                     "  ROOT %p = f32[] parameter(0)\n}\n\nENTRY %e {\n"
                     "  %x = f32[2] parameter(0)\n  ROOT %r = ",
                     call, "\n}\n\n"));
  }
}

// Whatever the attributes of an op say is in the text: no member lacks a place.
TEST(RecordedTextTest, EveryMemberOfEveryOpsAttributes) {
  // Random members of these say what no text can: two dimensions where one is
  // meant, labels beyond 9, meshes whose devices are no permutation.
  const std::set<Opcode> excluded = {
      Opcode::kConstant,       Opcode::kReshape,
      Opcode::kIota,           Opcode::kConvolution,
      Opcode::kDomain,         Opcode::kAllReduce,
      Opcode::kAllReduceStart, Opcode::kReduceScatter,
      Opcode::kAllToAll,       Opcode::kRaggedAllToAll,
      Opcode::kCustomCall,     Opcode::kCollectiveBroadcast,
      Opcode::kAsyncDone,      Opcode::kCollectiveReduce};
  Random random(5);
  std::map<Opcode, int> seen;
  for (const OpInfo& op : AllOps()) {
    if (excluded.count(op.opcode) != 0) continue;
    for (int round = 0; round < 40 / SampleStep(4); ++round) {
      ModuleMaker maker;
      maker.Computation("f");
      maker.Parameter(0, "f32[]");
      maker.Computation("e");
      std::vector<uint32_t> operands;
      const int parameters =
          op.opcode == Opcode::kParameter ? 0 : op.min_operands;
      for (int i = 0; i < parameters; ++i) {
        operands.push_back(maker.Parameter(i, "f32[2,3]"));
      }
      const int callees = std::abs(CalleeCount(op.callee_form));
      Attributes attributes = RandomAttributes(op.opcode, &random);
      if (op.opcode == Opcode::kOutfeed) {  // its layouts count
        auto outfeed = As<OutfeedAttributes>(attributes);
        outfeed.outfeed_shape = outfeed.outfeed_shape.WithScalarLayouts();
        attributes = std::move(outfeed);
      }
      maker.Add(op.opcode, "f32[2,3]", operands, "r", attributes,
                std::vector<uint32_t>(static_cast<size_t>(callees), 0));
      maker.data().name = "m";
      maker.data().recorded = true;
      const Module module = maker.Make();
      const std::string text = Text(module);
      SCOPED_TRACE(text);
      const absl::StatusOr<Module> read = ParseHloText(text);
      if (!read.ok()) continue;  // "expected one number" and the like
      ++seen[op.opcode];
      const AttributeBytesView attribute_bytes =
          internal::AttributeBytesOf(read->entry().root());
      const AttributeBytesView wanted =
          internal::AttributeBytesOf(module.entry().root());
      const auto joined = [](const AttributeBytesView& b) {
        return absl::StrCat(b.before_id, "|", b.control, "|", b.after_callees);
      };
      const bool same = joined(attribute_bytes) == joined(wanted);
      EXPECT_TRUE(same) << Name(op.opcode) << "\n"
                        << ToText(Parse({std::string(wanted.before_id),
                                         std::string(wanted.control),
                                         std::string(wanted.after_callees)}))
                        << "\n"
                        << ToText(Parse(
                               {std::string(attribute_bytes.before_id),
                                std::string(attribute_bytes.control),
                                std::string(attribute_bytes.after_callees)}));
      if (!same) break;
    }
  }
  EXPECT_GE(seen.size(), 100u);  // ops of which some text could be read
}

// The marks of an order of its own: control predecessors, a parameter at the
// end, an unused op in the middle.
TEST(RecordedTextTest, TheOrderOfTheFile) {
  ExpectComesBack(
      Entry("  %y = f32[8] parameter(1)\n  %unused = log(%y)\n"
            "  %x = f32[8] parameter(0)\n"
            "  %n = negate(%x), control-predecessors={%unused}\n"
            "  ROOT %r = add(%n, %x)\n  %after = negate(%r)\n"));
}

TEST(RecordedTextTest, TheExampleWrittenByHand) {
  const absl::StatusOr<std::string> file = ReadFile("examples/recorded.pbtxt");
  ASSERT_TRUE(file.ok()) << file.status();
  const absl::StatusOr<Module> module = ReadHloModuleText(*file);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = Text(*module);
  EXPECT_THAT(text, HasSubstr("recorded={version=1 producer=\"a person\"}"));
  EXPECT_THAT(text, HasSubstr("%4 = dot(%x, %w), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}\n"));
  EXPECT_THAT(text, HasSubstr("%y = add(%4, %bias), broadcast_dimensions={1}"));
  EXPECT_THAT(text, Not(HasSubstr("none")));
  ExpectComesBack(text);
}

// What a builder made comes back as the same bytes, names, places and all.
TEST(RecordedTextTest, TheExamplesComeBack) {
  for (const ExampleGraph& example : ExampleGraphs()) {
    SCOPED_TRACE(example.name);
    ASSERT_TRUE(example.module.ok()) << example.module.status();
    const std::string text = Text(*example.module);
    const absl::StatusOr<Module> read = ParseHloText(text);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(Text(*read), text);
    EXPECT_EQ(*SerializeModule(*read), *SerializeModule(*example.module));
  }
}

TEST(RecordedTextTest, EveryRuleOfTheBuilder) {
  for (const BroadcastSpec& spec :
       {BroadcastSpec{}, BroadcastSpec{BroadcastRule::kXla, {{1}}},
        BroadcastSpec{BroadcastRule::kNumpy, {}},
        BroadcastSpec{BroadcastRule::kPdpd, {}, 1},
        BroadcastSpec{BroadcastRule::kBidirectional, {}}}) {
    ComputationBuilder b("m");
    const Op x = b.Parameter(0, "f32[?,2..3]", "x");
    const Op y = b.Parameter(
        1, spec.dimensions || spec.axis == 1 ? "f32[2..3]" : "f32[1,2..3]");
    const absl::StatusOr<Module> module = b.Build(b.Add(x, y, spec));
    ASSERT_TRUE(module.ok()) << module.status().message();
    const std::string text = Text(*module);
    SCOPED_TRACE(text);
    const absl::StatusOr<Module> read = ParseHloText(text);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(*SerializeModule(*read), *SerializeModule(*module));
  }
}

TEST(RecordedTextTest, OnlyARecordedModuleMay) {
  const auto error = [](const std::string& text) {
    return std::string(ParseHloText(text).status().message());
  };
  const std::string body =
      "\n\nENTRY e {\n  x = f32[8,10] parameter(0)\n"
      "  y = f32[10] parameter(1)\n"
      "  ROOT r = f32[8,10] add(x, y), broadcast_dimensions={1}\n}\n";
  EXPECT_THAT(error("HloModule m" + body),
              HasSubstr("only a recorded module has broadcast_dimensions; to "
                        "fix: put \", recorded=true\" behind the module's"));
  EXPECT_THAT(error("HloModule m, recorded=false" + body),
              HasSubstr("only a recorded module"));
  EXPECT_TRUE(ParseHloText("HloModule m, recorded=true" + body).ok());
  EXPECT_THAT(error("HloModule m\n\nENTRY e {\n  %1 = f32[] constant(0)\n}\n"),
              HasSubstr("%"));
  EXPECT_THAT(error(Entry("  %x = constant(0)\n")), HasSubstr("shape"));
  EXPECT_THAT(error(Entry("  %x = f32[8] parameter(0)\n"
                          "  %r = negate(%x), broadcast_dimensions={1}\n")),
              HasSubstr("unknown attribute"));
  EXPECT_THAT(error(Entry("  %x = f32[8] parameter(0)\n"
                          "  %r = add(%x, %x), broadcast_rule=nunpy\n")),
              HasSubstr("did you mean \"numpy\"?"));
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// ComputationBuilder::Inline: a graph that was built or read becomes a part of
// another one.

#include <string>
#include <utility>
#include <vector>

#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/edit/random_module.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Module FromText(absl::string_view text) {
  ParseOptions options;
  options.symbols = true;
  absl::StatusOr<Module> module = ParseHloText(text, options);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

constexpr char kNegate[] =
    "ENTRY e { x = f32[4] parameter(0)\n"
    "ROOT y = f32[4] negate(x) }";
constexpr char kTuple[] =
    "ENTRY e { x = f32[4] parameter(0)\n"
    "z = f32[] constant(0.5)\n"
    "w = f32[4] broadcast(z), dimensions={}\n"
    "y = f32[4] add(x, w)\n"
    "ROOT t = (f32[4], f32[4]) tuple(y, x) }";
constexpr char kUnknown[] =
    "name: 'm' entry_computation_name: 'e' entry_computation_id: 1 "
    "computations { name: 'e' id: 1 root_id: 2 "
    "instructions { name: 'x' opcode: 'parameter' id: 1 "
    "shape { element_type: F32 dimensions: 4 } } "
    "instructions { name: 'y' opcode: 'frobnicate' id: 2 operand_ids: 1 "
    "shape { element_type: F32 dimensions: 4 } } }";

constexpr char kGap[] =
    "name: 'm' entry_computation_name: 'e' entry_computation_id: 1 "
    "computations { name: 'e' id: 1 root_id: 1 "
    "instructions { name: 'x' opcode: 'parameter' id: 1 parameter_number: 1 "
    "shape { element_type: F32 dimensions: 4 } } }";

struct InlineCase {
  std::string name;
  std::string module;
  std::vector<const char*> arguments;
  std::string expected;  // the result's shape, or a code
};

TEST(InlineTest, Table) {
  const InlineCase cases[] = {
      {"a result", kNegate, {"f32[4]"}, "f32[4]{0}"},
      {"a tuple", kTuple, {"f32[4]"}, "(f32[4]{0}, f32[4]{0})"},
      {"the root is a parameter",
       "ENTRY e { x = f32[4] parameter(0)\nROOT y = f32[8] parameter(1) }",
       {"f32[4]", "f32[8]"},
       "f32[8]"},
      {"a parameter that nothing uses",
       "ENTRY e { x = f32[4] parameter(0)\nROOT y = f32[] constant(1) }",
       {"f32[4]"},
       "f32[]"},
      {"a layout stays",
       "ENTRY e { x = f32[4,2]{0,1} parameter(0)\n"
       "ROOT y = f32[4,2]{0,1} negate(x) }",
       {"f32[4,2]"},
       "f32[4,2]{0,1}"},
      {"named sizes",
       "ENTRY e { x = f32[n,4] parameter(0)\n"
       "ROOT y = f32[4,n] transpose(x), dimensions={1,0} }",
       {"f32[n,4]"},
       "f32[4,n]{1,0}"},
      {"a size that only the argument knows",
       "ENTRY e { x = f32[?,4] parameter(0)\nROOT y = f32[?,4] negate(x) }",
       {"f32[8,4]"},
       "f32[8,4]"},
      {"too few arguments", kNegate, {}, "IND0401"},
      {"too many arguments", kNegate, {"f32[4]", "f32[4]"}, "IND0401"},
      {"another size", kNegate, {"f32[5]"}, "IND0402"},
      {"another type", kNegate, {"s32[4]"}, "IND0402"},
      {"a wrong record",
       "ENTRY e { x = f32[4] parameter(0)\nROOT y = f32[5] negate(x) }",
       {"f32[4]"},
       "IND0105"},
      {"a wrong operand",
       "ENTRY e { x = f32[4] parameter(0)\ny = f32[5] parameter(1)\n"
       "ROOT z = f32[4] add(x, y) }",
       {"f32[4]", "f32[5]"},
       "IND0001"},
      {"parameters with a gap", kGap, {"f32[4]"}, "IND0605"},
      {"an opcode that Indim doesn't know", kUnknown, {"f32[4]"}, "IND0700"},
  };
  for (const InlineCase& c : cases) {
    const Module module = c.module == kUnknown || c.module == kGap
                              ? *ReadHloModuleText(c.module)
                              : FromText(c.module);
    CheckCall({c.name,
               [&](TestBuilder& b) {
                 std::vector<Op> arguments;
                 for (const char* shape : c.arguments) {
                   arguments.push_back(b.P(shape));
                 }
                 return b.Inline(module, arguments);
               },
               c.expected});
  }
}

TEST(InlineTest, Misuse) {
  const Module negate = FromText(kNegate);
  TestBuilder other("other");
  const Op theirs = other.P("f32[4]");
  const CallCase cases[] = {
      {"no module", [](TestBuilder& b) { return b.Inline(Module(), {}); },
       "IND0605"},
      {"a default op", [&](TestBuilder& b) { return b.Inline(negate, {Op()}); },
       "IND0600"},
      {"another builder's op",
       [&](TestBuilder& b) { return b.Inline(negate, {theirs}); }, "IND0602"},
  };
  for (const CallCase& c : cases) CheckCall(c);
  TestBuilder built("built");
  const Op x = built.P("f32[4]");
  ASSERT_TRUE(built.Build(x).ok());
  built.Inline(negate, {x});
  EXPECT_THAT(built.DiagnosticsText(), HasSubstr("IND0603"));
  TestBuilder moved("moved");
  const TestBuilder to = std::move(moved);
  EXPECT_EQ(moved.Inline(negate, {}), Op());
}

// One mistake gives one error, which says where the call is.
TEST(InlineTest, OneErrorForEachMistake) {
  TestBuilder b("errors");
  const Op wrong = b.Add(b.P("f32[4]"), b.P("f32[5]"));
  b.Inline(FromText(kNegate), {wrong});
  EXPECT_EQ(b.diagnostics().size(), 1u) << b.DiagnosticsText();
  TestBuilder c("errors");
  c.Inline(FromText("ENTRY e { x = f32[4] parameter(0)\n"
                    "y = f32[5] negate(x)\n"
                    "z = f32[5] negate(y)\n"
                    "ROOT w = f32[5] negate(z) }"),
           {c.P("f32[4]")}, Caller{"user.cc", 7});
  EXPECT_EQ(c.diagnostics().size(), 1u) << c.DiagnosticsText();
  EXPECT_THAT(c.DiagnosticsText(), HasSubstr("user.cc:7: error: Inline"));
}

// --- What instructions keep --------------------------------------------------

constexpr char kRich[] = R"(HloModule m, frontend_attributes={of="module"}

FileNames
1 "model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4]{0} parameter(0), sharding={replicated}
  e = f32[4]{0} exponential(x), sharding={maximal device=1}, metadata={op_name="e" stack_frame_id=1}
  l = f32[4]{0} log(x), control-predecessors={e}, frontend_attributes={k="v"}
  z = f32[] constant(0)
  r = f32[] reduce(l, z), dimensions={0}, to_apply=sum, metadata={op_name="r" source_file="a.py" source_line=3}
  ROOT t = (f32[4]{0}, f32[]) tuple(e, r)
}
)";

std::string FullTextOf(const Module& module) {
  PrintOptions options = PrintOptions::LargeConstants();
  return PrintHloText(module, options);
}

TEST(InlineTest, KeepsWhatBelongsToAnInstruction) {
  TestBuilder b("outer");
  const Op x = b.P("f32[4]");
  const Op result = b.Inline(FromText(kRich), {x}, Caller{"user.cc", 7});
  const absl::StatusOr<Module> built = b.Build(result);
  ASSERT_TRUE(built.ok()) << built.status();
  const VerifyResult verified = VerifyModule(*built);
  EXPECT_TRUE(verified.ok()) << RenderReport(*built, verified.report);
  const std::string text = FullTextOf(*built);
  for (const char* part :
       {"%e = f32[4]{0} exponential(%p0), sharding={maximal device=1}",
        "metadata={op_name=\"e\" source_file=\"model.py\" source_line=12}",
        "control-predecessors={%e}", "frontend_attributes={k=\"v\"}",
        "metadata={op_name=\"r\" source_file=\"a.py\" source_line=3}",
        "metadata={source_file=\"user.cc\" source_line=7}"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("StackFrames")));
  EXPECT_THAT(text, Not(HasSubstr("of=\"module\"")));
}

TEST(InlineTest, TwiceSharesCalleesAndKeepsNamesUnique) {
  const Module rich = FromText(kRich);
  TestBuilder b("outer");
  const Op x = b.P("f32[4]");
  const Op first = b.Inline(rich, {x});
  const Op second = b.Inline(rich, {b.GetTupleElement(first, 0)});
  const absl::StatusOr<Module> built = b.Build(second);
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->computation_count(), 2);
  const std::string text = FullTextOf(*built);
  EXPECT_THAT(text, HasSubstr("%e.1 = "));
  EXPECT_THAT(text, HasSubstr("control-predecessors={%e.1}"));
  EXPECT_TRUE(VerifyModule(*built).ok());
}

// The arguments of a branch are captured, as of any other call.
TEST(InlineTest, InsideALambda) {
  const Module negate = FromText(kNegate);
  TestBuilder b("outer");
  const Op x = b.P("f32[4]"), p = b.P("pred[]");
  const Op y = b.Conditional(
      p, [&] { return b.Inline(negate, {x}); }, [&] { return x; });
  const absl::StatusOr<Module> built = b.Build(y);
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_TRUE(VerifyModule(*built).ok());
  TestBuilder c("outer");
  const Op v = c.P("f32[4]"), w = c.P("f32[]");
  const Module scalar =
      FromText("ENTRY e { x = f32[] parameter(0)\nROOT y = f32[] negate(x) }");
  c.Reduce(v, 0, [&](Op a, Op) { return a + c.Inline(scalar, {w}); }, {0});
  EXPECT_THAT(c.DiagnosticsText(), HasSubstr("IND0625"));
}

// A sharding in scope is the result's; what the graph has stays.
TEST(InlineTest, ShardingInScope) {
  TestBuilder b("outer");
  const Op x = b.P("f32[4]");
  b.set_sharding(std::string("\x08\x00", 2));
  const Op y = b.Inline(FromText("ENTRY e { x = f32[4] parameter(0)\n"
                                 "y = f32[4] negate(x)\n"
                                 "ROOT z = f32[4] exponential(y) }"),
                        {x});
  const std::string text = FullTextOf(*b.Build(y));
  EXPECT_THAT(text, HasSubstr("negate(%p0), metadata"));
  EXPECT_THAT(text, HasSubstr("exponential(%y), sharding={replicated}"));
}

// --- The property ------------------------------------------------------------

TEST(InlineTest, ComputesTheSame) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const Module module = *RandomModule(&random);
    TestBuilder b("outer");
    std::vector<Op> parameters;
    std::vector<Literal> arguments;
    for (const Shape& shape : module.entry().signature().parameters) {
      parameters.push_back(b.P(shape));
      arguments.push_back(*RandomLiteral(shape, &random));
    }
    const absl::StatusOr<Module> inlined =
        b.Build(b.Inline(module, parameters));
    ASSERT_TRUE(inlined.ok()) << inlined.status();
    EXPECT_EQ(inlined->instruction_count(), module.instruction_count());
    const VerifyResult verified = VerifyModule(*inlined);
    EXPECT_TRUE(verified.ok()) << RenderReport(*inlined, verified.report);
    const absl::StatusOr<Literal> expected = Evaluate(module, arguments);
    const absl::StatusOr<Literal> actual = Evaluate(*inlined, arguments);
    ASSERT_TRUE(expected.ok() && actual.ok()) << actual.status();
    EXPECT_EQ(actual->ToString(), expected->ToString());
  }
}

}  // namespace
}  // namespace indim

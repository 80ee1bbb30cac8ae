// SPDX-License-Identifier: Apache-2.0
// What Build() says of a module as a whole: aliases, donors, devices, the
// entry's layout, frontend attributes. Scoped op names, parameters that number
// themselves, expected shapes.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/op_names.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Order = BuildOptions::Order;

// A step that gives back its state beside a result.
Op Step(TestBuilder& b) {
  const Op state = b.P("f32[8]"), x = b.P("(f32[8], s32[4])");
  return b.Tuple(
      {b.Add(state, b.GetTupleElement(x, 0)), b.GetTupleElement(x, 1)});
}

struct OptionsCase {
  std::string name;
  BuildOptions options;
  // What the header of the HLO text says, or the error ("IND0780: ...").
  std::string expected;
};

BuildOptions WithAliases(std::vector<BuildOptions::Alias> aliases) {
  BuildOptions options;
  options.aliases = std::move(aliases);
  return options;
}
BuildOptions WithDonors(std::vector<BuildOptions::Donor> donors) {
  BuildOptions options;
  options.donors = std::move(donors);
  return options;
}
BuildOptions WithDevices(int64_t replicas, int64_t partitions) {
  BuildOptions options;
  options.devices.replicas = replicas;
  options.devices.partitions = partitions;
  return options;
}
BuildOptions WithLayout(const std::vector<const char*>& parameters,
                        const char* result) {
  BuildOptions options;
  options.entry_layout.emplace();
  for (const char* text : parameters) {
    options.entry_layout->parameters.push_back(*ParseShape(text));
  }
  options.entry_layout->result = *ParseShape(result);
  return options;
}
BuildOptions WithAttributes(
    std::vector<std::pair<std::string, std::string>> attributes) {
  BuildOptions options;
  options.frontend_attributes = std::move(attributes);
  return options;
}

std::vector<OptionsCase> OptionsCases() {
  constexpr bool kMust = true;
  const char* const kState = "f32[8]{0}";
  const char* const kX = "(f32[8]{0}, s32[4]{0})";
  return {
      {"an alias", WithAliases({{{0}, 0}}),
       "input_output_alias={ {0}: (0, {}, may-alias) }"},
      {"of a part, in order", WithAliases({{{1}, 1, {1}}, {{0}, 1, {0}}}),
       "input_output_alias={ {0}: (1, {0}, may-alias), {1}: (1, {1}, "
       "may-alias) }"},
      {"that must be", WithAliases({{{0}, 0, {}, kMust}}),
       "input_output_alias={ {0}: (0, {}, must-alias) }"},
      {"of no parameter", WithAliases({{{0}, 2}}),
       "IND0780: input_output_alias entry 0: the entry has no part parameter "
       "2"},
      {"of a negative one", WithAliases({{{0}, -1}}), "IND0780"},
      {"of no part", WithAliases({{{0}, 1, {2}}}), "IND0780"},
      {"of no result", WithAliases({{{2}, 0}}), "IND0780"},
      {"of a tuple", WithAliases({{{0}, 1}}), "IND0781"},
      {"of a tuple as the result", WithAliases({{{}, 0}}), "IND0781"},
      {"twice one result", WithAliases({{{0}, 0}, {{0}, 1, {0}}}), "IND0782"},
      {"twice one parameter", WithAliases({{{0}, 0}, {{1}, 0}}), "IND0782"},
      {"that must be, of another shape", WithAliases({{{1}, 0, {}, kMust}}),
       "IND0783"},
      {"donors", WithDonors({{1, {1}}, {0}}),
       "buffer_donor={ (0, {}), (1, {1}) }"},
      {"a donor that isn't there", WithDonors({{3}}), "IND0780"},
      {"a donor that is a tuple", WithDonors({{1}}), "IND0781"},
      {"a donor twice", WithDonors({{0}, {0}}), "IND0782"},
      {"replicas", WithDevices(4, 1), "replica_count=4"},
      {"partitions", WithDevices(1, 2), "num_partitions=2"},
      {"both", WithDevices(4, 2), "replica_count=4, num_partitions=2"},
      {"no replicas", WithDevices(0, 1),
       "IND0120: Build: the number of replicas is 0"},
      {"partitions below 0", WithDevices(1, -2), "IND0120"},
      {"too many", WithDevices(int64_t{1} << 40, 1), "IND0120"},
      {"a layout", WithLayout({"f32[8]{0:T(128)}", kX}, kX),
       "entry_computation_layout={(f32[8]{0:T(128)}, (f32[8]{0}, s32[4]{0}))->"
       "(f32[8]{0}, s32[4]{0})}"},
      {"a layout of few parameters", WithLayout({kState}, kX), "IND0726"},
      {"a layout of another shape", WithLayout({"f32[9]{0}", kX}, kX),
       "IND0727"},
      {"a layout of another result", WithLayout({kState, kX}, kState),
       "IND0728"},
      {"attributes", WithAttributes({{"b", "2"}, {"a", "1"}, {"b", "3"}}),
       "frontend_attributes={a=\"1\",b=\"3\"}"},
      {"a key that isn't UTF-8", WithAttributes({{"\xff", ""}}), "IND0609"},
      {"a value that isn't UTF-8", WithAttributes({{"a", "\xff"}}), "IND0609"},
  };
}

TEST(ModuleOptionsTest, Table) {
  for (const OptionsCase& c : OptionsCases()) {
    for (const Order order : {Order::kAsRecorded, Order::kPostOrder}) {
      SCOPED_TRACE(c.name);
      TestBuilder b("step");
      const Op root = Step(b);
      BuildOptions options = c.options;
      options.order = order;
      const BuildResult built = b.Build(root, options, {"step.cc", 7});
      if (absl::StartsWith(c.expected, "IND")) {
        ASSERT_FALSE(built.ok());
        const std::string text(built.status().message());
        EXPECT_THAT(text, HasSubstr("[" + c.expected.substr(0, 7) + "]"));
        if (c.expected.size() > 9) {
          EXPECT_THAT(text, HasSubstr(c.expected.substr(9)));
        }
        // It counts once, and the builder is as before.
        EXPECT_TRUE(b.Build(root, BuildOptions()).ok());
        continue;
      }
      ASSERT_TRUE(built.ok()) << built.status();
      EXPECT_TRUE(VerifyModule(*built).ok());
      const std::string text = PrintHloText(*built);
      EXPECT_THAT(text, HasSubstr(", " + c.expected));
      // Text keeps all of it.
      const absl::StatusOr<Module> again = ParseHloText(text, ParseOptions());
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_THAT(PrintHloText(*again), HasSubstr(", " + c.expected));
      EXPECT_TRUE(ExportHloModuleProto(*built).ok());
    }
  }
}

// What the module has of its own isn't the options' fault.
TEST(ModuleOptionsTest, OnlyWhatTheOptionsBreak) {
  const auto grouped = [](TestBuilder& b) {
    CollectiveAttributes attributes;
    attributes.replica_groups = ReplicaGroups{{{0, 1}}};
    return b.AllReduce(b.P("f32[8]"), AddScalars(), attributes);
  };
  {
    TestBuilder b("pair");
    EXPECT_TRUE(b.Build(grouped(b), WithDevices(2, 1)).ok());
  }
  TestBuilder b("pair");
  const BuildResult built = b.Build(grouped(b), WithDevices(4, 1));
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(std::string(built.status().message()),
              HasSubstr("all-reduce has groups of 2 in all, but the module is "
                        "compiled for 4 replicas"));
}

TEST(ModuleOptionsTest, NothingSaidNothingWritten) {
  TestBuilder b("plain"), c("plain");
  const Module plain = *b.Build(Step(b), BuildOptions());
  const std::string text = PrintHloText(plain);
  for (const char* word :
       {"alias", "donor", "replica", "partitions", "frontend"}) {
    EXPECT_THAT(text, Not(HasSubstr(word)));
  }
}

// --- Metadata ----------------------------------------------------------------

std::string MetadataOf(const Module& module, int i) {
  FieldList fields(WireMessage::kOpMetadata);
  EXPECT_TRUE(fields.Append(module.entry().instruction(i).metadata()));
  return absl::StrCat(fields.Text(field::OpMetadata::kOpType), " ",
                      fields.Text(field::OpMetadata::kOpName));
}

TEST(OpNamesTest, ScopesNest) {
  TestBuilder b("names");
  const Op x = b.P("f32[8]");
  {
    ScopedOpName layer(&b, "layer1");
    b.Exp(x);
    {
      ScopedOpName part(&b, "attention");
      b.set_op_type("MatMul");
      b.Exp(x);
      b.set_op_name("another");
      b.set_op_type("");
      b.Exp(x);
    }
    b.Exp(x);
  }
  b.set_op_name("root");
  {
    ScopedOpName layer(&b, "layer2");
    b.set_record_locations(false);
    b.Exp(x);
  }
  b.set_op_name("");
  b.set_op_type("Last");
  const Module module = *b.Build(b.Exp(x));
  const char* const expected[] = {
      " ",        " layer1", "MatMul layer1/attention",
      " another", " layer1", " root/layer2",
      "Last "};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(MetadataOf(module, i), expected[i]) << i;
  }
}

TEST(OpNamesTest, Errors) {
  TestBuilder b("names");
  const Op x = b.P("f32[8]");
  { ScopedOpName scope(&b, "\xff", {"a.cc", 3}); }
  b.set_op_type("\xff", {"a.cc", 4});
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("a.cc:3: error: ScopedOpName: the name is not valid "
                        "UTF-8  [IND0609]"));
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("a.cc:4: error: set_op_type: the op_type is not valid "
                        "UTF-8  [IND0609]"));
  EXPECT_FALSE(b.Build(x).ok());
}

// A scope may outlive its builder, or the builder's end.
TEST(OpNamesTest, ScopesOfBuildersThatAreGone) {
  auto b = std::make_unique<TestBuilder>("gone");
  ScopedOpName scope(b.get(), "scope");
  TestBuilder moved = std::move(*b);
  b.reset();
  const Op x = moved.P("f32[8]");
  {
    ScopedOpName of_built(&moved, "inner");
    EXPECT_TRUE(moved.Build(x).ok());
  }
  ScopedOpName of_moved(&moved, "after");
  EXPECT_THAT(moved.DiagnosticsText(), HasSubstr("[IND0603]"));
}

// --- Parameters and expected shapes ------------------------------------------

TEST(ParameterTest, NumbersItself) {
  ComputationBuilder b("parameters");
  const Op last = b.Parameter(2, "f32[3]", "third");
  const Op first = b.Parameter("f32[1]", "first");
  const Op second = b.Parameter(Shape::Of(ElementType::kF32, {2}));
  const Op fourth = b.Parameter(std::string("f32[4]"));
  const absl::StatusOr<Module> module =
      b.Build(b.Tuple({first, second, last, fourth}));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::string> signature;
  for (const Shape& shape : module->entry().signature().parameters) {
    signature.push_back(shape.ToString());
  }
  EXPECT_EQ(signature,
            (std::vector<std::string>{"f32[1]", "f32[2]", "f32[3]", "f32[4]"}));
  std::vector<std::string> names;
  for (const Instruction i : module->entry().root().operands()) {
    names.push_back(i.name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first", "p1", "third", "p3"}));
}

TEST(ParameterTest, Errors) {
  ComputationBuilder b("parameters");
  b.Parameter("f32[", "x", {"a.cc", 1});
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0604]"));
}

TEST(ExpectShapeTest, Table) {
  const auto expect = [](const char* shape, const char* expected) {
    return [=](TestBuilder& b) { return b.ExpectShape(b.P(shape), expected); };
  };
  CheckCalls({
      {"equal", expect("f32[8,128]", "f32[8,128]"), "f32[8,128]"},
      {"named", expect("f32[n,128]", "f32[n,128]"), "f32[n,128]"},
      {"an expression", expect("f32[2*n+1]", "f32[n+n+1]"), "f32[2*n+1]"},
      {"a layout more", expect("f32[8,2]{0,1}", "f32[8,2]"), "f32[8,2]{0,1}"},
      {"a tuple", expect("(f32[8]{0}, s32[])", "(f32[8], s32[])"),
       "(f32[8]{0}, s32[])"},
      {"another size", expect("f32[8,128]", "f32[8,64]"), "IND0654"},
      {"another name", expect("f32[n]", "f32[m]"), "IND0654"},
      {"a name for a number", expect("f32[8]", "f32[n]"), "IND0654"},
      {"a bound", expect("f32[8]", "f32[<=8]"), "IND0654"},
      {"another type", expect("f32[8]", "bf16[8]"), "IND0654"},
      {"another rank", expect("f32[8]", "f32[8,1]"), "IND0654"},
      {"another layout", expect("f32[8,2]{0,1}", "f32[8,2]{1,0}"), "IND0654"},
      {"another tuple", expect("(f32[8])", "(f32[8], f32[8])"), "IND0654"},
      {"no tuple", expect("(f32[8])", "f32[8]"), "IND0654"},
      {"no shape", expect("f32[8]", "f32[8"), "IND0604"},
  });
}

TEST(ExpectShapeTest, Message) {
  TestBuilder b("expect");
  const Op x = b.P("f32[n,64]");
  const Op wrong = b.ExpectShape(x, "f32[n,128]", {"net.cc", 12});
  EXPECT_FALSE(b.shape(wrong).ok());
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("net.cc:12: error: ExpectShape: "));
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("f32[n,64] was expected to be f32[n,128]; dim 1 is 64, "
                        "not 128  [IND0654]"));
  // It records nothing, and what is right stays itself.
  TestBuilder c("right");
  const Op y = c.P("f32[8]");
  const Module module = *c.Build(c.ExpectShape(y, "f32[8]"));
  EXPECT_EQ(module.instruction_count(), 1);
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// What becomes of a recorded computation: modules, callees, names, annotations.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/sharding.h"
#include "indim/ir/module_access.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> ComputationNames(const Module& module) {
  std::vector<std::string> names;
  for (Computation c : module.computations()) {
    names.emplace_back(c.name());
  }
  return names;
}

// Names are unique, callees come first, ids follow from positions.
void CheckModule(const Module& module) {
  std::set<std::string> names;
  for (Computation c : module.computations()) {
    for (Instruction i : c.instructions()) {
      EXPECT_TRUE(names.insert(i.name()).second) << i.name();
      EXPECT_EQ(i.id(), i.position() + 1);
      for (Instruction operand : i.operands()) {
        EXPECT_LT(operand.index(), i.index());
      }
      for (int k = 0; k < i.callee_count(); ++k) {
        EXPECT_LT(i.callee(k).index(), c.index());
      }
    }
  }
  EXPECT_EQ(module.entry().index(), module.computation_count() - 1);
}

// What is written is read again.
void CheckBytes(const Module& module) {
  absl::StatusOr<std::string> bytes = SerializeModule(module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->is_recorded());
  EXPECT_EQ(read->instruction_count(), module.instruction_count());
  absl::StatusOr<std::string> again = SerializeModule(*read);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *bytes);
}

TEST(BuildTest, TheRootIsWhereItIs) {
  TestBuilder b("root");
  const Op x = b.P("f32[2]");
  const Op y = b.Neg(x);
  b.Exp(y);
  absl::StatusOr<Module> module = b.Build(y);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->name(), "root");
  EXPECT_EQ(module->entry().name(), "root");
  EXPECT_EQ(module->entry().root().index(), 1);
  EXPECT_EQ(module->entry().instruction_count(), 3);
  CheckModule(*module);
  CheckBytes(*module);
}

TEST(BuildTest, TheLastOpIsTheRootWhenNoneIsGiven) {
  TestBuilder b("root");
  b.Neg(b.P("f32[2]"));
  absl::StatusOr<Module> module = b.Build();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().opcode(), Opcode::kNegate);
}

TEST(BuildTest, SignatureIsByNumber) {
  ComputationBuilder b("signature");
  b.Parameter(1, "s32[]");
  const Op x = b.Parameter(0, "f32[2]");
  absl::StatusOr<Module> module = b.Build(b.Tuple({x, x}));
  ASSERT_TRUE(module.ok()) << module.status();
  const Signature signature = module->entry().signature();
  ASSERT_EQ(signature.parameters.size(), 2u);
  EXPECT_EQ(signature.parameters[0].ToString(), "f32[2]");
  EXPECT_EQ(signature.parameters[1].ToString(), "s32[]");
  EXPECT_EQ(signature.result.ToString(), "(f32[2], f32[2])");
}

// --- Callees -----------------------------------------------------------------

TEST(CalleeTest, AModuleIsLinkedOnce) {
  const Module add = AddScalars();
  TestBuilder b("main");
  const Op x = b.P("f32[2,3]"), zero = b.ConstantR0(ElementType::kF32, 0);
  const Op y = b.Reduce(x, zero, add, {0});
  const Op z = b.Reduce(x, zero, add, {1});
  absl::StatusOr<Module> module = b.Build(b.Tuple({y, z}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(ComputationNames(*module), ::testing::ElementsAre("add", "main"));
  CheckModule(*module);
  CheckBytes(*module);
  // Its own is as it was.
  EXPECT_EQ(add.computation_count(), 1);
}

TEST(CalleeTest, ASubBuildersModuleIsLikeAnyOther) {
  TestBuilder b("main");
  ComputationBuilder sub = b.SubBuilder("double");
  const Op y = sub.Parameter(0, "f32[2]");
  absl::StatusOr<Module> twice = sub.Build(sub.Add(y, y));
  ASSERT_TRUE(twice.ok()) << twice.status();
  const Op x = b.P("f32[2]");
  absl::StatusOr<Module> module = b.Build(b.Call(twice, {b.Call(twice, {x})}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(ComputationNames(*module),
              ::testing::ElementsAre("double", "main"));
  CheckModule(*module);
  CheckModule(*twice);
  CheckBytes(*twice);
}

TEST(CalleeTest, BuildCalleeIsSharedInItsFamily) {
  TestBuilder b("main");
  ComputationBuilder sub = b.SubBuilder("double");
  const Op y = sub.Parameter(0, "f32[2]", "y");
  const Callee twice = sub.BuildCallee(sub.Add(y, y));
  ASSERT_TRUE(twice.status().ok()) << twice.status();
  ComputationBuilder sub2 = b.SubBuilder("quadruple");
  const Op z = sub2.Parameter(0, "f32[2]", "y");
  const Op z2 = sub2.Call(twice, {z});
  const Callee four = sub2.BuildCallee(sub2.Call(twice, {z2}));
  ComputationBuilder unused = b.SubBuilder("unused");
  unused.Parameter(0, "f32[7]");
  ASSERT_TRUE(unused.BuildCallee().status().ok());
  const Op x = b.Parameter(0, "f32[2]", "y");
  const Op sum = b.Call(four, {x}) + b.Call(twice, {x});
  absl::StatusOr<Module> module = b.Build(sum);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(ComputationNames(*module),
              ::testing::ElementsAre("double", "quadruple", "main"));
  EXPECT_EQ(module->entry().instruction(0).name(), "y");
  CheckModule(*module);
  CheckBytes(*module);
}

TEST(CalleeTest, OfAnotherFamilyIsCopiedOnce) {
  TestBuilder a("a");
  ComputationBuilder sub = a.SubBuilder("inner");
  const Op y = sub.Parameter(0, "f32[2]");
  const Callee inner = sub.BuildCallee(sub.Exp(y));
  ComputationBuilder sub2 = a.SubBuilder("outer");
  const Op z = sub2.Parameter(0, "f32[2]");
  const Callee outer = sub2.BuildCallee(sub2.Call(inner, {z}));

  TestBuilder b("main");
  const Op x = b.P("f32[2]");
  const Op sum = b.Call(outer, {x}) + b.Call(inner, {x}) + b.Call(outer, {x});
  absl::StatusOr<Module> module = b.Build(sum);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(ComputationNames(*module),
              ::testing::ElementsAre("inner", "outer", "main"));
  CheckModule(*module);
  CheckBytes(*module);
  EXPECT_TRUE(a.Build(a.P("f32[]")).ok());
}

TEST(CalleeTest, DeepNestingStaysLinear) {
  TestBuilder b("main");
  ComputationBuilder first = b.SubBuilder("f");
  const Op y = first.Parameter(0, "f32[2]");
  Callee callee = first.BuildCallee(first.Neg(y));
  const int depth = 2000;
  for (int i = 1; i < depth; ++i) {
    ComputationBuilder next = b.SubBuilder("f");
    const Op z = next.Parameter(0, "f32[2]");
    const Op once = next.Call(callee, {z});
    callee = next.BuildCallee(next.Call(callee, {once}));
  }
  absl::StatusOr<Module> module = b.Build(b.Call(callee, {b.P("f32[2]")}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->computation_count(), depth + 1);
  EXPECT_EQ(module->instruction_count(), 2 + 3 * (depth - 1) + 2);
  CheckModule(*module);
}

TEST(CalleeTest, OutlivesItsBuilders) {
  std::optional<Callee> callee;
  {
    TestBuilder b("gone");
    ComputationBuilder sub = b.SubBuilder("sub");
    callee = sub.BuildCallee(sub.Neg(sub.Parameter(0, "f32[2]")));
  }
  TestBuilder b("main");
  EXPECT_TRUE(b.Build(b.Call(*callee, {b.P("f32[2]")})).ok());
}

TEST(CalleeTest, AFileMayBeCalled) {
  // Ids as no builder of ours gives them.
  absl::StatusOr<std::string> bytes = SerializeModule(AddScalars());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
  TestBuilder b("main");
  const Op x = b.P("f32[]");
  absl::StatusOr<Module> module = b.Build(b.Call(read, {x, x}));
  ASSERT_TRUE(module.ok()) << module.status();
  CheckModule(*module);
  CheckBytes(*module);
}

// --- Names -------------------------------------------------------------------

TEST(NamesTest, AreUniqueAndTheEntrysStay) {
  TestBuilder sub("main");
  const Op y = sub.Parameter(0, "f32[2]", "x");
  absl::StatusOr<Module> called = sub.Build(sub.Neg(y));
  ComputationBuilder b("main");
  const Op x = b.Parameter(0, "f32[2]", "x");
  const Op z = b.Parameter(1, "f32[2]", "x");
  const Op w = b.Add(x, z);
  b.SetName(w, "add.7");  // what the last one would be called
  absl::StatusOr<Module> module = b.Build(b.Add(b.Call(called, {w}), x));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().name(), "main");
  EXPECT_EQ(module->computation(0).name(), "main.1");
  EXPECT_EQ(module->entry().instruction(0).name(), "x");
  EXPECT_EQ(module->entry().instruction(1).name(), "x.1");
  EXPECT_NE(module->entry().instruction(2).name(), "add.7");
  EXPECT_EQ(module->entry().root().name(), "add.7");
  CheckModule(*module);
  CheckBytes(*module);
}

TEST(NamesTest, MadeOnesAreTaken) {
  const std::pair<const char*, const char*> names[] = {
      {"x", "x"},          {"x", "x.1"},   {"x.1", "x.1.1"}, {"x", "x.2"},
      {"x.2", "x.2.1"},    {"x.5", "x.5"}, {"x.01", "x.01"}, {"x.3", "x.3"},
      {"x", "x.4"},        {"x", "x.6"},   {"x.6", "x.6.1"}, {"x.1", "x.1.2"},
      {"x.1.2", "x.1.2.1"}};
  TestBuilder b("names");
  Op last = b.P("f32[2]");
  for (const auto& [given, made] : names) {
    last = b.Neg(last);
    b.SetName(last, given);
  }
  absl::StatusOr<Module> module = b.Build(last);
  ASSERT_TRUE(module.ok()) << module.status();
  int i = 1;
  for (const auto& [given, made] : names) {
    EXPECT_EQ(module->entry().instruction(i++).name(), made) << given;
  }
  CheckModule(*module);
  CheckBytes(*module);
}

TEST(NamesTest, CanBeGivenAndTakenBack) {
  TestBuilder b("names");
  const Op x = b.P("f32[2]");
  const Op y = b.Neg(x);
  b.SetName(y, "negative");
  const Op z = b.Neg(y);
  b.SetName(z, "other");
  b.SetName(z, "");
  absl::StatusOr<Module> module = b.Build(z);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().instruction(0).name(), "p0");
  EXPECT_EQ(module->entry().instruction(1).name(), "negative");
  EXPECT_EQ(module->entry().root().name(), "negate.3");
}

// --- Annotations -------------------------------------------------------------

constexpr int kShardingField = 40;
constexpr int kFrontendAttributesField = 68;

std::string Sharding(const Instruction& instruction) {
  bool present = false;
  const absl::string_view bytes = AttributeBytesField(
      internal::AttributeBytesOf(instruction), kShardingField, &present);
  return present ? std::string(bytes) : "none";
}

TEST(ShardingTest, ScopesNest) {
  TestBuilder b("sharding");
  const Op x = b.P("f32[4]");
  Op y, z;
  {
    ScopedSharding outer(&b, TileSharding({2}));
    y = b.Neg(x);
    {
      ScopedSharding inner(&b, ReplicateSharding());
      z = b.Add(y, x);
    }
    y = b.Neg(z);
  }
  absl::StatusOr<Module> module = b.Build(b.Neg(y));
  ASSERT_TRUE(module.ok()) << module.status();
  const Computation entry = module->entry();
  EXPECT_EQ(Sharding(entry.instruction(0)), "none");
  EXPECT_EQ(Sharding(entry.instruction(1)), TileSharding({2}));
  EXPECT_EQ(Sharding(entry.instruction(2)), "");  // replicated: all defaults
  EXPECT_EQ(Sharding(entry.instruction(3)), TileSharding({2}));
  EXPECT_EQ(Sharding(entry.instruction(4)), "none");
  CheckBytes(*module);
}

TEST(ShardingTest, AScopeMayOutliveItsBuilder) {
  auto b = std::make_unique<ComputationBuilder>("gone");
  ScopedSharding scope(b.get(), ReplicateSharding());
  b.reset();
  ComputationBuilder from("from");
  ScopedSharding moved(&from, ReplicateSharding());
  ComputationBuilder to = std::move(from);
  ScopedSharding nobody(&from, ReplicateSharding());  // NOLINT
}

TEST(ShardingTest, StretchingKeepsTheReshapeFree) {
  TestBuilder b("sharding");
  const Op x = b.P("f32[1,4]");
  b.set_sharding(TileSharding({1, 2}));
  absl::StatusOr<Module> module = b.Build(b.BroadcastInDim(x, {8, 4}, {0, 1}));
  ASSERT_TRUE(module.ok()) << module.status();
  const Computation entry = module->entry();
  ASSERT_EQ(entry.instruction_count(), 4);
  EXPECT_NE(Sharding(entry.instruction(1)), "none");
  EXPECT_EQ(Sharding(entry.instruction(2)), "none");
  EXPECT_NE(Sharding(entry.instruction(3)), "none");
}

// Bytes as protoc writes them for the message said.
TEST(ShardingTest, Bytes) {
  using std::string;
  // {}
  EXPECT_EQ(ReplicateSharding(), "");
  // type: MAXIMAL tile_assignment_dimensions: 1 tile_assignment_devices: 3
  EXPECT_EQ(MaximalSharding(3), "\x08\x01\x1a\x01\x01\x22\x01\x03");
  // type: MANUAL
  EXPECT_EQ(ManualSharding(), "\x08\x04");
  // type: OTHER tile_assignment_dimensions: [2, 4] iota_reshape_dims: 8
  // iota_transpose_perm: 0
  EXPECT_EQ(TileSharding({2, 4}),
            string("\x08\x03\x1a\x02\x02\x04\x4a\x01\x08\x52\x01\x00", 12));
  // and replicate_on_last_tile_dim
  EXPECT_EQ(
      TileSharding({2, 4}, true),
      string("\x08\x03\x1a\x02\x02\x04\x30\x01\x4a\x01\x08\x52\x01\x00", 14));
  // tile_assignment_devices instead of the iota
  EXPECT_EQ(TileShardingOnDevices({2}, {1, 0}),
            string("\x08\x03\x1a\x01\x02\x22\x02\x01\x00", 9));
  EXPECT_EQ(
      TileShardingByIota({4, 2}, {2, 4}, {1, 0}),
      string("\x08\x03\x1a\x02\x04\x02\x4a\x02\x02\x04\x52\x02\x01\x00", 14));
  // type: TUPLE tuple_shardings { } tuple_shardings { type: MANUAL }
  EXPECT_EQ(TupleSharding({ReplicateSharding(), ManualSharding()}),
            string("\x08\x02\x2a\x00\x2a\x02\x08\x04", 8));
}

TEST(FrontendAttributesTest, AreASortedMap) {
  TestBuilder b("attributes");
  const Op x = b.P("f32[2]");
  b.SetFrontendAttribute(x, "b", "1");
  b.SetFrontendAttribute(x, "a", "2");
  b.SetFrontendAttribute(x, "b", "");
  absl::StatusOr<Module> module = b.Build(b.Neg(x));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction parameter = module->entry().instruction(0);
  EXPECT_EQ(AttributeBytesField(internal::AttributeBytesOf(parameter),
                                kFrontendAttributesField),
            std::string("\x0a\x06\x0a\x01"
                        "a\x12\x01"
                        "2\x0a\x05\x0a\x01"
                        "b\x12\x00",
                        15));
  EXPECT_EQ(As<ParameterAttributes>(parameter.attributes()).number, 0);
  CheckBytes(*module);
}

}  // namespace
}  // namespace indim

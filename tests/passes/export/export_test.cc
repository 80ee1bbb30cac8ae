// SPDX-License-Identifier: Apache-2.0
// An export's one sweep writes the bytes that the stages one by one give.

#include "indim/passes/export/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

void ExpectSameBytes(const Module& module) {
  const ExpandedModule staged = ExpandForXla(module);
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(module);
  if (!staged.report.ok()) {
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.status().message(),
              ToStatus(staged.module, staged.report).message());
    return;
  }
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<std::string> expected = SerializeModule(staged.module);
  ASSERT_TRUE(expected.ok());
  EXPECT_TRUE(*bytes == *expected);
  ExportOptions unverified;
  unverified.verify = false;
  const absl::StatusOr<std::string> same =
      ExportHloModuleProto(module, unverified);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_TRUE(*same == *expected);
  // Nothing is lost in between.
  const absl::StatusOr<Module> again = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*SerializeModule(*again) == *bytes);
  const VerifyResult verified = VerifyModule(*again);
  EXPECT_TRUE(verified.ok()) << RenderReport(*again, verified.report);
  EXPECT_EQ(SerializedSize(staged.module), expected->size());
}

void ExpectSameFile(const Module& module) {
  const std::string path = testing::TempDir() + "/export.pb";
  const absl::Status written = WriteHloModuleProto(module, path);
  ASSERT_TRUE(written.ok()) << written;
  EXPECT_TRUE(*ReadFile(path) == *ExportHloModuleProto(module));
}

Module Built(ComputationBuilder* b, Op root) {
  absl::StatusOr<Module> module = b->Build(root);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

// Elementwise ops on operands of all kinds, named, called and constant ones
// among them.
class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed), b_("random") {}

  Module Make(int ops) {
    const char* const kShapes[] = {"f32[2,3]", "f32[]",  "f32[3]",
                                   "f32[1,3]", "f16[3]", "f32[2,3]"};
    const bool bounded = Chance(4);
    for (int64_t i = 0; i < 6; ++i) {
      arrays_.push_back(
          b_.Parameter(i, bounded && i == 0 ? "f32[<=2,3]" : kShapes[i], "x"));
    }
    for (int i = 0; i < ops; ++i) Add();
    if (Chance(5)) {
      return Built(&b_, b_.ConstantR0(ElementType::kF32, 1));
    }
    return Built(&b_, b_.Tuple(arrays_));
  }

 private:
  bool Chance(uint32_t one_in) { return random_() % one_in == 0; }
  Op Any() { return arrays_[random_() % arrays_.size()]; }

  void Add() {
    const Op x = arrays_[0];
    const Op y = Any();
    Op result;
    if (Chance(9)) b_.set_sharding(ReplicateSharding());
    if (Chance(9)) b_.set_sharding(std::nullopt);
    switch (random_() % 8) {
      case 0:
        result = b_.Add(x, arrays_[1]);
        break;
      case 1:
        result = b_.Mul(arrays_[5], arrays_[2], {1});
        break;
      case 2:
        result = b_.Sub(arrays_[5], arrays_[3]);
        break;
      case 3:
        result = b_.Add(arrays_[2], arrays_[4]);  // mixed types
        break;
      case 4:
        result =
            b_.Select(b_.Gt(arrays_[1], arrays_[1]), arrays_[5], arrays_[5]);
        break;
      case 5:
        result = b_.Clamp(arrays_[1], arrays_[5], arrays_[1]);
        break;
      case 6: {
        ComputationBuilder sub = b_.SubBuilder("called");
        const Op p = sub.Parameter(0, "f32[2,3]", "p");
        const Op s = sub.Parameter(1, "f32[]", "s");
        const Op root = Chance(2) ? sub.Add(p, s) : sub.Add(p, p);
        result = b_.Call(sub.BuildCallee(root), {arrays_[5], arrays_[1]});
        break;
      }
      default:
        result = b_.Neg(y);
    }
    if (Chance(6)) {
      // Some look like names that are made.
      const char* const kNames[] = {"n", "add.3", "broadcast.40", "tuple.9999"};
      b_.SetName(result, kNames[random_() % 4]);
    }
    if (Chance(3)) arrays_.push_back(result);
  }

  std::mt19937 random_;
  ComputationBuilder b_;
  std::vector<Op> arrays_;
};

TEST(ExportTest, OneSweepWritesWhatTheStagesGive) {
  for (uint32_t seed = 0; seed < 150; seed += SampleStep(3)) {
    SCOPED_TRACE(seed);
    const Module module = RandomGraph(seed).Make(static_cast<int>(seed % 50));
    ExpectSameBytes(module);
    if (seed % 50 == 49) ExpectSameFile(module);
  }
}

// More bytes than a block, more operands than have a short length.
TEST(ExportTest, LargeInstructions) {
  ComputationBuilder b("large");
  const Op x = b.Parameter(0, "f32[2,3]", std::string(40000, 'x'));
  std::vector<Op> all;
  for (int i = 0; i < 5000; ++i) all.push_back(b.Add(x, x));
  for (size_t width : {0u, 1u, 12u, 13u, 130u, 5000u}) {
    b.Tuple(std::vector<Op>(all.begin(), all.begin() + width));
  }
  const std::vector<float> values(20000, 2.0f);
  for (const int64_t size : {1, 200, 300, 3000, 5000, 20000}) {
    const absl::Span<const float> part =
        absl::MakeConstSpan(values).subspan(0, static_cast<size_t>(size));
    all.push_back(b.ConstantLiteral(*Literal::Array(part, {size})));
  }
  const Module module = Built(&b, b.Tuple(all));
  ExpectSameBytes(module);
  ExpectSameFile(module);
}

// Ids of all lengths, near and far operands, names in between.
TEST(ExportTest, IdsOfAllLengths) {
  ComputationBuilder b("m");
  const Op first = b.Parameter(0, "f32[2]", "x");
  std::vector<Op> all = {first};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Op near = all.back();
    const Op far = all[random() % all.size()];
    all.push_back(i % 3 == 0 ? b.Neg(far) : b.Add(near, i % 2 ? far : first));
    if (i % 1000 == 999) b.SetName(all.back(), "named" + std::to_string(i));
    if (i % 4000 == 0)
      all.push_back(b.Add(near, b.ConstantR0(ElementType::kF32, 1)));
  }
  const Module module = Built(&b, all.back());
  ExpectSameBytes(module);
  ExpectSameFile(module);
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(module);
  ASSERT_TRUE(bytes.ok());
  const absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(read.ok());
  const Computation entry = read->entry();
  for (const Instruction instruction : entry.instructions()) {
    if (instruction.opcode() != Opcode::kAdd) continue;
    const std::string name = instruction.name();
    if (name.rfind("named", 0) == 0) continue;
    ASSERT_EQ(name, "add." + std::to_string(instruction.id()));
  }
}

// Given names that are, or only look like, those that are made.
TEST(ExportTest, NamesThatLookLikeMadeOnes) {
  for (const char* name : {"add.2", "add.3", "add.4", "add.9", "broadcast.2",
                           "broadcast.9", "x.3", "instruction.3", "add.03"}) {
    SCOPED_TRACE(name);
    ComputationBuilder b("m");
    const Op x = b.Parameter(0, "f32[2,3]", "x");
    const Op y = b.Parameter(1, "f32[3]", name);
    Op sum = b.Add(x, x);
    sum = b.Add(sum, y, {1});
    const Module module = Built(&b, b.Add(sum, sum));
    ExpectSameBytes(module);
    const absl::StatusOr<std::string> bytes = ExportHloModuleProto(module);
    ASSERT_TRUE(bytes.ok());
    const absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(read.ok());
    const Computation entry = read->entry();
    std::set<std::string> names;
    for (const Instruction instruction : entry.instructions()) {
      EXPECT_TRUE(names.insert(instruction.name()).second);
    }
  }
}

TEST(ExportTest, AFileThatCanNotBeWrittenStaysAsItWas) {
  ComputationBuilder b("m");
  Op x = b.Parameter(0, "f32[2]", "x");
  for (int i = 0; i < 10000; ++i) x = b.Neg(x);
  const Module module = Built(&b, x);
  if (std::ifstream("/dev/full").good()) {
    EXPECT_EQ(WriteHloModuleProto(module, "/dev/full").code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(WriteHloModuleProto(module, testing::TempDir()).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteHloModuleProto(module, "/not/there").code(),
            absl::StatusCode::kNotFound);
  // What is wrong with the module is known before a file is touched.
  const std::string path = testing::TempDir() + "/stays.pb";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  ComputationBuilder bad("m");
  const Op p = bad.Parameter(0, "f32[*]", "p");
  EXPECT_FALSE(WriteHloModuleProto(Built(&bad, bad.Neg(p)), path).ok());
  EXPECT_EQ(*ReadFile(path), "old");
}

TEST(ExportTest, UnverifiedIsStillChecked) {
  ExportOptions unverified;
  unverified.verify = false;
  EXPECT_FALSE(ExportHloModuleProto(Module(), unverified).ok());
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, "f32[*]", "x");
  EXPECT_FALSE(ExportHloModuleProto(Built(&b, b.Neg(x)), unverified).ok());
}

TEST(ExportTest, ErrorsAreThoseOfTheStages) {
  for (const char* shape : {"f32[*]", "f32[2..5]", "f32[?]"}) {
    SCOPED_TRACE(shape);
    ComputationBuilder b("m");
    const Op x = b.Parameter(0, shape, "x");
    const Op y = b.Parameter(1, "f32[1]", "y");
    ExpectSameBytes(Built(&b, b.Add(x, y)));
  }
}

TEST(ExportTest, NothingIsNotAModule) {
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(Module());
  ASSERT_FALSE(bytes.ok());
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("IND"));
}

// --- Layouts ----------------------------------------------------------------

bool AllLaidOut(const Shape& shape) {
  return shape == shape.WithDefaultLayout();
}

// Every shape that XLA's compiler looks at has layouts.
void ExpectLaidOut(const Module& module) {
  const absl::StatusOr<Module> read =
      ReadHloModuleProto(*SerializeModule(module));
  ASSERT_TRUE(read.ok()) << read.status();
  const auto expect = [](absl::string_view wire) {
    const absl::StatusOr<ProgramShape> program = ParseProgramShapeProto(wire);
    ASSERT_TRUE(program.ok()) << program.status();
    for (const Shape& shape : program->parameters) {
      EXPECT_TRUE(AllLaidOut(shape)) << shape;
    }
    EXPECT_TRUE(AllLaidOut(program->result)) << program->result;
  };
  for (const Computation computation : read->computations()) {
    for (const Instruction i : computation.instructions()) {
      EXPECT_TRUE(AllLaidOut(i.shape())) << i.name() << " " << i.shape();
    }
    expect(internal::DataOf(*read)
               .computations[static_cast<size_t>(computation.index())]
               .program_shape);
  }
  expect(internal::DataOf(*read).host_program_shape);
}

TEST(ExportTest, EveryArrayGetsALayoutAndAGivenOneStays) {
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, "f32[2,3]{0,1}", "x");
  const Op y = b.Parameter(1, "(f32[<=4,3], (s32[], token[], f32[5]{0:T(8)}))");
  ComputationBuilder sub = b.SubBuilder("called");
  const Op p = sub.Parameter(0, "f32[2,3]", "p");
  const Op s = sub.Parameter(1, "f32[]", "s");
  const Callee called = sub.BuildCallee(sub.Tuple({sub.Add(p, s), p}));
  const Op pair = b.Call(called, {x, b.ConstantR0(ElementType::kF32, 1)});
  const Op sum =
      b.Add(b.GetTupleElement(pair, 0), b.Parameter(2, "f32[3]"), {1});
  const Module module = Built(&b, b.Tuple({sum, pair, y}));
  ExpectSameBytes(module);
  const ExpandedModule expanded = ExpandForXla(module);
  ASSERT_TRUE(expanded.report.ok());
  ExpectLaidOut(expanded.module);
  const Computation entry = expanded.module.entry();
  EXPECT_EQ(entry.instruction(0).shape().ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(entry.instruction(1).shape().ToString(),
            "(f32[<=4,3]{1,0}, (s32[], token[], f32[5]{0:T(8)}))");
  EXPECT_EQ(entry.root().shape().ToString(),
            "(f32[2,3]{1,0}, (f32[2,3]{1,0}, f32[2,3]{1,0}), "
            "(f32[<=4,3]{1,0}, (s32[], token[], f32[5]{0})))");
  // The recorded form has those that were given.
  EXPECT_EQ(module.entry().instruction(0).shape().ToString(), "f32[2,3]{0,1}");
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kAdd) continue;
    EXPECT_FALSE(i.shape().has_layout_anywhere());
  }
}

// A module of a file, whose program shapes were read.
TEST(ExportTest, WhatAFileLeavesOutIsFilledIn) {
  ParseOptions as_written;
  as_written.fill_missing_layouts = false;
  const absl::StatusOr<Module> module = ParseHloText(
      "HloModule m, entry_computation_layout="
      "{(f32[2,3]{0,1}, f32[3,2])->f32[2,2]}\n"
      "ENTRY e {\n"
      "  x = f32[2,3] parameter(0)\n"
      "  y = f32[3,2] parameter(1)\n"
      "  d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n"
      "  c = f32[2,2]{0,1} constant({{1,2},{3,4}})\n"
      "  ROOT r = f32[2,2] add(d, c)\n"
      "}\n",
      as_written);
  ASSERT_TRUE(module.ok()) << module.status();
  const ExpandedModule expanded = ExpandForXla(*module);
  ASSERT_TRUE(expanded.report.ok());
  ExpectLaidOut(expanded.module);
  const absl::StatusOr<ProgramShape> host = ParseProgramShapeProto(
      internal::DataOf(expanded.module).host_program_shape);
  ASSERT_TRUE(host.ok());
  EXPECT_EQ(host->parameters[0].ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(host->parameters[1].ToString(), "f32[3,2]{1,0}");
  EXPECT_EQ(expanded.module.entry().instruction(3).shape().ToString(),
            "f32[2,2]{0,1}");
  // Written twice it is the same.
  const ExpandedModule again = ExpandForXla(expanded.module);
  EXPECT_TRUE(*SerializeModule(again.module) ==
              *SerializeModule(expanded.module));
}

// However often a computation is called, it is written once.
TEST(ExportTest, ACalledComputationIsShared) {
  constexpr int kCalls = 1000, kAdds = 1000;
  ComputationBuilder b("m");
  ComputationBuilder sub = b.SubBuilder("adds");
  const Op p = sub.Parameter(0, "f32[2]", "p");
  Op sum = p;
  for (int i = 0; i < kAdds; ++i) sum = sub.Add(sum, p);
  const Callee adds = sub.BuildCallee(sum);
  Op x = b.Parameter(0, "f32[2]", "x");
  for (int i = 0; i < kCalls; ++i) x = b.Call(adds, {x});
  const Module module = Built(&b, x);
  EXPECT_EQ(module.computation_count(), 2);
  EXPECT_EQ(module.instruction_count(), kCalls + kAdds + 2);
  ExpectSameBytes(module);
}

}  // namespace
}  // namespace indim

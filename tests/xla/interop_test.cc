// SPDX-License-Identifier: Apache-2.0
// XLA as the judge of what isn't ours alone: real modules after reading and
// writing, and shapes as XLA's own text parser infers them.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/infer/infer.h"
#include "indim/tests/data_files.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

// Some are no StableHLO (fusions, GPU calls): then XLA refuses both alike.
TEST(RoundTripTest, XlaTakesRealModulesAsBefore) {
  int taken = 0;
  for (const std::string& path : JaxModules()) {
    SCOPED_TRACE(path);
    const absl::StatusOr<std::string> before = ReadFile(path);
    ASSERT_TRUE(before.ok()) << before.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*before);
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> after = SerializeModule(*module);
    ASSERT_TRUE(after.ok()) << after.status();
    const absl::StatusOr<std::string> text = AskXla("read", {}, {*after});
    EXPECT_EQ(text, AskXla("read", {}, {*before}));
    EXPECT_TRUE(text.ok()) << text.status();
    const absl::StatusOr<std::string> mlir = AskXla("mlir", {}, {*after});
    EXPECT_EQ(mlir, AskXla("mlir", {}, {*before}));
    taken += mlir.ok();
  }
  EXPECT_GE(taken, 20);
}

// What a builder says of a module as a whole is what XLA reads of it, and XLA
// compiles it.
TEST(ModuleOptionsTest, XlaReadsThem) {
  ComputationBuilder b("step");
  const Op state = b.Parameter("f32[8,4]", "state");
  const Op x = b.Parameter("f32[8,4]", "x");
  BuildOptions options;
  options.aliases = {{{0}, 0}};
  options.donors = {{1}};
  const Shape rows = *ParseShape("f32[8,4]{1,0}");
  const Shape columns = *ParseShape("f32[8,4]{0,1}");
  options.entry_layout = {{rows, columns}, Shape::Tuple({rows, columns})};
  options.frontend_attributes = {{"origin", "a test"}};
  const BuildResult module = b.Build(b.Tuple({state + x, b.Exp(x)}), options);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<std::string> text = AskXla("read", {}, {*bytes});
  ASSERT_TRUE(text.ok()) << text.status();
  // XLA's reader gives the entry default layouts, whatever host_program_shape
  // says; module_options_test checks that.
  for (const char* said : {"input_output_alias={ {0}: (0, {}, may-alias) }",
                           "buffer_donor={ (1, {}) }",
                           "frontend_attributes={origin=\"a test\"}"}) {
    EXPECT_TRUE(absl::StrContains(*text, said)) << said << "\n" << *text;
  }
  const absl::StatusOr<std::string> compiled = AskXla("compile", {}, {*bytes});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
}

// A dim of `size`: as it is, with a bound, unknown, or 1. (Not <=1: what that
// stretches to the builder refuses, and so do we; the parser doesn't.)
std::string RandomDim(RandomOperands& random, int64_t size) {
  switch (random.Between(0, 7)) {
    case 0:
      return absl::StrCat(size == 1 ? "" : "<=", size);
    case 1:
      return "?";
    case 2:
      return "1";
    default:
      return absl::StrCat(size);
  }
}

struct ShapeCase {
  Opcode opcode;
  std::string lhs;
  std::string rhs;
};

ShapeCase RandomShapeCase(RandomOperands& random) {
  const std::vector<Opcode> kOps = {
      Opcode::kAdd,     Opcode::kSubtract, Opcode::kMaximum, Opcode::kAnd,
      Opcode::kPower,   Opcode::kAtan2,    Opcode::kDivide,  Opcode::kCompare,
      Opcode::kComplex, Opcode::kShiftLeft};
  const std::vector<const char*> kTypes = {"f32", "f32",  "bf16", "f16", "f64",
                                           "s32", "pred", "u8",   "c64"};
  ShapeCase test;
  test.opcode = random.Pick(kOps);
  std::vector<std::string> lhs;
  std::vector<std::string> rhs;
  for (int64_t size : random.Dims()) {
    lhs.push_back(RandomDim(random, size));
    rhs.push_back(RandomDim(random, random.OneIn(20) ? size + 1 : size));
  }
  if (random.OneIn(8)) rhs.clear();  // a scalar
  const char* type = random.Pick(kTypes);
  test.lhs = absl::StrCat(type, "[", absl::StrJoin(lhs, ","), "]");
  if (random.OneIn(4)) type = random.Pick(kTypes);
  test.rhs = absl::StrCat(type, "[", absl::StrJoin(rhs, ","), "]");
  return test;
}

std::string Text(const ShapeCase& test) {
  return absl::StrCat("HloModule m\n\nENTRY e {\n  a = ", test.lhs,
                      " parameter(0)\n  b = ", test.rhs,
                      " parameter(1)\n  ROOT c = ", Name(test.opcode), "(a, b)",
                      test.opcode == Opcode::kCompare ? ", direction=LT" : "",
                      "\n}\n");
}

std::string Inferred(const ShapeCase& test) {
  const Shape lhs = *ParseShape(test.lhs);
  const Shape rhs = *ParseShape(test.rhs);
  const Shape* operands[] = {&lhs, &rhs};
  InferContext context;
  OpInputs inputs;
  inputs.opcode = test.opcode;
  inputs.operands = operands;
  const std::optional<Shape> shape = InferShape(&context, inputs);
  return shape ? shape->ToString() : "error";
}

// XLA's text parser infers a shape that is left out.
TEST(ShapesTest, AgreeWithXlasParser) {
  RandomOperands random(41);
  std::vector<ShapeCase> cases;
  std::vector<std::string> texts;
  for (int i = 0; i < 2000; ++i) {
    cases.push_back(RandomShapeCase(random));
    texts.push_back(JsonString(Text(cases.back())));
  }
  const absl::StatusOr<std::string> answer =
      AskXla("shapes", JsonWriter().AddList("cases", texts), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const std::vector<std::string> lines = absl::StrSplit(*answer, '\n');
  ASSERT_EQ(lines.size(), cases.size());
  int shapes = 0;
  int errors = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const bool refused = absl::StartsWith(lines[i], "error");
    ++(refused ? errors : shapes);
    EXPECT_EQ(Inferred(cases[i]), refused ? "error" : lines[i])
        << Name(cases[i].opcode) << " " << cases[i].lhs << " " << cases[i].rhs
        << "\n"
        << lines[i];
  }
  EXPECT_GT(shapes, 500);
  EXPECT_GT(errors, 300);
}

}  // namespace
}  // namespace indim

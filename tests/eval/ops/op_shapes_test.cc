// SPDX-License-Identifier: Apache-2.0
// Every op of the table, built, evaluated on made-up operands, and its shape
// compared with the inferred one: the evaluator finds sizes by its own means.

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "indim/eval/evaluator.h"
#include "indim/eval/values/npy.h"
#include "indim/eval/values/random_literal.h"
#include "indim/eval/values/value.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/tools/op_builders.h"

namespace indim {
namespace {

std::vector<Literal> MakeInputs(const Module& module, uint64_t seed) {
  RandomStream random(seed);
  std::vector<Literal> inputs;
  for (const Shape& shape : module.entry().signature().parameters) {
    const absl::StatusOr<Literal> input = RandomLiteral(shape, &random);
    EXPECT_TRUE(input.ok()) << input.status();
    inputs.push_back(input.value_or(Literal()));
  }
  return inputs;
}

TEST(OpShapesTest, EvaluatedShapesAreTheInferredOnes) {
  std::set<std::string> evaluated, refused;
  EvalOptions options;
  options.max_steps = 100000;  // there is a loop that never ends
  for (const OpBuilder& op : AllOpBuilders()) {
    SCOPED_TRACE(op.name);
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(op.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string wire(Info(op.opcode).wire);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const absl::StatusOr<Literal> value =
          Evaluate(*module, MakeInputs(*module, seed), options);
      if (!value.ok()) {
        refused.insert(wire);
        // A shape that differs is never an excuse.
        EXPECT_NE(CodeOf(value.status()), Code::kEvalShape) << value.status();
        continue;
      }
      evaluated.insert(wire);
      EXPECT_TRUE(SameStructure(value->shape(), module->entry().root().shape()))
          << value->shape() << " " << module->entry().root().shape();
    }
  }
  for (const OpInfo& op : AllOps()) {
    const std::string wire(op.wire);
    if (!WhyNotEvaluated(op.opcode).empty()) {
      EXPECT_EQ(evaluated.count(wire), 0) << wire;
    }
    RecordProperty(wire, evaluated.count(wire) > 0 ? "evaluated" : "refused");
  }
  // The others need more than one device, or an operand that isn't made up.
  EXPECT_GE(evaluated.size(), 100);
  for (const std::string& wire : refused) std::cout << wire << " ";
  std::cout << "\n";
}

TEST(NpyTest, ComesBackFromItsBytes) {
  RandomStream random(3);
  for (const ElementTypeInfo& type : AllElementTypes()) {
    for (const Sizes& sizes :
         {Sizes{}, Sizes{3}, Sizes{2, 0}, Sizes{2, 3, 1}}) {
      const Shape shape = Shape::Of(type.type, absl::MakeConstSpan(sizes));
      const absl::StatusOr<Literal> literal = RandomLiteral(shape, &random);
      ASSERT_TRUE(literal.ok()) << literal.status();
      const absl::StatusOr<std::string> bytes = WriteNpy(*literal);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      const absl::StatusOr<Literal> back = ReadNpy(*bytes, type.type);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(*back, *literal) << shape;
      // Nothing shorter is taken.
      for (size_t i = 0; i < bytes->size(); ++i) {
        EXPECT_FALSE(ReadNpy(bytes->substr(0, i), type.type).ok()) << i;
      }
    }
  }
}

TEST(NpyTest, ABoundedArrayIsWrittenAsItIs) {
  const Shape shape = Shape::Array(
      ElementType::kS8, {Dim::Static(2), Dim::Bounded(3), Dim::Static(1)});
  const Literal literal =
      Literal::Bounded(shape, absl::string_view("\1\2\0\3\4\0", 6), {2, 2, 1})
          .value();
  const absl::StatusOr<std::string> bytes = WriteNpy(literal);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Literal> back = ReadNpy(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->shape(), Shape::Of(ElementType::kS8, {2, 2, 1}));
  EXPECT_EQ(back->ToString(), "{ { {1}, {2} }, { {3}, {4} } }");
  EXPECT_FALSE(WriteNpy(Literal::Tuple({literal})).ok());
}

TEST(NpyTest, ReadsFortranOrderAndBigEndian) {
  const std::string header =
      "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }   \n";
  const std::string bytes = std::string("\x93NUMPY\x01\x00", 8) +
                            std::string(1, static_cast<char>(header.size())) +
                            std::string(1, '\0') + header +
                            std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12);
  const absl::StatusOr<Literal> literal = ReadNpy(bytes);
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->ToString(), "{ { 1, 2, 3 }, { 4, 5, 6 } }");
}

}  // namespace
}  // namespace indim

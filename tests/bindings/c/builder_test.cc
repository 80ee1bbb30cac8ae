// SPDX-License-Identifier: Apache-2.0
// Builders through the C interface: what is recorded, and what happens to
// errors.

#include <cstdint>
#include <indim.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

using indim_api::Builder;
using indim_api::Module;
using indim_api::Region;
using indim_api::Value;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(BuilderTest, RecordsWhatTheCppBuilderWould) {
  Builder b("affine");
  const Value x = b.Parameter("f32[8,784]", "x");
  const Value w = b.Parameter("f32[784,10]", "w");
  const Value bias = b.Parameter("f32[10]", "bias");
  const Value product = b.Add(
      "dot", {x, w}, {"lhs_contracting_dims={1}, rhs_contracting_dims={0}"});
  indim_api::Attributes broadcast;
  broadcast.broadcast_dimensions = {1};
  const Value y = b.Add("add", {product, bias}, broadcast);
  EXPECT_EQ(b.ShapeOf(y).text(), "f32[8,10]");
  EXPECT_EQ(y, 4);
  const Module module = b.Build(y);
  EXPECT_EQ(module.name(), "affine");
  EXPECT_TRUE(module.Check().empty());
  EXPECT_THAT(module.Write(), HasSubstr("broadcast_dimensions={1}"));
  const std::string for_xla = module.Write(INDIM_FORMAT_HLO_TEXT, true);
  EXPECT_THAT(for_xla, HasSubstr("broadcast(%bias), dimensions={1}"));
}

TEST(BuilderTest, CallsHaveTheLineOfTheCaller) {
  Builder b("lines");
  const Value x = b.Parameter("f32[2,4]", "x");
  const int line = __LINE__ + 1;
  const Value y = b.Composite("relu", {x})[0];
  EXPECT_THAT(b.Build(y).Write(),
              HasSubstr(absl::StrCat("source_line=", line)));
  const int wrong = __LINE__ + 2;
  try {
    b.Add("add", {x, b.Parameter("f32[4]")});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(absl::StrCat("builder_test.cc:", wrong, ": error")));
  }
  try {
    b.Composite("rely", {x});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rely"));
  }
}

TEST(BuilderTest, TextAndBytesOfAttributesAreTheSame) {
  // 1: a field of dimensions, packed, {1, 0}.
  const std::string proto("\x72\x02\x01\x00", 4);
  indim_shape* shape = nullptr;
  ASSERT_NO_ERROR(Parse("f32[2,3]", &shape));
  std::string written[2];
  for (const int form : {INDIM_ATTRIBUTES_TEXT, INDIM_ATTRIBUTES_PROTO}) {
    Builder b("t");
    const Value x = b.Parameter("f32[2,3]", "x");
    indim_attributes attributes = Sized<indim_attributes>();
    attributes.form = form;
    const std::string text =
        form == INDIM_ATTRIBUTES_TEXT ? "dimensions={1,0}" : proto;
    attributes.text = text.data();
    attributes.text_size = text.size();
    indim_op op = Sized<indim_op>();
    op.opcode = indim_opcode_from_name("transpose", 9);
    op.operands = &x;
    op.operand_count = 1;
    op.attributes = &attributes;
    indim_value value;
    ASSERT_NO_ERROR(indim_add(b.get(), &op, &value));
    written[form] = b.Build(value).Write();
  }
  EXPECT_EQ(written[0], written[1]);
  indim_shape_release(shape);
}

// Of the text as it was given.
TEST(BuilderTest, WrongTextIsShownWithoutAComma) {
  Builder b("t");
  const Value x = b.Parameter("f32[2,3]", "x");
  try {
    b.Add("reverse", {x}, {"dimension={0}"});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("attributes:1:1: error: unknown attribute"));
    EXPECT_THAT(error.what(), HasSubstr("?  [IND1300]"));
    EXPECT_THAT(error.what(), HasSubstr("\n  dimension={0}\n  ^~~~~~~~~"));
  }
}

TEST(BuilderTest, NamesOfOtherSystemsAreKnown) {
  const struct {
    const char* name;
    const char* said;
  } kCases[] = {
      {"matmul", "it is the composite \"mat_mul\""},
      {"where", "it is the composite \"where\""},
      {"sigmoid", "did you mean \"logistic\"?"},
      {"transpos", "did you mean \"transpose\"?"},
  };
  for (const auto& c : kCases) {
    Builder b("t");
    const Value x = b.Parameter("f32[2,2]", "x");
    try {
      b.Add(c.name, {x, x});
      FAIL() << c.name;
    } catch (const indim_api::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(c.said));
    }
  }
  try {
    const indim_api::Literal wrong("float", {1}, std::vector<double>{1});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'f32[]'?"));
  }
}

TEST(BuilderTest, WhatTheStructLacksIsKept) {
  Builder b("t");
  const Value x = b.Parameter("f32[2]", "x");
  b.Add("negate", {x}, {"sharding={replicated}, backend_config=\"c\""});
  const std::string text = b.Build().Write();
  EXPECT_THAT(text, HasSubstr("sharding={replicated}"));
  EXPECT_THAT(text, HasSubstr("backend_config="));
}

TEST(BuilderTest, AnErrorIsReturnedAndForgotten) {
  Builder b("b");
  b.SetLine("model.py", 7);
  const Value x = b.Parameter("f32[8,10]", "x");
  const Value y = b.Parameter("f32[10]", "y");
  try {
    b.Add("add", {x, y});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.py:7: error: add"));
    EXPECT_EQ(error.diagnostics().at(0).line, 7);
    EXPECT_EQ(error.diagnostics().at(0).file, "model.py");
  }
  EXPECT_EQ(indim_next_value(b.get()), 2);
  EXPECT_TRUE(b.diagnostics().empty());
  b.Add("negate", {x});
  const Module module = b.Build();
  EXPECT_EQ(module.instruction_count(), 3);
  EXPECT_TRUE(module.Check().empty());
}

TEST(BuilderTest, ErrorsAreCollected) {
  indim_builder_options options = Sized<indim_builder_options>();
  options.collect_errors = 1;
  Builder b("b", &options);
  const Value x = b.Parameter("f32[8,10]", "x");
  const Value y = b.Parameter("f32[10]", "y");
  const Value wrong = b.Add("add", {x, y});
  b.Add("negate", {wrong});  // silent
  b.Add("not", {x});
  EXPECT_EQ(b.diagnostics().size(), 2);
  try {
    b.Build(wrong);
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_EQ(error.diagnostics().size(), 2);
  }
}

TEST(BuilderTest, ABatchUsesItsOwnResults) {
  Builder b("b");
  const Value x = b.Parameter("f32[4]", "x");
  constexpr int kCount = 100;
  std::vector<Value> operands(kCount);
  std::vector<indim_op> ops(kCount, Sized<indim_op>());
  for (int i = 0; i < kCount; ++i) {
    operands[i] = x + i;
    ops[i].opcode = indim_opcode_from_name("negate", 6);
    ops[i].operands = &operands[i];
    ops[i].operand_count = 1;
  }
  std::vector<Value> values(kCount);
  size_t done = 0;
  ASSERT_NO_ERROR(
      indim_add_many(b.get(), ops.data(), kCount, values.data(), &done));
  EXPECT_EQ(done, kCount);
  EXPECT_EQ(values.back(), x + kCount);
  // The calls before a wrong one stay.
  operands[3] = 1000;
  indim_error* const error =
      indim_add_many(b.get(), ops.data(), kCount, nullptr, &done);
  EXPECT_THAT(MessageOf(error), HasSubstr("no value 1000"));
  EXPECT_EQ(done, 3);
  EXPECT_EQ(b.Build().instruction_count(), 1 + kCount + 3);
}

TEST(BuilderTest, CalleesAndReducers) {
  Builder b("b");
  const Value x = b.Parameter("f32[4,8]", "x");
  Builder sum = b.Sub("sum");
  const Value lhs = sum.Parameter("f32[]"), rhs = sum.Parameter("f32[]");
  sum.Add("add", {lhs, rhs});
  const indim_api::Callee callee = sum.BuildCallee();
  const Value zero = b.Constant("f32", 0);
  const Value total =
      b.Add("reduce", {x, zero}, {"dimensions={1}"}, {}, {callee});
  EXPECT_EQ(b.ShapeOf(total).text(), "f32[4]");
  const Module module = b.Build();
  EXPECT_TRUE(module.Check().empty());
  EXPECT_THAT(module.Write(), HasSubstr("to_apply=%sum"));
}

TEST(BuilderTest, AWhileCapturesWhatItsRegionsUse) {
  Builder b("b");
  const Value n = b.Parameter("s32[]", "n");
  const Value zero = b.Constant("s32", 0);
  const Value one = b.Constant("s32", 1);
  const Region condition =
      b.BeginRegion("condition", {"s32[]"}, INDIM_CAPTURE_TUPLE);
  b.EndRegion(condition, {b.Add("compare", {condition.arguments()[0], n},
                                {"direction=LT"})});
  const Region body = b.BeginRegion("body", {"s32[]"}, INDIM_CAPTURE_TUPLE);
  b.EndRegion(body, {b.Add("add", {body.arguments()[0], one})});
  const std::vector<Value> results =
      b.AddRegions("while", {zero}, {&condition, &body});
  ASSERT_EQ(results.size(), 1);
  const Module module = b.Build(results[0]);
  EXPECT_TRUE(module.Check().empty());
  const int32_t seven = 7;
  const indim_api::Literal argument =
      indim_api::Literal::Array("s32", {}, &seven, sizeof(seven));
  EXPECT_EQ(module.Evaluate({argument}).text(), "7");
}

// More results than fit in a buffer of a fixed size.
TEST(BuilderTest, AConditionalGivesAllOfItsResults) {
  constexpr size_t kCount = 5000;
  Builder b("b");
  const Value p = b.Parameter("pred[]", "p");
  const Value x = b.Parameter("f32[2]", "x");
  const Value y = b.Parameter("s32[]", "y");
  const Region on_true = b.BeginRegion("t", {}, INDIM_CAPTURE_TUPLE);
  std::vector<Value> given(kCount, x);
  given.back() = y;
  b.EndRegion(on_true, given);
  const Region on_false = b.BeginRegion("f", {}, INDIM_CAPTURE_TUPLE);
  b.EndRegion(on_false, given);
  const std::vector<Value> results =
      b.AddRegions("conditional", {p}, {&on_true, &on_false});
  ASSERT_EQ(results.size(), kCount);
  EXPECT_EQ(b.ShapeOf(results[kCount - 2]).text(), "f32[2]");
  EXPECT_EQ(b.ShapeOf(results[kCount - 1]).text(), "s32[]");
  const std::vector<Value> same = b.Composite("relu", {results[kCount - 2]});
  ASSERT_EQ(same.size(), 1);
  EXPECT_EQ(b.ShapeOf(same[0]).text(), "f32[2]");
}

TEST(BuilderTest, AnErrorInARegionDoesNotEndIt) {
  Builder b("b");
  const Value p = b.Parameter("pred[]", "p");
  const Value x = b.Parameter("f32[2]", "x");
  const Region on_true = b.BeginRegion("t", {}, INDIM_CAPTURE_TUPLE);
  EXPECT_THROW(b.Add("not", {x}), indim_api::Error);
  EXPECT_THROW(b.EndRegion(on_true, {99}), indim_api::Error);
  b.EndRegion(on_true, {b.Add("negate", {x})});
  const Region on_false = b.BeginRegion("f", {}, INDIM_CAPTURE_TUPLE);
  b.EndRegion(on_false, {x});
  const std::vector<Value> results =
      b.AddRegions("conditional", {p}, {&on_true, &on_false});
  ASSERT_EQ(results.size(), 1);
  // A call has taken them.
  EXPECT_THROW(b.AddRegions("conditional", {p}, {&on_true, &on_false}),
               indim_api::Error);
  const Module module = b.Build(results[0]);
  EXPECT_TRUE(module.Check().empty());
}

TEST(BuilderTest, ADroppedRegionFailsTheBuild) {
  Builder b("b");
  b.Parameter("f32[2]", "x");
  { const Region region = b.BeginRegion("r", {}, INDIM_CAPTURE_NONE); }
  try {
    b.Build();
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("IND0626"));
  }
}

TEST(BuilderTest, ARegionCanBeForgotten) {
  Builder b("b");
  const Value x = b.Parameter("f32[2]", "x");
  {
    const Region outer = b.BeginRegion("outer", {}, INDIM_CAPTURE_TUPLE);
    const Region inner = b.BeginRegion("inner", {}, INDIM_CAPTURE_TUPLE);
    b.Add("negate", {x});
    ASSERT_NO_ERROR(indim_drop_region(b.get(), outer.get()));
    // Twice is once; and what ended stays as it is.
    ASSERT_NO_ERROR(indim_drop_region(b.get(), inner.get()));
  }
  const Module module = b.Build(b.Add("negate", {x}));
  EXPECT_TRUE(module.Check().empty());
  EXPECT_EQ(module.Write().find("inner"), std::string::npos);
}

TEST(BuilderTest, AFailedBuildCanBeRepeated) {
  Builder b("b");
  b.Parameter("f32[2]", "x", 1);
  EXPECT_THROW(b.Build(), indim_api::Error);
  b.Parameter("f32[2]", "y", 0);
  EXPECT_NO_THROW(b.Build());
  EXPECT_THROW(b.Build(), indim_api::Error);
  EXPECT_THROW(b.Add("negate", {0}), indim_api::Error);
}

TEST(BuilderTest, AValueHasDimsAndAnOpcode) {
  Things t;
  int32_t type = 0;
  int64_t sizes[2] = {};
  EXPECT_EQ(indim_value_dims(t.builder, t.y, &type, sizes, nullptr, 2), 1);
  EXPECT_EQ(sizes[0], 2);
  EXPECT_STREQ(indim_element_type_name(type, nullptr), "f32");
  EXPECT_STREQ(indim_opcode_name(indim_value_opcode(t.builder, t.y), nullptr),
               "add");
  indim_value c;
  ASSERT_NO_ERROR(indim_constant(t.builder, t.literal, 0, &c));
  indim_literal* literal = nullptr;
  ASSERT_NO_ERROR(indim_value_literal(t.builder, c, &literal));
  EXPECT_EQ(indim_literal_equal(literal, t.literal), 1);
  indim_literal_release(literal);
}

TEST(BuilderTest, OlderOptionsHaveFewerFields) {
  // A program that was compiled when only the first field was there.
  indim_builder_options options = Sized<indim_builder_options>();
  options.struct_size = offsetof(indim_builder_options, strict_types);
  options.strict_types = 1;
  Builder b("b", &options);
  const Value x = b.Parameter("f32[2]"), y = b.Parameter("bf16[2]");
  EXPECT_NO_THROW(b.Add("add", {x, y}));
  options.struct_size = 3;
  EXPECT_THROW(Builder("b", &options), indim_api::Error);
}

TEST(BuilderTest, AliasesAndOrder) {
  Things t;
  indim_build_options options = Sized<indim_build_options>();
  const int64_t aliases[] = {0, 0};
  options.aliases = aliases;
  options.alias_count = 1;
  options.post_order = 1;
  options.replicas = 2;
  indim_module* module = nullptr;
  ASSERT_NO_ERROR(indim_build(t.builder, t.y, &options, &module, nullptr));
  indim_bytes* bytes = nullptr;
  ASSERT_NO_ERROR(indim_module_write(module, nullptr, &bytes));
  EXPECT_THAT(Take(bytes), HasSubstr("input_output_alias"));
  indim_module_release(module);
}

}  // namespace
}  // namespace indim

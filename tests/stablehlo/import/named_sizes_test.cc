// SPDX-License-Identifier: Apache-2.0
// Names of sizes, which programs compute in functions and say in messages.

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/passes/check/verify_module.h"
#include "indim/shape/ops/attributes.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// As JAX exports Python's divmod, rounding down.
constexpr absl::string_view kDivmod = R"(
func.func private @divmod(%a: tensor<i32> {jax.global_constant = ""}, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %q = stablehlo.divide %a, %b : tensor<i32>
  %sign_a = stablehlo.sign %a : tensor<i32>
  %sign_b = stablehlo.sign %b : tensor<i32>
  %differ = stablehlo.compare NE, %sign_a, %sign_b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = call @remainder(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %uneven = stablehlo.compare NE, %r, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %down = stablehlo.and %differ, %uneven : tensor<i1>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %less = stablehlo.subtract %q, %one : tensor<i32>
  %0 = stablehlo.select %down, %less, %q : tensor<i1>, tensor<i32>
  return %0, %r : tensor<i32>, tensor<i32>
}
func.func private @remainder(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.remainder %a, %b : tensor<i32>
  return %0 : tensor<i32>
}
)";
constexpr absl::string_view kOf = R"(
func.func private @of(%a: tensor<i32> {jax.global_constant = "a"}, %x: tensor<?xf32>) -> tensor<?xf32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.multiply %a, %three : tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_iota %1, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
)";

constexpr absl::string_view kAgain = R"(
func.func private @again(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @again(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
)";

std::string Program(absl::string_view body) {
  std::string functions;
  for (const auto& [call, function] :
       {std::pair("@divmod", kDivmod), std::pair("@of", kOf),
        std::pair("@again", kAgain)}) {
    if (absl::StrContains(body, call)) absl::StrAppend(&functions, function);
  }
  return absl::StrCat(
      "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> "
      "{\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> "
      "tensor<i32>\n"
      "  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> "
      "tensor<i32>\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %five = stablehlo.constant dense<5> : tensor<i32>\n",
      body, "\n  return %r : tensor<?xf32>\n}\n", functions);
}

// Asserts that `pred` holds, of these values; `message` says more.
std::string Assert(absl::string_view pred, absl::string_view values,
                   absl::string_view types, absl::string_view message) {
  return absl::StrCat("  stablehlo.custom_call @shape_assertion(", pred, ", ",
                      values, ") {api_version = 2 : i32, error_message = \"",
                      message, "\", has_side_effect = true} : (tensor<i1>, ",
                      types, ") -> ()\n");
}

TEST(NamedSizesTest, FollowFromWhatAProgramComputes) {
  const std::string divided =
      "  %q:2 = call @divmod(%size, %five) : (tensor<i32>, tensor<i32>) -> "
      "(tensor<i32>, tensor<i32>)\n"
      "  %even = stablehlo.compare EQ, %q#1, %zero : (tensor<i32>, "
      "tensor<i32>) -> tensor<i1>\n" +
      Assert("%even", "%q#1", "tensor<i32>", "Division had remainder {0}.") +
      "  %least = stablehlo.compare GE, %q#0, %one : (tensor<i32>, "
      "tensor<i32>) -> tensor<i1>\n" +
      Assert("%least", "%q#0, %n", "tensor<i32>, tensor<i32>",
             "Expected value >= 1 for dimension variable 'a'. Obtained 'a' = "
             "{0} from '5*a', of {1}.") +
      "  %r = call @of(%q#0, %x) : (tensor<i32>, tensor<?xf32>) -> "
      "tensor<?xf32>\n";
  const std::string positive =
      "  %p = stablehlo.compare GE, %m, %one : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\n";
  const std::string negated = "  %r = stablehlo.negate %y : tensor<?xf32>\n";
  const struct {
    std::string body, answer;  // the signature, or a part of the message
  } kCases[] = {
      // Of a size 5*a, whose fifth has the name.
      {"  %size = stablehlo.add %n, %zero : tensor<i32>\n" + divided,
       "(f32[5*a]{0}, f32[d0]{0}) -> f32[3*a]{0}"},
      // The message says which operand has the name; without that it is the
      // first.
      {positive +
           Assert("%p", "%n, %m", "tensor<i32>, tensor<i32>",
                  "Expected value >= 1 for dimension variable 'h'. Obtained "
                  "'w' = {0} from 'w', 'h' = {1} from 'h'.") +
           negated,
       "(f32[d0]{0}, f32[h]{0}) -> f32[h]{0}"},
      {positive +
           Assert("%p", "%m, %n", "tensor<i32>, tensor<i32>",
                  "Expected value >= 1 for dimension variable 'h'.") +
           negated,
       "(f32[d0]{0}, f32[h]{0}) -> f32[h]{0}"},
      {positive +
           Assert("%p", "%m", "tensor<i32>",
                  "for dimension variable 'h'. 'h' = {7}") +
           negated,
       "(f32[d0]{0}, f32[d1]{0}) -> f32[d1]{0}"},
      {"  %q:2 = call @divmod(%n, %m) : (tensor<i32>, tensor<i32>) -> "
       "(tensor<i32>, tensor<i32>)\n"
       "  %v = stablehlo.reshape %q#0 : (tensor<i32>) -> tensor<1xi32>\n"
       "  %r = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1xi32>) -> "
       "tensor<?xf32>\n",
       "operand #0 (output_shape) follows from sizes in a way that no "
       "expression of them says. Give the named sizes values where the program "
       "is read (--facts=\"d"},
      {"  %q = stablehlo.divide %n, %m : tensor<i32>\n"
       "  %v = stablehlo.reshape %q : (tensor<i32>) -> tensor<1xi32>\n"
       "  %r = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1xi32>) -> "
       "tensor<?xf32>\n",
       "follows from sizes in a way that no expression of them says"},
      {"  %f = stablehlo.slice %y [0:1] : (tensor<?xf32>) -> tensor<1xf32>\n"
       "  %v = stablehlo.convert %f : (tensor<1xf32>) -> tensor<1xi32>\n"
       "  %r = stablehlo.dynamic_iota %v, dim = 0 : (tensor<1xi32>) -> "
       "tensor<?xf32>\n",
       "operand #0 (output_shape) depends on data"},
      {"  %a = call @again(%n) : (tensor<i32>) -> tensor<i32>\n"
       "  %r = call @of(%a, %x) : (tensor<i32>, tensor<?xf32>) -> "
       "tensor<?xf32>\n",
       "HLO has no recursion"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module = ReadStablehlo(Program(c.body));
    if (!module.ok()) {
      EXPECT_THAT(std::string(module.status().message()), HasSubstr(c.answer))
          << c.body;
      continue;
    }
    EXPECT_EQ(module->entry().signature().ToString(), c.answer) << c.body;
    EXPECT_TRUE(VerifyModule(*module).ok());
    // They are written so that they can be read again.
    const absl::StatusOr<std::string> text = WriteStablehlo(*module);
    ASSERT_TRUE(text.ok()) << text.status();
    const absl::StatusOr<Module> again = ReadStablehlo(*text);
    ASSERT_TRUE(again.ok()) << again.status() << *text;
    EXPECT_EQ(again->entry().signature().ToString(), c.answer) << *text;
  }
}

// As JAX exports what LAPACK does with named sizes: a vector more for the sizes
// of each result. Once the sizes are known StableHLO takes the vectors away,
// and LAPACK never sees them.
TEST(NamedSizesTest, CallsDoWithoutTheSizesOfTheirResults) {
  const std::string text = R"(
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>) {
  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %n_4 = stablehlo.concatenate %n, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r:2 = stablehlo.custom_call @f(%n_4, %x, %n) {api_version = 4 : i32, indices_of_shape_operands = dense<[0, 2]> : tensor<2xi64>, operand_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2xi32>, tensor<?x4xf32>, tensor<1xi32>) -> (tensor<?x4xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?xi32>
})";
  const auto check = [](const Module& module) {
    EXPECT_TRUE(VerifyModule(module).ok());
    EXPECT_EQ(module.entry().signature().ToString(),
              "(f32[d0,4]{1,0}) -> (f32[d0,4]{0,1}, s32[d0]{0})");
    for (int i = 0; i < module.entry().instruction_count(); ++i) {
      const Instruction instruction = module.entry().instruction(i);
      if (instruction.opcode() != Opcode::kCustomCall) continue;
      EXPECT_EQ(instruction.operand_count(), 1);
      const auto& call = As<CustomCallAttributes>(instruction.attributes());
      ASSERT_EQ(call.operand_shapes_with_layout.size(), 1u);
      EXPECT_EQ(call.operand_shapes_with_layout[0].ToString(),
                "f32[d0,4]{0,1}");
      ASSERT_EQ(call.output_operand_aliasing.size(), 1u);
      EXPECT_EQ(call.output_operand_aliasing[0].operand, 0);
      return;
    }
    ADD_FAILURE() << "no call";
  };
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  ASSERT_TRUE(module.ok()) << module.status();
  check(*module);
  // StableHLO's refinement needs them, so they are written again.
  const absl::StatusOr<std::string> written = WriteStablehlo(*module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(*written, HasSubstr("indices_of_shape_operands = dense<[1, 2]>"));
  const absl::StatusOr<Module> again = ReadStablehlo(*written);
  ASSERT_TRUE(again.ok()) << again.status();
  check(*again);
}

}  // namespace
}  // namespace indim

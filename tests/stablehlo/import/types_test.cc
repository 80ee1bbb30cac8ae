// SPDX-License-Identifier: Apache-2.0
// Types that StableHLO's verifier refuses, and those that it takes though HLO
// says them otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tests/stablehlo/import/cases.h"
#include "indim/text/base/text_errors.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

struct TypeCase {
  std::string op;  // with its attributes: "chlo.erfc"
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::string message;  // a part; "": it is right
  std::string regions = "";
};

// A function of the operation alone. Its results stay unused unless `used`.
std::string Program(const TypeCase& c, bool used) {
  std::vector<std::string> arguments, names, results;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    arguments.push_back(absl::StrCat("%a", i, ": ", c.operands[i]));
    names.push_back(absl::StrCat("%a", i));
  }
  for (size_t i = 0; i < c.results.size(); ++i) {
    results.push_back(absl::StrCat("%r#", i));
  }
  const size_t at = c.op.find(' ');
  const std::string name = c.op.substr(0, at);
  const std::string rest = at == std::string::npos ? "" : c.op.substr(at);
  const std::string given = absl::StrJoin(c.results, ", ");
  return absl::StrCat(
      "func.func @main(", absl::StrJoin(arguments, ", "), ") -> (",
      used ? given : "", ") {\n  %r:", c.results.size(), " = \"", name, "\"(",
      absl::StrJoin(names, ", "), ")", rest, c.regions, " : (",
      absl::StrJoin(c.operands, ", "), ") -> (", given, ")\n  return",
      used ? absl::StrCat(" ", absl::StrJoin(results, ", "), " : ", given) : "",
      "\n}\n");
}

void ExpectVerdicts(const std::vector<TypeCase>& cases) {
  for (const TypeCase& c : cases) {
    for (const bool used : {true, false}) {
      const std::string text = Program(c, used);
      const absl::Status status = VerifyShlo(text);
      if (c.message.empty()) {
        EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
        continue;
      }
      EXPECT_FALSE(status.ok()) << text;
      EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << text;
    }
  }
}

const char kGroups[] =
    " <{concat_dimension = 0 : i64, split_dimension = 1 : i64, split_count = "
    "2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>";

TEST(TypesTest, DeclaredResultsAreComparedWithInferredOnes) {
  const std::string all_to_all = absl::StrCat("stablehlo.all_to_all", kGroups);
  const char incompatible[] = "is incompatible with the return type";
  ExpectVerdicts({
      {"chlo.erfc", {"tensor<f16>"}, {"tensor<f16>"}, ""},
      {"chlo.erfc", {"tensor<f16>"}, {"tensor<2xf16>"}, incompatible},
      {"chlo.erfc", {"tensor<f64>"}, {"tensor<f32>"}, incompatible},
      {"chlo.erfc", {"tensor<?xf32>"}, {"tensor<4xf32>"}, ""},
      {"chlo.erfc", {"tensor<4xf32>"}, {"tensor<?xf32>"}, ""},
      {"chlo.is_inf", {"tensor<2xf32>"}, {"tensor<2xi8>"}, incompatible},
      {"chlo.next_after",
       {"tensor<2x3xf32>", "tensor<2x3xf32>"},
       {"tensor<3xf32>"},
       incompatible},
      {"chlo.broadcast_next_after",
       {"tensor<2xf32>", "tensor<2xf32>"},
       {"tensor<2x1xf32>"},
       incompatible},
      {"chlo.constant_like <{value = 3.2 : f32}>",
       {"tensor<2xi64>"},
       {"tensor<2xcomplex<f32>>"},
       incompatible},
      {all_to_all, {"tensor<4x6xf32>"}, {"tensor<8x3xf32>"}, ""},
      {all_to_all, {"tensor<4x6xf32>"}, {"tensor<8x6xf32>"}, incompatible},
      {all_to_all,
       {"tensor<4x6xf32>", "tensor<2x2xf32>"},
       {"tensor<8x3xf32>", "tensor<4x2xf32>"},
       incompatible},
      {"stablehlo.create_token", {}, {"tensor<f32>"}, incompatible},
  });
}

TEST(TypesTest, OperandsHaveTheTypesOfTheTable) {
  const std::string sizes =
      "must be a statically shaped 1-dimensional tensor of integers";
  ExpectVerdicts({
      {"chlo.mulhi", {"tensor<i1>", "tensor<i1>"}, {"tensor<i1>"}, "integer"},
      {"chlo.square", {"tensor<i32>"}, {"tensor<i32>"}, "float or complex"},
      {"chlo.broadcast_shift_left",
       {"tensor<i32>", "tensor<i32>"},
       {"tensor<i32>"},
       ""},
      {"chlo.broadcast_shift_left",
       {"tensor<f32>", "tensor<f32>"},
       {"tensor<f32>"},
       "must be a ranked tensor of integer values"},
      {"stablehlo.dynamic_iota <{iota_dimension = 0 : i64}>",
       {"tensor<1xf32>"},
       {"tensor<4xi32>"},
       sizes},
      {"stablehlo.dynamic_iota <{iota_dimension = 0 : i64}>",
       {"tensor<1xi32>"},
       {"tensor<4xi32>"},
       ""},
      {"stablehlo.dynamic_reshape",
       {"tensor<4xf32>", "tensor<?xi32>"},
       {"tensor<4xf32>"},
       sizes},
      {"stablehlo.dynamic_broadcast_in_dim <{broadcast_dimensions = array<i64: "
       "0>}>",
       {"tensor<4xf32>", "tensor<1xf32>"},
       {"tensor<4xf32>"},
       sizes},
      // HLO takes a vector of starts.
      {"stablehlo.dynamic_slice <{slice_sizes = array<i64: 2>}>",
       {"tensor<4xf32>", "tensor<1xi32>"},
       {"tensor<2xf32>"},
       "must be a 0-dimensional tensor of integers"},
      {"stablehlo.dynamic_update_slice",
       {"tensor<4xf32>", "tensor<2xf32>", "tensor<1xi32>"},
       {"tensor<4xf32>"},
       "must be a 0-dimensional tensor of integers"},
      {"stablehlo.after_all", {"tensor<f32>"}, {"!stablehlo.token"}, "a token"},
      {"stablehlo.iota <{iota_dimension = 0 : i64}>",
       {},
       {"tensor<?xi32>"},
       "must be a statically shaped tensor"},
      {"stablehlo.broadcast_in_dim <{broadcast_dimensions = array<i64: 0>}>",
       {"tensor<4xf32>"},
       {"tensor<4x?xf32>"},
       "single bounded"},
      {"stablehlo.broadcast_in_dim <{broadcast_dimensions = array<i64: 0>}>",
       {"tensor<4xf32>"},
       {"tensor<?x2xf32, #stablehlo.bounds<4, ?>>"},
       "(4) is known, but that of result dimension 0 has a bound"},
      {"stablehlo.broadcast_in_dim <{broadcast_dimensions = array<i64: 0>}>",
       {"tensor<1xf32>"},
       {"tensor<?x2xf32, #stablehlo.bounds<4, ?>>"},
       ""},
      {"stablehlo.reshape",
       {"tensor<4xf32>"},
       {"tensor<?xf32>"},
       "single bounded"},
  });
}

// Whatever the operation is. CHLO takes arrays of unknown rank, and sizes may
// be indices.
TEST(TypesTest, ValuesAreRankedTensorsOfElementsThatStablehloHas) {
  const std::string unranked = "must be a ranked tensor";
  const std::string call = "stablehlo.custom_call <{call_target_name = \"f\"}>";
  const std::string iota =
      "stablehlo.dynamic_iota <{iota_dimension = 0 : i64}>";
  ExpectVerdicts({
      {"stablehlo.negate", {"tensor<*xf32>"}, {"tensor<*xf32>"}, unranked},
      {"stablehlo.negate", {"tensor<2xf32>"}, {"tensor<*xf32>"}, unranked},
      {call, {"tensor<*xf32>"}, {"tensor<*xf32>"}, ""},
      {"chlo.acos", {"tensor<*xf32>"}, {"tensor<*xf32>"}, ""},
      {"chlo.acos", {"tensor<*xf32>"}, {"tensor<2xf32>"}, "both be ranked"},
      {"chlo.acos", {"tensor<2xf32>"}, {"tensor<*xf32>"}, "both be ranked"},
      {"chlo.mulhi",
       {"tensor<*xi32>", "tensor<*xi32>"},
       {"tensor<*xi32>"},
       "must be a ranked tensor"},
      {"stablehlo.negate", {"tensor<2xindex>"}, {"tensor<2xi64>"}, "of index"},
      {"stablehlo.convert", {"tensor<2xi64>"}, {"tensor<2xui1>"}, "of ui1"},
      {iota, {"tensor<1xindex>"}, {"tensor<4xi32>"}, ""},
      {iota, {"tensor<1xindex>"}, {"tensor<4xindex>"}, "of index"},
      {"stablehlo.negate", {"f32"}, {"tensor<f32>"}, "but is a number"},
      {call, {}, {"tuple<tensor<f32>, f32>"}, "but is a number"},
      {"stablehlo.constant <{value = dense<1> : tensor<2xi32>}>",
       {},
       {"tensor<2xi32, 3 : i32>"},
       "types of the value and of the result differ"},
      {"chlo.constant_like <{value = dense<1.0> : tensor<f32>}>",
       {"tensor<2xi64>"},
       {"tensor<2xf32>"},
       "must be a number"},
  });
}

// The bound is the window's size.
TEST(TypesTest, AWindowMayBeBounded) {
  const std::string op =
      "stablehlo.convolution <{batch_group_count = 1 : i64, "
      "feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, "
      "0, f]x[0, i, o]->[b, 0, f]>}>";
  const std::string image = "tensor<1x8x1xf32>", result = "tensor<1x6x1xf32>";
  ExpectVerdicts({
      {op,
       {image, "tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>"},
       {result},
       ""},
      {op,
       {image, "tensor<?x1x1xf32, #stablehlo.bounds<4, ?, ?>>"},
       {result},
       "is recorded as"},
  });
}

// Sizes that the program says need no operand that has them, unless that is a
// constant; so jaxlib.
TEST(TypesTest, StaticResultsNeedNoSizes) {
  const char broadcast[] =
      "stablehlo.dynamic_broadcast_in_dim <{broadcast_dimensions = "
      "array<i64: 2>}>";
  const char iota[] = "stablehlo.dynamic_iota <{iota_dimension = 0 : i64}>";
  const char for_each[] = "must have an element for each";
  ExpectVerdicts({
      {broadcast,
       {"tensor<1xf32>", "tensor<2xi64>"},
       {"tensor<7x8x9xf32>"},
       ""},
      {broadcast,
       {"tensor<1xf32>", "tensor<2xi64>"},
       {"tensor<?x8x9xf32>"},
       for_each},
      {iota, {"tensor<0xi64>"}, {"tensor<4xf32>"}, ""},
      {iota, {"tensor<0xi64>"}, {"tensor<?xf32>"}, for_each},
  });
  for (const absl::string_view sizes : {"[4]", "[4, 3]"}) {
    const std::string type =
        absl::StrCat("tensor<", sizes.size() == 3 ? 1 : 2, "xi64>");
    const absl::Status status = VerifyShlo(absl::StrCat(
        "func.func @main() -> tensor<4xf32> {\n  %c = stablehlo.constant "
        "dense<",
        sizes, "> : ", type, "\n  %r = stablehlo.dynamic_iota %c, dim = 0 : (",
        type, ") -> tensor<4xf32>\n  return %r : tensor<4xf32>\n}\n"));
    EXPECT_EQ(status.ok(), sizes == "[4]") << status.message();
  }
}

TEST(TypesTest, HloTakesThemSoTheyAreRead) {
  ExpectVerdicts({
      // The only layout of a scalar.
      {"stablehlo.infeed <{infeed_config = \"\", layout = [[0]]}>",
       {"!stablehlo.token"},
       {"tensor<f32>", "!stablehlo.token"},
       ""},
      {"stablehlo.infeed <{infeed_config = \"\", layout = [[1]]}>",
       {"!stablehlo.token"},
       {"tensor<3xf32>", "!stablehlo.token"},
       "isn't a permutation"},
      // pred beside numbers.
      {"stablehlo.einsum <{einsum_config = \"ab,bc->ac\"}>",
       {"tensor<2x3xi1>", "tensor<3x4xf32>"},
       {"tensor<2x4xf32>"},
       ""},
  });
}

TEST(TypesTest, TypesAgreeAsConstraintsSay) {
  const std::string loop =
      " ({\n^bb0(%x: tensor<i32>):\n"
      "  %c = stablehlo.constant dense<true> : tensor<i1>\n"
      "  stablehlo.return %c : tensor<i1>\n}, {\n^bb0(%x: tensor<i32>):\n"
      "  stablehlo.return %x : tensor<i32>\n})";
  const std::string call = "stablehlo.custom_call <{call_target_name = \"f\"";
  const std::string alias =
      call +
      ", output_operand_aliases = [#stablehlo.output_operand_alias<"
      "output_tuple_indices = [], operand_index = 0, operand_tuple_indices = "
      "[]>]}>";
  const std::string gather =
      "stablehlo.gather <{dimension_numbers = #stablehlo.gather<offset_dims = "
      "[2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
      "start_indices_batching_dims = [1], start_index_map = [1], "
      "index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}>";
  const std::string dot =
      "stablehlo.dot_general <{dot_dimension_numbers = "
      "#stablehlo.dot<lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0]>, algorithm = "
      "#stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type "
      "= tf32, accumulation_type = f32, lhs_component_count = 1, "
      "rhs_component_count = 1, num_primitive_operations = 1, "
      "allow_imprecise_accumulation = false>, precision_config = "
      "[#stablehlo<precision ";
  const std::string all_reduce =
      "stablehlo.all_reduce <{replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}>";
  const std::string add =
      "({^bb0(%a: tensor<f32>, %b: tensor<f32>): %0 = stablehlo.add %a, %b : "
      "tensor<f32> stablehlo.return %0 : tensor<f32>})";
  ExpectVerdicts({
      {all_reduce, {"tensor<2xbf16>"}, {"tensor<2xf32>"}, "", add},
      {all_reduce,
       {"tensor<2xbf16>"},
       {"tensor<2xbf16>"},
       "incompatible with the return type",
       add},
      {"stablehlo.while", {"tensor<i32>"}, {"tensor<i32>"}, "", loop},
      {"stablehlo.while",
       {"tensor<i32>"},
       {"tensor<f32>"},
       "are incompatible with return types",
       loop},
      {"stablehlo.while",
       {"tensor<2xi32>"},
       {"tensor<2xi32>"},
       "condition block arguments",
       loop},
      {"stablehlo.optimization_barrier",
       {"tensor<?xf32>"},
       {"tensor<2xf32>"},
       "requires the same type"},
      {"stablehlo.tuple",
       {"tensor<?xf32>"},
       {"tuple<tensor<2xf32>>"},
       "return"},
      {"stablehlo.bitcast_convert",
       {"tensor<2x4xi1>"},
       {"tensor<2xf32>"},
       "compatible bit widths"},
      {gather,
       {"tensor<4x4x8xi32>", "tensor<8x5x1xi32>"},
       {"tensor<8x5x8xi32>"},
       "must have compatible sizes, but got 4 and 5"},
      {gather,
       {"tensor<5x4x8xi32>", "tensor<8x5x1xi32>"},
       {"tensor<8x5x8xi32>"},
       ""},
      {call + ", backend_config = {}}>",
       {},
       {"tensor<f32>"},
       "must be a string attribute"},
      {call + ", api_version = 4 : i32, backend_config = \"\"}>",
       {},
       {"tensor<f32>"},
       "must be a dictionary attribute"},
      {call + ", api_version = 5 : i32}>", {}, {"tensor<f32>"}, "api_version"},
      {alias, {"tensor<f32>"}, {"tensor<f32>"}, ""},
      {alias, {"tensor<f32>"}, {"tensor<i32>"}, "shapes mismatch"},
      {dot + "DEFAULT>, #stablehlo<precision DEFAULT>]}>",
       {"tensor<2x3xf32>", "tensor<3x4xf32>"},
       {"tensor<2x4xf32>"},
       ""},
      {dot + "HIGHEST>, #stablehlo<precision DEFAULT>]}>",
       {"tensor<2x3xf32>", "tensor<3x4xf32>"},
       {"tensor<2x4xf32>"},
       "must specify DEFAULT precision config"},
      {"stablehlo.all_to_all <{concat_dimension = 0 : i64, split_dimension = 0 "
       ": i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}>",
       {"tensor<4xf32>"},
       {"tensor<4xf32>"},
       "split_count"},
  });
}

std::string Bounded(const std::string& bound, const std::string& type) {
  return absl::StrCat("tensor<?x4x", type, ", #stablehlo.bounds<", bound,
                      ", ?>>");
}

// XLA's exporter infers them, whatever is declared.
TEST(TypesTest, ABoundThatIsDeclaredMayDiffer) {
  const std::string four = Bounded("4", "f32"), six = Bounded("6", "f32");
  const std::string complex = Bounded("4", "complex<f32>");
  const std::string gather =
      "stablehlo.gather <{dimension_numbers = #stablehlo.gather<offset_dims = "
      "[1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}>";
  const std::string branches =
      " ({\n  %x = \"stablehlo.custom_call\"() <{call_target_name = \"f\"}> : "
      "() -> " +
      four + "\n  stablehlo.return %x : " + four +
      "\n}, {\n  %x = \"stablehlo.custom_call\"() <{call_target_name = "
      "\"f\"}> : () -> " +
      four + "\n  stablehlo.return %x : " + four + "\n})";
  const std::string all_to_all = absl::StrCat("stablehlo.all_to_all", kGroups);
  ExpectVerdicts({
      {"stablehlo.add", {four, four}, {six}, ""},
      {"stablehlo.add", {four, "tensor<4x4xf32>"}, {six}, ""},
      {"stablehlo.add", {four, four}, {"tensor<3x4xf32>"}, ""},
      {"stablehlo.add", {four, six}, {four}, "must be of shape"},
      {"stablehlo.negate", {four}, {"tensor<5x4xf32>"}, "is recorded as"},
      {"stablehlo.if", {"tensor<i1>"}, {six}, "", branches},
      {"stablehlo.fft <{fft_type = #stablehlo<fft_type FFT>, fft_length = "
       "array<i64: 4>}>",
       {complex},
       {Bounded("6", "complex<f32>")},
       ""},
      {gather,
       {"tensor<4x4xf32>", "tensor<?x1xi32, #stablehlo.bounds<4, ?>>"},
       {six},
       ""},
      {all_to_all, {"tensor<4x?xf32>"}, {"tensor<8x?xf32>"}, ""},
      {all_to_all, {"tensor<?x6xf32>"}, {"tensor<?x3xf32>"}, ""},
  });
}

TEST(TypesTest, ScatteredElementsMayBeWider) {
  const auto regions = [](const std::string& select,
                          const std::string& scatter) {
    return absl::StrCat(" ({\n^bb0(%x: tensor<", select, ">, %y: tensor<",
                        select,
                        ">):\n  %c = stablehlo.compare GE, %x, %y : (tensor<",
                        select, ">, tensor<", select,
                        ">) -> tensor<i1>\n  stablehlo.return %c : "
                        "tensor<i1>\n}, {\n^bb0(%x: tensor<",
                        scatter, ">, %y: tensor<", scatter,
                        ">):\n  %s = stablehlo.add %x, %y : tensor<", scatter,
                        ">\n  stablehlo.return %s : tensor<", scatter, ">\n})");
  };
  const std::string op =
      "stablehlo.select_and_scatter <{window_dimensions = array<i64: 2>, "
      "window_strides = array<i64: 2>}>";
  const std::vector<std::string> floats = {"tensor<4xf32>", "tensor<2xf32>",
                                           "tensor<f32>"};
  ExpectVerdicts({
      {op, floats, {"tensor<4xf64>"}, "", regions("f32", "f64")},
      {op, floats, {"tensor<4xf64>"}, "", regions("f64", "f64")},
      {op, floats, {"tensor<4xf32>"}, "incompatible", regions("f32", "f64")},
      {op, floats, {"tensor<4xf32>"}, "select-region", regions("i32", "f32")},
  });
}

TEST(TypesTest, AScanHasTwoSegments) {
  const std::string body =
      " ({\n^bb0(%x: tensor<f32>, %c: tensor<f32>):\n"
      "  %s = stablehlo.add %x, %c : tensor<f32>\n"
      "  stablehlo.return %s, %s : tensor<f32>, tensor<f32>\n})";
  const auto scan = [](const std::string& operands,
                       const std::string& results) {
    return absl::StrCat(
        "chlo.scan <{dimension = 0 : i64, operandSegmentSizes = array<i32: ",
        operands, ">, resultSegmentSizes = array<i32: ", results, ">}>");
  };
  const std::vector<std::string> operands = {"tensor<2xf32>", "tensor<f32>"};
  ExpectVerdicts({
      {scan("1, 1", "1, 1"), operands, operands, "", body},
      {scan("-2, 1", "1, 1"), operands, operands, "two sizes", body},
      {scan("1, 1", "2, 1"), operands, operands, "two sizes", body},
      {scan("1, 1", "1, 1, 0"), operands, operands, "two sizes", body},
  });
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Composites by name: every function of builder/composites has a row, and each
// row takes what the function does.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <indim.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"
#include "indim/tests/checkout.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

using indim_api::Builder;
using indim_api::Value;
using ::testing::HasSubstr;

// The shapes of the results of a composite of parameters, or the message.
std::string Record(const std::string& name, const std::string& operands,
                   const std::string& arguments) {
  Builder b("t");
  std::vector<Value> values;
  for (const auto& shape : absl::StrSplit(operands, ' ', absl::SkipEmpty())) {
    values.push_back(b.Parameter(std::string(shape), ""));
  }
  const int64_t before = indim_next_value(b.get());
  std::array<indim_value, 4> made = {};
  size_t count = 0;
  indim_error* const error = indim_composite(
      b.get(), name.data(), name.size(), values.data(), values.size(),
      arguments.data(), arguments.size(), 0, made.data(), made.size(), &count);
  if (error != nullptr) {
    EXPECT_EQ(indim_next_value(b.get()), before);
    return MessageOf(error);
  }
  EXPECT_EQ(indim_next_value(b.get()), before + static_cast<int64_t>(count));
  std::vector<std::string> shapes;
  for (size_t i = 0; i < std::min(count, made.size()); ++i) {
    EXPECT_EQ(made[i], before + static_cast<int64_t>(i));
    shapes.push_back(b.ShapeOf(made[i]).text());
  }
  return absl::StrJoin(shapes, " ");
}

TEST(CompositesTest, Results) {
  const struct {
    const char *name, *operands, *arguments, *want;
  } kCases[] = {
      {"softmax", "f32[2,3]", "", "f32[2,3]"},
      {"softmax", "f32[2,3]", R"({"dims": [0, 1]})", "f32[2,3]"},
      {"reduce_sum", "bf16[2,3]", "", "bf16[]"},
      {"reduce_sum", "bf16[2,3]", R"({"dims":[-1],"keep_dims":true})",
       "bf16[2,1]"},
      {"reduce_sum", "f32[2,3]", R"({"dims":[]})", "f32[2,3]"},
      {"any", "s32[2,3]", R"({"dims":[0]})", "pred[3]"},
      {"arg_max", "f32[2,3]", R"({"dim":1,"index_type":"s64"})", "s64[2]"},
      {"one_hot", "s32[2]", R"({"depth":3,"type":"bf16"})", "bf16[2,3]"},
      {"full_like", "s64[2]", R"({"value":"-9223372036854775808"})", "s64[2]"},
      {"full_like", "f32[2]", R"({"value":"-inf"})", "f32[2]"},
      {"einsum", "f32[2,3] f32[3,4]", R"({"subscripts":"ij,jk->ik"})",
       "f32[2,4]"},
      {"split", "f32[6]", R"({"count":3})", "f32[2] f32[2] f32[2]"},
      {"split_by_sizes", "f32[6]", R"({"sizes":[1,5]})", "f32[1] f32[5]"},
      {"stack", "f32[6] f32[6]", R"({"dim":-1})", "f32[6,2]"},
      {"max_pool", "f32[1,4,4,1]",
       R"({"window":[1,2,2,1],"strides":[1,2,2,1]})", "f32[1,2,2,1]"},
      {"avg_pool", "f32[4]", R"({"window":[3],"padding":"same"})", "f32[4]"},
      {"avg_pool", "f32[4]", R"({"window":[3],"padding":[[2,0]]})", "f32[4]"},
      {"identity_matrix", "", R"({"type":"f32","rows":2,"columns":3})",
       "f32[2,3]"},
      {"three_fry_state", "", R"({"seed":"18446744073709551615"})", "u64[2]"},
      {"random_normal", "u64[2]", R"({"shape":"f32[8]"})", "f32[8] u64[2]"},
      {"random_normal", "u64[3]", R"({"shape":"f32[8]"})", "f32[8] u64[3]"},
      {"dropout", "u64[2] f32[8]", R"({"rate":0.5})", "f32[8] u64[2]"},
      {"dot_product_attention", "f32[2,4,1,8] f32[2,4,1,8] f32[2,4,1,8]",
       R"({"causal":true,"scale":0.5})", "f32[2,4,1,8]"},
      {"dot_product_attention",
       "f32[2,4,1,8] f32[2,4,1,8] f32[2,4,1,8] f32[4,4] pred[4,4]",
       R"({"bias":3,"mask":4})", "f32[2,4,1,8]"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Record(c.name, c.operands, c.arguments), c.want) << c.name;
  }
}

TEST(CompositesTest, Errors) {
  const struct {
    const char *name, *operands, *arguments, *want;
  } kCases[] = {
      {"Softmax", "f32[2]", "", "there is no composite \"Softmax\""},
      {"softmax", "", "", "softmax: operand 0, x, is missing"},
      {"softmax", "f32[2] f32[2]", "", "it takes 1 operand, but got 2"},
      {"softmax", "f32[2]", "[1]", "no JSON object"},
      {"softmax", "f32[2]", "{", "no JSON object"},
      {"softmax", "f32[2]", R"({"dim":[0]})", "did you mean \"dims\""},
      {"softmax", "f32[2]", R"({"over":[0]})",
       "it has no argument \"over\"; it takes dims"},
      {"relu", "f32[2]", R"({"over":[0]})", "it takes operands alone"},
      {"softmax", "f32[2]", R"({"dims":0})", "dims: must be a list"},
      {"softmax", "f32[2]", R"({"dims":[0.5]})", "dims: must be a list"},
      {"softmax", "f32[2]", R"({"dims":[1]})", "IND0111"},
      {"softmax", "s32[2]", "", "IND0102"},
      {"mat_mul", "f32[2,3,4] f32[3,4,5]", "", "mat_mul: dim 0 of f32[2,3,4]"},
      {"softmax", "(f32[2])", "", "IND0101"},
      {"arg_max", "f32[2]", "", "dim: is missing"},
      {"arg_max", "f32[2]", R"({"dim":9007199254740992})", "64 bits"},
      {"one_hot", "s32[2]", R"({"depth":3,"type":"f3"})", "element type"},
      {"elu", "f32[2]", R"({"alpha":"x"})", "alpha: must be a number"},
      {"three_fry_state", "", R"({"seed":-1})", "seed: must be"},
      {"reduce_sum", "f32[2]", R"({"keep_dims":1})", "true or false"},
      {"avg_pool", "f32[4]", R"({"window":[3],"padding":[[2]]})", "pairs"},
      {"random_normal", "u64[2]", R"({"shape":"f32["})", "IND0604"},
      {"dot_product_attention", "f32[1] f32[1] f32[1]", R"({"mask":3})",
       "no operand 3"},
      {"dot_product_attention", "f32[1] f32[1] f32[1]", R"({"mask":0})",
       "no operand 0"},
  };
  for (const auto& c : kCases) {
    const std::string said = Record(c.name, c.operands, c.arguments);
    EXPECT_THAT(said, HasSubstr(c.want)) << c.name;
    EXPECT_THAT(said, HasSubstr("IND")) << c.name;
  }
}

TEST(CompositesTest, FewerPlacesThanResults) {
  Builder b("t");
  const Value x = b.Parameter("f32[6]", "x");
  const std::string arguments = R"({"count":3})";
  size_t count = 0;
  ASSERT_NO_ERROR(indim_composite(b.get(), "split", 5, &x, 1, arguments.data(),
                                  arguments.size(), 0, nullptr, 0, &count));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(b.ShapeOf(3).text(), "f32[2]");
}

// --- The table beside the headers --------------------------------------------

// "ReduceSum x dims= keep_dims=" for each function; a '=' has a default.
std::set<std::string> FunctionsOfHeaders() {
  std::set<std::string> found;
  // A declaration, whose last parameter is the caller.
  const std::regex declaration(
      R"(\n(?:Op|std::vector<Op>|\w+State) (\w+)\(([^;]*?)Caller caller)");
  const std::regex parameter(R"(([\w:<>*&\s]+?)[\s&*](\w+)( = [^,]+)?, )");
  const std::filesystem::path folder = Checkout() / "builder/composites";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".h") continue;
    if (file.path().filename() == "composite.h") continue;
    const std::string text = FileText(file.path().string());
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end;
         it != end; ++it) {
      std::string row = (*it)[1];
      const std::string list =
          std::regex_replace((*it)[2].str(), std::regex(R"(\s+)"), " ");
      for (std::sregex_iterator p(list.begin(), list.end(), parameter);
           p != end; ++p) {
        const std::string type = (*p)[1], name = (*p)[2];
        if (type.find("ComputationBuilder") != std::string::npos) continue;
        if (type.find("AttentionOptions") != std::string::npos) {
          row += " mask= bias= causal= scale=";
        } else {
          absl::StrAppend(&row, " ", name == "random" ? "state" : name,
                          (*p)[3].matched ? "=" : "");
        }
      }
      // Einsum's overloads of one and of two operands are its list's.
      if (!absl::StartsWith(row, "Einsum subscripts x")) found.insert(row);
    }
  }
  return found;
}

std::set<std::string> FunctionsOfTable() {
  std::set<std::string> found;
  const std::string text = CheckoutText("builder/composites/composites.def");
  const std::regex line(R"re(\nINDIM_COMPOSITE\(\w+, (\w+), "(.*)"\))re");
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end;
       ++it) {
    std::string row = (*it)[1];
    for (const std::string& parameter :
         std::vector<std::string>(absl::StrSplit((*it)[2].str(), "; "))) {
      const size_t at = parameter.find(" = ");
      absl::StrAppend(&row, " ", parameter.substr(0, at),
                      at == std::string::npos ? "" : "=");
    }
    found.insert(row);
  }
  return found;
}

TEST(CompositesTest, TheTableIsTheHeaders) {
  const std::set<std::string> functions = FunctionsOfHeaders();
  EXPECT_GT(functions.size(), 90);
  EXPECT_EQ(FunctionsOfTable(), functions);
}

TEST(CompositesTest, TheTableAsJson) {
  indim_bytes* json = nullptr;
  ASSERT_NO_ERROR(indim_composite_table_json(&json));
  const std::string text = Take(json);
  EXPECT_THAT(
      text,
      HasSubstr(R"({"name":"softmax","parameters":[{"name":"x","operand":true})"
                R"(,{"name":"dims","operand":false,"default":[-1]}]})"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"state","operand":true})"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"y","operand":true})"));
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: types per op, dims, unranked and interval operands,
// both policies. XLA's own answers are in xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "indim/tests/shape/infer/infer_cases.h"

namespace indim {
namespace {

// --- One operand -------------------------------------------------------------

// The names of XLA's table, by what they accept; "f" floats, "c" complex, "s"
// signed and "u" unsigned integers, "p" pred.
const std::vector<std::pair<std::string, std::vector<std::string>>>&
UnaryByClass() {
  static const auto* const kTable =
      new std::vector<std::pair<std::string, std::vector<std::string>>>{
          {"sfc", {"abs", "sign"}},
          {"sufc", {"negate"}},
          {"su", {"count-leading-zeros", "popcnt"}},
          {"psu", {"not"}},
          {"f",
           {"cbrt", "ceil", "erf", "floor", "is-finite", "reduce-precision",
            "round-nearest-afz", "round-nearest-even"}},
          {"fc", {"acos",   "acosh",        "asin",
                  "asinh",  "atanh",        "cosh",
                  "cosine", "exponential",  "exponential-minus-one",
                  "exp2",   "log2",         "imag",
                  "log",    "log-plus-one", "logistic",
                  "real",   "rsqrt",        "sine",
                  "sinh",   "sqrt",         "tan",
                  "tanh"}},
          {"psufc", {"copy", "opt-barrier", "domain"}},
      };
  return *kTable;
}

char KindLetter(ElementType type) {
  switch (Info(type).kind) {
    case ElementKind::kPred:
      return 'p';
    case ElementKind::kSigned:
      return 's';
    case ElementKind::kUnsigned:
      return 'u';
    case ElementKind::kFloat:
      return 'f';
    case ElementKind::kComplex:
      return 'c';
    case ElementKind::kInvalid:
      break;
  }
  return '?';
}

std::string UnaryResult(const std::string& op, ElementType type) {
  if (op == "is-finite") return "pred";
  const bool real = op == "abs" || op == "real" || op == "imag";
  return std::string(Name(real ? RealPart(type) : type));
}

TEST(UnaryTest, EveryOpWithEveryType) {
  ReducePrecisionAttributes precision;
  precision.exponent_bits = 5;
  for (const auto& row : UnaryByClass()) {
    for (const std::string& op : row.second) {
      for (const ElementTypeInfo& type : AllElementTypes()) {
        Op asked = {op, {absl::StrCat(type.name, "[2,<=3,?,4..5]")}};
        if (op == "reduce-precision") asked.attributes = precision;
        const bool accepted =
            row.first.find(KindLetter(type.type)) != std::string::npos;
        EXPECT_EQ(Infer(asked), accepted
                                    ? absl::StrCat(UnaryResult(op, type.type),
                                                   "[2,<=3,?,4..5]")
                                    : "operand-type-class")
            << op << " of " << std::string(type.name);
      }
    }
  }
}

TEST(UnaryTest, CoversAllRowsOfTheTable) {
  std::set<std::string> listed;
  for (const auto& row : UnaryByClass()) {
    listed.insert(row.second.begin(), row.second.end());
  }
  for (const OpInfo& op : AllOps()) {
    if (op.has(kElementwise) && op.max_operands == 1 &&
        op.result == ResultSource::kInferred) {
      EXPECT_EQ(listed.count(std::string(op.wire)), 1) << std::string(op.wire);
    }
  }
}

TEST(UnaryTest, OtherShapes) {
  ExpectAnswers({
      {{"sine", {"f32[*]"}}, "f32[*]"},
      {{"abs", {"c64[*]"}}, "f32[*]"},
      {{"sine", {"f32[2,3]{0,1}"}}, "f32[2,3]"},
      {{"sine", {"(f32[])"}}, "operand-not-array"},
      {{"sine", {"token[]"}}, "operand-not-array"},
      {{"sine", {"b(f32[2])"}}, "operand-not-array"},
      {{"sine", {}}, "operand-count"},
      {{"sine", {"f32[]", "f32[]"}}, "operand-count"},
      {{"copy", {"(f32[2]{0}, token[])"}}, "(f32[2], token[])"},
      {{"opt-barrier", {"((), s8[])"}}, "((), s8[])"},
      {{"copy", {"opaque[]"}}, "opaque[]"},
  });
}

TEST(UnaryTest, ReducePrecisionBits) {
  for (int64_t exponent : {-1, 0, 1, 8}) {
    for (int64_t mantissa : {-1, 0, 7}) {
      ReducePrecisionAttributes bits;
      bits.exponent_bits = exponent;
      bits.mantissa_bits = mantissa;
      EXPECT_EQ(Infer({"reduce-precision", {"f32[3]"}, bits}),
                exponent >= 1 && mantissa >= 0 ? "f32[3]" : "attribute-range");
    }
  }
}

// --- Two operands ------------------------------------------------------------

TEST(BinaryTest, Types) {
  ExpectAnswers({
      {{"add", {"f32[2]", "bf16[2]"}}, "f32[2]"},
      {{"add", {"bf16[2]", "f16[2]"}}, "bf16[2]"},
      {{"add", {"f16[2]", "bf16[2]"}}, "bf16[2]"},
      {{"add", {"s32[2]", "s64[2]"}}, "operand-types-differ"},
      {{"add", {"f32[2]", "c64[2]"}}, "operand-types-differ"},
      {{"add", {"pred[2]", "pred[2]"}}, "pred[2]"},
      {{"subtract", {"pred[2]", "pred[2]"}}, "operand-type-class"},
      {{"power", {"pred[]", "pred[]"}}, "operand-type-class"},
      {{"shift-left", {"f32[2]", "f32[2]"}}, "f32[2]"},
      {{"and", {"f32[2]", "f32[2]"}}, "operand-type-class"},
      {{"xor", {"u4[2]", "u4[2]"}}, "u4[2]"},
      {{"atan2", {"s32[2]", "s32[2]"}}, "operand-type-class"},
      {{"atan2", {"c64[2]", "c64[2]"}}, "c64[2]"},
      {{"complex", {"f32[2]", "f32[2]"}}, "c64[2]"},
      {{"complex", {"f64[2]", "f64[]"}}, "c128[2]"},
      {{"complex", {"f16[2]", "f16[2]"}}, "operand-type-class"},
      {{"complex", {"f32[2]", "f64[2]"}}, "operand-types-differ"},
      {{"complex", {"s32[2]", "s32[2]"}}, "operand-type-class"},
      {{"compare", {"c64[2]", "c64[2]"}}, "pred[2]"},
      {{"compare", {"f32[2]", "f16[1]"}}, "pred[2]"},
      {{"add", {"f8e5m2[2]", "f8e5m2fnuz[2]"}}, "no-common-type"},
      {{"compare", {"f8e4m3[2]", "f8e4m3fnuz[2]"}}, "no-common-type"},
      {{"add", {"f32[2]", "token[]"}}, "operand-not-array"},
      {{"add", {"(f32[2])", "f32[2]"}}, "operand-not-array"},
  });
}

TEST(BinaryTest, Dims) {
  ExpectAnswers({
      {{"add", {"f32[2,1]", "f32[2,3]"}}, "f32[2,3]"},
      {{"add", {"f32[2,3]", "f32[]"}}, "f32[2,3]"},
      {{"add", {"f32[2,3]", "f32[3]"}}, "ranks-differ"},
      {{"add", {"f32[2,3]", "f32[3]"}, BroadcastDims({1})}, "f32[2,3]"},
      {{"add", {"f32[4]", "f32[1,2]"}, BroadcastDims({0})}, "f32[4,2]"},
      {{"add", {"f32[2]", "f32[3]"}}, "dims-differ"},
      {{"add", {"f32[0]", "f32[1]"}}, "f32[0]"},
      {{"add", {"f32[5]", "f32[?]"}}, "f32[5]"},
  });
}

// An operand of unknown rank may broadcast, so nothing is known of the result.
TEST(BinaryTest, Unranked) {
  ExpectAnswers({
      {{"add", {"f32[*]", "f32[2]"}}, "f32[*]"},
      {{"add", {"f32[2]", "f32[*]"}}, "f32[*]"},
      {{"add", {"f32[*]", "bf16[*]"}}, "f32[*]"},
      {{"compare", {"f32[*]", "f32[2]"}}, "pred[*]"},
      {{"add", {"f32[*]", "s32[2]"}}, "operand-types-differ"},
  });
}

TEST(BinaryTest, ConditionsReachTheContext) {
  const OpCase op({"add", {"f32[5]", "f32[?]"}});
  InferContext context;
  ASSERT_TRUE(InferShape(&context, op.inputs()));
  EXPECT_FALSE(context.conditions().empty());
  context.Clear();
  EXPECT_TRUE(context.conditions().empty());
}

TEST(BinaryTest, ComparisonTypes) {
  struct Row {
    ComparisonType type;
    const char* accepted;  // kind letters
  };
  const Row rows[] = {{ComparisonType::kDefault, "psufc"},
                      {ComparisonType::kFloat, "fc"},
                      {ComparisonType::kFloatTotalOrder, "f"},
                      {ComparisonType::kFloatWeakOrder, "f"},
                      {ComparisonType::kSigned, "s"},
                      {ComparisonType::kUnsigned, "up"}};
  for (const Row& row : rows) {
    for (const ElementTypeInfo& type : AllElementTypes()) {
      CompareAttributes attributes;
      attributes.type = row.type;
      const std::string shape = absl::StrCat(type.name, "[2]");
      const bool accepted =
          std::string(row.accepted).find(KindLetter(type.type)) !=
          std::string::npos;
      EXPECT_EQ(Infer({"compare", {shape, shape}, attributes}),
                accepted ? "pred[2]" : "comparison-type")
          << shape << " " << row.accepted;
    }
  }
}

TEST(BinaryTest, VerifierPolicy) {
  ExpectAnswers(
      {
          {{"add", {"f32[2]", "f32[2]"}}, "f32[2]"},
          {{"add", {"f32[2]", "f32[<=2]"}}, "f32[<=2]"},
          {{"add", {"f32[2]", "f32[?]"}}, "f32[2]"},
          {{"add", {"f32[2]", "bf16[2]"}}, "mixed-float-types"},
          {{"add", {"f32[2]", "f32[]"}}, "implicit-broadcast"},
          {{"add", {"f32[2]", "f32[1]"}}, "implicit-broadcast"},
          {{"add", {"f32[2,3]", "f32[3]"}, BroadcastDims({1})},
           "implicit-broadcast"},
          {{"compare", {"f32[2]", "f16[2]"}}, "mixed-float-types"},
          {{"select", {"pred[2]", "f32[2]", "bf16[2]"}}, "mixed-float-types"},
          {{"tuple", {"f32[2]", "bf16[2]"}}, "(f32[2], bf16[2])"},
          {{"after-all", {"token[]"}}, "token[]"},
          {{"copy", {"(f32[2], (s32[], bf16[]))"}}, "mixed-float-types"},
      },
      InferPolicy::kVerifier);
}

TEST(StochasticConvertTest, Table) {
  ExpectAnswers({
      {{"stochastic-convert", {"f32[2]", "u32[2]"}, {}, {}, "s8[]"}, "s8[2]"},
      {{"stochastic-convert", {"f32[*]", "u32[2]"}, {}, {}, "bf16[]"},
       "bf16[2]"},
      {{"stochastic-convert", {"f32[2]", "u16[2]"}, {}, {}, "s8[]"},
       "type-mismatch"},
      {{"stochastic-convert", {"f32[2]", "s32[2]"}, {}, {}, "s8[]"},
       "type-mismatch"},
      {{"stochastic-convert", {"f32[<=2]", "u32[<=2]"}, {}, {}, "s8[]"},
       "s8[<=2]"},
      {{"stochastic-convert", {"f32[2]", "u32[<=2]"}, {}, {}, "s8[]"},
       "shapes-differ"},
      {{"stochastic-convert", {"f32[2]", "u32[3]"}, {}, {}, "s8[]"},
       "shapes-differ"},
      {{"stochastic-convert", {"s32[2]", "u32[2]"}, {}, {}, "s8[]"},
       "operand-type-class"},
      {{"stochastic-convert", {"f32[2]", "u32[2]"}}, "result-shape-needed"},
  });
}

// --- Three operands ----------------------------------------------------------

TEST(SelectTest, Builder) {
  ExpectAnswers({
      {{"select", {"pred[2]", "f32[2]", "f32[2]"}}, "f32[2]"},
      {{"select", {"pred[]", "f32[2]", "bf16[2]"}}, "f32[2]"},
      {{"select", {"pred[2]", "f32[]", "f32[]"}}, "f32[2]"},
      {{"select", {"pred[]", "f32[]", "f32[3]"}}, "f32[3]"},
      {{"select", {"pred[]", "f32[]", "f32[]"}}, "f32[]"},
      {{"select", {"pred[?]", "f32[3]", "f32[3]"}}, "f32[?]"},
      {{"select", {"pred[?]", "f32[3]", "f32[?]"}}, "f32[3]"},
      {{"select", {"pred[<=3]", "f32[3]", "f32[?]"}}, "f32[3]"},
      {{"select", {"pred[3]", "f32[<=3]", "f32[3]"}}, "f32[<=3]"},
      {{"select", {"pred[?]", "f32[]", "f32[]"}}, "f32[?]"},
      {{"select", {"pred[<=3]", "f32[]", "f32[]"}}, "f32[<=3]"},
      {{"select", {"s8[2]", "f32[2]", "f32[2]"}}, "type-mismatch"},
      {{"select", {"pred[2]", "f32[2]", "s32[2]"}}, "operand-types-differ"},
      {{"select", {"pred[2]", "f32[3]", "f32[3]"}}, "shapes-differ"},
      {{"select", {"pred[2]", "f32[1]", "f32[2]"}}, "shapes-differ"},
      {{"select", {"pred[2]", "f32[2,2]", "f32[2,2]"}}, "shapes-differ"},
      {{"select", {"pred[?]", "f32[3]", "f32[5]"}}, "shapes-differ"},
      {{"select", {"pred[]", "(f32[])", "(f32[])"}}, "operand-not-array"},
      {{"select", {"pred[*]", "f32[2]", "f32[2]"}}, "f32[2]"},
      {{"select", {"pred[*]", "f32[*]", "bf16[*]"}}, "f32[*]"},
      {{"select", {"pred[]", "f32[*]", "f32[]"}}, "f32[*]"},
      {{"select", {"pred[2..4]", "f32[3..9]", "f32[?]"}}, "f32[3..9]"},
      {{"select", {"pred[2..4]", "f32[3..9]", "f32[<=7]"}}, "f32[3..4]"},
      {{"select", {"pred[2..4]", "f32[5..9]", "f32[5]"}}, "shapes-differ"},
  });
}

TEST(SelectTest, Verifier) {
  ExpectAnswers(
      {
          {{"select", {"pred[2]", "f32[2]", "f32[2]"}}, "f32[2]"},
          {{"select", {"pred[]", "f32[2]", "f32[2]"}}, "f32[2]"},
          {{"select", {"pred[2]", "f32[]", "f32[2]"}}, "implicit-broadcast"},
          {{"select", {"pred[2]", "f32[2]", "f32[]"}}, "implicit-broadcast"},
          {{"select", {"pred[2]", "f32[]", "f32[]"}}, "implicit-broadcast"},
          {{"select", {"pred[*]", "f32[2]", "f32[2]"}}, "f32[2]"},
      },
      InferPolicy::kVerifier);
}

TEST(ClampTest, Builder) {
  ExpectAnswers({
      {{"clamp", {"f32[2]", "f32[2]", "f32[2]"}}, "f32[2]"},
      {{"clamp", {"f32[]", "f32[2,<=3,?]", "f32[]"}}, "f32[2,<=3,?]"},
      {{"clamp", {"f64[]", "f32[2]", "f32[]"}}, "f32[2]"},
      {{"clamp", {"f32[<=6]", "f32[]", "f32[<=6]"}}, "f32[6]"},
      {{"clamp", {"f32[?]", "f32[]", "f32[3]"}}, "f32[?]"},
      {{"clamp", {"f32[?]", "f32[3]", "f32[5]"}}, "shapes-differ"},
      {{"clamp", {"f32[2]", "f32[3]", "f32[2]"}}, "shapes-differ"},
      {{"clamp", {"s32[]", "f32[3]", "f32[]"}}, "operand-types-differ"},
      {{"clamp", {"f32[]", "f32[3]", "token[]"}}, "operand-not-array"},
      {{"clamp", {"f32[*]", "f32[3]", "f32[]"}}, "f32[3]"},
      {{"clamp", {"f32[*]", "f32[]", "f32[]"}}, "f32[*]"},
      {{"clamp", {"f32[]", "f32[*]", "f32[]"}}, "f32[*]"},
      {{"clamp", {"f32[]", "f32[2..3]", "f32[?]"}}, "f32[2..3]"},
  });
}

TEST(ClampTest, Verifier) {
  ExpectAnswers(
      {
          {{"clamp", {"f32[]", "f32[3]", "f32[]"}}, "f32[3]"},
          {{"clamp", {"f32[3]", "f32[3]", "f32[]"}}, "f32[3]"},
          {{"clamp", {"f32[3]", "f32[]", "f32[3]"}}, "implicit-broadcast"},
      },
      InferPolicy::kVerifier);
}

// --- Map ---------------------------------------------------------------------

Attributes MapDims(DimIndices dims) { return DimensionsAttributes{dims}; }

TEST(MapTest, Table) {
  const Signature two = Callee({"f32[]", "f32[]"}, "s8[]");
  ExpectAnswers({
      {{"map", {"f32[2]", "f32[2]"}, MapDims({0}), {two}}, "s8[2]"},
      {{"map", {"f32[?]", "f32[2]"}, MapDims({0}), {two}}, "s8[?]"},
      {{"map", {"f32[2]", "f32[]"}, MapDims({0}), {two}}, "s8[2]"},
      {{"map", {"f16[]", "f32[2]"}, MapDims({0}), {two}}, "s8[2]"},
      {{"map", {"f32[]", "f32[]"}, MapDims({}), {two}}, "s8[]"},
      {{"map", {"f32[<=2]", "f32[]"}, MapDims({0}), {two}}, "shapes-differ"},
      {{"map", {"f32[2]", "f32[3]"}, MapDims({0}), {two}}, "shapes-differ"},
      {{"map", {"f32[2]", "f32[2]"}, MapDims({1}), {two}}, "map-dimensions"},
      {{"map", {"f32[2]", "f32[2]"}, MapDims({}), {two}}, "map-dimensions"},
      {{"map", {"f32[2]"}, MapDims({0}), {two}}, "callee-arity"},
      {{"map", {"s32[2]", "f32[2]"}, MapDims({0}), {two}}, "callee-parameter"},
      {{"map", {"f32[2]", "f32[2]"}, MapDims({0})}, "callee-count"},
      {{"map", {"f32[2]"}, MapDims({0}), {Callee({"f32[]"}, "f32[2]")}},
       "callee-result"},
      {{"map", {"f32[2]"}, MapDims({0}), {Callee({"f32[2]"}, "f32[]")}},
       "callee-parameter"},
      {{"map", {"f32[*]", "f32[2]"}, MapDims({0}), {two}}, "s8[2]"},
      {{"map", {"f32[*]", "f32[]"}, MapDims({0}), {two}}, "s8[*]"},
      {{"map", {"f32[*]", "f32[*]"}, MapDims({0, 1}), {two}}, "s8[*]"},
  });
  ExpectAnswers(
      {{{"map", {"f32[2]", "f32[]"}, MapDims({0}), {two}}, "shapes-differ"}},
      InferPolicy::kVerifier);
}

// --- Element types -----------------------------------------------------------

Op To(const char* op, const char* operand, const char* type) {
  return {op, {operand}, {}, {}, absl::StrCat(type, "[]")};
}

TEST(ConvertTest, KeepsDims) {
  ExpectAnswers({
      {To("convert", "f32[2,<=3,?]", "s8"), "s8[2,<=3,?]"},
      {To("convert", "c64[2]", "pred"), "pred[2]"},
      {To("convert", "f32[*]", "bf16"), "bf16[*]"},
      {To("convert", "(f32[])", "bf16"), "operand-not-array"},
      {{"convert", {"f32[2]"}}, "result-shape-needed"},
      {{"convert", {"f32[2]"}, {}, {}, "token[]"}, "result-shape-needed"},
  });
}

TEST(BitcastConvertTest, Table) {
  ExpectAnswers({
      {To("bitcast-convert", "f32[2]", "s32"), "s32[2]"},
      {To("bitcast-convert", "f32[2]", "u8"), "u8[2,4]"},
      {To("bitcast-convert", "f32[?,<=8]", "u16"), "u16[?,<=8,2]"},
      {To("bitcast-convert", "u8[2,4]", "f32"), "f32[2]"},
      {To("bitcast-convert", "u8[4]", "f32"), "f32[]"},
      {To("bitcast-convert", "u8[?,<=4]", "f32"), "f32[?]"},
      {To("bitcast-convert", "u8[2..5]", "f32"), "f32[]"},
      {To("bitcast-convert", "u8[5..6]", "f32"), "convert-last-dim"},
      {To("bitcast-convert", "u8[?]", "f32"), "convert-last-dim"},
      {To("bitcast-convert", "u8[3]", "f32"), "convert-last-dim"},
      {To("bitcast-convert", "u8[]", "f32"), "convert-last-dim"},
      {To("bitcast-convert", "pred[3,8]", "s8"), "s8[3]"},
      {To("bitcast-convert", "f16[4]", "pred"), "pred[4,16]"},
      {To("bitcast-convert", "c128[9]", "c64"), "c64[9,2]"},
      {To("bitcast-convert", "c64[9]", "f32"), "convert-complex"},
      {To("bitcast-convert", "f64[9]", "c64"), "convert-complex"},
      {To("bitcast-convert", "f6e2m3fn[9]", "s4"), "convert-widths"},
      {To("bitcast-convert", "f32[*]", "u8"), "u8[*]"},
      {{"bitcast-convert", {"f32[2]"}}, "result-shape-needed"},
  });
  // XLA's verifier of today stores a pred in eight bits.
  ExpectAnswers(
      {
          {To("bitcast-convert", "pred[3,8]", "s8"), "s8[3,8]"},
          {To("bitcast-convert", "pred[10,4]", "s32"), "s32[10]"},
          {To("bitcast-convert", "pred[10,32]", "s32"), "convert-last-dim"},
          {To("bitcast-convert", "s32[10]", "pred"), "pred[10,4]"},
          {To("bitcast-convert", "pred[3]", "u4"), "u4[3,2]"},
      },
      InferPolicy::kVerifier);
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using BinaryMethod = Op (ComputationBuilder::*)(const Operand&, const Operand&,
                                                const BroadcastArg&, Caller);
using UnaryMethod = Op (ComputationBuilder::*)(Op, Caller);

std::string Typed(const char* type, const char* dims) {
  return absl::StrCat(type, dims);
}

// --- Two operands ------------------------------------------------------------

struct BinaryRow {
  BinaryMethod method;
  Opcode opcode;
  const char* type;      // taken
  const char* result;    // of two of those
  const char* rejected;  // nullptr: none
};

const BinaryRow kBinary[] = {
    {&ComputationBuilder::Add, Opcode::kAdd, "f32", "f32", nullptr},
    {&ComputationBuilder::Max, Opcode::kMaximum, "pred", "pred", nullptr},
    {&ComputationBuilder::Min, Opcode::kMinimum, "s8", "s8", nullptr},
    {&ComputationBuilder::Mul, Opcode::kMultiply, "c64", "c64", nullptr},
    {&ComputationBuilder::Mulhi, Opcode::kMulhi, "u32", "u32", nullptr},
    {&ComputationBuilder::Sub, Opcode::kSubtract, "bf16", "bf16", "pred"},
    {&ComputationBuilder::Div, Opcode::kDivide, "f64", "f64", "pred"},
    {&ComputationBuilder::Rem, Opcode::kRemainder, "s64", "s64", "pred"},
    {&ComputationBuilder::Pow, Opcode::kPower, "f16", "f16", "pred"},
    {&ComputationBuilder::Atan2, Opcode::kAtan2, "f32", "f32", "s32"},
    {&ComputationBuilder::And, Opcode::kAnd, "pred", "pred", "f32"},
    {&ComputationBuilder::Or, Opcode::kOr, "u8", "u8", "f32"},
    {&ComputationBuilder::Xor, Opcode::kXor, "s4", "s4", "c64"},
    {&ComputationBuilder::ShiftLeft, Opcode::kShiftLeft, "s32", "s32", "pred"},
    {&ComputationBuilder::ShiftRightArithmetic, Opcode::kShiftRightArithmetic,
     "s32", "s32", "pred"},
    {&ComputationBuilder::ShiftRightLogical, Opcode::kShiftRightLogical, "u32",
     "u32", "pred"},
    {&ComputationBuilder::Complex, Opcode::kComplex, "f32", "c64", "s32"},
    {&ComputationBuilder::Eq, Opcode::kCompare, "c64", "pred", nullptr},
    {&ComputationBuilder::Ne, Opcode::kCompare, "pred", "pred", nullptr},
    {&ComputationBuilder::Ge, Opcode::kCompare, "f32", "pred", nullptr},
    {&ComputationBuilder::Gt, Opcode::kCompare, "s16", "pred", nullptr},
    {&ComputationBuilder::Le, Opcode::kCompare, "u64", "pred", nullptr},
    {&ComputationBuilder::Lt, Opcode::kCompare, "f8e5m2", "pred", nullptr},
};

struct BinaryForm {
  const char* lhs;
  const char* rhs;
  BroadcastArg broadcast;
  const char* expected;  // dims, or a code
};

void CheckBinary(const BinaryRow& row, const char* type, const BinaryForm& form,
                 const std::string& expected) {
  CheckCall({absl::StrCat(Name(row.opcode), " ", type, form.lhs, " ", form.rhs),
             [&](TestBuilder& b) {
               const Op lhs = b.P(Typed(type, form.lhs));
               const Op rhs = b.P(Typed(type, form.rhs));
               return (b.*row.method)(lhs, rhs, form.broadcast, Caller::Here());
             },
             expected});
}

TEST(BinaryTest, TakesEveryFormOfBroadcasting) {
  const BroadcastSpec pdpd{BroadcastRule::kPdpd, std::nullopt, 0};
  const BinaryForm forms[] = {
      {"[2,3]", "[2,3]", {}, "[2,3]"},
      {"[]", "[]", {}, "[]"},
      {"[2,3]", "[]", {}, "[2,3]"},
      {"[]", "[2,3]", {}, "[2,3]"},
      {"[2,3]", "[3]", {1}, "[2,3]"},
      {"[2]", "[2,3]", {0}, "[2,3]"},
      {"[1,3]", "[2,1]", {}, "[2,3]"},
      {"[4]", "[1,2]", {0}, "[4,2]"},
      {"[0,3]", "[1,3]", {}, "[0,3]"},
      {"[2,3]", "[3]", BroadcastRule::kNumpy, "[2,3]"},
      {"[2,3]", "[2]", pdpd, "[2,3]"},
      {"[2,3]", "[3]", std::vector<int64_t>{1}, "[2,3]"},
      {"[2,3]", "[3]", DimIndices{1}, "[2,3]"},
  };
  for (const BinaryRow& row : kBinary) {
    for (const BinaryForm& form : forms) {
      CheckBinary(row, row.type, form, Typed(row.result, form.expected));
    }
  }
}

TEST(BinaryTest, RefusesShapesAndTypesThatDontMatch) {
  const BinaryForm forms[] = {
      {"[2,3]", "[3]", {}, "IND0007"},
      {"[2,3]", "[2,4]", {}, "IND0001"},
      {"[2,3]", "[3]", {0, 1}, "IND0010"},
      {"[2,3]", "[3]", {2}, "IND0011"},
  };
  for (const BinaryRow& row : kBinary) {
    for (const BinaryForm& form : forms) {
      CheckBinary(row, row.type, form, form.expected);
    }
    CheckBinary(row, "token", {"[]", "[]", {}, ""}, "IND0101");
    if (row.rejected == nullptr) continue;
    CheckBinary(row, row.rejected, {"[2]", "[2]", {}, ""}, "IND0102");
  }
  CheckCall({"types differ",
             [](TestBuilder& b) { return b.Add(b.P("f32[2]"), b.P("s32[2]")); },
             "IND0103"});
}

TEST(BinaryTest, RecordsWhatWasWritten) {
  for (const BinaryRow& row : kBinary) {
    TestBuilder b("record");
    const Op x = b.P(Typed(row.type, "[2,3]"));
    const Op y = b.P(Typed(row.type, "[3]"));
    const Op op = (b.*row.method)(x, y, {1}, Caller::Here());
    absl::StatusOr<Module> module = b.Build(op);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_TRUE(module->is_recorded());
    const Instruction root = module->entry().root();
    EXPECT_EQ(root.opcode(), row.opcode);
    ASSERT_EQ(root.operand_count(), 2);
    EXPECT_EQ(root.operand(0).index(), 0);
    EXPECT_EQ(root.operand(1).index(), 1);
    const BroadcastSpec spec =
        row.opcode == Opcode::kCompare
            ? As<CompareAttributes>(root.attributes()).broadcast
            : As<ElementwiseAttributes>(root.attributes()).broadcast;
    EXPECT_EQ(spec.rule, BroadcastRule::kXla);
    ASSERT_TRUE(spec.dimensions.has_value());
    EXPECT_EQ(*spec.dimensions, DimIndices({1}));
  }
}

TEST(BinaryTest, KeepsTheRule) {
  TestBuilder b("rules");
  const Op x = b.P("f32[2,3]"), y = b.P("f32[2]");
  const BroadcastSpec spec{BroadcastRule::kPdpd, std::nullopt, 0};
  absl::StatusOr<Module> module = b.Build(b.Mul(x, y, spec));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction root = module->entry().root();
  EXPECT_EQ(As<ElementwiseAttributes>(root.attributes()).broadcast, spec);
}

TEST(CompareTest, SaysDirectionAndType) {
  const struct {
    BinaryMethod method;
    const char* type;
    ComparisonDirection direction;
    ComparisonType comparison;
  } rows[] = {
      {&ComputationBuilder::Eq, "f32", ComparisonDirection::kEq,
       ComparisonType::kFloat},
      {&ComputationBuilder::Ne, "c64", ComparisonDirection::kNe,
       ComparisonType::kFloat},
      {&ComputationBuilder::Ge, "s32", ComparisonDirection::kGe,
       ComparisonType::kSigned},
      {&ComputationBuilder::Gt, "u8", ComparisonDirection::kGt,
       ComparisonType::kUnsigned},
      {&ComputationBuilder::Le, "pred", ComparisonDirection::kLe,
       ComparisonType::kUnsigned},
      {&ComputationBuilder::Lt, "bf16", ComparisonDirection::kLt,
       ComparisonType::kFloat},
  };
  for (const auto& row : rows) {
    TestBuilder b("compare");
    const Op x = b.P(Typed(row.type, "[2]"));
    absl::StatusOr<Module> module =
        b.Build((b.*row.method)(x, x, {}, Caller::Here()));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction root = module->entry().root();
    const auto& attributes = As<CompareAttributes>(root.attributes());
    EXPECT_EQ(attributes.direction, row.direction) << row.type;
    EXPECT_EQ(attributes.type, row.comparison) << row.type;
  }
}

TEST(CompareTest, TakesATypeThatFits) {
  auto compare = [](ComparisonType type) {
    return [type](TestBuilder& b) {
      const Op x = b.P("f32[2]");
      return b.Compare(x, x, ComparisonDirection::kLt, {}, type);
    };
  };
  CheckCall(
      {"total order", compare(ComparisonType::kFloatTotalOrder), "pred[2]"});
  CheckCall({"floats as signed", compare(ComparisonType::kSigned), "IND0114"});
}

// --- One operand -------------------------------------------------------------

struct UnaryRow {
  UnaryMethod method;
  Opcode opcode;
  const char* type;
  const char* result;
  const char* rejected;
};

const UnaryRow kUnary[] = {
    {&ComputationBuilder::Abs, Opcode::kAbs, "c64", "f32", "u32"},
    {&ComputationBuilder::Sign, Opcode::kSign, "s32", "s32", "u32"},
    {&ComputationBuilder::Neg, Opcode::kNegate, "u32", "u32", "pred"},
    {&ComputationBuilder::Acos, Opcode::kAcos, "f32", "f32", "s32"},
    {&ComputationBuilder::Acosh, Opcode::kAcosh, "f32", "f32", "s32"},
    {&ComputationBuilder::Asin, Opcode::kAsin, "f32", "f32", "s32"},
    {&ComputationBuilder::Asinh, Opcode::kAsinh, "f32", "f32", "s32"},
    {&ComputationBuilder::Atanh, Opcode::kAtanh, "f32", "f32", "s32"},
    {&ComputationBuilder::Cos, Opcode::kCos, "f32", "f32", "s32"},
    {&ComputationBuilder::Cosh, Opcode::kCosh, "c128", "c128", "s32"},
    {&ComputationBuilder::Exp, Opcode::kExp, "bf16", "bf16", "s32"},
    {&ComputationBuilder::Exp2, Opcode::kExp2, "f16", "f16", "s32"},
    {&ComputationBuilder::Log2, Opcode::kLog2, "c64", "c64", "s32"},
    {&ComputationBuilder::Expm1, Opcode::kExpm1, "f16", "f16", "s32"},
    {&ComputationBuilder::Log, Opcode::kLog, "f64", "f64", "s32"},
    {&ComputationBuilder::Log1p, Opcode::kLog1p, "f32", "f32", "s32"},
    {&ComputationBuilder::Logistic, Opcode::kLogistic, "f32", "f32", "s32"},
    {&ComputationBuilder::Rsqrt, Opcode::kRsqrt, "f32", "f32", "s32"},
    {&ComputationBuilder::Sin, Opcode::kSin, "f32", "f32", "s32"},
    {&ComputationBuilder::Sinh, Opcode::kSinh, "f32", "f32", "s32"},
    {&ComputationBuilder::Sqrt, Opcode::kSqrt, "f32", "f32", "s32"},
    {&ComputationBuilder::Tan, Opcode::kTan, "f32", "f32", "s32"},
    {&ComputationBuilder::Tanh, Opcode::kTanh, "f32", "f32", "s32"},
    {&ComputationBuilder::Real, Opcode::kReal, "c64", "f32", "s32"},
    {&ComputationBuilder::Imag, Opcode::kImag, "c128", "f64", "s32"},
    {&ComputationBuilder::Cbrt, Opcode::kCbrt, "f32", "f32", "c64"},
    {&ComputationBuilder::Ceil, Opcode::kCeil, "f32", "f32", "s32"},
    {&ComputationBuilder::Erf, Opcode::kErf, "f32", "f32", "c64"},
    {&ComputationBuilder::Floor, Opcode::kFloor, "f32", "f32", "s32"},
    {&ComputationBuilder::Round, Opcode::kRoundNearestAfz, "f32", "f32", "s32"},
    {&ComputationBuilder::RoundNearestEven, Opcode::kRoundNearestEven, "f32",
     "f32", "s32"},
    {&ComputationBuilder::IsFinite, Opcode::kIsFinite, "f32", "pred", "s32"},
    {&ComputationBuilder::Not, Opcode::kNot, "pred", "pred", "f32"},
    {&ComputationBuilder::Clz, Opcode::kClz, "s32", "s32", "pred"},
    {&ComputationBuilder::PopulationCount, Opcode::kPopulationCount, "u32",
     "u32", "f32"},
};

TEST(UnaryTest, KeepsDims) {
  for (const UnaryRow& row : kUnary) {
    for (const char* dims : {"[]", "[2,<=3,0]", "[?]", "[*]"}) {
      CheckCall({absl::StrCat(Name(row.opcode), dims),
                 [&](TestBuilder& b) {
                   return (b.*row.method)(b.P(Typed(row.type, dims)),
                                          Caller::Here());
                 },
                 Typed(row.result, dims)});
    }
    TestBuilder b("opcode");
    const Op x = b.P(Typed(row.type, "[2]"));
    absl::StatusOr<Module> module = b.Build((b.*row.method)(x, Caller::Here()));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->entry().root().opcode(), row.opcode);
  }
}

TEST(UnaryTest, RefusesOtherTypes) {
  for (const UnaryRow& row : kUnary) {
    auto call = [&](const std::string& shape) {
      return [&row, shape](TestBuilder& b) {
        return (b.*row.method)(b.P(shape), Caller::Here());
      };
    };
    const std::string rejected = Typed(row.rejected, "[2]");
    CheckCall({absl::StrCat(Name(row.opcode), " ", rejected), call(rejected),
               "IND0102"});
    CheckCall({absl::StrCat(Name(row.opcode), " of a tuple"), call("(f32[2])"),
               "IND0101"});
  }
}

TEST(UnaryTest, CopyTakesAnything) {
  for (const char* shape : {"f32[2]", "(f32[2], s32[])", "token[]", "()"}) {
    CheckCall(
        {shape, [&](TestBuilder& b) { return b.Copy(b.P(shape)); }, shape});
  }
}

// --- Three and more ----------------------------------------------------------

// A method of three operands on parameters of these shapes.
template <typename Method>
std::function<Op(TestBuilder&)> Ternary(Method method, const char* x,
                                        const char* y, const char* z) {
  return [=](TestBuilder& b) {
    const Op first = b.P(x), second = b.P(y), third = b.P(z);
    return (b.*method)(first, second, third, Caller::Here());
  };
}

TEST(NaryTest, Table) {
  const auto select = &ComputationBuilder::Select;
  const auto clamp = &ComputationBuilder::Clamp;
  const CallCase cases[] = {
      {"select", Ternary(select, "pred[2]", "f32[2]", "f32[2]"), "f32[2]"},
      {"by a scalar", Ternary(select, "pred[]", "f32[2]", "f32[2]"), "f32[2]"},
      {"a scalar", Ternary(select, "pred[2]", "f32[2]", "f32[]"), "f32[2]"},
      {"not pred", Ternary(select, "s32[2]", "f32[2]", "f32[2]"), "IND0119"},
      {"types", Ternary(select, "pred[2]", "f32[2]", "s32[2]"), "IND0103"},
      {"dims", Ternary(select, "pred[2]", "f32[2]", "f32[3]"), "IND0115"},
      {"clamp", Ternary(clamp, "f32[2]", "f32[2]", "f32[2]"), "f32[2]"},
      {"by scalars", Ternary(clamp, "f32[]", "f32[2,3]", "f32[]"), "f32[2,3]"},
      {"clamp dims", Ternary(clamp, "f32[3]", "f32[2]", "f32[]"), "IND0115"},
      {"clamp types", Ternary(clamp, "s32[]", "f32[2]", "f32[]"), "IND0103"},
      {"map",
       [](TestBuilder& b) {
         return b.Map({b.P("f32[2,3]")}, Negated("f32[]"), {0, 1});
       },
       "f32[2,3]"},
      {"map of two",
       [](TestBuilder& b) {
         return b.Map({b.P("f32[2]"), b.P("f32[2]")}, AddScalars(), {0});
       },
       "f32[2]"},
      {"map, dims not all",
       [](TestBuilder& b) {
         return b.Map({b.P("f32[2,3]")}, Negated("f32[]"), {1});
       },
       "IND0121"},
      {"map, arity",
       [](TestBuilder& b) { return b.Map({b.P("f32[2]")}, AddScalars(), {0}); },
       "IND0401"},
      {"reduce-precision",
       [](TestBuilder& b) { return b.ReducePrecision(b.P("f32[2]"), 5, 10); },
       "f32[2]"},
      {"no exponent",
       [](TestBuilder& b) { return b.ReducePrecision(b.P("f32[2]"), 0, 10); },
       "IND0120"},
      {"of integers",
       [](TestBuilder& b) { return b.ReducePrecision(b.P("s32[2]"), 5, 10); },
       "IND0102"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(NaryTest, ScalarsAreRecordedAsTheyAre) {
  TestBuilder b("clamp");
  const Op low = b.P("f32[]"), x = b.P("f32[2]");
  absl::StatusOr<Module> module = b.Build(b.Clamp(low, x, low));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->instruction_count(), 3);
}

}  // namespace
}  // namespace indim

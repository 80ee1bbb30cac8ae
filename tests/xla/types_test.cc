// SPDX-License-Identifier: Apache-2.0
// Constants and conversions of every element type, and float types that mix,
// on real XLA against NumPy.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

// Those that NumPy, with ml_dtypes, and XLA's CPU client both know.
const Types& NumpyTypes() {
  static const auto* const kTypes =
      new Types{ElementType::kPred,       ElementType::kS2,
                ElementType::kU2,         ElementType::kS4,
                ElementType::kU4,         ElementType::kS8,
                ElementType::kS16,        ElementType::kS32,
                ElementType::kS64,        ElementType::kU8,
                ElementType::kU16,        ElementType::kU32,
                ElementType::kU64,        ElementType::kF4E2M1FN,
                ElementType::kF8E8M0FNU,  ElementType::kF8E3M4,
                ElementType::kF8E4M3,     ElementType::kF8E4M3FN,
                ElementType::kF8E4M3FNUZ, ElementType::kF8E4M3B11FNUZ,
                ElementType::kF8E5M2,     ElementType::kF8E5M2FNUZ,
                ElementType::kF16,        ElementType::kBF16,
                ElementType::kF32,        ElementType::kF64,
                ElementType::kC64,        ElementType::kC128};
  return *kTypes;
}

// Of these every third, without INDIM_ALL_CASES.
Types SampledTypes() {
  Types types;
  for (size_t i = 0; i < NumpyTypes().size();
       i += static_cast<size_t>(SampleStep(3))) {
    types.push_back(NumpyTypes()[i]);
  }
  return types;
}

std::string Quoted(ElementType type) {
  return absl::StrCat("'", Name(type), "'");
}

class TypeTest : public testing::TestWithParam<ElementType> {
 protected:
  // Numbers that the type has.
  std::vector<double> Values() const {
    switch (GetParam()) {
      case ElementType::kPred:
        return {1, 0, 0, 1, 1, 1};
      case ElementType::kS2:
        return {-2, -1, 0, 1, 0, 1};
      case ElementType::kU2:
        return {0, 1, 2, 3, 2, 1};
      case ElementType::kF8E8M0FNU:
        return {0.25, 0.5, 1, 2, 4, 1024};
      case ElementType::kF4E2M1FN:
        return {-6, -0.5, 0, 1, 1.5, 4};
      default:
        break;
    }
    if (IsFloat(GetParam()) || IsComplex(GetParam())) {
      return {-2.5, -1, 0, 0.5, 1.75, 3};
    }
    return {0, 1, 2, 3, 7, 5};
  }
};

TEST_P(TypeTest, ConstantsOfEveryRank) {
  const ElementType type = GetParam();
  const std::vector<double> values = Values();
  const std::string all =
      absl::StrCat("np.array([", absl::StrJoin(values, ","), "])");
  JudgedModule m("constants");
  for (const Sizes& sizes : {Sizes{6}, Sizes{2, 3}, Sizes{1, 6, 1}}) {
    const absl::StatusOr<Literal> literal =
        Literal::FromDoubles(type, values, sizes);
    ASSERT_TRUE(literal.ok()) << literal.status();
    m.Expect(m.builder().ConstantLiteral(*literal),
             absl::StrCat(all, ".reshape(", PythonList(sizes), ")"));
  }
  const absl::StatusOr<Literal> empty = Literal::FromDoubles(type, {}, {2, 0});
  ASSERT_TRUE(empty.ok()) << empty.status();
  m.Expect(m.builder().ConstantLiteral(*empty), "np.zeros([2, 0])");
  m.Expect(m.builder().ConstantR0(type, values[4]),
           absl::StrCat("np.array(", values[4], ")"));
  m.Run();
}

TEST_P(TypeTest, InputsComeBack) {
  JudgedModule m("identity");
  const auto x = m.AddInput(MakeShape(GetParam(), {2, 3}), Domain::kSmall);
  m.Expect(m.builder().Copy(x.op), x.name);
  m.Run();
}

bool IsNarrow(ElementType type) {
  return Info(type).bits < 8 || type == ElementType::kF8E8M0FNU;
}

// Numbers that both types hold; what becomes of others nobody promises.
Domain DomainFor(ElementType from, ElementType to) {
  if (to == ElementType::kF8E8M0FNU) return Domain::kPositive;
  if (IsNarrow(from) || IsNarrow(to)) return Domain::kUnit;
  return IsUnsigned(to) ? Domain::kCount : Domain::kSmall;
}

TEST_P(TypeTest, ConvertsToEveryType) {
  const ElementType from = GetParam();
  JudgedModule m("convert");
  for (ElementType to : NumpyTypes()) {
    // 2 is there in f8e8m0fnu, not in s2.
    if (from == ElementType::kF8E8M0FNU && to == ElementType::kS2) continue;
    const auto x = m.AddInput(MakeShape(from, {5}), DomainFor(from, to));
    m.Expect(m.builder().ConvertElementType(x.op, to),
             absl::StrCat("convert(", x.raw, ", ", Quoted(to), ")"));
  }
  m.Run();
}

TEST_P(TypeTest, BitcastConvertsToEveryTypeOfItsFamily) {
  const ElementType from = GetParam();
  if (from == ElementType::kPred || IsComplex(from) || Info(from).bits < 8) {
    return;  // XLA, too, has no bits of these to show as bytes
  }
  JudgedModule m("bitcast");
  for (ElementType to : NumpyTypes()) {
    if (to == ElementType::kPred || IsComplex(to) || Info(to).bits < 8) {
      continue;
    }
    Sizes sizes = {3};
    const int ratio = Info(to).bits / Info(from).bits;
    if (ratio > 1) sizes.push_back(ratio);
    const auto x = m.AddInput(MakeShape(from, sizes), Domain::kSmall);
    m.Expect(m.builder().BitcastConvertType(x.op, to),
             absl::StrCat("bitcast_convert(", x.raw, ", ", Quoted(to), ")"));
  }
  m.Run();
}

INSTANTIATE_TEST_SUITE_P(Types, TypeTest, testing::ValuesIn(SampledTypes()),
                         [](const testing::TestParamInfo<ElementType>& info) {
                           return std::string(Name(info.param));
                         });

TEST(ReducePrecisionTest, EqualsNumpy) {
  JudgedModule m("reduce-precision");
  for (ElementType type : {ElementType::kF32, ElementType::kF64,
                           ElementType::kBF16, ElementType::kF16}) {
    for (const auto& bits : std::vector<std::pair<int, int>>{
             {8, 7}, {5, 10}, {5, 2}, {4, 3}, {8, 0}, {11, 20}}) {
      if (bits.first > Info(type).exponent) continue;
      const auto x = m.AddInput(MakeShape(type, {20}), Domain::kSpecial);
      m.Expect(m.builder().ReducePrecision(x.op, bits.first, bits.second),
               absl::StrCat("reduce_precision(", x.name, ", ", bits.first, ", ",
                            bits.second, ")"));
    }
  }
  m.Run();
}

// The CPU client doesn't know how; it reads what we write.
TEST(StochasticConvertTest, IsRead) {
  JudgedModule m("stochastic-convert");
  const auto x = m.AddInput("f32[4]");
  const auto random = m.AddInput("u32[4]");
  m.Expect(
      m.builder().StochasticConvertType(x.op, random.op, ElementType::kBF16),
      "p0");
  m.RunRefused("stochastic-convert", "Unsupported stochastic convert");
}

// Float types of two operands differ: the result has the more general one.
TEST(MixedFloatsTest, RunAfterExport) {
  const Types floats = {ElementType::kF8E5M2, ElementType::kF8E4M3FN,
                        ElementType::kF16,    ElementType::kBF16,
                        ElementType::kF32,    ElementType::kF64};
  RandomOperands random(17);
  JudgedModule m("mixed");
  for (ElementType a : floats) {
    for (ElementType b : floats) {
      if (a == b) continue;
      // Whole numbers of one digit, which every type has.
      const BroadcastForm form = random.Form();
      const auto x = m.AddInput(MakeShape(a, form.lhs), Domain::kSmall);
      const auto y = m.AddInput(MakeShape(b, form.rhs), Domain::kSmall);
      const std::string grown = form.Grown(x.name, y.name);
      m.Expect(m.builder().Add(x.op, y.op, form.arg),
               absl::StrCat("op_add(", grown, ")"));
      m.Expect(m.builder().Lt(x.op, y.op, form.arg),
               absl::StrCat("op_lt(", grown, ")"));
    }
  }
  m.Run();
}

TEST(MixedFloatsTest, OtherOps) {
  JudgedModule m("mixed");
  ComputationBuilder& b = m.builder();
  const auto p = m.AddInput("pred[3]");
  const auto x = m.AddInput("bf16[3]", Domain::kSmall);
  const auto y = m.AddInput("f32[3]", Domain::kSmall);
  const auto s = m.AddInput("f64[]", Domain::kSmall);
  m.Expect(b.Select(p.op, x.op, y.op), "select(p0, p1, p2)");
  m.Expect(b.Clamp(x.op, y.op, s.op), "clamp(p1, p2, p3)");
  m.Expect(b.ConcatInDim({x.op, y.op, x.op}, 0),
           "concatenate([p1, p2, p1], 0)");
  m.Expect(b.Pad(x.op, s.op, {{1, 0, 1}}), "pad(p1, p3, [(1, 0, 1)])");
  m.Expect(b.Dot(x.op, y.op), "dot(p1, p2, [0], [0])");
  m.Run();
}

}  // namespace
}  // namespace indim

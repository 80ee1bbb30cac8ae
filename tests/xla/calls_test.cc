// SPDX-License-Identifier: Apache-2.0
// Ops of three operands, contraction, reduction and ops that call
// computations, on real XLA against NumPy.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

const Types& CallNumbers() {
  static const Types* const kTypes =
      new Types{ElementType::kS8,  ElementType::kS32,  ElementType::kS64,
                ElementType::kU8,  ElementType::kU16,  ElementType::kF16,
                ElementType::kF32, ElementType::kBF16, ElementType::kF64};
  return *kTypes;
}

// A computation of two scalars.
using BinaryMethod = Op (ComputationBuilder::*)(const Operand&, const Operand&,
                                                const BroadcastArg&, Caller);
Callee ScalarCallee(ComputationBuilder& parent, ElementType type,
                    BinaryMethod method) {
  ComputationBuilder b = parent.SubBuilder("fold");
  const Op x = b.Parameter(0, Shape::Scalar(type));
  const Op y = b.Parameter(1, Shape::Scalar(type));
  return b.BuildCallee((b.*method)(x, y, {}, Caller::Here()));
}

TEST(TernaryTest, SelectWithScalars) {
  RandomOperands random(19);
  JudgedModule m("select");
  for (ElementType type : CallNumbers()) {
    for (int scalars = 0; scalars < 8; ++scalars) {
      const Sizes dims = random.Dims();
      const auto sizes = [&](int k) {
        return (scalars >> k) & 1 ? Sizes() : dims;
      };
      const auto p = m.AddInput(MakeShape(ElementType::kPred, sizes(0)));
      const auto x = m.AddInput(MakeShape(type, sizes(1)));
      const auto y = m.AddInput(MakeShape(type, sizes(2)));
      m.Expect(
          m.builder().Select(p.op, x.op, y.op),
          absl::StrCat("select(", p.name, ", ", x.name, ", ", y.name, ")"));
    }
  }
  m.Run();
}

TEST(TernaryTest, ClampWithScalars) {
  RandomOperands random(23);
  JudgedModule m("clamp");
  for (ElementType type : CallNumbers()) {
    for (int scalars = 0; scalars < 4; ++scalars) {
      const Sizes dims = random.Dims();
      const auto sizes = [&](int k) {
        return (scalars >> k) & 1 ? Sizes() : dims;
      };
      const auto low = m.AddInput(MakeShape(type, sizes(0)));
      const auto x = m.AddInput(MakeShape(type, dims));
      const auto high = m.AddInput(MakeShape(type, sizes(1)));
      m.Expect(
          m.builder().Clamp(low.op, x.op, high.op),
          absl::StrCat("clamp(", low.name, ", ", x.name, ", ", high.name, ")"));
    }
  }
  m.Run();
}

TEST(CompareTest, TotalOrder) {
  JudgedModule m("total-order");
  const std::vector<std::pair<ComparisonDirection, const char*>> directions = {
      {ComparisonDirection::kEq, "op_eq"}, {ComparisonDirection::kNe, "op_ne"},
      {ComparisonDirection::kGe, "op_ge"}, {ComparisonDirection::kGt, "op_gt"},
      {ComparisonDirection::kLe, "op_le"}, {ComparisonDirection::kLt, "op_lt"}};
  for (ElementType type : {ElementType::kF16, ElementType::kBF16,
                           ElementType::kF32, ElementType::kF64}) {
    for (const auto& [direction, function] : directions) {
      const auto x = m.AddInput(MakeShape(type, {7, 1}), Domain::kSpecial);
      const auto y = m.AddInput(MakeShape(type, {9}), Domain::kSpecial);
      m.Expect(m.builder().Compare(x.op, y.op, direction, {1},
                                   ComparisonType::kFloatTotalOrder),
               absl::StrCat(function, "(*xla(total_order(", x.raw,
                            "), total_order(", y.raw, "), [1]))"));
    }
  }
  m.Run();
}

TEST(DotTest, OfMatricesAndVectors) {
  JudgedModule m("dot");
  for (ElementType type : CallNumbers()) {
    for (const auto& [lhs, rhs] :
         std::vector<std::pair<Sizes, Sizes>>{{{2, 3}, {3, 4}},
                                              {{3}, {3}},
                                              {{2, 3}, {3}},
                                              {{3}, {3, 2}},
                                              {{2, 0}, {0, 3}}}) {
      const auto x = m.AddInput(MakeShape(type, lhs), Domain::kSmall);
      const auto y = m.AddInput(MakeShape(type, rhs), Domain::kSmall);
      m.Expect(m.builder().Dot(x.op, y.op),
               absl::StrCat("dot(", x.name, ", ", y.name, ", [", lhs.size() - 1,
                            "], [0])"));
    }
  }
  m.Run();
}

// An operand's dims in random order, and where each kind went.
struct DotOperand {
  Sizes sizes;
  DimIndices batch;
  DimIndices contracting;
};

DotOperand MakeDotOperand(RandomOperands& random, const Sizes& batch,
                          const Sizes& contracting, const Sizes& free) {
  Sizes all = batch;
  all.insert(all.end(), contracting.begin(), contracting.end());
  all.insert(all.end(), free.begin(), free.end());
  const std::vector<int64_t> place = random.Permutation(all.size());
  DotOperand result;
  result.sizes.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    result.sizes[place[i]] = all[i];
    if (i < batch.size()) {
      result.batch.push_back(place[i]);
    } else if (i < batch.size() + contracting.size()) {
      result.contracting.push_back(place[i]);
    }
  }
  return result;
}

TEST(DotTest, General) {
  RandomOperands random(29);
  JudgedModule m("dot-general");
  Types types = CallNumbers();
  types.push_back(ElementType::kC64);
  for (int i = 0; i < 60; ++i) {
    const ElementType type = types[i % types.size()];
    const Sizes batch = random.FullDims(random.Between(0, 2));
    const Sizes contracting = random.FullDims(random.Between(0, 2));
    const DotOperand lhs = MakeDotOperand(random, batch, contracting,
                                          random.Dims(random.Between(0, 2)));
    const DotOperand rhs = MakeDotOperand(random, batch, contracting,
                                          random.Dims(random.Between(0, 2)));
    DotAttributes dims;
    dims.lhs_batch_dims = lhs.batch;
    dims.rhs_batch_dims = rhs.batch;
    dims.lhs_contracting_dims = lhs.contracting;
    dims.rhs_contracting_dims = rhs.contracting;
    const auto x = m.AddInput(MakeShape(type, lhs.sizes), Domain::kSmall);
    const auto y = m.AddInput(MakeShape(type, rhs.sizes), Domain::kSmall);
    m.Expect(
        m.builder().DotGeneral(x.op, y.op, dims),
        absl::StrCat("dot(", x.name, ", ", y.name, ", ",
                     PythonList(lhs.contracting), ", ",
                     PythonList(rhs.contracting), ", ", PythonList(lhs.batch),
                     ", ", PythonList(rhs.batch), ")"));
  }
  m.Run();
}

TEST(DotTest, PreferredElementType) {
  JudgedModule m("dot");
  ComputationBuilder& b = m.builder();
  const auto x = m.AddInput("s8[3,4]");
  const auto y = m.AddInput("s8[4,2]");
  const auto u = m.AddInput("bf16[3,4]");
  const auto v = m.AddInput("bf16[4,2]");
  m.Expect(b.Dot(x.op, y.op, ElementType::kS32),
           "dot(p0.astype(np.int32), p1.astype(np.int32), [1], [0])");
  m.Expect(b.Dot(u.op, v.op, ElementType::kF32), "dot(p2, p3, [1], [0])", 64);
  m.Run();
}

struct Fold {
  const char* function;  // of NumPy's
  BinaryMethod method;
  Types types;
};

// XLA may leave out an initial value, so it must change nothing. (The values
// are small: kSmall.)
std::string Identity(absl::string_view function, ElementType type) {
  if (function == "np.multiply") return "1";
  if (function == "np.minimum") return "100";
  if (function == "np.maximum") return IsUnsigned(type) ? "0" : "-100";
  if (function != "np.bitwise_and") return "0";
  if (type == ElementType::kPred) return "1";
  return IsUnsigned(type) ? "4294967295" : "-1";
}

TEST(ReduceTest, OneOperand) {
  // Sums of few digits are exact, bf16 has too few.
  const Types exact = {ElementType::kS8,  ElementType::kS32, ElementType::kU8,
                       ElementType::kF16, ElementType::kF32, ElementType::kF64};
  const Types bits = {ElementType::kPred, ElementType::kS16, ElementType::kU32};
  const Fold kFolds[] = {
      {"np.add", &ComputationBuilder::Add, exact},
      {"np.multiply",
       &ComputationBuilder::Mul,
       {ElementType::kS32, ElementType::kU8, ElementType::kF64}},
      {"np.maximum", &ComputationBuilder::Max, CallNumbers()},
      {"np.minimum", &ComputationBuilder::Min, CallNumbers()},
      {"np.bitwise_and", &ComputationBuilder::And, bits},
      {"np.bitwise_or", &ComputationBuilder::Or, bits},
      {"np.bitwise_xor", &ComputationBuilder::Xor, bits}};
  RandomOperands random(31);
  for (const Fold& fold : kFolds) {
    JudgedModule m(fold.function);
    for (int i = 0; i < 12; ++i) {
      const ElementType type = fold.types[i % fold.types.size()];
      const Sizes dims = random.FullDims(random.Between(0, 3));
      const std::vector<int64_t> reduced = random.Subset(dims.size());
      const auto x = m.AddInput(MakeShape(type, dims), Domain::kSmall);
      const auto init =
          m.AddInput(MakeShape(type, {}), Identity(fold.function, type));
      const Callee callee = ScalarCallee(m.builder(), type, fold.method);
      const bool all = reduced.size() == dims.size();
      m.Expect(all ? m.builder().ReduceAll(x.op, init.op, callee)
                   : m.builder().Reduce(x.op, init.op, callee, reduced),
               absl::StrCat("reduce(", fold.function, ", ", x.name, ", ",
                            init.name, ", ", PythonList(reduced), ")"));
    }
    m.Run();
  }
}

// The largest value and the first place where it is.
Callee ArgMax(ComputationBuilder& parent) {
  ComputationBuilder b = parent.SubBuilder("argmax");
  const Op v0 = b.Parameter(0, "f32[]"), i0 = b.Parameter(1, "s32[]");
  const Op v1 = b.Parameter(2, "f32[]"), i1 = b.Parameter(3, "s32[]");
  const Op first = b.Or(b.Gt(v0, v1), b.And(b.Eq(v0, v1), b.Lt(i0, i1)));
  return b.BuildCallee(
      b.Tuple({b.Select(first, v0, v1), b.Select(first, i0, i1)}));
}

TEST(ReduceTest, TwoOperandsAtOnce) {
  RandomOperands random(37);
  JudgedModule m("argmax");
  ComputationBuilder& b = m.builder();
  for (int i = 0; i < 6; ++i) {
    const Sizes dims = random.FullDims(3);
    const std::vector<int64_t> reduced = {0, random.Between(1, 2)};
    const auto x =
        m.AddInput(MakeShape(ElementType::kF32, dims), Domain::kSmall);
    const Op places = b.Iota(MakeShape(ElementType::kS32, dims), reduced[1]);
    const Op both = b.Reduce({x.op, places},
                             {b.ConstantR0(ElementType::kF32, -100),
                              b.ConstantR0(ElementType::kS32, 1000)},
                             ArgMax(b), reduced);
    const std::string arguments =
        absl::StrCat("(", x.name, ", iota(", PythonList(dims), ", ", reduced[1],
                     "), ", PythonList(reduced), ")");
    m.Expect(b.GetTupleElement(both, 0), "argmax_value" + arguments);
    m.Expect(b.GetTupleElement(both, 1), "argmax_index" + arguments);
  }
  m.Run();
}

TEST(CallTest, CallMapTupleAndControl) {
  JudgedModule m("calls");
  ComputationBuilder& b = m.builder();
  const auto x = m.AddInput("f32[2,3]", Domain::kSmall);
  const auto y = m.AddInput("f32[3]", Domain::kSmall);
  const auto p = m.AddInput("pred[]");
  const auto n = m.AddInput("s32[]", Domain::kExponent);

  // A computation with an implicit broadcast of its own.
  ComputationBuilder row = b.SubBuilder("add_row");
  const Op matrix = row.Parameter(0, "f32[2,3]");
  const Op vector = row.Parameter(1, "f32[3]");
  const Callee add_row = row.BuildCallee(row.Add(matrix, vector, {1}));
  m.Expect(b.Call(add_row, {x.op, y.op}), "p0 + p1");
  m.Expect(b.Call(add_row, {b.Call(add_row, {x.op, y.op}), y.op}),
           "p0 + 2 * p1");

  const Callee mul =
      ScalarCallee(b, ElementType::kF32, &ComputationBuilder::Mul);
  m.Expect(b.Map({x.op, x.op}, mul, {0, 1}), "p0 * p0");
  m.Expect(b.GetTupleElement(b.Tuple({x.op, b.Tuple({y.op})}), 0), "p0");
  m.Expect(b.GetTupleElement(
               b.GetTupleElement(b.Tuple({x.op, b.Tuple({y.op})}), 1), 0),
           "p1");

  ComputationBuilder twice = b.SubBuilder("twice");
  const Callee doubled = twice.BuildCallee(twice.Mul(
      twice.Parameter(0, "f32[3]"), twice.ConstantR0(ElementType::kF32, 2)));
  ComputationBuilder minus = b.SubBuilder("minus");
  const Callee negated =
      minus.BuildCallee(minus.Neg(minus.Parameter(0, "f32[3]")));
  m.Expect(b.Conditional(p.op, y.op, doubled, y.op, negated),
           "2 * p1 if p2 else -p1");

  // n times doubled.
  const Shape state = Shape::Tuple(
      {Shape::Scalar(ElementType::kS32), MakeShape(ElementType::kF32, {3})});
  ComputationBuilder left = b.SubBuilder("left");
  const Callee condition = left.BuildCallee(
      left.Gt(left.GetTupleElement(left.Parameter(0, state), 0),
              left.ConstantR0(ElementType::kS32, 0)));
  ComputationBuilder step = b.SubBuilder("step");
  const Op s = step.Parameter(0, state);
  const Callee body = step.BuildCallee(
      step.Tuple({step.Sub(step.GetTupleElement(s, 0),
                           step.ConstantR0(ElementType::kS32, 1)),
                  step.Call(doubled, {step.GetTupleElement(s, 1)})}));
  m.Expect(
      b.GetTupleElement(b.While(condition, body, b.Tuple({n.op, y.op})), 1),
      "p1 * 2.0 ** p3");
  m.Expect(b.OptimizationBarrier(y.op), "p1");
  m.Run();
}

}  // namespace
}  // namespace indim

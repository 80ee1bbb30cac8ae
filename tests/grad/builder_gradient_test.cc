// SPDX-License-Identifier: Apache-2.0
// Derivatives of Ops in the middle of a graph, beside the derivatives of the
// module that has the graph.

#include "indim/grad/builder_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/grad/gradient.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// A scalar of x = f64[3,2] and w = f64[2].
struct ModelCase {
  const char* name;
  std::function<Op(ComputationBuilder& b, Op x, Op w)> model;
};

const ModelCase kModels[] = {
    {"Broadcast",
     [](ComputationBuilder& b, Op x, Op w) {
       return ReduceSum(b.Tanh(b.Mul(x, w, {1})), {0, 1});
     }},
    {"Degenerate",
     [](ComputationBuilder& b, Op x, Op w) {
       const Op row = b.Reshape(w, {1, 2});
       return ReduceSum(b.Mul(b.Add(x, row), b.Sin(row)), {0, 1});
     }},
    {"Dot", [](ComputationBuilder& b, Op x,
               Op w) { return ReduceSum(b.Exp(b.Dot(x, w)), {0}); }},
    {"Loop",
     [](ComputationBuilder& b, Op x, Op w) {
       const Op y = b.ForLoop(
           3, x, [&](Op, Op state) { return b.Sin(b.Mul(state, w, {1})); });
       return ReduceSum(b.Mul(y, y), {0, 1});
     }},
    {"Branch",
     [](ComputationBuilder& b, Op x, Op w) {
       const Op total = ReduceSum(x, {0, 1});
       return b.Conditional(
           b.Gt(total, b.ConstantR0(0.0)),
           [&] { return ReduceSum(b.Mul(w, w), {0}); },
           [&] { return b.Mul(total, ReduceSum(w, {0})); });
     }},
    {"OneOnly",
     [](ComputationBuilder& b, Op x, Op) {
       return ReduceSum(b.Log(x), {0, 1});
     }},
};

struct Inputs {
  explicit Inputs(ComputationBuilder& b)
      : x(b.Parameter(0, "f64[3,2]", "x")), w(b.Parameter(1, "f64[2]", "w")) {}
  Op x, w;
};

class BuilderGradientTest : public ::testing::TestWithParam<ModelCase> {
 protected:
  Module Plain() {
    ComputationBuilder b("plain");
    const Inputs in(b);
    return *b.Build(GetParam().model(b, in.x, in.w));
  }
};

std::vector<double> ValuesOf(const Module& module,
                             const std::vector<Literal>& at) {
  const absl::StatusOr<Literal> result = Evaluate(module, at);
  EXPECT_TRUE(result.ok()) << result.status() << PrintHloText(module);
  return result.ok() ? Flat(*result) : std::vector<double>();
}

std::vector<Literal> At() {
  return {LiteralOf(Shape::Of(kF64, {3, 2}), {.5, .7, 1.1, .3, .9, 1.2}),
          LiteralOf(Shape::Of(kF64, {2}), {.8, -.4})};
}

int Count(const std::string& text, const std::string& word) {
  int n = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    ++n;
  }
  return n;
}

void ExpectNear(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

TEST_P(BuilderGradientTest, IsThatOfTheModule) {
  std::vector<Literal> at = At();
  at.push_back(Literal::Scalar(1.0));
  const std::vector<double> want = ValuesOf(*Gradient(Plain(), {0, 1}), at);
  at.pop_back();
  ComputationBuilder b("gradients");
  const Inputs in(b);
  const Op y = GetParam().model(b, in.x, in.w);
  BuildResult built = b.Build(b.Tuple(Gradient(y, {in.x, in.w})));
  ASSERT_TRUE(built.ok()) << built.status();
  ExpectNear(ValuesOf(*built, at), want);
}

TEST_P(BuilderGradientTest, StandsInTheMiddleAndIsDifferentiatedAgain) {
  // f = sum of squares of the gradient by w, at a point that is computed.
  const auto build = [&](bool by_builder) {
    ComputationBuilder b("second");
    const Inputs in(b);
    const Op x = b.Mul(in.x, in.x);
    const Op y = GetParam().model(b, x, in.w);
    const Op g = Gradient(y, {in.w})[0];
    const Op f = b.Add(ReduceSum(b.Mul(g, g), {0}), y);
    return *(by_builder ? b.Build(b.Tuple(Gradient(f, {in.x, in.w})))
                        : b.Build(f));
  };
  std::vector<Literal> at = At();
  const std::vector<double> got = ValuesOf(build(true), at);
  at.push_back(Literal::Scalar(1.0));
  ExpectNear(got, ValuesOf(*Gradient(build(false), {0, 1}), at));
}

TEST_P(BuilderGradientTest, TangentIsThatOfTheModule) {
  std::vector<Literal> at = At();
  ComputationBuilder b("tangent");
  const Inputs in(b);
  const Op y = GetParam().model(b, in.x, in.w);
  const Op t = Tangent(y, {in.x, in.w}, {b.Sin(in.x), b.Cos(in.w)});
  const std::vector<double> got = ValuesOf(*b.Build(t), at);
  ComputationBuilder d("direction");
  const Inputs din(d);
  const absl::StatusOr<Literal> directions =
      Evaluate(*d.Build(d.Tuple({d.Sin(din.x), d.Cos(din.w)})), At());
  ASSERT_TRUE(directions.ok()) << directions.status();
  for (const Literal& part : directions->elements()) at.push_back(part);
  ExpectNear(got, ValuesOf(*Tangents(Plain(), {0, 1}), at));
}

TEST_P(BuilderGradientTest, ValueIsTheSame) {
  ComputationBuilder b("value");
  const Inputs in(b);
  const ValueAndGradients both =
      ValueAndGradient(GetParam().model(b, in.x, in.w), {in.w});
  ASSERT_EQ(both.gradients.size(), 1u);
  BuildResult built = b.Build(both.value);
  ASSERT_TRUE(built.ok()) << built.status();
  ExpectNear(ValuesOf(*built, At()), ValuesOf(Plain(), At()));
}

TEST_P(BuilderGradientTest, HessianTimesVectorIsTheProduct) {
  ComputationBuilder b("hessian");
  const Inputs in(b);
  const Op y = GetParam().model(b, in.x, in.w);
  const Op h = Hessian(y, in.w);
  const Op v = b.ConstantR1<double>({0.3, -2});
  const Op product = HessianVectorProduct(y, in.w, v);
  BuildResult built = b.Build(b.Tuple({b.Dot(h, v), product}));
  ASSERT_TRUE(built.ok()) << built.status();
  const std::vector<double> all = ValuesOf(*built, At());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NEAR(all[0], all[2], 1e-9);
  EXPECT_NEAR(all[1], all[3], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, BuilderGradientTest, ::testing::ValuesIn(kModels),
                         [](const auto& info) { return info.param.name; });

TEST(BuilderGradient, JacobianHasRowsOfY) {
  ComputationBuilder b("jacobian");
  const Inputs in(b);
  const Op y = b.Mul(in.x, b.Sin(in.w), {1});  // f64[3,2]
  const Op j = Jacobian(y, in.w);
  EXPECT_EQ(b.shape(j)->ToString(), "f64[3,2,2]");
  const std::vector<double> all = ValuesOf(*b.Build(j), At());
  const std::vector<double> x = Flat(At()[0]), w = Flat(At()[1]);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t c = 0; c < 2; ++c) {
      for (size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(all[i * 4 + c * 2 + k],
                    c == k ? x[i * 2 + c] * std::cos(w[k]) : 0, 1e-12);
      }
    }
  }
}

// Rows have x's type, whatever y's is; where there are no elements, no rows.
TEST(BuilderGradient, JacobianOfOtherTypesAndSizes) {
  struct Case {
    const char* x;
    std::function<Op(ComputationBuilder&, Op)> y;
    const char* jacobian;  // "": refused
    std::vector<double> real;
  };
  const auto square = [](ElementType in) {
    return [in](ComputationBuilder& b, Op x) {
      const Op converted = b.ConvertElementType(x, in);
      return b.Mul(converted, converted);
    };
  };
  const std::vector<Case> cases = {
      {"f32[2]", square(kF64), "f32[2,2]", {4, 0, 0, 4}},
      {"f64[2]", square(ElementType::kBF16), "f64[2,2]", {4, 0, 0, 4}},
      {"c64[2]", square(ElementType::kC64), "c64[2,2]", {4, 0, 0, 4}},
      {"c64[2]",
       [](ComputationBuilder& b, Op x) { return b.Real(b.Mul(x, x)); },
       "c64[2,2]",
       {4, 0, 0, 4}},
      {"f32[2]", square(ElementType::kC64), "", {}},
      {"f64[0]", square(kF64), "f64[0,0]", {}},
      {"f64[2,0]", square(ElementType::kF32), "f64[2,0,2,0]", {}},
      {"f64[2]",
       [](ComputationBuilder& b, Op x) { return b.Slice(x, {0}, {0}); },
       "f64[0,2]",
       {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(absl::StrCat(c.x, " ", c.jacobian));
    ComputationBuilder b("jacobian");
    const Op x = b.Parameter(0, c.x, "x");
    const Op j = Jacobian(c.y(b, x), x);
    if (*c.jacobian == '\0') {
      EXPECT_THAT(b.status().message(),
                  HasSubstr("its real and of its imaginary part"));
      continue;
    }
    ASSERT_TRUE(b.status().ok()) << b.status();
    EXPECT_EQ(b.shape(j)->ToString(), c.jacobian);
    const Shape of = *b.shape(x);
    const Op real = IsComplex(b.shape(j)->element_type()) ? b.Real(j) : j;
    const BuildResult built = b.Build(b.ConvertElementType(real, kF64));
    ASSERT_TRUE(built.ok()) << built.status();
    const std::vector<double> at(of.ElementCount() == 0 ? 0 : 2, 2.0);
    EXPECT_EQ(ValuesOf(*built, {LiteralOf(of, at)}), c.real);
  }
}

TEST(BuilderGradient, WorksInsideALoop) {
  // Three steps of gradient descent of |w - 2|^2.
  ComputationBuilder b("descent");
  const Op w = b.Parameter(0, "f64[2]", "w");
  const Op end = b.ForLoop(3, w, [&](Op, Op at) {
    const Op d = b.Sub(at, b.ConstantR0(2.0));
    const Op g = Gradient(ReduceSum(b.Mul(d, d), {0}), {at})[0];
    return b.Sub(at, b.Mul(g, b.ConstantR0(0.25)));
  });
  BuildResult built = b.Build(end);
  ASSERT_TRUE(built.ok()) << built.status();
  ExpectNear(ValuesOf(*built, {LiteralOf(Shape::Of(kF64, {2}), {0, 10})}),
             {2 - 2 / 8.0, 2 + 8 / 8.0});
}

TEST(BuilderGradient, ByWhatALoopCaptures) {
  ComputationBuilder b("captures");
  const Op x = b.Parameter(0, "f64[2]", "x"), w = b.Parameter(1, "f64[2]", "w");
  const Op end = b.ForLoop(2, x, [&](Op, Op at) {
    const Op y = ReduceSum(b.Mul(at, b.Mul(w, w)), {0});
    return b.Add(at, Gradient(y, {w})[0]);
  });
  BuildResult built = b.Build(end);
  ASSERT_TRUE(built.ok()) << built.status();
  // Twice times 1 + 2 w.
  ExpectNear(ValuesOf(*built, {LiteralOf(Shape::Of(kF64, {2}), {1, 3}),
                               LiteralOf(Shape::Of(kF64, {2}), {0.5, 2})}),
             {4, 75});
}

// Only what the gradient needs is recorded; what is there stays.
TEST(BuilderGradient, RecordsNoCopies) {
  ComputationBuilder b("lean");
  const Inputs in(b);
  const Op y = ReduceSum(b.Tanh(b.Mul(in.x, in.w, {1})), {0, 1});
  BuildResult built = b.Build(b.Tuple({y, Gradient(y, {in.w})[0]}));
  ASSERT_TRUE(built.ok()) << built.status();
  const std::string text = PrintHloText(*built);
  EXPECT_EQ(Count(text, " tanh("), 1) << text;
  // x * w; and of the gradient 1 - tanh^2 and two products.
  EXPECT_LE(Count(text, " multiply("), 4) << text;
}

// What y doesn't need may have any shape, also where y has implicit broadcasts.
TEST(BuilderGradient, OfAGraphWithOtherOpsOfUnknownRank) {
  ComputationBuilder b("unranked");
  const Inputs in(b);
  const Op u = b.Parameter(2, "f64[*]", "u");
  b.Add(u, u);
  const Op y = ReduceSum(b.Tanh(b.Mul(in.x, in.w, {1})), {0, 1});
  const Op gradient = Gradient(y, {in.w})[0];
  BuildResult built = b.Build(gradient);
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->entry().root().shape().WithoutLayout(),
            Shape::Of(ElementType::kF64, {2}));
}

// 1/(1+exp(-x)) has the derivative of the logistic function, but by what it is
// computed from.
TEST(BuilderGradient, LogisticFunctionThatOverflows) {
  ComputationBuilder b("logistic");
  const Op x = b.Parameter(0, "f64[3]", "x");
  const Op e = b.Exp(b.Neg(x));
  const Op y = ReduceSum(b.Div(1, b.Add(1, e)), {0});
  const Op by_x = Gradient(y, {x})[0];
  const Op by_both = Gradient(y, {x, e})[1];
  BuildResult built = b.Build(b.Tuple({by_x, Gradient(y, {e})[0], by_both}));
  ASSERT_TRUE(built.ok()) << built.status();
  const absl::StatusOr<Literal> slopes =
      Evaluate(*built, {LiteralOf(Shape::Of(kF64, {3}), {-800, 0, 800})});
  ASSERT_TRUE(slopes.ok()) << slopes.status();
  EXPECT_THAT(Flat(*slopes),
              ::testing::ElementsAre(0, 0.25, 0, 0, -0.25, -1, 0, -0.25, -1));
}

// A program that uses the value in the place of y runs the loop once, and once
// backwards, also where others follow the loop.
TEST(BuilderGradient, ValueRunsALoopOnce) {
  ComputationBuilder b("once");
  const Inputs in(b);
  const Op state = b.ForLoop(
      3, in.x, [&](Op, Op at) { return b.Sin(b.Mul(at, in.w, {1})); });
  const Op y = ReduceSum(b.Tanh(b.Mul(state, in.w, {1})), {0, 1});
  const ValueAndGradients both = ValueAndGradient(y, {in.w});
  const Op plain = Gradient(y, {in.w})[0];
  const std::vector<double> all = ValuesOf(
      *b.Build(b.Tuple({both.value, both.gradients[0], y, plain})), At());
  ASSERT_EQ(all.size(), 6u);
  EXPECT_NEAR(all[0], all[3], 1e-12);
  EXPECT_NEAR(all[1], all[4], 1e-12);
  EXPECT_NEAR(all[2], all[5], 1e-12);

  ComputationBuilder c("counted");
  const Inputs at(c);
  const Op end =
      c.ForLoop(3, at.x, [&](Op, Op k) { return c.Sin(c.Mul(k, at.w, {1})); });
  const ValueAndGradients counted = ValueAndGradient(
      ReduceSum(c.Tanh(c.Mul(end, at.w, {1})), {0, 1}), {at.w});
  BuildResult built = c.Build(c.Tuple({counted.value, counted.gradients[0]}));
  ASSERT_TRUE(built.ok()) << built.status();
  Editor editor(*std::move(built));
  RemoveDeadCode(&editor);
  const std::string text = PrintHloText(editor.Finish().module);
  EXPECT_EQ(Count(text, " while("), 2) << text;
}

// Random numbers that depend on a loop are drawn once.
TEST(BuilderGradient, ValueDrawsNoNumbersAgain) {
  ComputationBuilder b("drawn");
  const Op x = b.Parameter(0, "f64[]", "x");
  const Op state = b.ForLoop(3, x, [&](Op, Op at) { return b.Sin(at); });
  const Op zero = b.ConstantR0(0.0);
  const Op y = b.Mul(state, b.RngUniform(zero, state, "f64[]"));
  const ValueAndGradients both = ValueAndGradient(y, {x});
  BuildResult built = b.Build(b.Tuple({both.value, both.gradients[0]}));
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(Count(PrintHloText(*built), " rng("), 1);
}

// What an Op of wrt is computed from needs no derivative.
TEST(BuilderGradient, EndsAtIndependentOps) {
  ComputationBuilder b("independent");
  const Op x = b.Parameter(0, "f64[]", "x");
  const Op h = b.Sin(b.CustomCall("mystery", {x}, "f64[]"));
  const std::vector<Op> g = Gradient(b.Mul(h, x), {x, h});
  ASSERT_TRUE(b.status().ok()) << b.status();
  BuildResult built = b.Build(b.Tuple(g));
  ASSERT_TRUE(built.ok()) << built.status();
  Editor editor(*std::move(built));
  RemoveDeadCode(&editor);
  const std::string text = PrintHloText(editor.Finish().module);
  // 1 * h and 1 * x.
  EXPECT_EQ(Count(text, " custom-call("), 1) << text;
  EXPECT_EQ(Count(text, " sine("), 1) << text;
  EXPECT_EQ(Count(text, " cosine("), 0) << text;
}

TEST(BuilderGradient, WarnsOfZeros) {
  ComputationBuilder b("warns");
  const Inputs in(b);
  const Op middle = b.Tanh(in.x);
  const Op cut = b.Floor(middle);
  const Op y = ReduceSum(b.Add(cut, b.Sin(cut)), {0, 1});
  const std::vector<Op> gradients = Gradient(y, {middle, in.w});
  Tangent(y, {in.x}, {in.x});
  const BuildResult built = b.Build(b.Tuple(gradients));
  ASSERT_TRUE(built.ok()) << built.status();
  ASSERT_EQ(built.warnings().size(), 3u);
  EXPECT_THAT(built.warnings()[0].text, HasSubstr("gradient of wrt[0]"));
  EXPECT_THAT(built.warnings()[0].text, HasSubstr("ends at floor"));
  EXPECT_THAT(built.warnings()[0].text, HasSubstr("IND1402"));
  EXPECT_THAT(built.warnings()[1].text, HasSubstr("IND1403"));
  EXPECT_THAT(built.warnings()[2].text, HasSubstr("IND1402"));
}

TEST(BuilderGradient, OfYByItselfIsTheSeed) {
  ComputationBuilder b("itself");
  const Inputs in(b);
  const Op y = ReduceSum(in.x, {0, 1});
  const Op seed = b.ConstantR0(3.0);
  std::vector<Op> all = Gradient(y, {y, in.w}, seed);
  all.push_back(Tangent(y, {y}, {seed}));
  ExpectNear(ValuesOf(*b.Build(b.Tuple(all)), At()), {3, 0, 0, 3});
}

TEST(BuilderGradient, NewChannelsAreThoseOfNoOpenComputation) {
  ComputationBuilder b("channels");
  const Inputs in(b);
  const auto sum = [](Op p, Op q) { return p + q; };
  CollectiveAttributes first, second;
  first.channel_id = 1;
  second.channel_id = 2;
  const Op start = b.AllReduce(in.w, sum, second);
  const Op end = b.ForLoop(3, start, [&](Op, Op at) {
    const Op d = b.AllReduce(at, sum, first);
    return Gradient(ReduceSum(b.Mul(d, d), {0}), {at})[0];
  });
  BuildResult built = b.Build(end);
  ASSERT_TRUE(built.ok()) << built.status();
  const std::string text = PrintHloText(*built);
  EXPECT_EQ(Count(text, "channel_id=2"), 1) << text;
  EXPECT_EQ(Count(text, "channel_id=3"), 1) << text;
}

// A sharding in scope is of values.
TEST(BuilderGradient, HasNoShardingOfAScope) {
  ComputationBuilder b("sharded");
  const Inputs in(b);
  const Op y = ReduceSum(b.Mul(in.x, in.w, {1}), {0, 1});
  const Op seed = b.ConstantR0(1.0), row = b.ConstantR1<double>({1, 2});
  std::vector<Op> all;
  {
    const ScopedSharding scope(&b, ReplicateSharding());
    all = {Gradient(y, {in.w})[0],
           ValueAndGradient(y, {in.w}, seed).gradients[0],
           Tangent(y, {in.w}, {row}),
           Jacobian(y, in.w),
           Hessian(y, in.w),
           HessianVectorProduct(y, in.w, row)};
  }
  BuildResult built = b.Build(b.Tuple(all));
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(Count(PrintHloText(*built), "sharding="), 0);
}

// They are poisoned, and no default Ops, whose use is another error.
TEST(BuilderGradient, AfterAnErrorResultsArePoisoned) {
  ComputationBuilder b("after");
  const Inputs in(b);
  const Op y = ReduceSum(in.x, {0, 1});
  b.Add(in.x, b.ConstantR1<float>({1}));
  const std::string before(b.status().message());
  std::vector<Op> all = Gradient(y, {in.w});
  const ValueAndGradients both = ValueAndGradient(y, {in.w});
  for (const Op op : {both.value, both.gradients[0], Tangent(y, {in.w}, {in.w}),
                      Jacobian(y, in.w), Hessian(y, in.w),
                      HessianVectorProduct(y, in.w, in.w)}) {
    all.push_back(op);
  }
  for (const Op op : all) {
    EXPECT_NE(op, Op());
    b.Neg(op);
  }
  EXPECT_EQ(b.status().message(), before);
}

// `call` of x, which draws random numbers or has a side effect.
Op GradientThrough(ComputationBuilder& b, Op x,
                   const std::function<Op(Op)>& call) {
  return Gradient(b.Call("f", ReduceSum(x, {0, 1}), call), {x})[0];
}

struct MistakeCase {
  const char* name;
  std::function<Op(ComputationBuilder& b, Op x, Op w)> mistake;
  const char* says;
};

const MistakeCase kMistakes[] = {
    {"NoSeed",
     [](ComputationBuilder&, Op x, Op w) { return Gradient(x, {w})[0]; },
     "nothing can be differentiated: y is f64[3,2], and there is no "
     "seed; to fix: its sum, or a seed"},
    {"WrongSeed",
     [](ComputationBuilder&, Op x, Op w) { return Gradient(x, {w}, w)[0]; },
     "operand 2 is f64[2], but must be f64[3,2]"},
    {"IntegerWrt",
     [](ComputationBuilder& b, Op x, Op) {
       return Gradient(ReduceSum(x, {0, 1}), {b.ConstantR0(1)})[0];
     },
     "wrt[0] is s32[], which is no array of floats"},
    {"Twice",
     [](ComputationBuilder&, Op x, Op w) {
       return Gradient(ReduceSum(x, {0, 1}), {w, x, w})[0];
     },
     "wrt[2] is wrt[0] again"},
    {"OuterY",
     [](ComputationBuilder& b, Op x, Op) {
       const Op total = ReduceSum(x, {0, 1});
       return b.ForLoop(2, x,
                        [&](Op, Op at) { return Gradient(total, {at})[0]; });
     },
     "y is of an enclosing computation; to fix: take its derivative there"},
    {"NoDerivative",
     [](ComputationBuilder& b, Op x, Op) {
       const Op call = b.CustomCall("mystery", {x}, "f64[]");
       return Gradient(call, {x})[0];
     },
     "custom-call"},
    {"RandomCallee",
     [](ComputationBuilder& b, Op x, Op) {
       return GradientThrough(b, x, [&](Op p) {
         return b.Mul(
             p, b.RngUniform(b.ConstantR0(0.0), b.ConstantR0(1.0), "f64[]"));
       });
     },
     "would run again, and it draws random numbers"},
    {"SideEffectInCallee",
     [](ComputationBuilder& b, Op x, Op) {
       return GradientThrough(b, x, [&](Op p) {
         b.CustomCall("act", {p}, "f64[]", /*has_side_effect=*/true);
         return b.Sin(p);
       });
     },
     "would run again"},
    {"RandomTangentOfALoop",
     [](ComputationBuilder& b, Op x, Op) {
       const Op y = b.ForLoop(3, ReduceSum(x, {0, 1}), [&](Op, Op at) {
         return b.Mul(
             at, b.RngUniform(b.ConstantR0(0.0), b.ConstantR0(1.0), "f64[]"));
       });
       return Tangent(y, {x}, {x});
     },
     "would run again"},
    {"Tangents",
     [](ComputationBuilder&, Op x, Op w) {
       return Tangent(x, {x, w}, {x});
     },
     "there are 1 tangents of 2 Ops"},
};

class BuilderGradientMistakeTest
    : public ::testing::TestWithParam<MistakeCase> {};

TEST_P(BuilderGradientMistakeTest, IsAnErrorAtItsLine) {
  ComputationBuilder b("mistake");
  const Inputs in(b);
  const Op made = GetParam().mistake(b, in.x, in.w);
  const BuildResult built = b.Build(made);
  EXPECT_FALSE(built.ok());
  const std::string text(built.status().message());
  EXPECT_THAT(text, HasSubstr(GetParam().says));
  EXPECT_THAT(text, HasSubstr("builder_gradient_test.cc:"));
}

INSTANTIATE_TEST_SUITE_P(All, BuilderGradientMistakeTest,
                         ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace indim

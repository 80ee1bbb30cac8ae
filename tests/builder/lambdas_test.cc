// SPDX-License-Identifier: Apache-2.0
// Lambdas and regions: what they record, what they capture, what they compute,
// and what goes wrong.

#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/reductions.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/recorded_values.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- Computations of scalars -------------------------------------------------

TEST(LambdasTest, Fold) {
  TestBuilder b("fold");
  const Op x = b.P("f32[4]");
  const Op sum = b.Reduce(x, 0, [](Op p, Op q) { return p + q; }, {0});
  const Op most = b.Reduce(x, ReduceKind::kMax);
  const Op square = b.Map(x, [&](Op p) { return p * p + most; });
  EXPECT_THAT(ValuesOf(b, square + sum, {Floats({1, 2, 3, 4})}),
              ElementsAre(15, 18, 23, 30));
}

TEST(LambdasTest, EveryKindOfFold) {
  struct Case {
    ReduceKind kind;
    const char* type;
    double expected;
  };
  const Case cases[] = {
      {ReduceKind::kAdd, "s32", 9}, {ReduceKind::kMul, "f32", 24},
      {ReduceKind::kMin, "u8", 2},  {ReduceKind::kMax, "bf16", 4},
      {ReduceKind::kAnd, "s32", 0}, {ReduceKind::kOr, "u16", 7},
      {ReduceKind::kXor, "s64", 5},
  };
  for (const Case& c : cases) {
    TestBuilder b("fold");
    const ElementType type = *ElementTypeFromName(c.type);
    const Op x = b.ConstantLiteral(*Literal::FromDoubles(type, {2, 3, 4}, {3}));
    EXPECT_THAT(ValuesOf(b, b.Reduce(x, c.kind)), ElementsAre(c.expected))
        << c.type;
  }
  CheckCall({"no order",
             Of({"c64[2]"},
                [](TestBuilder& b, const Ops& x) {
                  return b.Reduce(x[0], ReduceKind::kMax);
                }),
             "IND0643"});
  CheckCall({"a tuple",
             Of({"(f32[2])"},
                [](TestBuilder& b, const Ops& x) {
                  return b.Reduce(x[0], ReduceKind::kAdd);
                }),
             "IND0101"});
}

TEST(LambdasTest, SeveralArraysTogether) {
  TestBuilder b("argmax");
  const Op x = b.P("f32[4]");
  const Op index = b.Iota(ElementType::kS32, 4);
  const std::vector<Op> best =
      b.Reduce(std::vector<Op>{x, index},
               std::vector<Op>{b.ConstantR0(-1e30f), b.ConstantR0(0)},
               [&](absl::Span<const Op> s) {
                 const Op first = b.Ge(s[0], s[2]);
                 return std::vector<Op>{b.Select(first, s[0], s[2]),
                                        b.Select(first, s[1], s[3])};
               },
               {0});
  EXPECT_THAT(ValuesOf(b, best[1], {Floats({1, 7, 3, 7})}), ElementsAre(1));
}

TEST(LambdasTest, SortScatterWindow) {
  TestBuilder b("sort");
  const Op x = b.P("f32[4]");
  const Op down = b.Sort(x, [&](Op p, Op q) { return b.Gt(p, q); });
  const Op pairs = b.ReduceWindow(down, 0, [](Op p, Op q) { return p + q; },
                                  {WindowDim{2, 2}});
  EXPECT_THAT(ValuesOf(b, pairs, {Floats({1, 4, 2, 3})}), ElementsAre(7, 3));
}

TEST(LambdasTest, FoldsCaptureNothingButConstants) {
  TestBuilder b("capture");
  const Op x = b.P("f32[4]"), y = b.P("f32[]"), two = b.ConstantR0(2.0f);
  const Op fine = b.Reduce(x, 0, [&](Op p, Op q) { return p + q * two; }, {0});
  EXPECT_TRUE(b.shape(fine).ok());
  const Op wrong = b.Reduce(x, 0, [&](Op p, Op q) { return p + q * y; }, {0});
  EXPECT_FALSE(b.shape(wrong).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0625]"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("'reducer'"));
  // One message, for the line inside the lambda.
  EXPECT_EQ(b.diagnostics().size(), 1u) << b.DiagnosticsText();
}

// --- Loops -------------------------------------------------------------------

TEST(LambdasTest, WhileWithCaptures) {
  TestBuilder b("loop");
  const Op x = b.P("f32[2]"), limit = b.P("s32[]"), step = b.P("f32[2]");
  const auto [i, y] = b.While(
      std::tuple(b.ConstantR0(0), x), [&](Op i, Op) { return b.Lt(i, limit); },
      [&](Op i, Op y) {
        const Op next = i + 1;
        return std::tuple(next, y * 2 + step);
      });
  const Module module =
      *b.Build(b.Add(y, b.ConvertElementType(i, ElementType::kF32)));
  EXPECT_THAT(
      Recorded(module),
      ElementsAre("body: parameter get-tuple-element get-tuple-element "
                  "constant add constant multiply get-tuple-element add "
                  "get-tuple-element tuple",
                  "condition: parameter get-tuple-element get-tuple-element "
                  "get-tuple-element compare",
                  "loop: parameter parameter parameter constant tuple while "
                  "get-tuple-element get-tuple-element convert add"))
      << *WriteModuleText(module, ModuleForm::kRecorded);
}

TEST(LambdasTest, LoopsCompute) {
  TestBuilder b("power");
  const Op x = b.P("f32[2]"), one = b.ConstantR1<float>({1, 1});
  const Op cube = b.ForLoop(3, one, [&](Op, Op y) { return y * x; });
  EXPECT_THAT(ValuesOf(b, cube, {Floats({2, 3})}), ElementsAre(8, 27));
}

TEST(LambdasTest, StateIsAnyAggregate) {
  struct Layer {
    Op weights;
    std::vector<Op> rest;
    auto Members() { return std::tie(weights, rest); }
  };
  TestBuilder b("aggregate");
  const Op x = b.P("f32[2]");
  const Layer last = b.ForLoop(2, Layer{x, {x, x * 2}}, [&](Op i, Layer layer) {
    layer.weights += b.ConvertElementType(i, ElementType::kF32);
    std::swap(layer.rest[0], layer.rest[1]);
    layer.rest[0] += layer.weights;
    return layer;
  });
  // weights: 1 2, 2 3; rest: (2 4, 1 2) + 1 2 -> (3 6, 1 2);
  // (1 2, 3 6) + 2 3 -> (3 5, 3 6)
  EXPECT_EQ(b.shape(b.Tuple(last))->ToString(), "(f32[2], f32[2], f32[2])");
  EXPECT_EQ(b.shape(b.Tuple(std::pair(x, last)))->tuple_size(), 4);
  EXPECT_THAT(ValuesOf(b, last.rest[0] * 10 + last.rest[1], {Floats({1, 2})}),
              ElementsAre(33, 56));
}

TEST(LambdasTest, LoopsNestAndCaptureThroughEachOther) {
  TestBuilder b("nested");
  const Op x = b.P("f32[]"), y = b.P("f32[]");
  const Op sum = b.ForLoop(2, x, [&](Op, Op outer) {
    return b.ForLoop(3, outer, [&](Op, Op inner) { return inner + y + x; });
  });
  const auto scalar = [](double v) {
    return *Literal::Scalar(ElementType::kF32, v);
  };
  EXPECT_THAT(ValuesOf(b, sum, {scalar(1), scalar(10)}), ElementsAre(67));
}

TEST(LambdasTest, Scan) {
  TestBuilder b("cumulative");
  const Op x = b.P("f32[4]");
  const auto [last, sums] =
      b.Scan(b.ConstantR0(0.0f), x, [](Op carry, Op element) {
        const Op next = carry + element;
        return std::pair(next, next * 10);
      });
  EXPECT_EQ(b.shape(sums)->ToString(), "f32[4]");
  EXPECT_THAT(ValuesOf(b, sums + last, {Floats({1, 2, 3, 4})}),
              ElementsAre(20, 40, 70, 110));
}

TEST(LambdasTest, ScanOfNamedSize) {
  TestBuilder b("cumulative");
  const Op x = b.P("f32[n,3]");
  const auto [last, out] = b.Scan(b.Splat(0, "f32[3]"), x, [](Op c, Op e) {
    return std::pair(c + e, std::tuple(c, c * e));
  });
  EXPECT_EQ(b.shape(last)->ToString(), "f32[3]");
  EXPECT_EQ(b.shape(std::get<1>(out))->ToString(), "f32[n,3]");
  EXPECT_TRUE(b.Build(b.Tuple({last, std::get<0>(out)})).ok());
}

TEST(LambdasTest, WrongLoops) {
  CheckCalls({
      {"count",
       Of({"f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.ForLoop(x[0], x[0], [](Op, Op y) { return y; });
          }),
       "IND0638"},
      {"half a count",
       Of({"f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.ForLoop(2.5, x[0], [](Op, Op y) { return y; });
          }),
       "IND0636"},
      {"another shape",
       Of({"f32[2]"},
          [](TestBuilder& b, const Ops& x) {
            return b.ForLoop(2, x[0], [&](Op, Op y) {
              return b.Reshape(y, {2, 1});
            });
          }),
       "IND0661"},
      {"fewer values",
       Of({"f32[2]"},
          [](TestBuilder& b, const Ops& x) {
            return b.ForLoop(2, std::vector<Op>{x[0], x[0]},
                             [&](Op, std::vector<Op> y) {
                               y.pop_back();
                               return y;
                             })[0];
          }),
       "IND0628"},
      {"no predicate",
       Of({"f32[2]"},
          [](TestBuilder& b, const Ops& x) {
            return b.While(
                x[0], [](Op y) { return y; }, [](Op y) { return y; });
          }),
       "IND0403"},
      {"a carry that grows",
       Of({"f32[2]"},
          [](TestBuilder& b, const Ops& x) {
            return b
                .Scan(x, x[0],
                      [](Ops, Op e) { return std::pair(Ops(9, e), e); })
                .second;
          }),
       "IND0628"},
      {"a scalar to scan",
       Of({"f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Scan(x[0], x[0], [](Op c, Op) { return std::pair(c, c); })
                .first;
          }),
       "IND0641"},
      {"unequal inputs",
       Of({"f32[2]", "f32[3]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Scan(x[0], x, [](Op c, Ops) { return std::pair(c, c); })
                .first;
          }),
       "IND0203"},
      {"bounded",
       Of({"f32[<=2]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Scan(x[0], x[0], [](Op c, Op) { return std::pair(c, c); })
                .first;
          }),
       "IND0639"},
      {"no inputs",
       Of({"f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b
                .Scan(x[0], Ops(), [](Op c, Ops) { return std::pair(c, c); })
                .first;
          }),
       "IND0642"},
  });
}

// --- Branches and calls ------------------------------------------------------

TEST(LambdasTest, ConditionalRecordsInItsBranches) {
  TestBuilder b("branches");
  const Op p = b.P("pred[]"), x = b.P("f32[2]"), y = b.P("f32[2]");
  const Op z = b.Conditional(
      p, [&] { return b.Exp(x); },
      [&] {
        const Op fed = b.Infeed("f32[2]");
        return fed + y * 3;
      });
  const Module module = *b.Build(z);
  EXPECT_THAT(
      Recorded(module),
      ElementsAre("on_true: parameter get-tuple-element exponential",
                  "on_false: parameter after-all infeed get-tuple-element "
                  "get-tuple-element constant get-tuple-element multiply add",
                  "branches: parameter parameter parameter tuple tuple "
                  "conditional"));
}

TEST(LambdasTest, BranchesCompute) {
  for (int index : {0, 1, 2}) {
    TestBuilder b("switch");
    const Op x = b.P("f32[2]");
    const Op z = b.Conditional(
        b.ConstantR0(index),
        std::vector<std::function<Op()>>{
            [&] { return x + 1; }, [&] { return x * 10; }, [&] { return x; }});
    EXPECT_THAT(ValuesOf(b, z, {Floats({2, 3})}), index == 0 ? ElementsAre(3, 4)
                                                  : index == 1
                                                      ? ElementsAre(20, 30)
                                                      : ElementsAre(2, 3));
  }
}

TEST(LambdasTest, BranchesOfSeveralResults) {
  TestBuilder b("pair");
  const Op p = b.P("pred[]"), x = b.P("f32[2]");
  const auto [u, v] = b.Conditional(
      p, [&] { return std::pair(x, x + 1); }, [&] { return std::pair(x, x); });
  EXPECT_THAT(ValuesOf(b, u * v, {Literal::Scalar(true), Floats({2, 3})}),
              ElementsAre(6, 12));
}

TEST(LambdasTest, WrongBranches) {
  CheckCalls({
      {"predicate",
       Of({"s32[]", "f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Conditional(
                x[0], [&] { return x[1]; }, [&] { return x[1]; });
          }),
       "IND0405"},
      {"shapes",
       Of({"pred[]", "f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Conditional(
                x[0], [&] { return x[1]; },
                [&] { return b.Reshape(x[1], {1}); });
          }),
       "IND0403"},
      {"counts",
       Of({"pred[]", "f32[]"},
          [](TestBuilder& b, const Ops& x) {
            return b.Conditional(
                x[0], [&] { return Ops{x[1]}; },
                [&] {
                  return Ops{x[1], x[1]};
                })[0];
          }),
       "IND0628"},
  });
}

TEST(LambdasTest, CallTakesWhatItCaptures) {
  TestBuilder b("caller");
  const Op x = b.P("f32[2]"), y = b.P("f32[2]");
  const Op z = b.Call("layer", x, [&](Op p) { return p * y + p; });
  const BuildResult module = b.Build(z);
  EXPECT_THAT(Recorded(*module),
              ElementsAre("layer: parameter parameter multiply add",
                          "caller: parameter parameter call"));
}

// --- What goes wrong ---------------------------------------------------------

TEST(LambdasTest, AnErrorInsideIsReportedOnceWithItsLine) {
  TestBuilder b("error");
  const Op x = b.P("f32[2]");
  const Op y =
      b.ForLoop(2, x, [&](Op, Op v) { return b.Add(v, b.Iota("f32[3]", 0)); });
  const Op z = b.Exp(y);
  EXPECT_FALSE(b.shape(z).ok());
  ASSERT_EQ(b.diagnostics().size(), 1u) << b.DiagnosticsText();
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("lambdas_test.cc"));
  EXPECT_FALSE(b.Build(z).ok());
}

TEST(LambdasTest, ALambdaHasNoParametersOfItsOwn) {
  CheckCall({"parameter",
             Of({"f32[2]"},
                [](TestBuilder& b, const Ops& x) {
                  return b.ForLoop(2, x[0],
                                   [&](Op, Op) { return b.P("f32[2]"); });
                }),
             "IND0644"});
}

TEST(LambdasTest, OpsOfALambdaEndWithIt) {
  TestBuilder b("kept");
  const Op x = b.P("f32[2]");
  Op kept;
  b.ForLoop(2, x, [&](Op, Op v) { return kept = v * 2; });
  const Op wrong = b.Add(x, kept);
  EXPECT_FALSE(b.shape(wrong).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0601]"));
}

// Operators and composites say what the builder's call says, in its line.
TEST(LambdasTest, OperatorsOnOpsOfALambda) {
  const std::function<Op(Op&, Op)> uses[] = {
      [](Op& kept, Op) { return kept + 1; },
      [](Op& kept, Op) { return 1 - kept; },
      [](Op& kept, Op x) { return x * kept; },
      [](Op& kept, Op) { return -kept; },
      [](Op& kept, Op) { return kept << kept; },
      [](Op& kept, Op) { return kept >> 1; },
      [](Op& kept, Op) { return kept += 1; },
      [](Op& kept, Op x) { return kept *= x; },
      [](Op& kept, Op) { return ReduceSum(kept); },
  };
  for (const auto& use : uses) {
    TestBuilder b("kept");
    const Op x = b.P("f32[2]");
    Op kept;
    b.ForLoop(2, x, [&](Op, Op v) { return kept = v * 2; });
    // The next region must not take over the Ops of the last one.
    b.Map(x, [](Op v) { return v + 1; });
    const Op wrong = use(kept, x);
    const int line = __LINE__ - 1;  // of nothing here: it is the line of `use`
    EXPECT_FALSE(b.shape(wrong).ok());
    ASSERT_EQ(b.diagnostics().size(), 1u) << b.DiagnosticsText();
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0601]"));
    EXPECT_LT(b.diagnostics()[0].line, line);
    EXPECT_GT(b.diagnostics()[0].line, line - 30);
    EXPECT_FALSE(b.Build(x).ok());
  }
}

TEST(LambdasTest, AnOpOfAnotherBuilderIsNoResult) {
  TestBuilder b("one"), other("two");
  const Op x = b.P("f32[2]"), y = other.P("f32[2]");
  const Op wrong = b.ForLoop(2, x, [&](Op, Op) { return y; });
  EXPECT_FALSE(b.shape(wrong).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0602]"));
  EXPECT_TRUE(other.Build(y).ok());
}

TEST(LambdasTest, BuildInsideALambda) {
  TestBuilder b("inside");
  const Op x = b.P("f32[2]");
  b.ForLoop(2, x, [&](Op, Op v) {
    EXPECT_FALSE(b.Build(v).ok());
    return v;
  });
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0629]"));
}

TEST(LambdasTest, AnExceptionDropsTheComputation) {
  TestBuilder b("throws");
  const Op x = b.P("f32[2]");
  EXPECT_THROW(b.ForLoop(2, x,
                         [&](Op, Op v) -> Op {
                           b.Exp(v);
                           throw std::runtime_error("no");
                         }),
               std::runtime_error);
  // The builder records in its own computation again.
  EXPECT_TRUE(b.shape(b.Exp(x)).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0626]"));
}

TEST(LambdasTest, OfAMovedBuilderNothingIsRecorded) {
  TestBuilder b("moved");
  const Op x = b.P("f32[2]");
  ComputationBuilder to = std::move(b);
  EXPECT_EQ(b.ForLoop(2, x, [](Op, Op v) { return v; }), Op());
  EXPECT_TRUE(to.Build(x).ok());
}

// --- Regions -----------------------------------------------------------------

TEST(RegionsTest, OutOfOrder) {
  TestBuilder b("regions");
  const Op x = b.P("f32[]");
  Region outer = b.BeginRegion("outer", {*b.shape(x)}, CaptureForm::kNone);
  Region inner = b.BeginRegion("inner", {}, CaptureForm::kNone);
  b.EndRegion(&outer, {outer.arguments()[0]});
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0629]"));
  b.EndRegion(&inner, {});
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0627]"));
  EXPECT_TRUE(b.shape(b.Exp(x)).ok());
}

TEST(RegionsTest, InAWrongForm) {
  TestBuilder b("regions");
  const Op x = b.P("f32[]");
  Region a = b.BeginRegion("a", {*b.shape(x)}, CaptureForm::kParameters);
  b.EndRegion(&a, {a.arguments()[0]});
  Region c = b.BeginRegion("c", {*b.shape(x)}, CaptureForm::kTuple);
  b.EndRegion(&c, {c.arguments()[0]});
  const std::vector<Op> wrong = b.While({x}, std::move(a), std::move(c));
  EXPECT_FALSE(b.shape(wrong[0]).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0627]"));
  const std::vector<Op> none = b.Call(Region(), {x});
  EXPECT_FALSE(b.shape(none[0]).ok());
}

TEST(RegionsTest, OutlivesItsBuilder) {
  Region region;
  {
    TestBuilder b("gone");
    region = b.BeginRegion("r", {}, CaptureForm::kNone);
  }
  TestBuilder b("next");
  b.EndRegion(&region, {});
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0627]"));
}

TEST(RegionsTest, AfterBuild) {
  TestBuilder b("built");
  const Op x = b.P("f32[]");
  ASSERT_TRUE(b.Build(x).ok());
  const Op y = b.ForLoop(2, x, [](Op, Op v) { return v; });
  EXPECT_FALSE(b.shape(y).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0603]"));
}

}  // namespace
}  // namespace indim

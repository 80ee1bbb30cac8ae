// SPDX-License-Identifier: Apache-2.0
// Composites of random shapes and element types, on real XLA against NumPy.

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/constants.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/slicing.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

using Input = JudgedModule::Input;

Types CompositeFloats() {
  return {ElementType::kF32, ElementType::kF64, ElementType::kF16,
          ElementType::kBF16};
}

Types Reals() {
  Types types = CompositeFloats();
  for (ElementType type :
       {ElementType::kS8, ElementType::kS16, ElementType::kS32,
        ElementType::kS64, ElementType::kU8, ElementType::kU32,
        ElementType::kU64}) {
    types.push_back(type);
  }
  return types;
}

std::string PythonBool(bool value) { return value ? "True" : "False"; }

class CompositesTest : public testing::Test {
 protected:
  // A few modules, each of a result for every type.
  void Run(const Types& types,
           const std::function<void(JudgedModule&, ElementType)>& add_case) {
    for (uint32_t seed = 0; seed < 3; seed += SampleStep(3)) {
      JudgedModule m("composites", seed);
      for (ElementType type : types) add_case(m, type);
      m.Run();
    }
  }

  // An array of at least one dim, none of them 0.
  Sizes SomeDims() { return random_.FullDims(random_.Between(1, 4)); }

  // One of the dims, now and then counted from the end.
  int64_t SomeDim(const Sizes& sizes) {
    const int64_t rank = static_cast<int64_t>(sizes.size());
    return random_.Between(-rank, rank - 1);
  }

  using Reduction = std::function<Op(Op, const DimsArg&, bool)>;
  // `numpy` with the operand, its axes and keepdims for %s.
  void Reduce(const Types& types, Domain domain, const Reduction& reduction,
              const std::function<std::string(std::string x, std::string axes,
                                              std::string keep)>& numpy,
              int ulps = 0) {
    Run(types, [&](JudgedModule& m, ElementType type) {
      const Sizes sizes = random_.FullDims(random_.Between(0, 4));
      const std::vector<int64_t> dims =
          random_.Subset(static_cast<int64_t>(sizes.size()));
      const bool keep = random_.OneIn(2);
      const Input x = m.AddInput(MakeShape(type, sizes), domain);
      m.Expect(reduction(x.op, dims, keep),
               numpy(x.name, absl::StrCat("tuple(", PythonList(dims), ")"),
                     PythonBool(keep)),
               ulps);
    });
  }

  RandomOperands random_{21};
};

// --- Reductions --------------------------------------------------------------

// numpy.`name`(x, axes, keepdims=keep, ...)
std::function<std::string(std::string, std::string, std::string)> Call(
    const std::string& name, const std::string& more = "") {
  return [=](std::string x, std::string axes, std::string keep) {
    return absl::StrCat("np.", name, "(", x, ", ", axes, ", keepdims=", keep,
                        more, ")");
  };
}

TEST_F(CompositesTest, Sums) {
  Types types = Reals();
  types.push_back(ElementType::kC64);
  const auto typed = [](const std::string& name) {
    return [name](std::string x, std::string axes, std::string keep) {
      return absl::StrCat("np.", name, "(", x, ", ", axes, ", keepdims=", keep,
                          ", dtype=", x, ".dtype)");
    };
  };
  Reduce(
      types, Domain::kSmall,
      [](Op x, const DimsArg& d, bool k) { return ReduceSum(x, d, k); },
      typed("sum"));
  Reduce(
      types, Domain::kUnit,
      [](Op x, const DimsArg& d, bool k) { return ReduceProd(x, d, k); },
      typed("prod"), 60);
}

TEST_F(CompositesTest, Extremes) {
  Types types = Reals();
  types.push_back(ElementType::kPred);
  Reduce(
      types, Domain::kSpecial,
      [](Op x, const DimsArg& d, bool k) { return ReduceMax(x, d, k); },
      Call("max"));
  Reduce(
      types, Domain::kSpecial,
      [](Op x, const DimsArg& d, bool k) { return ReduceMin(x, d, k); },
      Call("min"));
  const Types pred(10, ElementType::kPred);
  Reduce(
      pred, Domain::kAny,
      [](Op x, const DimsArg& d, bool k) { return ReduceAnd(x, d, k); },
      Call("all"));
  Reduce(
      pred, Domain::kAny,
      [](Op x, const DimsArg& d, bool k) { return ReduceOr(x, d, k); },
      Call("any"));
}

TEST_F(CompositesTest, Moments) {
  Types types = CompositeFloats();
  types.push_back(ElementType::kF32);
  types.push_back(ElementType::kF64);
  Reduce(
      types, Domain::kPositive,
      [](Op x, const DimsArg& d, bool k) { return Mean(x, d, k); },
      Call("mean"));
  Reduce(
      {ElementType::kC64}, Domain::kPositive,
      [](Op x, const DimsArg& d, bool k) { return Mean(x, d, k); },
      Call("mean"));
  // Quarters: a variance of 0 is 0.
  for (int64_t correction : {0, 1}) {
    const std::string ddof = absl::StrCat(", ddof=", correction);
    Reduce(
        types, Domain::kCount,
        [=](Op x, const DimsArg& d, bool k) {
          return Variance(x, d, k, correction);
        },
        Call("var", ddof), 100);
    Reduce(
        types, Domain::kCount,
        [=](Op x, const DimsArg& d, bool k) {
          return StdDev(x, d, k, correction);
        },
        Call("std", ddof), 100);
  }
}

TEST_F(CompositesTest, LogSumExp) {
  for (Domain domain : {Domain::kPositive, Domain::kSpecial}) {
    Reduce(
        CompositeFloats(), domain,
        [](Op x, const DimsArg& d, bool k) { return LogSumExp(x, d, k); },
        [](std::string x, std::string axes, std::string keep) {
          return absl::StrCat("logsumexp(", x, ", ", axes, ", ", keep, ")");
        },
        200);
  }
}

TEST_F(CompositesTest, OfNothing) {
  JudgedModule m("nothing");
  const Input x = m.AddInput("f32[2,0]");
  m.Expect(ReduceSum(x.op, {1}), "np.zeros(2)");
  m.Expect(ReduceProd(x.op, {1}), "np.ones(2)");
  m.Expect(ReduceMax(x.op, {1}), "np.full(2, -np.inf)");
  m.Expect(ReduceMin(x.op, {1}), "np.full(2, np.inf)");
  m.Expect(Mean(x.op, {1}), "np.full(2, np.nan)");
  m.Expect(LogSumExp(x.op, {1}), "np.full(2, -np.inf)");
  m.Expect(ArgMax(x.op, 1), "np.full(2, 2**31 - 1)");
  m.Expect(CumSum(x.op, 1), "np.zeros((2, 0))");
  m.Expect(GetMatrixDiagonal(x.op), "np.zeros(0)");
  m.Run();
}

TEST_F(CompositesTest, ArgMaxAndArgMin) {
  for (Domain domain : {Domain::kSmall, Domain::kSpecial}) {
    for (bool greatest : {true, false}) {
      Run(Reals(), [&](JudgedModule& m, ElementType type) {
        // Long enough for ties.
        Sizes sizes = SomeDims();
        const int64_t dim = SomeDim(sizes);
        sizes[dim < 0 ? dim + sizes.size() : dim] = random_.Between(1, 40);
        const bool keep = random_.OneIn(2);
        const ElementType index =
            random_.Pick(Types{ElementType::kS32, ElementType::kS64,
                               ElementType::kU8, ElementType::kU32});
        const Input x = m.AddInput(MakeShape(type, sizes), domain);
        m.Expect(greatest ? ArgMax(x.op, dim, index, keep)
                          : ArgMin(x.op, dim, index, keep),
                 absl::StrCat("np.", greatest ? "argmax(" : "argmin(", x.name,
                              ", ", dim, ", keepdims=", PythonBool(keep), ")"));
      });
    }
  }
}

// --- Running -----------------------------------------------------------------

TEST_F(CompositesTest, Cumulative) {
  struct Kind {
    Op (*function)(Op, int64_t, bool, bool, Caller);
    std::string numpy, start;
    Types types;
    Domain domain;
    bool exclusive;
    int ulps;
  };
  const std::vector<Kind> kinds = {
      {CumSum, "np.add", "0", Reals(), Domain::kSmall, true, 0},
      {CumProd, "np.multiply", "1", Reals(), Domain::kUnit, true, 60},
      {CumMax, "np.maximum", "-np.inf", CompositeFloats(), Domain::kSpecial,
       true, 0},
      {CumMin, "np.minimum", "np.inf", CompositeFloats(), Domain::kSpecial,
       true, 0},
      {CumMax, "np.maximum", "0", Reals(), Domain::kAny, false, 0},
      {CumMin, "np.minimum", "0", Reals(), Domain::kAny, false, 0},
      {CumLogSumExp, "np.logaddexp", "-np.inf", CompositeFloats(),
       Domain::kPositive, true, 100},
      {CumLogSumExp, "np.logaddexp", "-np.inf", CompositeFloats(),
       Domain::kSpecial, true, 2000},
  };
  for (const Kind& kind : kinds) {
    Run(kind.types, [&](JudgedModule& m, ElementType type) {
      const Sizes sizes = SomeDims();
      const int64_t dim = random_.Between(0, sizes.size() - 1);
      const bool reverse = random_.OneIn(2);
      const bool exclusive = kind.exclusive && random_.OneIn(2);
      const Input x = m.AddInput(MakeShape(type, sizes), kind.domain);
      m.Expect(kind.function(x.op, dim, reverse, exclusive, Caller::Here()),
               absl::StrCat("cumulative(", kind.numpy, ", ", x.name, ", ", dim,
                            ", ", PythonBool(reverse), ", ",
                            PythonBool(exclusive), ", ", kind.start, ")"),
               kind.ulps);
    });
  }
}

// --- Elements ----------------------------------------------------------------

TEST_F(CompositesTest, Elements) {
  struct Kind {
    std::function<Op(Op)> function;
    std::string numpy;  // of x
    Types types;
    Domain domain;
    int ulps;
  };
  const std::vector<Kind> kinds = {
      {[](Op x) { return Square(x); }, "x * x", Reals(), Domain::kSmall, 0},
      {[](Op x) { return Reciprocal(x); }, "1 / x", CompositeFloats(),
       Domain::kPositive, 0},
      {[](Op x) { return Atan(x); }, "np.arctan(x)", CompositeFloats(),
       Domain::kAny, 40},
      {[](Op x) { return IsNan(x); }, "np.isnan(x)", CompositeFloats(),
       Domain::kSpecial, 0},
      {[](Op x) { return IsInf(x); }, "np.isinf(x)", CompositeFloats(),
       Domain::kSpecial, 0},
      {[](Op x) { return IsPosInf(x); }, "x == np.inf", CompositeFloats(),
       Domain::kSpecial, 0},
      {[](Op x) { return IsNegInf(x); }, "x == -np.inf", CompositeFloats(),
       Domain::kSpecial, 0},
      {[](Op x) { return Relu(x); }, "np.maximum(x, 0)", Reals(),
       Domain::kSpecial, 0},
      {[](Op x) { return Relu6(x); }, "np.minimum(np.maximum(x, 0), 6)",
       Reals(), Domain::kAny, 0},
      {[](Op x) { return LeakyRelu(x, 0.25); }, "np.where(x >= 0, x, x / 4)",
       CompositeFloats(), Domain::kAny, 0},
      {[](Op x) { return Elu(x, 2); }, "np.where(x > 0, x, 2 * np.expm1(x))",
       CompositeFloats(), Domain::kAny, 40},
      {[](Op x) { return Silu(x); }, "x / (1 + np.exp(-x))", CompositeFloats(),
       Domain::kAny, 40},
      {[](Op x) { return Softplus(x); }, "np.logaddexp(x, 0)",
       CompositeFloats(), Domain::kSpecial, 40},
      {[](Op x) { return LogSigmoid(x); }, "-np.logaddexp(-x, 0)",
       CompositeFloats(), Domain::kSpecial, 40},
      {[](Op x) { return Gelu(x); }, "gelu(x, False)", CompositeFloats(),
       Domain::kUnit, 60},
      {[](Op x) { return Gelu(x, true); }, "gelu(x, True)", CompositeFloats(),
       Domain::kUnit, 60},
      {[](Op x) { return ZerosLike(x); }, "np.zeros(x.shape)", Reals(),
       Domain::kAny, 0},
      {[](Op x) { return FullLike(x, 3); }, "np.full(x.shape, 3)", Reals(),
       Domain::kAny, 0},
  };
  for (const Kind& kind : kinds) {
    JudgedModule m("elements");
    for (ElementType type : kind.types) {
      const Input x = m.AddInput(MakeShape(type, random_.Dims()), kind.domain);
      m.Expect(kind.function(x.op),
               absl::StrCat("(lambda x: ", kind.numpy, ")(", x.name, ")"),
               kind.ulps);
    }
    m.Run();
  }
}

TEST_F(CompositesTest, LogAddExp) {
  Run(CompositeFloats(), [&](JudgedModule& m, ElementType type) {
    const Sizes sizes = random_.Dims();
    const Input x = m.AddInput(MakeShape(type, sizes), Domain::kSpecial);
    const Input y = m.AddInput(MakeShape(type, sizes), Domain::kSpecial);
    m.Expect(LogAddExp(x.op, y.op),
             absl::StrCat("np.logaddexp(", x.name, ", ", y.name, ")"), 2000);
  });
}

TEST_F(CompositesTest, Softmax) {
  for (Domain domain : {Domain::kAny, Domain::kSpecial}) {
    Run(CompositeFloats(), [&](JudgedModule& m, ElementType type) {
      const Sizes sizes = SomeDims();
      const int64_t dim = SomeDim(sizes);
      const Input x = m.AddInput(MakeShape(type, sizes), domain);
      m.Expect(Softmax(x.op, dim),
               absl::StrCat("softmax(", x.name, ", ", dim, ")"), 40);
      m.Expect(LogSoftmax(x.op, dim),
               absl::StrCat("log_softmax(", x.name, ", ", dim, ")"), 200);
    });
  }
}

TEST_F(CompositesTest, OneHot) {
  Run({ElementType::kS8, ElementType::kS32, ElementType::kU8, ElementType::kS64,
       ElementType::kU64},
      [&](JudgedModule& m, ElementType type) {
        const Sizes sizes = random_.Dims(random_.Between(0, 3));
        const int64_t depth = random_.Between(0, 6);
        const int64_t rank = static_cast<int64_t>(sizes.size());
        const int64_t dim = random_.Between(-rank - 1, rank);
        const Input x = m.AddInput(MakeShape(type, sizes), Domain::kCount);
        m.Expect(OneHot(x.op, depth, ElementType::kF32, dim, 2, -1),
                 absl::StrCat("np.where(one_hot(", x.name, ", ", depth, ", ",
                              dim, "), 2, -1)"));
      });
}

// --- Matrices ----------------------------------------------------------------

TEST_F(CompositesTest, Matrices) {
  Run({ElementType::kF32, ElementType::kS32, ElementType::kPred,
       ElementType::kF32, ElementType::kC64},
      [&](JudgedModule& m, ElementType type) {
        const Input x =
            m.AddInput(MakeShape(type, random_.Dims(random_.Between(2, 4))));
        const int64_t k = random_.Between(-3, 3);
        m.Expect(LowerTriangle(x.op), absl::StrCat("np.tril(", x.name, ")"));
        m.Expect(UpperTriangle(x.op), absl::StrCat("np.triu(", x.name, ")"));
        m.Expect(TransposeInMinorDims(x.op),
                 absl::StrCat("np.swapaxes(", x.name, ", -1, -2)"));
        m.Expect(TriangleMask(x.op, k),
                 absl::StrCat("np.tril(np.ones(", x.name, ".shape), ", k, ")"));
        m.Expect(GetMatrixDiagonal(x.op, k),
                 absl::StrCat("np.diagonal(", x.name, ", ", k, ", -2, -1)"));
      });
  JudgedModule m("identity");
  for (ElementType type : Reals()) {
    m.Expect(IdentityMatrix(m.builder(), type, 3, 4), "np.eye(3, 4)");
  }
  m.Run();
}

// --- Slices ------------------------------------------------------------------

TEST_F(CompositesTest, Slices) {
  JudgedModule m("slices");
  const Input x = m.AddInput("f32[3,4,5]"), u = m.AddInput("f32[2,2,3]");
  const Input i = m.AddInput("s32[]", "2"), j = m.AddInput("s32[]", "1");
  m.Expect(Index(x.op, 1), "p0[1]");
  m.Expect(Index(x.op, -1, -2), "p0[:, -1]");
  m.Expect(SliceInMinorDims(x.op, {1, 2}, {3, 5}), "p0[:, 1:3, 2:5]");
  const std::string updated =
      "(lambda a, s: [a.__setitem__(s, p1), a][1])(p0.copy(), np.s_[";
  m.Expect(UpdateSlice(x.op, u.op, {1, 2, 1}), updated + "1:3, 2:4, 1:4])");
  m.Expect(UpdateSliceInMinorDims(x.op, u.op, {1, 2}),
           updated + "0:2, 1:3, 2:5])");
  m.Expect(DynamicSliceInMinorDims(x.op, {i.op, j.op}, {2, 3}),
           "p0[:, 2:4, 1:4]");
  m.Expect(DynamicUpdateSliceInMinorDims(x.op, u.op, {i.op, j.op}),
           updated + "0:2, 2:4, 1:4])");
  m.Run();
}

TEST_F(CompositesTest, IndexSelect) {
  Run({ElementType::kS32, ElementType::kS64, ElementType::kU8, ElementType::kS8,
       ElementType::kU32},
      [&](JudgedModule& m, ElementType type) {
        const Sizes sizes = SomeDims();
        const int64_t dim = random_.Between(0, sizes.size() - 1);
        const int64_t batch = random_.Between(0, dim);
        Sizes indices(sizes.begin(), sizes.begin() + batch);
        for (int64_t n = random_.Between(0, 2); n > 0; --n) {
          indices.push_back(random_.Between(0, 3));
        }
        const Input x = m.AddInput(MakeShape(ElementType::kF32, sizes));
        const Input at = m.AddInput(MakeShape(type, indices), Domain::kShift);
        m.Expect(IndexSelect(x.op, at.op, dim, batch),
                 absl::StrCat("take_batched(", x.name, ", ", at.name, ", ", dim,
                              ", ", batch, ")"));
      });
}

TEST_F(CompositesTest, TorchGather) {
  Run({ElementType::kS32, ElementType::kS64, ElementType::kU8,
       ElementType::kS8},
      [&](JudgedModule& m, ElementType type) {
        Sizes sizes = SomeDims();
        const Sizes from = sizes;
        const int64_t dim = random_.Between(0, sizes.size() - 1);
        sizes[dim] = random_.Between(0, 5);
        const Input x = m.AddInput(MakeShape(ElementType::kF32, from));
        const Input at = m.AddInput(MakeShape(type, sizes), Domain::kShift);
        m.Expect(
            TorchGather(x.op, at.op, dim),
            absl::StrCat("np.take_along_axis(", x.name, ", np.clip(", at.name,
                         ".astype(int), 0, ", from[dim] - 1, "), ", dim, ")"));
      });
}

// --- Constants ---------------------------------------------------------------

TEST_F(CompositesTest, Constants) {
  JudgedModule m("constants");
  ComputationBuilder& b = m.builder();
  for (ElementType type : Reals()) {
    const std::string info =
        absl::StrCat(IsFloat(type) ? "ml_dtypes.finfo" : "np.iinfo", "(TYPES['",
                     Name(type), "'])");
    m.Expect(MaxFiniteValue(b, type), info + ".max");
    m.Expect(MinFiniteValue(b, type), info + ".min");
    m.Expect(Zero(b, type), "0");
    m.Expect(One(b, type), "1");
    if (!IsFloat(type)) {
      m.Expect(MaxValue(b, type), info + ".max");
      m.Expect(MinValue(b, type), info + ".min");
      continue;
    }
    m.Expect(MaxValue(b, type), "np.inf");
    m.Expect(MinValue(b, type), "-np.inf");
    m.Expect(NanValue(b, type), "np.nan");
    m.Expect(Epsilon(b, type), info + ".eps");
  }
  for (ElementType type :
       {ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kF8E4M3,
        ElementType::kF8E3M4, ElementType::kF8E5M2FNUZ,
        ElementType::kF8E4M3FNUZ, ElementType::kF8E4M3B11FNUZ}) {
    const std::string info =
        absl::StrCat("ml_dtypes.finfo(TYPES['", Name(type), "'])");
    m.Expect(MaxFiniteValue(b, type), info + ".max");
    m.Expect(MinFiniteValue(b, type), info + ".min");
    m.Expect(Epsilon(b, type), info + ".eps");
  }
  m.Run();
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Composites that are building blocks of models, of random shapes and element
// types, on real XLA against NumPy (numpy_blocks.py).

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

using Input = JudgedModule::Input;

const Types& BlockFloats() {
  static const auto* const kTypes =
      new Types{ElementType::kF32, ElementType::kBF16, ElementType::kF64,
                ElementType::kF16};
  return *kTypes;
}
const Types& BlockNumbers() {
  static const auto* const kTypes =
      new Types{ElementType::kF32, ElementType::kBF16, ElementType::kF64,
                ElementType::kF16, ElementType::kS8,   ElementType::kS32,
                ElementType::kS64, ElementType::kU8,   ElementType::kU64};
  return *kTypes;
}

class BlocksTest : public testing::Test {
 protected:
  // A few modules, each of a result for every type.
  void Run(const Types& types,
           const std::function<void(JudgedModule&, ElementType)>& add_case) {
    for (uint32_t seed = 0; seed < 3; seed += SampleStep(3)) {
      JudgedModule m("blocks", seed);
      for (const ElementType type : types) add_case(m, type);
      m.Run();
    }
  }
  int64_t SomeDim(int64_t rank) { return random_.Between(-rank, rank - 1); }

  RandomOperands random_{34};
};

// --- Pooling -----------------------------------------------------------------

struct Window {
  Sizes sizes, strides;
  std::vector<PaddingArg::Pair> pairs;
  std::optional<Padding> padding;
  std::string text;  // Python: window, strides, padding

  PaddingArg arg() const {
    return padding ? PaddingArg(*padding) : PaddingArg(pairs);
  }
};

// A window over an array of `dims` that has at least one position, and at each
// an element.
Window SomeWindow(RandomOperands& random, const Sizes& dims) {
  Window w;
  const int64_t kind = random.Between(0, 2);
  std::string pairs;
  for (const int64_t size : dims) {
    w.sizes.push_back(random.OneIn(3) ? 1 : random.Between(1, size));
    w.strides.push_back(random.Between(1, 3));
    const int64_t most = w.sizes.back() - 1;
    w.pairs.emplace_back(random.Between(0, most), random.Between(0, most));
    absl::StrAppend(&pairs, "(", w.pairs.back().first, ",",
                    w.pairs.back().second, "),");
  }
  if (kind == 0) w.padding = Padding::kValid;
  if (kind == 1) w.padding = Padding::kSame;
  if (random.OneIn(3)) w.strides.clear();
  w.text = absl::StrCat(PythonList(w.sizes), ", ", PythonList(w.strides), ", ",
                        kind == 0   ? "'VALID'"
                        : kind == 1 ? "'SAME'"
                                    : absl::StrCat("[", pairs, "]"));
  return w;
}

TEST_F(BlocksTest, MaxPool) {
  for (int round = 0; round < 4; ++round) {
    Run(BlockNumbers(), [&](JudgedModule& m, ElementType type) {
      const Sizes dims = random_.FullDims(random_.Between(1, 4));
      const Window w = SomeWindow(random_, dims);
      const Input x = m.AddInput(MakeShape(type, dims));
      m.Expect(MaxPool(x.op, w.sizes, w.strides, w.arg()),
               absl::StrCat("max_pool(", x.name, ", ", w.text, ")"));
    });
  }
}

TEST_F(BlocksTest, AvgPool) {
  for (int round = 0; round < 4; ++round) {
    Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
      const Sizes dims = random_.FullDims(random_.Between(1, 4));
      const Window w = SomeWindow(random_, dims);
      const bool count = random_.OneIn(2);
      const Input x = m.AddInput(MakeShape(type, dims), Domain::kPositive);
      m.Expect(AvgPool(x.op, w.sizes, w.strides, w.arg(), count),
               absl::StrCat("avg_pool(", x.name, ", ", w.text, ", ",
                            count ? "True" : "False", ")"));
    });
  }
}

// --- Normalization -----------------------------------------------------------

TEST_F(BlocksTest, LayerNormAndRmsNorm) {
  for (int round = 0; round < 4; ++round) {
    Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
      const Sizes dims = random_.FullDims(random_.Between(1, 4));
      const Sizes last(dims.begin() + random_.Between(0, dims.size() - 1),
                       dims.end());
      const Input x = m.AddInput(MakeShape(type, dims), Domain::kPositive);
      const Input scale = m.AddInput(MakeShape(type, last), Domain::kUnit);
      // So that no result is close to 0, where rounding counts most.
      const Input offset = m.AddInput(MakeShape(type, last), Domain::kAboveOne);
      m.Expect(LayerNorm(x.op, scale.op, offset.op + offset.op, 1e-2),
               absl::StrCat("layer_norm(", x.name, ", ", scale.name, ", 2 * ",
                            offset.name, ", 1e-2)"),
               type == ElementType::kF32 ? 500 : 0);
      m.Expect(RmsNorm(x.op, scale.op),
               absl::StrCat("rms_norm(", x.name, ", ", scale.name, ", 1e-6)"));
    });
  }
}

TEST_F(BlocksTest, BatchNormInference) {
  Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.FullDims(random_.Between(1, 4));
    const int64_t dim = SomeDim(dims.size());
    const Sizes features = {dims[dim < 0 ? dim + dims.size() : dim]};
    const auto vector = [&](Domain domain) {
      return m.AddInput(MakeShape(type, features), domain);
    };
    const Input x = m.AddInput(MakeShape(type, dims), Domain::kUnit);
    const Input scale = vector(Domain::kUnit);
    const Input offset = vector(Domain::kAboveOne);
    const Input mean = vector(Domain::kUnit);
    const Input variance = vector(Domain::kAboveOne);
    m.Expect(BatchNormInference(x.op, scale.op, offset.op + offset.op, mean.op,
                                variance.op, dim, 1e-3),
             absl::StrCat("batch_norm(", x.name, ", ", scale.name, ", 2 * ",
                          offset.name, ", ", mean.name, ", ", variance.name,
                          ", ", dim, ", 1e-3)"));
  });
}

// An f32 scale beside bf16 activations, as models have it.
TEST_F(BlocksTest, NormsOfMixedTypes) {
  JudgedModule m("mixed");
  const Input x = m.AddInput("bf16[4,8]", Domain::kPositive);
  const Input scale = m.AddInput("f32[8]", Domain::kPositive);
  m.Expect(RmsNorm(x.op, scale.op), "rms_norm(p0, p1, 1e-6)");
  EXPECT_EQ(m.builder().DiagnosticsText(), "");
  m.Run();
}

// --- Optimizers --------------------------------------------------------------

TEST_F(BlocksTest, Optimizers) {
  Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
    const Shape shape =
        MakeShape(type, random_.FullDims(random_.Between(0, 3)));
    const Input w = m.AddInput(shape, Domain::kUnit);
    const Input g = m.AddInput(shape, Domain::kUnit);
    const Input mean = m.AddInput(shape, Domain::kUnit);
    // So that the root of the square is far from 0.
    const Input square = m.AddInput(shape, Domain::kAboveOne);
    const bool nesterov = random_.OneIn(2);
    const std::string both =
        absl::StrCat(w.name, ", ", g.name, ", ", mean.name);
    const SgdState sgd = Sgd(w.op, g.op, mean.op, 0.25, 0.8, nesterov);
    const std::string sgd_text = absl::StrCat("sgd(", both, ", 0.25, 0.8, ",
                                              nesterov ? "True" : "False", ")");
    m.Expect(sgd.weight, absl::StrCat(sgd_text, "[0]"));
    m.Expect(sgd.velocity, absl::StrCat(sgd_text, "[1]"));
    const int64_t step = random_.Between(0, 3) * 400;
    const double decay = random_.OneIn(2) ? 0 : 0.5;
    const Op count = m.builder().ConstantR0(ElementType::kS32, step);
    const AdamState adam =
        decay == 0 ? Adam(w.op, g.op, mean.op, square.op, count, 0.25)
                   : AdamW(w.op, g.op, mean.op, square.op, count, 0.25, decay);
    const std::string adam_text = absl::StrCat(
        "adam(", both, ", ", square.name, ", ", step, ", 0.25, ", decay, ")");
    m.Expect(adam.weight, absl::StrCat(adam_text, "[0]"));
    m.Expect(adam.mean, absl::StrCat(adam_text, "[1]"));
    m.Expect(adam.square, absl::StrCat(adam_text, "[2]"));
  });
}

// --- Shaping -----------------------------------------------------------------

TEST_F(BlocksTest, SplitAndStack) {
  Run(BlockNumbers(), [&](JudgedModule& m, ElementType type) {
    Sizes dims = random_.Dims(random_.Between(1, 3));
    const int64_t dim = SomeDim(dims.size());
    const int64_t count = random_.Between(1, 3), size = random_.Between(0, 2);
    dims[dim < 0 ? dim + dims.size() : dim] = count * size;
    const Input x = m.AddInput(MakeShape(type, dims));
    const std::vector<Op> pieces = Split(x.op, count, dim);
    ASSERT_EQ(pieces.size(), count);
    for (int64_t i = 0; i < count; ++i) {
      m.Expect(pieces[i], absl::StrCat("np.split(", x.name, ", ", count, ", ",
                                       dim, ")[", i, "]"));
    }
    const int64_t at = SomeDim(static_cast<int64_t>(dims.size()) + 1);
    std::string list;
    for (int64_t i = 0; i < count; ++i) {
      absl::StrAppend(&list, "np.split(", x.name, ", ", count, ", ", dim, ")[",
                      i, "], ");
    }
    m.Expect(Stack(pieces, at),
             absl::StrCat("np.stack([", list, "], ", at, ")"));
  });
  JudgedModule m("sizes");
  const Input x = m.AddInput("f32[2,7]");
  const std::vector<Op> pieces = SplitBySizes(x.op, {3, 0, 4}, -1);
  m.Expect(pieces[0], "p0[:, :3]");
  m.Expect(pieces[1], "p0[:, 3:3]");
  m.Expect(pieces[2], "p0[:, 3:]");
  m.Run();
}

TEST_F(BlocksTest, DimsOfOne) {
  Run(BlockNumbers(), [&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims(random_.Between(0, 3));
    const int64_t rank = static_cast<int64_t>(dims.size()) + 2;
    Sizes at = random_.Permutation(rank);
    at.resize(2);
    if (random_.OneIn(2)) at[0] -= rank;
    const Input x = m.AddInput(MakeShape(type, dims));
    const Op grown = ExpandDims(x.op, at);
    m.Expect(grown, absl::StrCat("np.expand_dims(", x.name, ", tuple(",
                                 PythonList(at), "))"));
    m.Expect(Squeeze(grown, at), x.name);
    m.Expect(Squeeze(grown), absl::StrCat("np.squeeze(", x.name, ")"));
  });
}

// --- Selection ---------------------------------------------------------------

TEST_F(BlocksTest, Where) {
  for (int round = 0; round < 3; ++round) {
    Run(BlockNumbers(), [&](JudgedModule& m, ElementType type) {
      const Sizes dims = random_.Dims();
      // Some dims are 1, and some in front missing.
      const auto part = [&] {
        Sizes sizes(dims.begin() + random_.Between(0, dims.size()), dims.end());
        for (int64_t& size : sizes) {
          if (random_.OneIn(3)) size = 1;
        }
        return sizes;
      };
      const Input c = m.AddInput(MakeShape(ElementType::kPred, part()));
      const Input x = m.AddInput(MakeShape(type, part()));
      const Input y = m.AddInput(MakeShape(type, part()));
      m.Expect(
          Where(c.op, x.op, y.op),
          absl::StrCat("np.where(", c.name, ", ", x.name, ", ", y.name, ")"));
    });
  }
}

TEST_F(BlocksTest, Take) {
  Run({ElementType::kS32, ElementType::kS64, ElementType::kS8, ElementType::kU8,
       ElementType::kU64},
      [&](JudgedModule& m, ElementType index) {
        for (const ElementType type : BlockFloats()) {
          Sizes dims = random_.FullDims(random_.Between(1, 4));
          const int64_t dim = SomeDim(dims.size());
          const Input x = m.AddInput(MakeShape(type, dims));
          const Input rows =
              m.AddInput(MakeShape(index, random_.Dims(random_.Between(0, 2))),
                         Domain::kSmall);
          m.Expect(Take(x.op, rows.op, dim),
                   absl::StrCat("take_from(", x.name, ", ", rows.name, ", ",
                                dim, ")"));
          Sizes others = dims;
          others.erase(others.begin() + (dim < 0 ? dim + dims.size() : dim));
          const Input row = m.AddInput(MakeShape(type, others));
          const Input place = m.AddInput(MakeShape(index, {}), Domain::kSmall);
          m.Expect(UpdateIndex(x.op, row.op, place.op, dim),
                   absl::StrCat("update_index(", x.name, ", ", row.name, ", ",
                                place.name, ", ", dim, ")"));
          dims[dim < 0 ? dim + dims.size() : dim] = random_.Between(0, 5);
          const Input at = m.AddInput(MakeShape(index, dims), Domain::kSmall);
          m.Expect(TakeAlongDim(x.op, at.op, dim),
                   absl::StrCat("take_along(", x.name, ", ", at.name, ", ", dim,
                                ")"));
        }
      });
}

// --- Attention ---------------------------------------------------------------

TEST_F(BlocksTest, Attention) {
  for (int round = 0; round < 4; ++round) {
    Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
      const int64_t batch = random_.Between(1, 3),
                    queries = random_.Between(1, 5);
      const int64_t keys = random_.Between(1, 5), heads = random_.Between(1, 2);
      const int64_t group = random_.Between(1, 3), size = random_.Between(1, 4);
      const Input q =
          m.AddInput(MakeShape(type, {batch, queries, heads * group, size}),
                     Domain::kUnit);
      const Input k = m.AddInput(MakeShape(type, {batch, keys, heads, size}),
                                 Domain::kUnit);
      const Input v = m.AddInput(MakeShape(type, {batch, keys, heads, size}),
                                 Domain::kPositive);
      AttentionOptions options;
      std::string text = absl::StrCat(q.name, ", ", k.name, ", ", v.name);
      if (random_.OneIn(2)) {
        const Input mask = m.AddInput(
            MakeShape(ElementType::kPred, random_.OneIn(2)
                                              ? Sizes{batch, 1, queries, keys}
                                              : Sizes{queries, keys}));
        options.mask = mask.op;
        absl::StrAppend(&text, ", mask=", mask.name);
      }
      if (random_.OneIn(2)) {
        const Input bias = m.AddInput(
            MakeShape(type, {1, heads * group, queries, keys}), Domain::kUnit);
        options.bias = bias.op;
        absl::StrAppend(&text, ", bias=", bias.name);
      }
      options.causal = random_.OneIn(2);
      if (options.causal) absl::StrAppend(&text, ", causal=True");
      if (random_.OneIn(3)) {
        options.scale = 0.25;
        absl::StrAppend(&text, ", scale=0.25");
      }
      m.Expect(
          DotProductAttention(q.op, k.op, v.op, options),
          absl::StrCat("attention(", text, ")"),
          type == ElementType::kBF16 || type == ElementType::kF16 ? 2 : 100);
    });
  }
}

// --- Losses ------------------------------------------------------------------

TEST_F(BlocksTest, CrossEntropy) {
  for (const ElementType labels :
       {ElementType::kS32, ElementType::kU8, ElementType::kS64}) {
    Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
      Sizes dims = random_.FullDims(random_.Between(1, 3));
      const int64_t dim = random_.Between(0, dims.size() - 1);
      dims[dim] += 1;
      Sizes others = dims;
      others.erase(others.begin() + dim);
      const Input x = m.AddInput(MakeShape(type, dims), Domain::kUnit);
      const Input y = m.AddInput(MakeShape(labels, others), Domain::kSmall);
      const Input p = m.AddInput(MakeShape(type, dims), Domain::kPositive);
      const int64_t at =
          random_.OneIn(2) ? dim : dim - static_cast<int64_t>(dims.size());
      m.Expect(
          CrossEntropy(x.op, y.op, at),
          absl::StrCat("cross_entropy(", x.name, ", ", y.name, ", ", at, ")"),
          type == ElementType::kF32 || type == ElementType::kF64 ? 100 : 0);
      m.Expect(
          SoftCrossEntropy(x.op, p.op, at),
          absl::StrCat("soft_cross_entropy(", x.name, ", ", p.name, ", ", at,
                       ")"),
          type == ElementType::kF32 || type == ElementType::kF64 ? 100 : 0);
    });
  }
}

// --- Random numbers ----------------------------------------------------------

struct Generator {
  RandomState (*start)(ComputationBuilder&, uint64_t, Caller);
  std::string name;
  int words;
};
const Generator kGenerators[] = {{ThreeFryState, "three_fry", 2},
                                 {PhiloxState, "philox", 3}};

// Python: the state of `seed` after draws of these (dims, width).
std::string StateText(const Generator& g, uint64_t seed,
                      const std::vector<std::pair<Sizes, int>>& draws) {
  std::string counter = "0";
  for (const auto& [dims, width] : draws) {
    absl::StrAppend(&counter, " + used_counters('", g.name, "', ",
                    PythonList(dims), ", ", width, ")");
  }
  return absl::StrCat("'", g.name, "', [", seed, ", ", counter,
                      g.words == 3 ? ", 0]" : "]");
}

TEST_F(BlocksTest, RandomNumbers) {
  for (const Generator& g : kGenerators) {
    Run(BlockFloats(), [&](JudgedModule& m, ElementType type) {
      const Sizes dims = random_.Dims(random_.Between(0, 3));
      const int width = type == ElementType::kF64 ? 64 : 32;
      const Shape shape = MakeShape(type, dims);
      const uint64_t seed = static_cast<uint64_t>(random_.Between(0, 1 << 30))
                                << 32 |
                            static_cast<uint64_t>(random_.Between(0, 1 << 30));
      RandomState random = g.start(m.builder(), seed, Caller::Here());
      std::vector<std::pair<Sizes, int>> draws;
      const std::string rest =
          absl::StrCat(", ", PythonList(dims), ", '", Name(type), "')");
      m.Expect(RandomUniform(&random, shape),
               absl::StrCat("uniform(", StateText(g, seed, draws), rest));
      draws.emplace_back(dims, width);
      m.Expect(RandomUniform(&random, shape, -1, 3),
               absl::StrCat("4 * uniform(", StateText(g, seed, draws), rest,
                            " - 1"));
      draws.emplace_back(dims, width);
      // Close to 0 rounding counts most: moved away from it.
      m.Expect(
          RandomNormal(&random, shape, 8, 0.5),
          absl::StrCat("8 + 0.5 * normal(", StateText(g, seed, draws), rest));
      Sizes two = {2};
      two.insert(two.end(), dims.begin(), dims.end());
      draws.emplace_back(two, width);
      const Input x = m.AddInput(shape);
      m.Expect(Dropout(&random, x.op, 0.25),
               absl::StrCat("dropout(", StateText(g, seed, draws), ", ", x.name,
                            ", 0.25)"));
      draws.emplace_back(dims, 32);
      if (dims.empty() || MakeShape(type, dims).ElementCount() == 0) return;
      const int64_t dim = SomeDim(dims.size());
      m.Expect(RandomCategorical(&random, x.op, dim),
               absl::StrCat("categorical(", StateText(g, seed, draws), ", ",
                            x.name, ", '", Name(type), "', ", dim, ")"));
    });
  }
}

// The bits themselves, and the state after them.
TEST_F(BlocksTest, RandomBits) {
  for (const Generator& g : kGenerators) {
    for (const ElementType type :
         {ElementType::kU32, ElementType::kU64, ElementType::kS32}) {
      Run(Types(6, type), [&](JudgedModule& m, ElementType type) {
        const Sizes dims = random_.Dims(random_.Between(0, 3));
        const int width = type == ElementType::kU64 ? 64 : 32;
        const RandomState random = g.start(m.builder(), 7, Caller::Here());
        const Op both = m.builder().RngBitGenerator(
            random.algorithm, random.state, MakeShape(type, dims));
        const std::string bits =
            absl::StrCat("random_bits(", StateText(g, 7, {}), ", ",
                         PythonList(dims), ", ", width, ")");
        m.Expect(m.builder().GetTupleElement(both, 0),
                 absl::StrCat("np.array([7, used_counters('", g.name, "', ",
                              PythonList(dims), ", ", width, ")",
                              g.words == 3 ? ", 0])" : "])"));
        m.Expect(m.builder().GetTupleElement(both, 1), bits);
      });
    }
  }
}

}  // namespace
}  // namespace indim

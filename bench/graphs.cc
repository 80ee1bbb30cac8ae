// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/graphs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/types/shape.h"

namespace indim::bench {
namespace {

Shape F32(std::initializer_list<int64_t> sizes) {
  std::vector<Dim> dims;
  for (int64_t size : sizes) dims.push_back(Dim::Static(size));
  return Shape::Array(ElementType::kF32, dims);
}

int64_t Same(ComputationBuilder* b, int64_t n, Op* root) {
  Op x = b->Parameter(0, F32({8, 16}), "x");
  const Op y = b->Parameter(1, F32({8, 16}), "y");
  for (int64_t i = 0; i < n; ++i) x = b->Add(x, y);
  *root = x;
  return n;
}

int64_t InDim(ComputationBuilder* b, int64_t n, Op* root) {
  Op x = b->Parameter(0, F32({8, 16}), "x");
  const Op y = b->Parameter(1, F32({16}), "y");
  for (int64_t i = 0; i < n; ++i) x = b->Add(x, y, {1});
  *root = x;
  return n;
}

int64_t Mixed(ComputationBuilder* b, int64_t n, Op* root) {
  Op x = b->Parameter(0, F32({8, 16}), "x");
  const Op same = b->Parameter(1, F32({8, 16}), "y");
  const Op scalar = b->Parameter(2, F32({}), "s");
  const Op vector = b->Parameter(3, F32({16}), "v");
  const Op degenerate = b->Parameter(4, F32({1, 16}), "d");
  const Op operands[10] = {same, same, scalar, same,       vector,
                           same, same, scalar, degenerate, same};
  for (int64_t i = 0; i < n; ++i) {
    const Op r = operands[i % 10];
    const BroadcastArg dims = i % 10 == 4 ? BroadcastArg{1} : BroadcastArg{};
    switch (i & 3) {
      case 0:
        x = b->Add(x, r, dims);
        break;
      case 1:
        x = b->Mul(x, r, dims);
        break;
      case 2:
        x = b->Sub(x, r, dims);
        break;
      default:
        x = b->Max(x, r, dims);
    }
  }
  *root = x;
  return n;
}

Callee ScalarComputation(ComputationBuilder* b, bool maximum) {
  ComputationBuilder sub = b->SubBuilder(maximum ? "max" : "add");
  const Op l = sub.Parameter(0, F32({}), "l");
  const Op r = sub.Parameter(1, F32({}), "r");
  return sub.BuildCallee(maximum ? sub.Max(l, r) : sub.Add(l, r));
}

struct TransformerWeights {
  Op wq, wk, wv, wo, w1, w2, b1, b2, gain, bias;
};

// The scalars that a block uses.
struct TransformerNumbers {
  Op zero, minus_infinity, width, epsilon, half, one, scale, c0, c1;
};

// Pre-LN transformer blocks. Each method is a layer and adds its number of
// calls to `calls`.
class Transformer {
 public:
  explicit Transformer(ComputationBuilder* b)
      : b_(*b),
        add_(ScalarComputation(b, false)),
        max_(ScalarComputation(b, true)) {
    x_ = Next({kB, kS, kD});
    for (Op* w : {&w_.wq, &w_.wk, &w_.wv, &w_.wo}) *w = Next({kD, kD});
    w_.w1 = Next({kD, kM});
    w_.w2 = Next({kM, kD});
    w_.b1 = Next({kM});
    for (Op* v : {&w_.b2, &w_.gain, &w_.bias}) *v = Next({kD});
    linear_.lhs_contracting_dims = {2};
    linear_.rhs_contracting_dims = {0};
    scores_.lhs_batch_dims = scores_.rhs_batch_dims = {0, 1};
    values_ = scores_;
    scores_.lhs_contracting_dims = scores_.rhs_contracting_dims = {3};
    values_.lhs_contracting_dims = {3};
    values_.rhs_contracting_dims = {2};
  }

  void Block() {
    Op h = Norm(x_);
    const Op q = Heads(b_.DotGeneral(h, w_.wq, linear_));
    const Op k = Heads(b_.DotGeneral(h, w_.wk, linear_));
    const Op v = Heads(b_.DotGeneral(h, w_.wv, linear_));
    const Op s = b_.Mul(b_.DotGeneral(q, k, scores_), n_.scale);
    const Op e = b_.Exp(
        b_.Sub(s, b_.Reduce(s, n_.minus_infinity, max_, {3}), {0, 1, 2}));
    const Op p = b_.Div(e, b_.Reduce(e, n_.zero, add_, {3}), {0, 1, 2});
    const Op o = b_.Reshape(
        b_.Transpose(b_.DotGeneral(p, v, values_), {0, 2, 1, 3}), {kB, kS, kD});
    x_ = b_.Add(x_, b_.DotGeneral(o, w_.wo, linear_));
    h = Norm(x_);
    Op u = b_.Add(b_.DotGeneral(h, w_.w1, linear_), w_.b1, {2});
    const Op cube = b_.Mul(b_.Mul(b_.Mul(u, u), u), n_.c0);
    const Op t = b_.Tanh(b_.Mul(b_.Add(u, cube), n_.c1));
    u = b_.Mul(b_.Mul(u, n_.half), b_.Add(t, n_.one));
    x_ = b_.Add(x_, b_.Add(b_.DotGeneral(u, w_.w2, linear_), w_.b2, {2}));
    calls_ += 15 + 14;
  }

  int64_t calls() const { return calls_; }
  Op x() const { return x_; }

 private:
  static constexpr int64_t kB = 4, kS = 128, kD = 256, kH = 4, kM = 1024;

  Op Next(std::initializer_list<int64_t> sizes) {
    return b_.Parameter(parameters_++, F32(sizes));
  }
  Op Number(double value) { return b_.ConstantR0(ElementType::kF32, value); }

  Op Norm(Op a) {
    const Op mean = b_.Div(b_.Reduce(a, n_.zero, add_, {2}), n_.width);
    const Op centered = b_.Sub(a, mean, {0, 1});
    const Op variance = b_.Div(
        b_.Reduce(b_.Mul(centered, centered), n_.zero, add_, {2}), n_.width);
    const Op r = b_.Rsqrt(b_.Add(variance, n_.epsilon));
    calls_ += 11;
    return b_.Add(b_.Mul(b_.Mul(centered, r, {0, 1}), w_.gain, {2}), w_.bias,
                  {2});
  }

  Op Heads(Op a) {
    calls_ += 2;
    return b_.Transpose(b_.Reshape(a, {kB, kS, kH, kD / kH}), {0, 2, 1, 3});
  }

  ComputationBuilder& b_;
  Callee add_, max_;
  int64_t parameters_ = 0;
  int64_t calls_ = 0;
  Op x_;
  TransformerWeights w_;
  const TransformerNumbers n_ = {
      Number(0), Number(-1e30), Number(kD),       Number(1e-5),   Number(0.5),
      Number(1), Number(0.125), Number(0.044715), Number(0.79788)};
  DotAttributes linear_, scores_, values_;
};

int64_t Transformers(ComputationBuilder* b, int64_t n, Op* root) {
  Transformer model(b);
  while (model.calls() < n) model.Block();
  *root = model.x();
  return model.calls();
}

// --- Hard graphs ------------------------------------------------------------

// Tuples of 100,000 operands (or n), each an op of its own.
int64_t FanIn(ComputationBuilder* b, int64_t n, Op* root) {
  const Op x = b->Parameter(0, F32({8, 16}), "x");
  for (int64_t done = 0; done < n;) {
    const int64_t width = std::min<int64_t>(100000, n - done) - 1;
    std::vector<Op> all;
    for (int64_t i = 0; i < width; ++i) all.push_back(b->Neg(x));
    *root = b->Tuple(all);
    done += width + 1;
  }
  return n;
}

// A computation with one add for each call.
int64_t TinyComputations(ComputationBuilder* b, int64_t n, Op* root) {
  Op x = b->Parameter(0, F32({8, 16}), "x");
  for (int64_t i = 0; i < n; i += 4) {
    ComputationBuilder sub = b->SubBuilder("tiny");
    const Op p = sub.Parameter(0, F32({8, 16}), "p");
    x = b->Call(sub.BuildCallee(sub.Add(p, p)), {x});
  }
  *root = x;
  return n;
}

// Each computation calls the previous one.
int64_t DeepCalls(ComputationBuilder* b, int64_t n, Op* root) {
  std::vector<Callee> inner;
  for (int64_t i = 0; i < n; i += 3) {
    ComputationBuilder sub = b->SubBuilder("level");
    const Op p = sub.Parameter(0, F32({8, 16}), "p");
    Op x = sub.Add(p, p);
    if (!inner.empty()) x = sub.Call(inner.back(), {x});
    inner.push_back(sub.BuildCallee(x));
  }
  *root = b->Call(inner.back(), {b->Parameter(0, F32({8, 16}), "x")});
  return n;
}

// Tuples of 100,000 leaves (or n), whose elements are then read.
int64_t WideTuples(ComputationBuilder* b, int64_t n, Op* root) {
  const Op x = b->Parameter(0, F32({8, 16}), "x");
  Op last = x;
  for (int64_t done = 0; done < n;) {
    const int64_t width = std::min<int64_t>(100000, (n - done) / 2 + 1);
    const Op tuple = b->Tuple(std::vector<Op>(static_cast<size_t>(width), x));
    for (int64_t i = 0; i < width; ++i) {
      last = b->GetTupleElement(tuple, i);
    }
    done += width + 1;
  }
  *root = last;
  return n;
}

int64_t DistinctShapes(ComputationBuilder* b, int64_t n, Op* root) {
  const Op one = b->Parameter(0, F32({1}), "one");
  Op x = one;
  for (int64_t i = 0; i < n; ++i) x = b->ConcatInDim({x, one}, 0);
  *root = x;
  return n;
}

}  // namespace

absl::Span<const Graph> PeerGraphs() {
  static constexpr Graph kGraphs[] = {{"same", Same},
                                      {"indim", InDim},
                                      {"mixed", Mixed},
                                      {"transformer", Transformers}};
  return kGraphs;
}

absl::Span<const Graph> HardGraphs() {
  static constexpr Graph kGraphs[] = {{"chain", Same},
                                      {"fan-in", FanIn},
                                      {"tiny-computations", TinyComputations},
                                      {"deep-calls", DeepCalls},
                                      {"wide-tuples", WideTuples},
                                      {"distinct-shapes", DistinctShapes}};
  return kGraphs;
}

Module Make(const Graph& graph, int64_t n, int64_t* ops) {
  ComputationBuilder b("bench");
  Op root;
  const int64_t count = graph.record(&b, n, &root);
  if (ops != nullptr) *ops = count;
  absl::StatusOr<Module> module = b.Build(root);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n",
                 std::string(module.status().message()).c_str());
    std::abort();
  }
  return *std::move(module);
}

}  // namespace indim::bench

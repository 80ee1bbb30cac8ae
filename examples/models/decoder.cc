#include "indim/examples/models/decoder.h"

#include <tuple>
#include <vector>

#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/computation_builder.h"

namespace indim {
namespace {

struct Layer {
  Op norm1, qkv, out, norm2, gate, up, down;
  Op keys, values;  // of the tokens so far
  auto Members() { return std::tie(keys, values); }
};

// What the loop carries. It captures the weights of the layers, which are no
// members.
struct State {
  Op tokens;
  RandomState random;
  std::vector<Layer> layers;
  auto Members() { return std::tie(tokens, random, layers); }
};

// x f32[2,4,4]: the halves of each row are the parts of two complex numbers,
// turned by angles that grow with i.
Op Rotary(ComputationBuilder& b, Op x, Op i) {
  Op angles = b.ConvertElementType(i, ElementType::kF32) *
              b.Pow(10000, b.Iota("f32[2]", 0) * -0.5);
  const std::vector<Op> half = Split(x, 2, 2);
  Op turn = b.Exp(b.Complex(0, angles));
  Op turned = b.Mul(b.Complex(half[0], half[1]), turn, {2});
  return b.ConcatInDim({b.Real(turned), b.Imag(turned)}, 2);
}

// Token i, whose activations are x f32[2,16], sees the tokens 0..i.
Op Attention(ComputationBuilder& b, Layer* layer, Op x, Op i) {
  Op all = Einsum("bd,dhs->bhs", {x, layer->qkv});
  const std::vector<Op> qkv = Split(all, 3, 1);
  layer->keys = UpdateIndex(layer->keys, Rotary(b, qkv[1], i), i, 1);
  layer->values = UpdateIndex(layer->values, qkv[2], i, 1);
  Op q = ExpandDims(Rotary(b, qkv[0], i), {1});
  Op seen = b.Le(b.Iota("s32[12]", 0), i);
  Op y = DotProductAttention(q, layer->keys, layer->values, {seen});
  return Einsum("bqhs,hsd->bd", {y, layer->out});
}

// The next token of each row, one of the 8 most probable ones.
Op Sample(ComputationBuilder& b, Op logits, RandomState* random) {
  Op best = b.GetTupleElement(b.TopK(logits, 8), 0);
  Op least = ReduceMin(best, {1}, /*keep_dims=*/true);
  logits = b.Select(b.Lt(logits, least), -1e30, logits / 0.8);
  return RandomCategorical(random, logits);
}

}  // namespace

absl::StatusOr<Module> Decoder() {
  ComputationBuilder b("decoder");
  Op prompt = b.Parameter("s32[2,4]", "prompt");
  State state;
  state.random.state = b.Parameter("u64[2]", "random");
  Op embedding = b.Parameter("f32[32,16]", "embedding");
  Op norm = b.Parameter("f32[16]", "norm");
  Op none = b.Splat(0, "f32[2,12,4,4]");
  for (int l = 0; l < 2; ++l) {
    state.layers.push_back({b.Parameter("f32[16]"), b.Parameter("f32[16,12,4]"),
                            b.Parameter("f32[4,4,16]"), b.Parameter("f32[16]"),
                            b.Parameter("f32[16,40]"),
                            b.Parameter("f32[16,40]"),
                            b.Parameter("f32[40,16]"), none, none});
  }
  state.tokens = UpdateSlice(b.Splat(0, "s32[2,12]"), prompt, {0, 0});
  state = b.ForLoop(11, state, [&](Op i, State now) {
    Op x = Take(embedding, Take(now.tokens, i, 1));
    for (Layer& l : now.layers) {
      x += Attention(b, &l, RmsNorm(x, l.norm1), i);
      Op y = RmsNorm(x, l.norm2);
      x += b.Dot(Silu(b.Dot(y, l.gate)) * b.Dot(y, l.up), l.down);
    }
    Op logits = Einsum("bd,vd->bv", {RmsNorm(x, norm), embedding});
    Op next = Sample(b, logits, &now.random);
    next = b.Select(b.Lt(i + 1, 4), Take(now.tokens, i + 1, 1), next);
    now.tokens = UpdateIndex(now.tokens, next, i + 1, 1);
    return now;
  });
  return b.Build(b.Tuple(state));
}

}  // namespace indim

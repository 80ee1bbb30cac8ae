// SPDX-License-Identifier: Apache-2.0
// The composites that are building blocks of models, and names of ops.

#include <optional>
#include <utility>
#include <vector>

#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/op_names.h"
#include "indim/tests/fuzz/player.h"

namespace indim {

void AddBlockSteps(std::vector<Step>* all) {
  for (Step step :
       {Function(&MaxPool), Function(&AvgPool), Function(&LayerNorm),
        Function(&RmsNorm), Function(&BatchNormInference), Function(&Stack),
        Function(&ExpandDims), Function(&Squeeze), Function(&Where),
        Function(&Take), Function(&TakeAlongDim), Function(&UpdateIndex),
        Function(&CrossEntropy), Function(&SoftCrossEntropy)}) {
    all->push_back(std::move(step));
  }
  all->push_back([](Player& p) {
    const Op x = p.DrawOp();
    const int64_t count = p.DrawInt();
    for (const Op piece : Split(x, count, p.DrawInt())) p.Push(piece);
  });
  all->push_back([](Player& p) {
    const Op x = p.DrawOp();
    const std::vector<int64_t> sizes = Draw(p, Tag<std::vector<int64_t>>());
    for (const Op piece : SplitBySizes(x, sizes, p.DrawInt())) p.Push(piece);
  });
  all->push_back([](Player& p) {
    const Op query = p.DrawOp(), key = p.DrawOp(), value = p.DrawOp();
    AttentionOptions options;
    options.mask = Draw(p, Tag<std::optional<Op>>());
    options.bias = Draw(p, Tag<std::optional<Op>>());
    options.causal = p.OneIn(2);
    options.scale = Draw(p, Tag<std::optional<double>>());
    p.Push(DotProductAttention(query, key, value, options));
  });
  all->push_back([](Player& p) {
    const Op weight = p.DrawOp(), gradient = p.DrawOp(), state = p.DrawOp();
    const Operand rate = p.OneIn(2) ? Operand(p.DrawOp()) : p.DrawDouble();
    if (p.OneIn(2)) {
      p.Push(Sgd(weight, gradient, state, rate, p.DrawDouble(), p.OneIn(2))
                 .weight);
    } else {
      const Op square = p.DrawOp(), step = p.DrawOp();
      p.Push(AdamW(weight, gradient, state, square, step, rate, p.DrawDouble(),
                   p.DrawDouble())
                 .weight);
    }
  });
  all->push_back([](Player& p) {
    RandomState random = p.OneIn(2) ? ThreeFryState(p.builder(), p.Byte())
                                    : PhiloxState(p.builder(), p.Byte());
    if (p.OneIn(4)) random.algorithm = Draw(p, Tag<RandomAlgorithm>());
    if (p.OneIn(4)) random.state = p.DrawOp();
    const double a = p.DrawDouble(), b = p.DrawDouble();
    switch (p.Choose(4)) {
      case 0:
        p.Push(RandomUniform(&random, Draw(p, Tag<ShapeArg>()), a, b));
        break;
      case 1:
        p.Push(RandomNormal(&random, Draw(p, Tag<ShapeArg>()), a, b));
        break;
      case 2:
        p.Push(RandomCategorical(&random, p.DrawOp(), p.DrawInt()));
        break;
      default:
        p.Push(Dropout(&random, p.DrawOp(), a));
        break;
    }
    p.Push(random.state);
  });
  all->push_back([](Player& p) {
    ScopedOpName scope(&p.builder(), p.DrawText());
    const Op x = p.DrawOp();
    p.Push(p.builder().ExpectShape(x, Draw(p, Tag<ShapeArg>())));
    p.Push(p.builder().Copy(x));
  });
}

}  // namespace indim

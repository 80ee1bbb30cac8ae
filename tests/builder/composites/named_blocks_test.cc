// SPDX-License-Identifier: Apache-2.0
// Building blocks of models on sizes that have names, are bounded or unknown
// (named_cases.h).

#include <vector>

#include "gtest/gtest.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/tests/builder/named_cases.h"

namespace indim {
namespace {

std::vector<NamedCase> Cases() {
  using B = TestBuilder;
  using O = const Ops&;
  const auto same = [](const char* type) {
    return [type](B& b, O x) {
      Shape shape = b.shape(x[0])->WithoutLayout();
      shape.set_element_type(ParseShape(type)->element_type());
      return shape;
    };
  };
  return {
      {"index",
       {"f32[N,9]"},
       [](B& b, O x) {
         return b.Index(x[0], {kAll, Range(1, -1, 2)});
       }},
      {"index from a start",
       {"f32[N,9]"},
       [](B& b, O x) {
         return b.Index(x[0], {Range(1, {}), 0});
       },
       "",
       "IND0207"},
      {"transpose", {"f32[N,9]"}, [](B& b, O x) { return b.Transpose(x[0]); }},
      {"what is left",
       {"f32[N,6]"},
       [](B& b, O x) {
         return b.Reshape(x[0], {-1, 2});
       },
       "",
       "IND0207"},
      {"max-pool",
       {"f32[N,6,6]"},
       [](B&, O x) {
         return MaxPool(x[0], {1, 2, 2}, {1, 2, 2});
       }},
      {"max-pool along the size",
       {"f32[N,6]"},
       [](B&, O x) {
         return MaxPool(x[0], {2, 2}, {}, {{1, 0}, {0, 1}});
       }},
      {"average-pool",
       {"f32[N,6,6]"},
       [](B&, O x) {
         return AvgPool(x[0], {1, 3, 3}, {}, Padding::kSame);
       }},
      {"average-pool along the size",
       {"f32[N,6]"},
       [](B&, O x) {
         return AvgPool(x[0], {2, 1}, {}, {{1, 1}, {0, 0}});
       },
       "",
       "IND0617"},
      {"same padding along the size",
       {"f32[N,6]"},
       [](B&, O x) {
         return AvgPool(x[0], {2, 1}, {}, Padding::kSame);
       },
       "IND0634",
       "IND0634"},
      {"layer-norm",
       {"f32[N,6]", "f32[6]", "f32[6]"},
       [](B&, O x) { return LayerNorm(x[0], x[1], x[2]); }},
      {"layer-norm over the size",
       {"f32[2,N]", "f32[N]", "f32[N]"},
       [](B&, O x) { return LayerNorm(x[0], x[1], x[2]); },
       "",
       "IND0017"},
      {"RMS-norm",
       {"bf16[2,N,M]", "bf16[N,M]"},
       [](B&, O x) { return RmsNorm(x[0], x[1]); },
       "",
       "IND0017"},
      {"batch-norm",
       {"f32[N,2,M]", "f32[M]", "f32[M]", "f32[M]", "f32[M]"},
       [](B& b, O x) {
         return BatchNormInference(x[0], x[1], x[2], x[3], b.Abs(x[4]));
       }},
      {"split",
       {"f32[N,6]"},
       [](B& b, O x) { return b.Tuple(Split(x[0], 3, 1)); }},
      {"split along the size",
       {"f32[N,6]"},
       [](B& b, O x) { return b.Tuple(Split(x[0], 2)); },
       "IND0656",
       "IND0656"},
      {"stack",
       {"f32[N,6]", "f32[N,6]"},
       [](B&, O x) {
         return Stack({x[0], x[1]}, 1);
       }},
      {"expand dims",
       {"f32[N,6]"},
       [](B&, O x) {
         return ExpandDims(x[0], {0, -1});
       }},
      {"squeeze",
       {"f32[1,N,1,6]"},
       [](B&, O x) { return Squeeze(x[0]); },
       "",
       "IND0207"},
      {"where",
       {"pred[N,6]", "f32[6]", "f32[]"},
       [](B&, O x) { return Where(x[0], x[1], x[2]); },
       "",
       "IND0207"},
      {"where all are equal",
       {"pred[N,6]", "f32[N,6]", "f32[N,6]"},
       [](B&, O x) { return Where(x[0], x[1], x[2]); }},
      {"take",
       {"f32[N,6]", "s32[M]"},
       [](B&, O x) { return Take(x[0], x[1]); }},
      {"take beside the size",
       {"f32[N,6]", "s32[2]"},
       [](B&, O x) { return Take(x[0], x[1], 1); },
       "IND0646",
       "IND0646"},
      {"update",
       {"f32[N,6]", "f32[6]", "s32[]"},
       [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); },
       "",
       "IND0243"},
      {"update beside the size",
       {"f32[6,N]", "f32[N]", "s32[]"},
       [](B&, O x) { return UpdateIndex(x[0], x[1], x[2], -2); },
       "",
       "IND0207"},
      {"take along the size",
       {"f32[N,M]", "s64[2,M]"},
       [](B&, O x) { return TakeAlongDim(x[0], x[1], 0); }},
      {"take beside it",
       {"f32[N,6]", "s8[N,3]"},
       [](B&, O x) { return TakeAlongDim(x[0], x[1]); }},
      {"attention",
       {"f32[N,M,2,4]", "f32[N,M,2,4]", "f32[N,M,2,4]"},
       [](B&, O x) {
         AttentionOptions options;
         options.causal = true;
         return DotProductAttention(x[0], x[1], x[2], options);
       },
       "",
       "IND0613"},
      {"masked attention of groups",
       {"f32[N,2,4,4]", "f32[N,M,2,4]", "f32[N,M,2,4]", "pred[2,M]"},
       [](B&, O x) {
         AttentionOptions options;
         options.mask = x[3];
         return DotProductAttention(x[0], x[1], x[2], options);
       },
       "",
       "IND0207"},
      {"cross-entropy",
       {"f32[N,6]", "s32[N]"},
       [](B&, O x) { return CrossEntropy(x[0], x[1]); }},
      {"cross-entropy along the size",
       {"f32[N,6]", "s32[6]"},
       [](B&, O x) { return CrossEntropy(x[0], x[1], 0); },
       "",
       "IND0613"},
      {"soft cross-entropy",
       {"f32[N,M]", "f32[N,M]"},
       [](B&, O x) { return SoftCrossEntropy(x[0], x[1]); }},
      {"uniform",
       {"f32[N,3]"},
       [=](B& b, O x) {
         RandomState random = ThreeFryState(b, 1);
         return RandomUniform(&random, same("f32[]")(b, x));
       },
       "",
       "IND0207"},
      {"normal",
       {"f32[N,M]"},
       [=](B& b, O x) {
         RandomState random = PhiloxState(b, 1);
         return RandomNormal(&random, same("f64[]")(b, x));
       },
       "",
       "IND0207"},
      {"categorical",
       {"f32[N,3]"},
       [](B& b, O x) {
         RandomState random = PhiloxState(b, 1);
         return RandomCategorical(&random, x[0]);
       },
       "",
       "IND0613"},
      {"dropout",
       {"bf16[N,3]"},
       [](B& b, O x) {
         RandomState random = ThreeFryState(b, 1);
         return Dropout(&random, x[0], 0.5);
       },
       "",
       "IND0613"},
  };
}

TEST(NamedBlocksTest, RefinedAreStatic) { ExpectRefinedAreStatic(Cases()); }
TEST(NamedBlocksTest, UnknownOnesToo) { ExpectUnknownAreStatic(Cases()); }
TEST(NamedBlocksTest, BoundedOnesAreSaid) { ExpectBoundedAreSaid(Cases()); }

}  // namespace
}  // namespace indim

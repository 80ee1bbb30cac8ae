// SPDX-License-Identifier: Apache-2.0
// Building blocks of models: what shapes they have, what they say about wrong
// calls. What they compute: tests/xla/blocks_test.cc. Those that only move
// elements: shaping_test.cc.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using B = TestBuilder;
using O = const Ops&;

TEST(BlocksTest, Pooling) {
  const std::vector<PaddingArg::Pair> around = {{1, 1}, {0, 2}};
  CheckCalls({
      {"max",
       Of({"f32[8,28,28,3]"},
          [](B&, O x) {
            return MaxPool(x[0], {1, 2, 2, 1}, {1, 2, 2, 1});
          }),
       "f32[8,14,14,3]"},
      {"max of integers",
       Of({"u8[5]"}, [](B&, O x) { return MaxPool(x[0], {2}); }), "u8[4]"},
      {"same",
       Of({"bf16[5,5]"},
          [](B&, O x) {
            return AvgPool(x[0], {3, 3}, {2, 2}, Padding::kSame);
          }),
       "bf16[3,3]"},
      {"as given",
       Of({"f64[5,5]"},
          [=](B&, O x) {
            return AvgPool(x[0], {3, 3}, {}, around);
          }),
       "f64[5,5]"},
      {"as given, in place",
       Of({"f32[5]"},
          [](B&, O x) {
            return MaxPool(x[0], {3}, {1}, {{1, 1}});
          }),
       "f32[5]"},
      {"a batch of any size",
       Of({"f32[?,6]"},
          [](B&, O x) {
            return AvgPool(x[0], {1, 2}, {1, 2}, Padding::kSame);
          }),
       "f32[?,3]"},
      {"a bounded batch",
       Of({"f32[<=8,6]"},
          [](B&, O x) {
            return AvgPool(x[0], {1, 2}, {1, 2}, {{0, 0}, {1, 1}});
          }),
       "f32[<=8,4]"},
      {"same of a bounded dim",
       Of({"f32[<=8]"},
          [](B&, O x) { return MaxPool(x[0], {2}, {}, Padding::kSame); }),
       "IND0634"},
      {"padding of a bounded dim",
       Of({"f32[<=8]"},
          [](B&, O x) {
            return AvgPool(x[0], {2}, {}, {{1, 0}});
          }),
       "IND0617"},
      {"that counts",
       Of({"f32[<=8]"},
          [](B&, O x) {
            return AvgPool(x[0], {2}, {}, {{1, 0}}, /*count_padding=*/true);
          }),
       "f32[<=8]"},
      {"mean of integers",
       Of({"s32[8]"}, [](B&, O x) { return AvgPool(x[0], {2}); }), "IND0102"},
      {"max of complex",
       Of({"c64[8]"}, [](B&, O x) { return MaxPool(x[0], {2}); }), "IND0102"},
      {"a short window",
       Of({"f32[8,8]"},
          [](B&, O x) { return AvgPool(x[0], {2}, {}, Padding::kSame); }),
       "IND0350"},
      {"few strides",
       Of({"f32[8,8]"},
          [](B&, O x) {
            return MaxPool(x[0], {2, 2}, {2});
          }),
       "IND0632"},
      {"few paddings",
       Of({"f32[8,8]"},
          [](B&, O x) {
            return AvgPool(x[0], {2, 2}, {}, {{1, 1}});
          }),
       "IND0632"},
      {"a window of 0",
       Of({"f32[8]"},
          [](B&, O x) { return AvgPool(x[0], {0}, {}, Padding::kSame); }),
       "IND0351"},
      {"unranked", Of({"f32[*]"}, [](B&, O x) { return MaxPool(x[0], {2}); }),
       "IND0612"},
  });
}

TEST(BlocksTest, Optimizers) {
  const auto sgd = [](B& b, O x) {
    const Operand rate = x.size() > 3 ? Operand(x[3]) : 0.1;
    const SgdState next = Sgd(x[0], x[1], x[2], rate);
    return b.Tuple({next.weight, next.velocity});
  };
  const auto adam = [](B& b, O x) {
    const Operand rate = x.size() > 5 ? Operand(x[5]) : 0.1;
    const AdamState next = Adam(x[0], x[1], x[2], x[3], x[4], rate);
    return b.Tuple({next.weight, next.mean, next.square});
  };
  const auto adam_w = [](B& b, O x) {
    const AdamState next = AdamW(x[0], x[1], x[2], x[3], x[4], 0.1);
    return b.Tuple({next.weight, next.mean, next.square});
  };
  CheckCalls({
      {"sgd", Of({"f32[8,4]", "f32[8,4]", "f32[8,4]"}, sgd),
       "(f32[8,4], f32[8,4])"},
      {"a rate that is computed",
       Of({"f64[8]", "f64[8]", "f64[8]", "f32[]"}, sgd), "(f64[8], f64[8])"},
      {"each its own type", Of({"bf16[8]", "f16[8]", "f32[8]"}, sgd),
       "(bf16[8], f32[8])"},
      {"of unknown sizes", Of({"f32[?,<=4]", "f32[?,?]", "f32[?,<=4]"}, sgd),
       "(f32[?,<=4], f32[?,<=4])"},
      {"another gradient", Of({"f32[8,4]", "f32[4]", "f32[8,4]"}, sgd),
       "IND0655"},
      {"another velocity", Of({"f32[8]", "f32[8]", "f32[1]"}, sgd), "IND0655"},
      {"a rate for each", Of({"f32[8]", "f32[8]", "f32[8]", "f32[8]"}, sgd),
       "IND0655"},
      {"a whole rate", Of({"f32[8]", "f32[8]", "f32[8]", "s32[]"}, sgd),
       "IND0102"},
      {"integers", Of({"s32[8]", "f32[8]", "f32[8]"}, sgd), "IND0102"},
      {"unranked", Of({"f32[*]", "f32[8]", "f32[8]"}, sgd), "IND0612"},
      {"adam", Of({"f16[8]", "f16[8]", "f32[8]", "bf16[8]", "s32[]"}, adam),
       "(f16[8], f32[8], bf16[8])"},
      {"its rate",
       Of({"f32[]", "f32[]", "f32[]", "f32[]", "u8[]", "f32[]"}, adam),
       "(f32[], f32[], f32[])"},
      {"a step that is no integer",
       Of({"f32[8]", "f32[8]", "f32[8]", "f32[8]", "f32[]"}, adam), "IND0102"},
      {"a step for each",
       Of({"f32[8]", "f32[8]", "f32[8]", "f32[8]", "s32[8]"}, adam), "IND0655"},
      {"another square",
       Of({"f32[8]", "f32[8]", "f32[8]", "f32[9]", "s32[]"}, adam), "IND0655"},
      {"adam-w", Of({"f64[8]", "f64[8]", "f64[8]", "f64[8]", "s64[]"}, adam_w),
       "(f64[8], f64[8], f64[8])"},
  });
}

TEST(BlocksTest, Normalization) {
  CheckCalls({
      {"layer-norm",
       Of({"bf16[8,4]", "f32[4]", "f32[4]"},
          [](B&, O x) { return LayerNorm(x[0], x[1], x[2]); }),
       "bf16[8,4]"},
      {"of all dims",
       Of({"f32[8,4]", "f32[8,4]", "f32[8,4]"},
          [](B&, O x) { return LayerNorm(x[0], x[1], x[2]); }),
       "f32[8,4]"},
      {"of unknown sizes",
       Of({"f32[?,?]", "f32[?]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "f32[?,?]"},
      {"of a bounded batch",
       Of({"f32[<=8,4]", "f32[4]"},
          [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "f32[<=8,4]"},
      {"another size",
       Of({"f32[8,4]", "f32[5]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0655"},
      {"a 1 doesn't stretch",
       Of({"f32[8,4]", "f32[1]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0655"},
      {"another offset",
       Of({"f32[8,4]", "f32[4]", "f32[8,4]"},
          [](B&, O x) { return LayerNorm(x[0], x[1], x[2]); }),
       "IND0655"},
      {"a scalar scale",
       Of({"f32[8,4]", "f32[]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0370"},
      {"a scale of higher rank",
       Of({"f32[4]", "f32[8,4]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0370"},
      {"integers",
       Of({"s32[8,4]", "f32[4]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0102"},
      {"an integer scale",
       Of({"f32[8,4]", "s32[4]"}, [](B&, O x) { return RmsNorm(x[0], x[1]); }),
       "IND0102"},
      {"batch-norm",
       Of({"f16[8,4,5]", "f32[4]", "f32[4]", "f32[4]", "f32[4]"},
          [](B&, O x) {
            return BatchNormInference(x[0], x[1], x[2], x[3], x[4], 1);
          }),
       "f16[8,4,5]"},
      {"batch-norm of no such dim",
       Of({"f32[8,4]", "f32[4]", "f32[4]", "f32[4]", "f32[4]"},
          [](B&, O x) {
            return BatchNormInference(x[0], x[1], x[2], x[3], x[4], 2);
          }),
       "IND0111"},
      {"batch-norm of another size",
       Of({"f32[8,4]", "f32[4]", "f32[4]", "f32[4]", "f32[3]"},
          [](B&, O x) {
            return BatchNormInference(x[0], x[1], x[2], x[3], x[4]);
          }),
       "IND0655"},
  });
}

TEST(BlocksTest, Attention) {
  const auto attend = [](AttentionOptions options = {}) {
    return [options](B&, O x) {
      return DotProductAttention(x[0], x[1], x[2], options);
    };
  };
  AttentionOptions causal, scaled;
  causal.causal = true;
  scaled.scale = 0.5;
  const auto masked = [](B&, O x) {
    AttentionOptions options;
    options.mask = x[3];
    return DotProductAttention(x[0], x[1], x[2], options);
  };
  const auto biased = [](B&, O x) {
    AttentionOptions options;
    options.bias = x[3];
    return DotProductAttention(x[0], x[1], x[2], options);
  };
  CheckCalls({
      {"plain", Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]"}, attend()),
       "f32[2,5,4,8]"},
      {"causal",
       Of({"bf16[2,5,4,8]", "bf16[2,5,4,8]", "bf16[2,5,4,8]"}, attend(causal)),
       "bf16[2,5,4,8]"},
      {"values of another size",
       Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,3]"}, attend()),
       "f32[2,5,4,3]"},
      {"groups", Of({"f32[2,5,6,8]", "f32[2,7,2,8]", "f32[2,7,2,8]"}, attend()),
       "f32[2,5,6,8]"},
      {"a mask",
       Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]", "pred[2,1,5,7]"},
          masked),
       "f32[2,5,4,8]"},
      {"a bias",
       Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]", "bf16[4,5,7]"},
          biased),
       "f32[2,5,4,8]"},
      {"a head of unknown size, scaled",
       Of({"f32[2,5,4,?]", "f32[2,7,4,?]", "f32[2,7,4,?]"}, attend(scaled)),
       "f32[2,5,4,?]"},
      {"a head of unknown size",
       Of({"f32[2,5,4,?]", "f32[2,7,4,?]", "f32[2,7,4,?]"}, attend()),
       "IND0617"},
      {"uneven groups",
       Of({"f32[2,5,6,8]", "f32[2,7,4,8]", "f32[2,7,4,8]"}, attend()),
       "IND0655"},
      {"fewer heads than the key",
       Of({"f32[2,5,2,8]", "f32[2,7,4,8]", "f32[2,7,4,8]"}, attend()),
       "IND0655"},
      {"another rank", Of({"f32[2,5,8]", "f32[2,7,8]", "f32[2,7,8]"}, attend()),
       "IND0370"},
      {"integers",
       Of({"s32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]"}, attend()),
       "IND0102"},
      {"keys of another size",
       Of({"f32[2,5,4,8]", "f32[2,7,4,9]", "f32[2,7,4,8]"}, attend()),
       "IND0616"},
      {"a mask of numbers",
       Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]", "f32[5,7]"}, masked),
       "IND0102"},
      {"a mask that doesn't fit",
       Of({"f32[2,5,4,8]", "f32[2,7,4,8]", "f32[2,7,4,8]", "pred[5,6]"},
          masked),
       "IND0001"},
  });
}

TEST(BlocksTest, Losses) {
  CheckCalls({
      {"labels",
       Of({"bf16[8,10]", "s32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "bf16[8]"},
      {"along another dim",
       Of({"f32[10,8]", "u8[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1], 0); }),
       "f32[8]"},
      {"one example",
       Of({"f32[10]", "s64[]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "f32[]"},
      {"an unknown batch",
       Of({"f32[?,10]", "s32[?]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "f32[?]"},
      {"bounded classes",
       Of({"f32[8,<=10]", "s32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "f32[8]"},
      {"unknown classes",
       Of({"f32[8,?]", "s32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "IND0613"},
      {"other labels",
       Of({"f32[8,10]", "s32[10]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "IND0655"},
      {"labels as rows",
       Of({"f32[8,10]", "s32[8,10]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "IND0655"},
      {"labels as floats",
       Of({"f32[8,10]", "f32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "IND0102"},
      {"logits as integers",
       Of({"s32[8,10]", "s32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1]); }),
       "IND0102"},
      {"no such dim",
       Of({"f32[8,10]", "s32[8]"},
          [](B&, O x) { return CrossEntropy(x[0], x[1], 2); }),
       "IND0111"},
      {"probabilities",
       Of({"bf16[8,10]", "f32[8,10]"},
          [](B&, O x) { return SoftCrossEntropy(x[0], x[1]); }),
       "bf16[8]"},
      {"other probabilities",
       Of({"f32[8,10]", "f32[10]"},
          [](B&, O x) { return SoftCrossEntropy(x[0], x[1]); }),
       "IND0655"},
  });
}

TEST(BlocksTest, Random) {
  const auto with = [](std::function<Op(RandomState*, B&)> draw) {
    return [=](B& b) {
      RandomState random = ThreeFryState(b, 1);
      return draw(&random, b);
    };
  };
  CheckCalls({
      {"a ThreeFry state", [](B& b) { return ThreeFryState(b, 7).state; },
       "u64[2]"},
      {"a Philox state", [](B& b) { return PhiloxState(b, 7).state; },
       "u64[3]"},
      {"uniform",
       with([](RandomState* r, B&) { return RandomUniform(r, "bf16[8,3]"); }),
       "bf16[8,3]"},
      {"normal",
       with([](RandomState* r, B&) { return RandomNormal(r, "f64[]"); }),
       "f64[]"},
      {"the next state", with([](RandomState* r, B&) {
         RandomNormal(r, "f64[n]");
         return r->state;
       }),
       "u64[2]"},
      {"categorical", with([](RandomState* r, B& b) {
         return RandomCategorical(r, b.P("f16[8,<=10]"));
       }),
       "s32[8]"},
      {"dropout", with([](RandomState* r, B& b) {
         return Dropout(r, b.P("bf16[<=8,n]"), 0.5);
       }),
       "bf16[<=8,n]"},
      {"integers",
       with([](RandomState* r, B&) { return RandomUniform(r, "s32[8]"); }),
       "IND0604"},
      {"a tuple",
       with([](RandomState* r, B&) { return RandomNormal(r, "(f32[8])"); }),
       "IND0604"},
      {"no shape",
       with([](RandomState* r, B&) { return RandomUniform(r, "f32["); }),
       "IND0604"},
      {"a bounded size",
       with([](RandomState* r, B&) { return RandomUniform(r, "f32[<=8]"); }),
       "IND0207"},
      {"the state after an error", with([](RandomState* r, B&) {
         RandomUniform(r, "s32[8]");
         return r->state;
       }),
       "IND0604"},
      {"a rate above 1", with([](RandomState* r, B& b) {
         return Dropout(r, b.P("f32[8]"), 1.5);
       }),
       "IND0658"},
      {"a rate of no number", with([](RandomState* r, B& b) {
         return Dropout(r, b.P("f32[8]"), std::nan(""));
       }),
       "IND0658"},
      {"categorical of integers", with([](RandomState* r, B& b) {
         return RandomCategorical(r, b.P("s32[8]"));
       }),
       "IND0102"},
      {"categorical along no dim", with([](RandomState* r, B& b) {
         return RandomCategorical(r, b.P("f32[]"));
       }),
       "IND0111"},
      {"dropout of unknown sizes", with([](RandomState* r, B& b) {
         return Dropout(r, b.P("f32[?]"), 0.5);
       }),
       "IND0613"},
  });
}

TEST(BlocksTest, Messages) {
  struct Case {
    std::function<Op(B&)> call;
    std::string text;
  };
  const Case cases[] = {
      {[](B& b) { return RmsNorm(b.P("f32[8,4]"), b.P("f32[5]")); },
       "RmsNorm: operand 1 is f32[5], but must be f32[4] to "
       "fit the dims of f32[8,4]  [IND0655]"},
      {[](B& b) {
         RandomState random = ThreeFryState(b, 1);
         return Dropout(&random, b.P("f32[8]"), 10);
       },
       "Dropout: rate is 10, but a probability must be in 0..1  [IND0658]"},
      {[](B& b) {
         RandomState random = ThreeFryState(b, 1);
         return RandomUniform(&random, "s32[8]");
       },
       "RandomUniform: s32[8] is no array of floats  [IND0604]"},
  };
  for (const Case& c : cases) {
    B b("messages");
    c.call(b);
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr(c.text));
  }
}

}  // namespace
}  // namespace indim

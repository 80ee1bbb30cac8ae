// Building blocks of models: what shapes they have, what they say about wrong
// calls. What they compute: tests/xla/blocks_test.cc.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/sharding.h"
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

TEST(BlocksTest, Shaping) {
  const auto piece = [](int64_t count, int64_t dim, size_t i) {
    return [=](B&, O x) { return Split(x[0], count, dim)[i]; };
  };
  CheckCalls({
      {"split", Of({"f32[8,12]"}, piece(3, -1, 2)), "f32[8,4]"},
      {"split beside an unknown dim", Of({"f32[?,12]"}, piece(3, 1, 0)),
       "f32[?,4]"},
      {"uneven", Of({"f32[8,12]"}, piece(5, 1, 4)), "IND0656"},
      {"into nothing", Of({"f32[8]"}, piece(0, 0, 0)), "IND0656"},
      {"into fewer", Of({"f32[8]"}, piece(-3, 0, 0)), "IND0656"},
      {"into far too many", Of({"f32[0]"}, piece(int64_t{1} << 60, 0, 999)),
       "IND0656"},
      {"along a bounded dim", Of({"f32[<=8]"}, piece(2, 0, 1)), "IND0656"},
      {"along no dim", Of({"f32[8]"}, piece(2, 1, 1)), "IND0111"},
      {"of unknown rank", Of({"f32[*]"}, piece(2, 1, 1)), "IND0612"},
      {"by sizes",
       Of({"f32[7]"},
          [](B&, O x) {
            return SplitBySizes(x[0], {3, 0, 4})[2];
          }),
       "f32[4]"},
      {"by few sizes",
       Of({"f32[7]"},
          [](B&, O x) {
            return SplitBySizes(x[0], {3, 3})[1];
          }),
       "IND0656"},
      {"by many sizes",
       Of({"f32[7]"},
          [](B&, O x) {
            return SplitBySizes(x[0], {3, 5})[1];
          }),
       "IND0656"},
      {"by a negative size",
       Of({"f32[7]"},
          [](B&, O x) {
            return SplitBySizes(x[0], {8, -1})[1];
          }),
       "IND0656"},
      {"by no sizes",
       Of({"f32[7]"}, [](B&, O x) { return SplitBySizes(x[0], {})[0]; }),
       "IND0656"},
      {"stack",
       Of({"f32[8,<=3]", "f32[8,<=3]"},
          [](B&, O x) {
            return Stack({x[0], x[1]}, -1);
          }),
       "f32[8,<=3,2]"},
      {"stack of scalars",
       Of({"s32[]", "s32[]"},
          [](B&, O x) {
            return Stack({x[0], x[1]});
          }),
       "s32[2]"},
      {"stack of unknown sizes",
       Of({"f32[?]"},
          [](B&, O x) {
            return Stack({x[0], x[0]});
          }),
       "f32[2,?]"},
      {"stack along no dim",
       Of({"f32[8]"}, [](B&, O x) { return Stack({x[0]}, 2); }), "IND0111"},
      {"stack of other sizes",
       Of({"f32[8]", "f32[9]"},
          [](B&, O x) {
            return Stack({x[0], x[1]});
          }),
       "IND0203"},
      {"stack of other ranks",
       Of({"f32[8]", "f32[8,1]"},
          [](B&, O x) {
            return Stack({x[0], x[1]});
          }),
       "IND0204"},
      {"expand",
       Of({"f32[8,?]"},
          [](B&, O x) {
            return ExpandDims(x[0], {0, -1});
          }),
       "f32[1,8,?,1]"},
      {"expand nothing",
       Of({"f32[8]"}, [](B&, O x) { return ExpandDims(x[0], {}); }), "f32[8]"},
      {"expand outside",
       Of({"f32[8]"}, [](B&, O x) { return ExpandDims(x[0], {2}); }),
       "IND0111"},
      {"expand twice",
       Of({"f32[8]"},
          [](B&, O x) {
            return ExpandDims(x[0], {1, -2});
          }),
       "IND0112"},
      {"squeeze", Of({"f32[1,8,1]"}, [](B&, O x) { return Squeeze(x[0]); }),
       "f32[8]"},
      {"squeeze one",
       Of({"f32[1,8,1]"}, [](B&, O x) { return Squeeze(x[0], {-1}); }),
       "f32[1,8]"},
      {"squeeze nothing",
       Of({"f32[?,8]"}, [](B&, O x) { return Squeeze(x[0]); }), "f32[?,8]"},
      {"a bounded 1 stays",
       Of({"f32[<=1,8]"}, [](B&, O x) { return Squeeze(x[0]); }), "f32[<=1,8]"},
      {"squeeze an 8",
       Of({"f32[1,8]"}, [](B&, O x) { return Squeeze(x[0], {1}); }), "IND0657"},
      {"squeeze a bounded 1",
       Of({"f32[<=1,8]"}, [](B&, O x) { return Squeeze(x[0], {0}); }),
       "IND0657"},
      {"squeeze outside",
       Of({"f32[1]"}, [](B&, O x) { return Squeeze(x[0], {1}); }), "IND0111"},
      {"squeeze twice",
       Of({"f32[1,1]"},
          [](B&, O x) {
            return Squeeze(x[0], {0, -2});
          }),
       "IND0112"},
  });
}

TEST(BlocksTest, AllPiecesArePoisoned) {
  B b("pieces");
  const Op x = b.P("f32[8,12]");
  for (const Op piece : Split(x, 5, 1)) EXPECT_FALSE(b.shape(piece).ok());
  EXPECT_EQ(Split(x, 5, 1).size(), 5);
  EXPECT_EQ(Split(x, int64_t{1} << 60, 1).size(), 1000);
}

TEST(BlocksTest, Selection) {
  CheckCalls({
      {"where",
       Of({"pred[8,1]", "f32[4]", "f32[]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "f32[8,4]"},
      {"where of scalars",
       Of({"pred[8]", "s32[]", "s32[]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "s32[8]"},
      {"where of one pred",
       Of({"pred[]", "f32[8]", "f32[8]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "f32[8]"},
      {"where of names",
       Of({"pred[n,1]", "f32[n,m]", "f32[m]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "f32[n,m]"},
      {"where of equal unknown dims",
       Of({"pred[?]", "f32[?]", "f32[]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "f32[?]"},
      {"where sizes differ",
       Of({"pred[8]", "f32[7]", "f32[]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "IND0003"},
      {"where a number chooses",
       Of({"s32[8]", "f32[8]", "f32[]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "IND0102"},
      {"where types differ",
       Of({"pred[8]", "f32[8]", "s32[8]"},
          [](B&, O x) { return Where(x[0], x[1], x[2]); }),
       "IND0103"},
      {"take",
       Of({"f32[8,4]", "s32[2,3]"},
          [](B&, O x) { return Take(x[0], x[1], -1); }),
       "f32[8,2,3]"},
      {"take from a bounded dim",
       Of({"f32[<=8,4]", "s8[]"}, [](B&, O x) { return Take(x[0], x[1]); }),
       "f32[4]"},
      {"take by floats",
       Of({"f32[8]", "f32[2]"}, [](B&, O x) { return Take(x[0], x[1]); }),
       "IND0102"},
      {"take along no dim",
       Of({"f32[8]", "s32[2]"}, [](B&, O x) { return Take(x[0], x[1], 1); }),
       "IND0111"},
      {"take beside an unknown dim",
       Of({"f32[8,?]", "s32[2]"}, [](B&, O x) { return Take(x[0], x[1]); }),
       "IND0646"},
      {"update",
       Of({"f32[8,4]", "f32[8]", "s32[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2], -1); }),
       "f32[8,4]"},
      {"update of a bounded dim",
       Of({"f32[<=8,4]", "f32[4]", "u8[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); }),
       "f32[<=8,4]"},
      {"update at floats",
       Of({"f32[8,4]", "f32[4]", "f32[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); }),
       "IND0102"},
      {"update at several places",
       Of({"f32[8,4]", "f32[4]", "s32[2]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); }),
       "IND0241"},
      {"update by too much",
       Of({"f32[8,4]", "f32[1,4]", "s32[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); }),
       "IND0655"},
      {"update by another type",
       Of({"f32[8,4]", "s32[4]", "s32[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2]); }),
       "IND0103"},
      {"update along no dim",
       Of({"f32[8]", "f32[]", "s32[]"},
          [](B&, O x) { return UpdateIndex(x[0], x[1], x[2], 1); }),
       "IND0111"},
      {"along a dim",
       Of({"f32[8,4]", "s32[8,9]"},
          [](B&, O x) { return TakeAlongDim(x[0], x[1]); }),
       "f32[8,9]"},
      {"along a dim of bounded ones",
       Of({"f32[<=8,4]", "s32[<=8,9]"},
          [](B&, O x) { return TakeAlongDim(x[0], x[1]); }),
       "f32[<=8,9]"},
      {"along, other ranks",
       Of({"f32[8,4]", "s32[8]"},
          [](B&, O x) { return TakeAlongDim(x[0], x[1]); }),
       "IND0204"},
      {"along, other sizes",
       Of({"f32[8,4]", "s32[7,4]"},
          [](B&, O x) { return TakeAlongDim(x[0], x[1]); }),
       "IND0203"},
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
       "IND0003"},
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
       "RmsNorm: operand 1 is f32[5], but with the dims that f32[8,4] asks for "
       "it is f32[4]  [IND0655]"},
      {[](B& b) { return Split(b.P("f32[8,12]"), 5, 1)[0]; },
       "Split: dim 1 of f32[8,12], which is 12, can't be cut into 5 equal "
       "parts "
       " [IND0656]"},
      {[](B& b) {
         return SplitBySizes(b.P("f32[7]"), {3, 3})[0];
       },
       "SplitBySizes: dim 0 of f32[7], which is 7, can't be cut into parts of "
       "3, 3  [IND0656]"},
      {[](B& b) { return Squeeze(b.P("f32[1,8]"), {1}); },
       "Squeeze: dim 1 of f32[1,8] is 8, but only a static 1 can go  "
       "[IND0657]"},
      {[](B& b) {
         RandomState random = ThreeFryState(b, 1);
         return Dropout(&random, b.P("f32[8]"), 10);
       },
       "Dropout: rate is 10, but a probability is 0..1  [IND0658]"},
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

// Each piece of a split gets the sharding in scope.
TEST(BlocksTest, PiecesAreSharded) {
  B b("sharded");
  const Op x = b.P("f32[8,12]");
  Op root;
  {
    ScopedSharding scope(&b, ReplicateSharding());
    root = b.Tuple(Split(x, 2, 1));
  }
  const Module module = *b.Build(root);
  EXPECT_EQ(module.entry().root().operand_count(), 2);
}

}  // namespace
}  // namespace indim

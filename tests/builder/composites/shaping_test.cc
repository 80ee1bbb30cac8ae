// SPDX-License-Identifier: Apache-2.0
// Composites that move elements: what shapes they have, what they say about
// wrong calls. What they compute: tests/xla/blocks_test.cc.

#include "indim/builder/composites/shaping.h"

#include <functional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/sharding.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using B = TestBuilder;
using O = const Ops&;

TEST(ShapingTest, Shapes) {
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
      {"tile",
       Of({"f32[2,<=3]"},
          [](B&, O x) {
            return Tile(x[0], {3, 1});
          }),
       "f32[6,<=3]"},
      {"tile beside an unknown dim",
       Of({"f32[2,?]"},
          [](B&, O x) {
            return Tile(x[0], {3, 1});
          }),
       "IND0207"},
      {"tile into more dims",
       Of({"f32[2]"},
          [](B&, O x) {
            return Tile(x[0], {4, 1, 3});
          }),
       "f32[4,1,6]"},
      {"tile the last dim",
       Of({"f32[2,3]"}, [](B&, O x) { return Tile(x[0], {2}); }), "f32[2,6]"},
      {"tile into nothing",
       Of({"f32[2]"}, [](B&, O x) { return Tile(x[0], {0}); }), "f32[0]"},
      {"tile an unknown dim",
       Of({"f32[?]"}, [](B&, O x) { return Tile(x[0], {2}); }), "IND0646"},
      {"tile less than nothing",
       Of({"f32[2]"}, [](B&, O x) { return Tile(x[0], {-1}); }), "IND0120"},
      {"tile into too many",
       Of({"f32[4]"}, [](B&, O x) { return Tile(x[0], {int64_t{1} << 62}); }),
       "IND0106"},
      {"squeeze twice",
       Of({"f32[1,1]"},
          [](B&, O x) {
            return Squeeze(x[0], {0, -2});
          }),
       "IND0112"},
  });
}

TEST(ShapingTest, AllPiecesArePoisoned) {
  B b("pieces");
  const Op x = b.P("f32[8,12]");
  for (const Op piece : Split(x, 5, 1)) EXPECT_FALSE(b.shape(piece).ok());
  EXPECT_EQ(Split(x, 5, 1).size(), 5);
  EXPECT_EQ(Split(x, int64_t{1} << 60, 1).size(), 1000);
}

// Each piece of a split gets the sharding in scope.
TEST(ShapingTest, PiecesAreSharded) {
  B b("sharded");
  const Op x = b.P("f32[8,12]");
  Op root;
  {
    ScopedSharding scope(&b, ReplicateSharding());
    root = b.Tuple(Split(x, 2, 1));
  }
  const Module module = *b.Build(root);
  int sharded = 0;
  for (const absl::string_view line :
       absl::StrSplit(PrintHloText(module), '\n')) {
    sharded += absl::StrContains(line, " slice(") &&
               absl::StrContains(line, "sharding={replicated}");
  }
  EXPECT_EQ(sharded, 2);
}

TEST(SelectionTest, Shapes) {
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
       "IND0001"},
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
       "IND0109"},
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

TEST(ShapingTest, Messages) {
  struct Case {
    std::function<Op(B&)> call;
    std::string text;
  };
  const Case cases[] = {
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
       "Squeeze: dim 1 of f32[1,8] is 8, but only a static 1 can be removed  "
       "[IND0657]"},
  };
  for (const Case& c : cases) {
    B b("messages");
    c.call(b);
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr(c.text));
  }
}

}  // namespace
}  // namespace indim

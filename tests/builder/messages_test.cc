// SPDX-License-Identifier: Apache-2.0
// What a person reads after calls that are easily got wrong: each message names
// what is at fault, and the fix is what was meant.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/sharding.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/message_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// A computation of these parameters that returns what a custom call makes.
Callee CalleeThatTakes(TestBuilder& b, const char* name,
                       const std::vector<const char*>& parameters,
                       const char* result) {
  ComputationBuilder sub = b.SubBuilder(name);
  for (size_t i = 0; i < parameters.size(); ++i) {
    sub.Parameter(static_cast<int64_t>(i), parameters[i]);
  }
  return sub.BuildCallee(sub.CustomCall("made", {}, result));
}

std::function<Op(TestBuilder&)> Convolve(const char* input, const char* kernel,
                                         std::vector<int64_t> strides,
                                         Padding padding) {
  return [=](TestBuilder& b) {
    const Op x = NamedParameter(b, input, "x"),
             w = NamedParameter(b, kernel, "w");
    return b.Conv(x, w, strides, padding);
  };
}

std::function<Op(TestBuilder&)> ConvolveBy(const char* input,
                                           const char* kernel,
                                           ConvolutionDims dims) {
  return [=](TestBuilder& b) {
    const Op x = NamedParameter(b, input, "x"),
             w = NamedParameter(b, kernel, "w");
    return b.ConvWithGeneralDimensions(x, w, {1, 1}, Padding::kSame, dims);
  };
}

TEST(MessagesTest, ConvolutionsOfAnotherLayout) {
  const std::string in_builder =
      ", in the builder ConvWithGeneralDimensions(x, w, ...) with ";
  const ConvolutionDims nhwc = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
  CheckMessages({
      {"NHWC, HWIO",
       Convolve("f32[8,28,28,3]", "f32[3,3,3,16]", {1, 1}, Padding::kSame),
       "IND0359", "takes 3 input features, but f32[8,28,28,3] has 28",
       "x is NHWC and w is HWIO: dim_labels=b01f_01io->b01f" + in_builder +
           "\"NHWC,HWIO->NHWC\""},
      {"NHWC, OHWI",
       Convolve("f32[8,28,28,3]", "f32[16,5,5,3]", {1, 1}, Padding::kValid),
       "IND0359", "",
       "x is NHWC and w is OHWI: dim_labels=b01f_o01i->b01f" + in_builder +
           "\"NHWC,OHWI->NHWC\""},
      {"NHWC, OIHW",
       Convolve("f32[8,28,28,3]", "f32[16,3,5,5]", {1, 1}, Padding::kValid),
       "IND0359", "",
       "x is NHWC and w is OIHW: dim_labels=b01f_oi01->b01f" + in_builder +
           "\"NHWC,OIHW->NHWC\""},
      {"NCHW, HWIO",
       Convolve("f32[8,3,224,224]", "f32[7,7,3,64]", {2, 2}, Padding::kSame),
       "IND0359", "",
       "x is NCHW and w is HWIO: dim_labels=bf01_01io->bf01" + in_builder +
           "\"NCHW,HWIO->NCHW\""},
      {"NWC, WIO", Convolve("f32[8,100,3]", "f32[5,3,16]", {1}, Padding::kSame),
       "IND0359", "",
       "x is NWC and w is WIO: dim_labels=b0f_0io->b0f" + in_builder +
           "\"NWC,WIO->NWC\""},
      {"NDHWC, DHWIO",
       Convolve("f32[2,9,9,9,3]", "f32[3,3,3,3,4]", {1, 1, 1}, Padding::kSame),
       "IND0359", "",
       "x is NDHWC and w is DHWIO: dim_labels=b012f_012io->b012f" + in_builder +
           "\"NDHWC,DHWIO->NDHWC\""},
      {"NCHW, OIHW as NHWC, HWIO",
       ConvolveBy("f32[8,3,28,28]", "f32[16,3,5,5]", nhwc), "IND0359", "",
       "x is NCHW and w is OIHW: dim_labels=bf01_oi01->bf01" + in_builder +
           "\"NCHW,OIHW->NCHW\""},
      // Of the right layout, with the wrong number of features.
      {"features",
       Convolve("f32[8,3,32,32]", "f32[16,4,3,3]", {1, 1}, Padding::kSame),
       "IND0359", "", "operand 1 of shape f32[16,3,3,3]"},
      {"features, square",
       Convolve("f32[8,3,32,32]", "f32[16,16,3,3]", {1, 1}, Padding::kSame),
       "IND0359", "", "operand 1 of shape f32[16,3,3,3]"},
      {"empty", ConvolveBy("f32[8,28,28,3]", "f32[3,3,3,16]", {}), "IND0649",
       "fill in all fields of ConvolutionDims",
       "x is NHWC and w is HWIO: dim_labels=b01f_01io->b01f" + in_builder +
           "\"NHWC,HWIO->NHWC\""},
      {"empty, as Conv() takes it",
       ConvolveBy("f32[8,3,28,28]", "f32[16,3,3,3]", {}), "IND0649",
       "or call Conv() without them, which takes f32[8,3,28,28] as batch",
       "x is NCHW and w is OIHW: dim_labels=bf01_oi01->bf01" + in_builder +
           "\"NCHW,OIHW->NCHW\""},
  });
}

TEST(MessagesTest, WindowsOfTooFewEntries) {
  const auto padded = [](std::vector<int64_t> strides,
                         std::vector<std::pair<int64_t, int64_t>> padding) {
    return [=](TestBuilder& b) {
      return b.ConvWithGeneralPadding(b.P("f32[8,3,28,28]"),
                                      b.P("f32[16,3,3,3]"), strides, padding);
    };
  };
  const auto reduce = [](std::vector<int64_t> sizes,
                         std::vector<int64_t> strides) {
    return [=](TestBuilder& b) {
      return b.ReduceWindow(b.P("f32[8,28,28,3]"), b.P("f32[]"), AddScalars(),
                            sizes, strides, Padding::kValid);
    };
  };
  CheckMessages({
      {"one stride",
       Convolve("f32[8,3,28,28]", "f32[16,3,3,3]", {2}, Padding::kSame),
       "IND0632",
       "convolution: window_strides={2} has 1 entry, but must have 2, one for "
       "each window dim; to fix: window_strides={2,2}"},
      {"three strides",
       Convolve("f32[8,3,28,28]", "f32[16,3,3,3]", {1, 2, 3}, Padding::kValid),
       "IND0632",
       "window_strides={1,2,3} has 3 entries, but must have 2, one for each "
       "window dim"},
      {"one padding", padded({1, 1}, {{1, 2}}), "IND0632",
       "padding={{1,2}} has 1 entry, but must have 2, one for each window dim; "
       "to fix: padding={{1,2},{1,2}}"},
      {"ranks differ",
       Convolve("f32[8,3,28]", "f32[16,3,3,3]", {1, 1}, Padding::kValid),
       "IND0356",
       "a window of 2 dims needs operands of rank 4, but one is f32[8,3,28]"},
      {"reduce-window, one stride", reduce({1, 2, 2, 1}, {2}), "IND0632",
       "window_strides={2} has 1 entry, but must have 4, one for each window "
       "dim; to fix: window_strides={2,2,2,2}"},
      {"reduce-window, two sizes", reduce({2, 2}, {2, 2}), "IND0350",
       "the window has 2 dims, but f32[8,28,28,3] has rank 4; to fix: give an "
       "entry for each dim, 1 where the window doesn't slide"},
  });
  // As many spatial dims as the operands have, where no list says otherwise.
  CheckCalls({{"no strides",
               Convolve("f32[8,3,28,28]", "f32[16,3,3,3]", {}, Padding::kSame),
               "f32[8,16,28,28]"}});
}

TEST(MessagesTest, TuplesAndWhatIsNone) {
  const char* const pair = "(s32[], f32[8])";
  const auto loop = [=](std::vector<const char*> body,
                        std::vector<const char*> condition, const char* result,
                        const char* init) {
    return [=](TestBuilder& b) {
      return b.While(CalleeThatTakes(b, "condition", condition, "pred[]"),
                     CalleeThatTakes(b, "body", body, result), b.P(init));
    };
  };
  const auto branches = [](std::vector<const char*> taken, const char* result,
                           const char* other) {
    return [=](TestBuilder& b) {
      const Op a = b.P("(s32[], f32[8])"), c = b.P("f32[8]");
      return b.Conditional(b.P("pred[]"), a,
                           CalleeThatTakes(b, "t", taken, result), c,
                           CalleeThatTakes(b, "e", {"f32[8]"}, other));
    };
  };
  const char* const nested = "(s32[], (f32[8], pred[]))";
  CheckMessages({
      {"element of an array",
       [](TestBuilder& b) {
         return b.GetTupleElement(NamedParameter(b, "f32[8]", "x"), 0);
       },
       "IND0407",
       "operand 0 is f32[8], not a tuple: it has no elements to take",
       "x itself instead of this op: it is the value, not a tuple of it"},
      {"no first element of an array",
       [](TestBuilder& b) { return b.GetTupleElement(b.P("f32[8]"), 1); },
       "IND0407", "operand 0 is f32[8], not a tuple"},
      {"body of two", loop({"s32[]", "f32[8]"}, {pair}, pair, pair), "IND0648",
       "while: the body takes 2 parameters, but must take one: a tuple; to "
       "fix: record one parameter of (s32[], f32[8]), take the tuple's "
       "elements there, and pass a tuple of the values"},
      {"condition of two", loop({pair}, {"s32[]", "f32[8]"}, pair, pair),
       "IND0648", "while: the condition takes 2 parameters"},
      {"body of none", loop({}, {pair}, pair, pair), "IND0401",
       "the body takes 0 parameters, not 1"},
      {"branch of two", branches({"s32[]", "f32[8]"}, "f32[8]", "f32[8]"),
       "IND0648", "conditional: branch 0 takes 2 parameters"},
      {"reducer of a tuple",
       [](TestBuilder& b) {
         return b.Reduce(b.P("f32[8]"), b.P("f32[]"),
                         CalleeThatTakes(b, "add", {"(f32[], f32[])"}, "f32[]"),
                         {0});
       },
       "IND0321", "as scalars, none in a tuple",
       "a computation (f32[], f32[]) -> f32[]"},
      {"element of what a body returns",
       loop({pair}, {pair}, "(s32[], f32[9])", pair), "IND0404",
       "the condition's parameter, body's parameter, initial value; at element "
       "1 they are f32[9] and f32[8]"},
      {"element of what a condition takes",
       loop({pair}, {"(s64[], f32[8])"}, pair, pair), "IND0404",
       "the condition's parameter; at element 0 they are s32[] and s64[]"},
      {"two elements", loop({pair}, {pair}, pair, "(s64[], f64[8])"), "IND0404",
       "the initial value; at element 0 they are s32[] and s64[], as at "
       "another"},
      {"element of an element",
       loop({nested}, {nested}, nested, "(s32[], (f64[8], pred[]))"), "IND0404",
       "the initial value; at element {1,0} they are f32[8] and f64[8]"},
      {"as many elements",
       loop({pair}, {pair}, pair, "(s32[], f32[8], pred[])"), "IND0404",
       "the initial value; they have 2 and 3 elements"},
      {"element of branches",
       branches({pair}, "(s32[], f32[8])", "(s32[], f32[4])"), "IND0403",
       "must return (s32[], f32[8]), as branch 0; at element 1 they are f32[4] "
       "and f32[8]"},
      {"element of an argument",
       branches({"(s32[], f32[7])"}, "f32[8]", "f32[8]"), "IND0402",
       "is (s32[], f32[7]); at element 1 they are f32[8] and f32[7]"},
  });
}

// One computation doesn't see the values of another.
TEST(MessagesTest, CapturedOps) {
  const Caller outer{"net.cc", 3}, inner{"net.cc", 7};
  TestBuilder b("main");
  const Op scale = b.Parameter(0, "f32[]", "scale", outer);
  ComputationBuilder sub = b.SubBuilder("body");
  const Op x = sub.Parameter(0, "f32[]", "x", inner);
  const Callee body = sub.BuildCallee(sub.Mul(x, scale, {}, inner));
  b.Map({b.Parameter(1, "f32[8]", "y", outer)}, body, {0}, outer);
  EXPECT_THAT(
      b.DiagnosticsText(),
      ::testing::StartsWith(
          "net.cc:3: error: map: its computation was not built, for what "
          "follows:  [IND0605]\n"
          "    net.cc:7: error: multiply: operand 1 is %scale = f32[] "
          "parameter(0) (net.cc:3) of the builder 'main', not of 'body'; to "
          "fix: pass it as an operand: 'body' takes it as a parameter, and "
          "the op that calls 'body' gets it as an operand  [IND0602]\n"
          "        %x = f32[] parameter(0)"));
  // Of a builder that was built nothing is left to be told.
  TestBuilder first("first"), second("second");
  const Op gone = first.P("f32[]");
  ASSERT_TRUE(first.Build(gone).ok());
  second.Neg(gone);
  EXPECT_THAT(second.DiagnosticsText(),
              HasSubstr("operand 0 is an op of the builder 'first'"));
}

// What only XLA's verifier refuses is found where it is recorded.
TEST(MessagesTest, ShardingsAndComparators) {
  const auto sharded = [](std::string sharding, const char* shape) {
    return [=](TestBuilder& b) {
      const Op x = b.P(shape);
      b.set_sharding(sharding);
      const Op y = b.Neg(x);
      b.set_sharding(std::nullopt);
      return b.Exp(y);
    };
  };
  const auto sort = [](std::vector<const char*> parameters,
                       const char* result) {
    return [=](TestBuilder& b) {
      return b.Sort({b.P("f32[8]")},
                    CalleeThatTakes(b, "less", parameters, result), 0);
    };
  };
  CheckMessages({
      {"rank", sharded(TileSharding({2, 2}), "f32[8]"), "IND0786",
       "negate: its sharding splits 2 dims, but f32[8] has 1"},
      {"a tuple's", sharded(TupleSharding({TileSharding({2})}), "f32[2,2]"),
       "IND0789", "its sharding is a tuple's, but the value is none"},
      {"leaves of an array",
       sharded(TupleSharding({TileSharding({2}), TileSharding({2})}), "f32[8]"),
       "IND0785", "negate: its sharding has 2 parts, but f32[8] needs 1"},
      {"tiles", sharded(TileShardingOnDevices({2, 2}, {0, 1, 2}), "f32[8,8]"),
       "IND0787", "set_sharding: its sharding has 4 tiles, but names 3"},
      {"device twice", sharded(TileShardingOnDevices({2}, {1, 1}), "f32[8]"),
       "IND0788", "set_sharding: its sharding names device 1 twice"},
      {"result of a composite",
       [](TestBuilder& b) {
         const Op x = b.P("f32[8,4,16]"), y = b.P("f32[16,2]");
         b.set_sharding(TileSharding({2, 2}));
         return MatMul(x, y);
       },
       "IND0786", "splits 2 dims, but f32[8,4,2] has 3"},
      {"one parameter", sort({"f32[]"}, "pred[]"), "IND0340",
       "its comparator takes 1 parameter and returns pred[], but must take 2",
       "a computation (f32[], f32[]) -> pred[]"},
      {"no pred", sort({"f32[]", "f32[]"}, "s32[]"), "IND0340",
       "its comparator takes 2 parameters and returns s32[]",
       "a computation (f32[], f32[]) -> pred[]"},
      {"another type", sort({"s32[]", "s32[]"}, "pred[]"), "IND0341",
       "parameter 0 of its comparator is s32[]",
       "a computation (f32[], f32[]) -> pred[]"},
  });
  // A call that is as one before is looked at again, with what is in scope.
  TestBuilder b("again");
  const Op x = b.P("f32[8,4]"), y = b.P("f32[4,2]");
  EXPECT_TRUE(b.shape(b.Dot(x, y)).ok());
  b.set_sharding(TileSharding({2}));
  EXPECT_FALSE(b.shape(b.Dot(x, y)).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0786]"));
  b.set_sharding(TileSharding({2, 1}));
  EXPECT_TRUE(b.shape(b.Dot(x, y)).ok());
}

TEST(MessagesTest, ProductsOfBatches) {
  const auto product = [](const char* x, const char* y) {
    return [=](TestBuilder& b) {
      const Op left = NamedParameter(b, x, "x"),
               right = NamedParameter(b, y, "y");
      return MatMul(left, right);
    };
  };
  const auto dot = [](const char* x, const char* y) {
    return [=](TestBuilder& b) {
      const Op left = NamedParameter(b, x, "x"),
               right = NamedParameter(b, y, "y");
      return b.Dot(left, right);
    };
  };
  CheckMessages({
      {"vectors", product("f32[8,4,16]", "f32[8,16]"), "IND0618", "",
       "MatMul(x, Reshape(y, {8,16,1})), which multiplies each batch of x with "
       "its own vector of y"},
      {"rows with rows", product("f32[8,4,16]", "f32[32,16]"), "IND0618", "",
       "BatchDot(x, false, y, true), which transposes y"},
      {"the other way round", product("f32[8,4,16]", "f32[2,4]"), "IND0618", "",
       "MatMul(y, x)"},
      {"nothing does", product("f32[8,4,16]", "f32[3,5]"), "IND0618",
       "the sizes must be equal"},
      {"batches", product("f32[8,4,16]", "f32[6,16,5]"), "IND0650",
       "dim 0 of f32[8,4,16], 8, and dim 0 of f32[6,16,5], 6, are batch dims, "
       "those before the last two"},
      {"dot of batches", dot("f32[8,4,16]", "f32[8,16,32]"), "IND0203", "",
       "DotGeneral(x, y) with lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0} "
       "multiplies batch by batch, as MatMul(x, y) does"},
      {"dot of batches, rows", dot("f32[8,4,16]", "f32[8,32,16]"), "IND0203",
       "",
       "DotGeneral(x, y) with lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}, lhs_batch_dims={0}, rhs_batch_dims={0} "
       "multiplies batch by batch, as BatchDot(x, false, y, true) does"},
      {"dot of one with each", dot("f32[8,4,16]", "f32[16,32]"), "IND0203", "",
       "DotGeneral(x, y) with lhs_contracting_dims={2} matches dim 2 of x with "
       "dim 0 of y (16 = 16)"},
  });
}

}  // namespace
}  // namespace indim

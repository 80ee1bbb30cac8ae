// SPDX-License-Identifier: Apache-2.0
// Sizes as arguments of calls: numbers, Dims with and without names, what is
// left of a reshape, whole dims; indices; the dims of convolutions in words.

#include <string>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

Dim NamedDim(const char* text) { return *Dim::Parse(text); }

// Each call that takes sizes takes each kind of list.
TEST(SizesTest, Lists) {
  const std::vector<int64_t> numbers = {2, 3};
  const std::vector<Dim> dims = {NamedDim("n"), Dim::Static(3)};
  const DimVector vector = {NamedDim("n"), Dim::Static(3)};
  const std::vector<SizeArg> mixed = {NamedDim("n"), 3};
  const DimIndices indices = {2, 3};
  const Dim n = NamedDim("n");
  const size_t three = 3;
  CheckCalls({
      {"numbers",
       Of({"f32[]"},
          [](auto& b, auto& x) {
            return b.Broadcast(x[0], {2, 3});
          }),
       "f32[2,3]"},
      {"a vector",
       Of({"f32[]"},
          [=](auto& b, auto& x) { return b.Broadcast(x[0], numbers); }),
       "f32[2,3]"},
      {"indices",
       Of({"f32[]"},
          [=](auto& b, auto& x) { return b.Broadcast(x[0], indices); }),
       "f32[2,3]"},
      {"names and numbers",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.Broadcast(x[0], {n, 3});
          }),
       "f32[n,3]"},
      {"numbers, then names",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.Broadcast(x[0], {8, n, 2});
          }),
       "f32[8,n,2]"},
      {"a number without a sign",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.Broadcast(x[0], {n, three});
          }),
       "f32[n,3]"},
      {"a vector of dims",
       Of({"f32[]"}, [=](auto& b, auto& x) { return b.Broadcast(x[0], dims); }),
       "f32[n,3]"},
      {"dims of a shape",
       Of({"f32[]", "s8[n,4]"},
          [](auto& b, auto& x) {
            return b.Broadcast(x[0], b.shape(x[1])->dims());
          }),
       "f32[n,4]"},
      {"a DimVector",
       Of({"f32[]"},
          [=](auto& b, auto& x) { return b.Broadcast(x[0], vector); }),
       "f32[n,3]"},
      {"a vector of both",
       Of({"f32[]"},
          [=](auto& b, auto& x) { return b.Broadcast(x[0], mixed); }),
       "f32[n,3]"},
      {"none",
       Of({"f32[]"}, [](auto& b, auto& x) { return b.Broadcast(x[0], {}); }),
       "f32[]"},
      {"in dim",
       Of({"f32[3]"},
          [=](auto& b, auto& x) {
            return b.BroadcastInDim(x[0], {n, 3}, {1});
          }),
       "f32[n,3]"},
      {"reshape",
       Of({"f32[n,6]"},
          [=](auto& b, auto& x) {
            return b.Reshape(x[0], {n, 2, 3});
          }),
       "f32[n,2,3]"},
      {"iota",
       Of({}, [=](auto& b, auto&) { return b.Iota(ElementType::kS32, n); }),
       "s32[n]"},
      {"a bounded size",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.Broadcast(x[0], {Dim::Bounded(3), Dim::Static(2)});
          }),
       "IND0207"},
      {"an unknown size",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.BroadcastInDim(x[0], {n, Dim::Unknown()}, {});
          }),
       "IND0207"},
      {"a negative one beside a name",
       Of({"f32[]"},
          [=](auto& b, auto& x) {
            return b.Broadcast(x[0], {n, -1});
          }),
       "IND0200"},
      {"a negative iota",
       Of({}, [=](auto& b, auto&) { return b.Iota(ElementType::kS32, -1); }),
       "IND0200"},
      {"an unknown iota",
       Of({}, [=](auto& b,
                  auto&) { return b.Iota(ElementType::kS32, Dim::Unknown()); }),
       "IND0228"},
  });
}

TEST(SizesTest, WhatIsLeft) {
  const auto reshape = [](const char* shape, std::vector<SizeArg> sizes) {
    return [=](TestBuilder& b) { return b.Reshape(b.P(shape), sizes); };
  };
  const Dim n = NamedDim("n");
  CheckCalls({
      {"numbers",
       Of({"f32[8,4]"},
          [](auto& b, auto& x) {
            return b.Reshape(x[0], {-1, 2});
          }),
       "f32[16,2]"},
      {"all", reshape("f32[8,4]", {-1}), "f32[32]"},
      {"a one", reshape("f32[8,4]", {32, -1}), "f32[32,1]"},
      {"of a scalar", reshape("f32[]", {-1}), "f32[1]"},
      {"of nothing", reshape("f32[0,4]", {-1, 4}), "f32[0,4]"},
      {"an unknown dim says the same", reshape("f32[8,4]", {Dim::Unknown(), 2}),
       "f32[16,2]"},
      {"of a name", reshape("f32[n,4]", {-1, 2}), "f32[2*n,2]"},
      {"beside a name", reshape("f32[n,4]", {n, -1}), "f32[n,4]"},
      {"of a bounded dim", reshape("f32[<=8,4]", {-1}), "f32[<=32]"},
      {"a bounded dim split and merged", reshape("f32[<=8,4]", {-1, 2}),
       "IND0209"},
      {"the bound is where the rest is", reshape("f32[<=8]", {2, -1}),
       "f32[2,<=4]"},
      {"beside a bound", reshape("f32[8,4]", {Dim::Bounded(2), -1}),
       "f32[2,16]"},
      {"uneven", reshape("f32[8,4]", {-1, 5}), "IND0238"},
      {"uneven with a name", reshape("f32[2*n+1]", {-1, 2}), "IND0238"},
      {"twice", reshape("f32[8,4]", {-1, -1, 2}), "IND0239"},
      {"twice with a name", reshape("f32[n,4]", {-1, -1, 2}), "IND0239"},
      {"beside a 0", reshape("f32[0,4]", {-1, 0}), "IND0237"},
      {"another negative number", reshape("f32[8,4]", {-2, 4}), "IND0200"},
      {"of an unknown dim", reshape("f32[?,4]", {-1, 4}), "IND0207"},
      {"of an unknown rank", reshape("f32[*]", {-1, 4}), "IND0207"},
      {"of a tuple", reshape("(f32[2])", {-1, 4}), "IND0101"},
      {"too much", reshape("f32[8]", {int64_t{1} << 62, 4, -1}), "IND0207"},
  });
}

// A repeated call is recorded from the memo; a -1 depends on the operand.
TEST(SizesTest, RepeatedReshapes) {
  TestBuilder b("repeated");
  const Op x = b.P("f32[8,4]"), y = b.P("f32[8,2]");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(b.shape(b.Reshape(x, {-1, 2}))->ToString(), "f32[16,2]");
    EXPECT_EQ(b.shape(b.Reshape(y, {-1, 2}))->ToString(), "f32[8,2]");
  }
}

TEST(SizesTest, Transpose) {
  const std::vector<int64_t> none;
  CheckCalls({
      {"reversed",
       Of({"f32[2,<=3,n]"}, [](auto& b, auto& x) { return b.Transpose(x[0]); }),
       "f32[n,<=3,2]"},
      {"of a scalar",
       Of({"f32[]"}, [](auto& b, auto& x) { return b.Transpose(x[0]); }),
       "f32[]"},
      {"an empty list of dims",
       Of({"f32[2]"},
          [=](auto& b, auto& x) { return b.Transpose(x[0], none); }),
       "IND0205"},
      {"unranked",
       Of({"f32[*]"}, [](auto& b, auto& x) { return b.Transpose(x[0]); }),
       "IND0612"},
      {"a tuple",
       Of({"(f32[2])"}, [](auto& b, auto& x) { return b.Transpose(x[0]); }),
       "IND0101"},
  });
}

TEST(SizesTest, Slices) {
  const Dim n = NamedDim("n");
  const auto dynamic = [](const char* shape, std::vector<SizeArg> sizes) {
    return [=](TestBuilder& b) {
      const Op x = b.P(shape);
      return b.DynamicSlice(x, std::vector<Op>(sizes.size(), b.P("s32[]")),
                            sizes);
    };
  };
  CheckCalls({
      {"without strides",
       Of({"f32[8,4]"},
          [](auto& b, auto& x) {
            return b.Slice(x[0], {1, 0}, {kWhole, 2});
          }),
       "f32[7,2]"},
      {"of a bounded dim",
       Of({"f32[<=8]"},
          [](auto& b, auto& x) { return b.Slice(x[0], {1}, {kWhole}); }),
       "f32[<=7]"},
      {"of a named dim",
       Of({"f32[n]"},
          [](auto& b, auto& x) { return b.Slice(x[0], {0}, {kWhole}); }),
       "f32[n]"},
      {"dynamic", dynamic("f32[8,4]", {1, kWhole}), "f32[1,4]"},
      {"dynamic, numbers",
       Of({"f32[8]", "s32[]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {x[1]}, {kWhole});
          }),
       "f32[8]"},
      {"dynamic, from a number",
       Of({"f32[8,4,2]", "s64[]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {0, x[1], 1}, {kWhole, 2, 1});
          }),
       "f32[8,2,1]"},
      {"dynamic, from numbers alone",
       Of({"f32[8,4]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {0, 1}, {1, 2});
          }),
       "f32[1,2]"},
      {"dynamic, from Operands",
       Of({"f32[8]", "s32[]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], std::vector<Operand>{x[1]}, {2});
          }),
       "f32[2]"},
      {"dynamic, from a fraction",
       Of({"f32[8]"},
          [](auto& b, auto& x) { return b.DynamicSlice(x[0], {0.5}, {1}); }),
       "IND0636"},
      {"dynamic, from what the other start's type hasn't",
       Of({"f32[8,4]", "s8[]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {200, x[1]}, {1, 1});
          }),
       "IND0636"},
      {"dynamic, numbers beside a vector",
       Of({"f32[8,4]", "s32[2]"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {x[1], 0}, {1, 1});
          }),
       "IND0109"},
      {"dynamic, numbers beside a tuple",
       Of({"f32[8,4]", "(s32[2])"},
          [](auto& b, auto& x) {
            return b.DynamicSlice(x[0], {x[1], 0}, {1, 1});
          }),
       "IND0101"},
      {"dynamic, of no dims",
       Of({"f32[]"},
          [](auto& b, auto& x) { return b.DynamicSlice(x[0], {}, {}); }),
       "f32[]"},
      {"update from a number",
       Of({"f32[8,4]", "f32[1,4]", "s64[]"},
          [](auto& b, auto& x) {
            return b.DynamicUpdateSlice(x[0], x[1], {x[2], 0});
          }),
       "f32[8,4]"},
      {"update from a fraction",
       Of({"f32[8]", "f32[1]"},
          [](auto& b, auto& x) {
            return b.DynamicUpdateSlice(x[0], x[1], {0.5});
          }),
       "IND0636"},
      {"dynamic of a bounded dim", dynamic("f32[8,<=4]", {1, kWhole}),
       "f32[1,<=4]"},
      {"dynamic with a Dim", dynamic("f32[8,4]", {Dim::Static(2), 1}),
       "f32[2,1]"},
      {"dynamic of a named dim", dynamic("f32[8,n]", {1, kWhole}), "IND0646"},
      {"dynamic with that name", dynamic("f32[8,n]", {1, n}), "IND0646"},
      {"dynamic with another name", dynamic("f32[8,4]", {1, n}), "IND0207"},
      {"dynamic of an unknown dim", dynamic("f32[8,?]", {1, kWhole}),
       "IND0646"},
      {"too many sizes", dynamic("f32[8]", {1, kWhole}), "IND0240"},
      {"a size too large", dynamic("f32[8,4]", {1, 5}), "IND0242"},
  });
}

TEST(SizesTest, Index) {
  const auto index = [](const char* shape, std::vector<IndexArg> indices) {
    return [=](TestBuilder& b) { return b.Index(b.P(shape), indices); };
  };
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  CheckCalls({
      {"as written",
       Of({"f32[8,10,3]"},
          [](auto& b, auto& x) {
            return b.Index(x[0], {0, kAll, Range(1, -1)});
          }),
       "f32[10,1]"},
      {"backwards",
       Of({"f32[8,10,3]"},
          [](auto& b, auto& x) {
            return b.Index(x[0], {-1, Range({}, {}, -2)});
          }),
       "f32[5,3]"},
      {"the rest is whole", index("f32[8,10,3]", {2}), "f32[10,3]"},
      {"nothing", index("f32[8,10]", {}), "f32[8,10]"},
      {"of a scalar", index("f32[]", {}), "f32[]"},
      {"all numbers", index("f32[8,10]", {-8, 9}), "f32[]"},
      {"ends beyond", index("f32[8]", {Range(-100, 100)}), "f32[8]"},
      {"no elements", index("f32[8]", {Range(5, 2)}), "f32[0]"},
      {"no elements backwards", index("f32[8]", {Range(2, 5, -1)}), "f32[0]"},
      {"of no elements", index("f32[0]", {Range({}, {}, -1)}), "f32[0]"},
      {"the largest numbers", index("f32[8]", {Range(least, most, most)}),
       "f32[1]"},
      {"the least numbers", index("f32[8]", {Range(most, least, least)}),
       "f32[1]"},
      {"beside a named dim", index("f32[n,4]", {kAll, 1}), "f32[n]"},
      {"of a named dim", index("f32[n,4]", {0}), "f32[4]"},
      {"from a start of a named dim", index("f32[n]", {Range(0, 4, 2)}),
       "f32[2]"},
      {"a bounded dim", index("f32[<=8,4]", {Range(2, {})}), "f32[<=6,4]"},
      {"an unknown dim", index("f32[?,4]", {kAll, Range(0, 2)}), "f32[?,2]"},
      {"a dim goes beside an unknown one", index("f32[?,4]", {kAll, 0}),
       "IND0207"},
      {"the other dims before", index("f32[8,10,3]", {kEllipsis, 1}),
       "f32[8,10]"},
      {"the other dims between", index("f32[8,10,3]", {0, kEllipsis, 1}),
       "f32[10]"},
      {"no other dims", index("f32[8]", {kEllipsis, 1}), "f32[]"},
      {"nothing but the others", index("f32[8,n]", {kEllipsis}), "f32[8,n]"},
      {"new dims", index("f32[8,10]", {kNewAxis, 0, kNewAxis}), "f32[1,1,10]"},
      {"a new dim behind", index("f32[8,n]", {kEllipsis, kNewAxis}),
       "f32[8,n,1]"},
      {"a new dim of a scalar", index("f32[]", {kNewAxis}), "f32[1]"},
      {"a new dim beside an unknown one", index("f32[?]", {kNewAxis}),
       "IND0207"},
      {"too many beside others", index("f32[8]", {0, kEllipsis, 0}), "IND0652"},
      {"others twice", index("f32[8,10]", {kEllipsis, kEllipsis}), "IND0660"},
      {"a place",
       Of({"f32[8,10,3]", "s32[]"},
          [](auto& b, auto& x) {
            return b.Index(x[0], {x[1], Range(0, 4)});
          }),
       "f32[4,3]"},
      {"two places, and others",
       Of({"f32[8,10,3]", "u8[]"},
          [](auto& b, auto& x) {
            return b.Index(x[0], {kEllipsis, x[1], kNewAxis, x[1]});
          }),
       "f32[8,1]"},
      {"a place of a bounded dim",
       Of({"f32[<=8,3]", "s32[]"},
          [](auto& b, auto& x) { return b.Index(x[0], {x[1]}); }),
       "f32[3]"},
      {"a place beside a named dim",
       Of({"f32[8,n]", "s32[]"},
          [](auto& b, auto& x) { return b.Index(x[0], {x[1]}); }),
       "IND0646"},
      {"a place that is a float",
       Of({"f32[8]", "f32[]"},
          [](auto& b, auto& x) { return b.Index(x[0], {x[1]}); }),
       "IND0102"},
      {"a place of no elements",
       Of({"f32[0]", "s32[]"},
          [](auto& b, auto& x) { return b.Index(x[0], {x[1]}); }),
       "IND0242"},
      {"outside", index("f32[8,10]", {kAll, 10}), "IND0619"},
      {"below", index("f32[8,10]", {-9}), "IND0619"},
      {"the least number", index("f32[8]", {least}), "IND0619"},
      {"above a bound", index("f32[<=8]", {8}), "IND0619"},
      {"from the end of a bounded dim", index("f32[<=8]", {-1}), "IND0651"},
      {"from the end of a named dim", index("f32[n]", {Range(0, -1)}),
       "IND0651"},
      {"a named dim backwards", index("f32[n]", {Range({}, {}, -1)}),
       "IND0651"},
      {"a stride of 0", index("f32[8]", {Range(0, 4, 0)}), "IND0223"},
      {"too many", index("f32[8]", {0, kAll}), "IND0652"},
      {"unranked", index("f32[*]", {0}), "IND0612"},
      {"a tuple", index("(f32[2])", {0}), "IND0101"},
      {"a range beyond a bound", index("f32[<=8]", {Range(0, 9)}), "IND0224"},
  });
}

// What isn't needed isn't recorded.
TEST(SizesTest, IndexRecordsLittle) {
  struct Case {
    std::vector<IndexArg> indices;
    std::vector<std::string> ops;
  };
  const Case cases[] = {
      {{kAll, Range(0, {})}, {}},
      {{0}, {"slice", "reshape"}},
      {{Range(1, 3)}, {"slice"}},
      {{Range({}, {}, -1)}, {"reverse"}},
      {{Range({}, {}, -2), 1}, {"slice", "reverse", "reshape"}},
      {{kEllipsis}, {}},
      {{kNewAxis}, {"reshape"}},
  };
  for (const Case& c : cases) {
    TestBuilder b("index");
    const Op x = b.P("f32[8,10]");
    const absl::StatusOr<Module> module = b.Build(b.Index(x, c.indices));
    ASSERT_TRUE(module.ok()) << module.status();
    std::vector<std::string> ops;
    for (const Instruction i : module->entry().instructions()) {
      if (i.opcode() != Opcode::kParameter) ops.emplace_back(i.opcode_name());
    }
    EXPECT_EQ(ops, c.ops);
  }
}

TEST(SizesTest, Messages) {
  struct Case {
    std::function<Op(TestBuilder&)> call;
    std::string text;
  };
  const Case cases[] = {
      {[](TestBuilder& b) {
         return b.Index(b.P("f32[8,3]"), {kAll, 3});
       },
       "Index: index 3 is outside dim 1 of f32[8,3], which is 3  [IND0619]"},
      {[](TestBuilder& b) {
         return b.Index(b.P("f32[<=8]"), {Range(1, -1, 2)});
       },
       "Index: 1:-1:2 counts from the end of dim 0 of f32[<=8], but <=8 is not "
       "a static size; count from its start  [IND0651]"},
      {[](TestBuilder& b) {
         return b.Index(b.P("f32[8]"), {0, 1});
       },
       "Index has 2 indices, but f32[8] has rank 1  [IND0652]"},
      {[](TestBuilder& b) {
         return b.Index(b.P("f32[8]"), {kEllipsis, 0, kEllipsis});
       },
       "Index has 2 ellipses, but may have one at most  "
       "[IND0660]"},
      {[](TestBuilder& b) { return b.Index(b.P("f32[n]"), {Range(3, 1)}); },
       "Index's slice: dim 0 of f32[n] is sliced from 3 to 1"},
  };
  for (const Case& c : cases) {
    TestBuilder b("messages");
    c.call(b);
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr(c.text));
  }
}

TEST(ConvolutionTextTest, Dims) {
  struct Case {
    std::string text;
    std::vector<int64_t> input, kernel, output;  // batch, feature, spatial ...
  };
  const Case cases[] = {
      {"NHWC,HWIO->NHWC", {0, 3, 1, 2}, {3, 2, 0, 1}, {0, 3, 1, 2}},
      {"NCHW,OIHW->NCHW", {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}},
      {"NC,OI->NC", {0, 1}, {0, 1}, {0, 1}},
      // The order of the spatial dims is the kernel's.
      {"NHWC,WHIO->CWHN", {0, 3, 2, 1}, {3, 2, 0, 1}, {3, 0, 1, 2}},
      {"bNC,bOI->NbC", {1, 2, 0}, {1, 2, 0}, {0, 2, 1}},
      {"N0123C,0123IO->N0123C",
       {0, 5, 1, 2, 3, 4},
       {5, 4, 0, 1, 2, 3},
       {0, 5, 1, 2, 3, 4}},
  };
  const auto list = [](int64_t a, int64_t b, const DimIndices& spatial) {
    std::vector<int64_t> all = {a, b};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<ConvolutionDims> d = ParseConvolutionDims(c.text);
    ASSERT_TRUE(d.ok()) << d.status();
    EXPECT_EQ(list(d->input_batch, d->input_feature, d->input_spatial),
              c.input);
    EXPECT_EQ(list(d->kernel_output_feature, d->kernel_input_feature,
                   d->kernel_spatial),
              c.kernel);
    EXPECT_EQ(list(d->output_batch, d->output_feature, d->output_spatial),
              c.output);
  }
}

TEST(ConvolutionTextTest, Mistakes) {
  struct Case {
    std::string text, mistake;
    size_t place;
  };
  const Case cases[] = {
      {"", "no ','", 0},
      {"NHWC", "no ','", 4},
      {"NHWC,HWIO", "no '->'", 9},
      {"NHWC,HWIO->", "no 'N' here, the batch", 11},
      {"HWC,HWIO->NHWC", "no 'N' here, the batch", 0},
      {"NHW,HWIO->NHWC", "no 'C' here, the feature", 0},
      {"NHWC,HWI->NHWC", "no 'O' here, the output feature", 5},
      {"NHWC,HWO->NHWC", "no 'I' here, the input feature", 5},
      {"NHWC,HWIO->NHW", "no 'C' here, the feature", 11},
      {"NHHC,HWIO->NHWC", "'H' stands here twice", 2},
      {"NHWC,HWIOO->NHWC", "'O' stands here twice", 9},
      {"NHWC,HWIO->NHWCN", "'N' stands here twice", 15},
      {"NHC,HWIO->NHWC", "no 'W' here, the spatial dim", 0},
      {"NHWC,HIO->NHWC", "the kernel has no spatial dim 'W'", 2},
      {"NHWC,HWIO->NHWDC", "the kernel has no spatial dim 'D'", 14},
      {"NHWC,NHWIO->NHWC", "the kernel has no batch", 5},
      {"NHWC,HWIOC->NHWC", "the kernel has no feature", 9},
      {"NHWC,HWIO->NHWCI", "the kernel has no spatial dim 'I'", 15},
      {"NHWC, HWIO->NHWC", "a dim is a letter or a digit", 5},
      {"NH-C,HWIO->NHWC", "a dim is a letter or a digit", 2},
      {"NHWC,HWIO->NHWC,", "a dim is a letter or a digit", 15},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<ConvolutionDims> d = ParseConvolutionDims(c.text);
    ASSERT_FALSE(d.ok());
    EXPECT_THAT(std::string(d.status().message()), HasSubstr(c.mistake));
    EXPECT_THAT(
        std::string(d.status().message()),
        HasSubstr("\n  " + c.text + "\n  " + std::string(c.place, ' ') + "^"));
  }
}

TEST(ConvolutionTextTest, Calls) {
  const auto conv = [](const char* text) {
    return [=](TestBuilder& b) {
      return b.ConvWithGeneralDimensions(b.P("f32[8,28,28,3]"),
                                         b.P("f32[5,5,3,16]"), {2, 2},
                                         Padding::kSame, text);
    };
  };
  CheckCalls({
      {"same", conv("NHWC,HWIO->NHWC"), "f32[8,14,14,16]"},
      {"another result", conv("NHWC,HWIO->NCHW"), "f32[8,16,14,14]"},
      {"a mistake", conv("NHWC,HWIO"), "IND0653"},
      {"no text", conv(nullptr), "IND0653"},
      {"general",
       Of({"f32[8,28,3]", "f32[5,3,16]"},
          [](auto& b, auto& x) {
            return b.ConvGeneral(x[0], x[1], {1}, {{0, 0}}, "NWC,WIO->NWC");
          }),
       "f32[8,24,16]"},
      {"a mistake in it",
       Of({"f32[8,28,3]", "f32[5,3,16]"},
          [](auto& b, auto& x) {
            return b.ConvGeneral(x[0], x[1], {1}, {{0, 0}}, "NWC,WIO->NC");
          }),
       "IND0653"},
      {"dilated",
       Of({"f32[8,28,3]", "f32[5,3,16]"},
          [](auto& b, auto& x) {
            return b.ConvGeneralDilated(x[0], x[1], {1}, {{0, 0}}, {}, {2},
                                        std::string("NWC,WIO->NWC"));
          }),
       "f32[8,20,16]"},
  });
}

}  // namespace
}  // namespace indim

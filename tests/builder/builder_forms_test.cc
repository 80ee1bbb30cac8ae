// SPDX-License-Identifier: Apache-2.0
// Calls with options: windows as lists, products with precision, custom calls,
// composites, what is said about an op after it was recorded.

#include <vector>

#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using Sizes = std::vector<int64_t>;

TEST(BuilderFormsTest, Windows) {
  const auto reduce = [](Sizes sizes, Sizes strides, Padding padding) {
    return [=](TestBuilder& b, Ops p) {
      return b.ReduceWindow(p[0], p[1], AddScalars(), sizes, strides, padding);
    };
  };
  const auto two = [](TestBuilder& b, Ops p) {
    TestBuilder pair("pair");
    const Op x = pair.P("f32[]"), y = pair.P("s32[]");
    pair.P("f32[]");
    pair.P("s32[]");
    return b.ReduceWindow({p[0], p[1]}, {p[2], p[3]},
                          pair.Build(pair.Tuple({x, y})), Sizes{2}, Sizes{2},
                          Padding::kValid);
  };
  const auto general = [](TestBuilder& b, Ops p) {
    return b.ReduceWindowWithGeneralPadding({p[0]}, {p[1]}, AddScalars(), {3},
                                            {1}, {2}, {2}, {{1, 2}});
  };
  const auto select = [](Padding padding) {
    return [=](TestBuilder& b, Ops p) {
      TestBuilder ge("ge");
      const Op x = ge.P("f32[]"), y = ge.P("f32[]");
      return b.SelectAndScatter(p[0], ge.Build(ge.Ge(x, y)), {3}, {2}, padding,
                                p[1], p[2], AddScalars());
    };
  };
  CheckCalls({
      {"valid", Of({"f32[9]", "f32[]"}, reduce({3}, {2}, Padding::kValid)),
       "f32[4]"},
      {"same", Of({"f32[9]", "f32[]"}, reduce({3}, {2}, Padding::kSame)),
       "f32[5]"},
      {"no strides", Of({"f32[9]", "f32[]"}, reduce({3}, {}, Padding::kSame)),
       "f32[9]"},
      {"no stride", Of({"f32[9]", "f32[]"}, reduce({3}, {0}, Padding::kSame)),
       "IND0351"},
      {"one of two",
       Of({"f32[9,9]", "f32[]"}, reduce({3, 1}, {2}, Padding::kValid)),
       "IND0632"},
      {"rank", Of({"f32[9]", "f32[]"}, reduce({3, 1}, {}, Padding::kValid)),
       "IND0350"},
      {"same, bounded",
       Of({"f32[<=9]", "f32[]"}, reduce({3}, {2}, Padding::kSame)), "IND0634"},
      {"same, trivial",
       Of({"f32[<=9]", "f32[]"}, reduce({1}, {1}, Padding::kSame)), "f32[<=9]"},
      {"two arrays", Of({"f32[6]", "s32[6]", "f32[]", "s32[]"}, two),
       "(f32[3], s32[3])"},
      {"dilated", Of({"f32[9]", "f32[]"}, general), "f32[16]"},
      {"select", Of({"f32[9]", "f32[5]", "f32[]"}, select(Padding::kSame)),
       "f32[9]"},
      {"select, source",
       Of({"f32[9]", "f32[5]", "f32[]"}, select(Padding::kValid)), "IND0354"},
      {"select, unknown",
       Of({"f32[?]", "f32[5]", "f32[]"}, select(Padding::kSame)), "IND0634"},
  });
}

TEST(BuilderFormsTest, Convolutions) {
  const auto conv = [](Sizes strides, Padding padding) {
    return [=](TestBuilder& b, Ops p) {
      return b.Conv(p[0], p[1], strides, padding);
    };
  };
  const auto padded = [](TestBuilder& b, Ops p) {
    return b.ConvWithGeneralPadding(p[0], p[1], {1, 1}, {{1, 1}, {0, 0}});
  };
  const auto dilated = [](TestBuilder& b, Ops p) {
    ConvolutionDims dims;
    dims.input_feature = dims.output_feature = dims.kernel_input_feature = 1;
    dims.input_spatial = dims.kernel_spatial = dims.output_spatial = {2};
    return b.ConvGeneralDilated(p[0], p[1], {1}, {{0, 0}}, {2}, {2}, dims, 1, 1,
                                {{Precision::kHighest, Precision::kHighest}},
                                ElementType::kF64, {true});
  };
  const char* kernel = "f32[4,2,3,3]";
  CheckCalls({
      {"valid", Of({"f32[1,2,9,9]", kernel}, conv({2, 2}, Padding::kValid)),
       "f32[1,4,4,4]"},
      {"same", Of({"f32[1,2,9,9]", kernel}, conv({2, 2}, Padding::kSame)),
       "f32[1,4,5,5]"},
      {"same, bounded",
       Of({"f32[1,2,<=9,9]", kernel}, conv({2, 2}, Padding::kSame)), "IND0634"},
      {"kernel unknown",
       Of({"f32[1,2,9,9]", "f32[4,2,?,3]"}, conv({2, 2}, Padding::kValid)),
       "IND0634"},
      {"kernel unranked",
       Of({"f32[1,2,9,9]", "f32[*]"}, conv({2, 2}, Padding::kValid)),
       "IND0612"},
      {"window of one dim",
       Of({"f32[1,2,9,9]", kernel}, conv({2}, Padding::kSame)), "IND0632"},
      {"padded", Of({"f32[1,2,9,9]", kernel}, padded), "f32[1,4,9,7]"},
      {"dilated", Of({"f32[1,2,9]", "f32[4,2,3]"}, dilated), "f64[1,4,13]"},
      {"dilated, rank", Of({"f32[1,2]", "f32[4,2]"}, dilated), "IND0356"},
  });
}

TEST(BuilderFormsTest, Products) {
  DotAttributes ragged;
  ragged.lhs_contracting_dims = ragged.rhs_contracting_dims = {1};
  ragged.lhs_ragged_dims = ragged.rhs_group_dims = {0};
  const auto grouped = [=](TestBuilder& b, Ops p) {
    return b.RaggedDot(p[0], p[1], p[2], ragged, ElementType::kF64);
  };
  const auto scaled = [](TestBuilder& b, Ops p) {
    DotAttributes dims;
    dims.lhs_contracting_dims = {1};
    dims.rhs_contracting_dims = {0};
    return b.ScaledDot(p[0], p[1], p[2], p[3], dims);
  };
  const auto scan = [](TestBuilder& b, Ops p) {
    TestBuilder step("step");
    const Op x = step.P("f32[]"), carry = step.P("f32[]");
    const Op next = step.Add(x, carry);
    return b.Scan({p[0]}, {p[1]}, step.Build(step.Tuple({next, next})), 0, true,
                  false);
  };
  CheckCalls({
      {"ragged", Of({"f32[11,5]", "f32[3,5,7]", "s32[3]"}, grouped),
       "f64[11,7]"},
      {"ragged, groups", Of({"f32[11,5]", "f32[3,5,7]", "s32[2]"}, grouped),
       "IND0203"},
      {"scaled",
       Of({"bf16[2,4]", "bf16[4,3]", "bf16[2,2]", "bf16[2,3]"}, scaled),
       "bf16[2,3]"},
      {"scaled, sizes",
       Of({"bf16[2,4]", "bf16[5,3]", "bf16[2,2]", "bf16[2,3]"}, scaled),
       "IND0203"},
      {"scan", Of({"f32[5]", "f32[]"}, scan), "(f32[5], f32[])"},
      {"scan, carry", Of({"f32[5]", "s32[]"}, scan), "IND0382"},
  });
  TestBuilder b("case");
  PrecisionConfig exact{{Precision::kHighest, Precision::kHigh},
                        DotAlgorithm::kBf16Bf16F32X3};
  const Op dot = b.Dot(b.P("f32[2,3]"), b.P("f32[3,4]"), exact);
  const Module module = *b.Build(dot);
  const PrecisionConfig& back =
      As<DotAttributes>(module.entry().root().attributes()).precision;
  EXPECT_EQ(back.operand_precision, exact.operand_precision);
  EXPECT_EQ(back.algorithm, exact.algorithm);
}

TEST(BuilderFormsTest, ShapesAndTypes) {
  const auto reshape = [](std::vector<bool> dynamic) {
    return [=](TestBuilder& b, Ops p) {
      return b.DynamicReshape(p[0], {p[1]}, {6}, dynamic);
    };
  };
  const auto bitcast = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) { return b.Bitcast(p[0], shape); };
  };
  const auto fix = [](int64_t dim) {
    return [=](TestBuilder& b, Ops p) {
      return b.RemoveDynamicDimension(p[0], dim);
    };
  };
  const auto select = [](TestBuilder& b, Ops p) {
    return b.Select(p[0], p[1], p[1]);
  };
  CheckCalls({
      {"reshape", Of({"f32[2,3]", "s32[]"}, reshape({true})), "f32[<=6]"},
      {"reshape, lists", Of({"f32[2,3]", "s32[]"}, reshape({})), "IND0212"},
      {"bitcast", Of({"f32[2,3]"}, bitcast("f32[6]")), "f32[6]"},
      {"bitcast, no shape", Of({"f32[2,3]"}, bitcast("f32[")), "IND0604"},
      {"fix", Of({"f32[<=5,3]"}, fix(0)), "f32[5,3]"},
      {"fix, static", Of({"f32[5,3]"}, fix(0)), "f32[5,3]"},
      {"fix, unknown", Of({"f32[?,3]"}, fix(0)), "IND0634"},
      {"fix, no such dim", Of({"f32[5]"}, fix(1)), "IND0111"},
      {"fix, unranked", Of({"f32[*]"}, fix(1)), "IND0612"},
      {"fix a tuple", Of({"()"}, fix(0)), "IND0101"},
      {"select tuples", Of({"pred[]", "(f32[2], s32[])"}, select),
       "(f32[2], s32[])"},
      {"select tuples by many", Of({"pred[2]", "(f32[2])"}, select), "IND0405"},
      {"iota",
       Of({}, [](TestBuilder& b, Ops) { return b.Iota(ElementType::kS32, 3); }),
       "s32[3]"},
      {"iota of less than nothing",
       Of({},
          [](TestBuilder& b, Ops) { return b.Iota(ElementType::kS32, -3); }),
       "IND0200"},
  });
}

TEST(BuilderFormsTest, CustomCalls) {
  CustomCallAttributes all;
  all.api_version = kApiTypedFfi;
  all.opaque = "{x = 1}";
  all.has_side_effect = true;
  all.schedule = CustomCallSchedule::kEarliest;
  all.output_operand_aliasing = {{{}, 0, {}}};
  const auto call = [=](const char* target) {
    return [=](TestBuilder& b, Ops p) {
      const Literal one = *Literal::FromDoubles(ElementType::kF32, {1}, {});
      return b.CustomCall(target, p, "f32[3]", all, &one);
    };
  };
  const auto calling = [](TestBuilder& b, Ops p) {
    return b.CustomCallWithComputation("f", p, {AddScalars()}, "f32[3]");
  };
  const auto laid_out = [](TestBuilder& b, Ops p) {
    Shape operand = *ParseShape("f32[2,3]");
    return b.CustomCallWithLayout("f", p, "f32[2,3]{0,1}", {operand});
  };
  CheckCalls({
      {"all", Of({"f32[3]"}, call("f")), "f32[3]"},
      {"XLA's own", Of({"f32[3]"}, call("$f")), "IND0631"},
      {"calling", Of({"f32[3]"}, calling), "f32[3]"},
      {"laid out", Of({"f32[2,3]"}, laid_out), "f32[2,3]{0,1}"},
      {"laid out, count", Of({"f32[2,3]", "f32[]"}, laid_out), "IND0632"},
  });
  TestBuilder b("case");
  const Module module = *b.Build(call("f")(b, {b.P("f32[3]")}));
  const Instruction root = module.entry().root();
  const auto& back = As<CustomCallAttributes>(root.attributes());
  EXPECT_EQ(back.target, "f");
  EXPECT_EQ(back.opaque, all.opaque);
  EXPECT_EQ(back.schedule, all.schedule);
  EXPECT_EQ(back.api_version, kApiTypedFfi);
  EXPECT_EQ(back.output_operand_aliasing.size(), 1);
  EXPECT_FALSE(
      AttributeBytesField(internal::AttributeBytesOf(root), 8).empty());

  TestBuilder plain("case");
  const Module original = *plain.Build(plain.CustomCall("f", {}, "f32[]"));
  EXPECT_EQ(As<CustomCallAttributes>(original.entry().root().attributes())
                .api_version,
            kApiOriginal);

  // XLA wants the scalar's layout too.
  TestBuilder laid("case");
  const Module number =
      *laid.Build(laid.CustomCallWithLayout("f", {}, "(f32[2], s32[])", {}));
  for (const Shape& element : number.entry().root().shape().elements()) {
    EXPECT_NE(element.layout(), nullptr) << element;
  }
}

TEST(BuilderFormsTest, Calls) {
  const auto composite = [](TestBuilder& b, Ops p) {
    return b.CompositeCall(AddScalars(), p, "my.add", "{}", 2);
  };
  const auto fusion = [](TestBuilder& b, Ops p) {
    return b.Fusion(p, "kLoop", AddScalars());
  };
  const auto after = [](TestBuilder& b, Ops p) {
    return b.AddDependency(p[0], p[1]);
  };
  CheckCalls({
      {"composite", Of({"f32[]", "f32[]"}, composite), "f32[]"},
      {"composite, arity", Of({"f32[]"}, composite), "IND0401"},
      {"fusion", Of({"f32[]", "f32[]"}, fusion), "f32[]"},
      {"fusion, parameter", Of({"f32[]", "s32[]"}, fusion), "IND0402"},
      {"after", Of({"f32[3]", "token[]"}, after), "f32[3]"},
      {"after no token", Of({"f32[3]", "f32[]"}, after), "IND0110"},
  });
}

TEST(BuilderFormsTest, WhatIsSaidLater) {
  TestBuilder b("case");
  const Op x = b.Parameter(0, "(f32[2], f32[])", "x", {true, false});
  const Op first = b.GetTupleElement(x, 0);
  const Op exp = b.Exp(first);
  b.SetResultAccuracy(exp, {false, ResultAccuracy::Tolerance{0, 0.5, 2}});
  b.SetBackendConfig(exp, "{}");
  b.AddControlDependency(x, exp);
  const Module module = *b.Build(exp);
  const Computation entry = module.entry();
  const AttributeBytesView attribute_bytes =
      internal::AttributeBytesOf(entry.root());
  EXPECT_EQ(AttributeBytesField(attribute_bytes, 43), "{}");
  EXPECT_EQ(AttributeBytesField(attribute_bytes, 91).size(), 13);
  // control_predecessor_ids, packed: the id of x.
  EXPECT_EQ(entry.instruction(0).id(), 1);
  EXPECT_EQ(attribute_bytes.control, "\xaa\x02\x01\x01");
  EXPECT_FALSE(
      AttributeBytesField(internal::AttributeBytesOf(entry.instruction(0)), 61)
          .empty());

  TestBuilder back("case");
  const Op y = back.P("f32[]"), z = back.Neg(y);
  back.AddControlDependency(z, y);
  EXPECT_THAT(back.DiagnosticsText(), ::testing::HasSubstr("[IND0633]"));
  back.SetBackendConfig(x, "");
  EXPECT_THAT(back.DiagnosticsText(), ::testing::HasSubstr("[IND060"));
  EXPECT_FALSE(back.status().ok());
}

// As composites have it, and NumPy; recorded are the dims from the start.
TEST(BuilderFormsTest, DimsBelowZeroCountFromTheEnd) {
  DotAttributes dot;
  dot.lhs_contracting_dims = {-1};
  dot.rhs_contracting_dims = {-1};
  dot.lhs_batch_dims = {-3};
  dot.rhs_batch_dims = {-2};
  const auto normalize = [](TestBuilder& b, Ops x) {
    return b.BatchNormInference(x[0], x[1], x[1], x[1], x[1], 0.1f, -1);
  };
  CheckCalls({
      {"reduce",
       Of({"f32[8,4,2]", "f32[]"},
          [](TestBuilder& b, Ops x) {
            return b.Reduce(x[0], x[1], AddScalars(), {-1, 0});
          }),
       "f32[4]"},
      {"transpose",
       Of({"f32[8,4,2]"},
          [](TestBuilder& b, Ops x) {
            return b.Transpose(x[0], {-1, 0, -2});
          }),
       "f32[2,8,4]"},
      {"reverse",
       Of({"f32[8,4]"},
          [](TestBuilder& b, Ops x) { return b.Rev(x[0], {-1}); }),
       "f32[8,4]"},
      {"concatenate",
       Of({"f32[8,4]", "f32[8,2]"},
          [](TestBuilder& b, Ops x) { return b.ConcatInDim(x, -1); }),
       "f32[8,6]"},
      {"slice",
       Of({"f32[8,4]"}, [](TestBuilder& b,
                           Ops x) { return b.SliceInDim(x[0], 1, 3, 1, -1); }),
       "f32[8,2]"},
      {"dot",
       Of({"f32[5,8,4]", "f32[5,4]"},
          [=](TestBuilder& b, Ops x) { return b.DotGeneral(x[0], x[1], dot); }),
       "f32[5,8]"},
      {"batch norm", Of({"f32[8,4]", "f32[4]"}, normalize), "f32[8,4]"},
      {"size",
       Of({"f32[8,4]"},
          [](TestBuilder& b, Ops x) { return b.GetDimensionSize(x[0], -1); }),
       "s32[]"},
      {"bound",
       Of({"f32[8,<=4]"},
          [](TestBuilder& b, Ops x) {
            return b.RemoveDynamicDimension(x[0], -1);
          }),
       "f32[8,4]"},
      {"all-gather",
       Of({"f32[8,4]"},
          [](TestBuilder& b, Ops x) { return b.AllGather(x[0], -1, 2); }),
       "f32[8,8]"},
      {"one too many",
       Of({"f32[8,4]"},
          [](TestBuilder& b, Ops x) { return b.Rev(x[0], {-3}); }),
       "IND0111"},
      {"one dim twice",
       Of({"f32[8,4]"},
          [](TestBuilder& b, Ops x) {
            return b.Rev(x[0], {1, -1});
          }),
       "IND0112"},
  });
  TestBuilder b("twice");
  const Op x = b.P("f32[8,4]");
  for (int i = 0; i < 2; ++i) {  // the second time from memory
    const Op reversed = b.Rev(x, {-1});
    EXPECT_EQ(As<DimensionsAttributes>(*b.attributes(reversed)).dimensions,
              DimIndices({1}));
  }
}

}  // namespace
}  // namespace indim

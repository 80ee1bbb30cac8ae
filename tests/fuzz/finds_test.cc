// SPDX-License-Identifier: Apache-2.0
// What fuzzing found, as a person would write it; as bytes all of it is in
// tests/data/fuzz/found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"
#include "indim/edit/editor.h"
#include "indim/grad/gradient.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// The first array of the shape has the layout.
Shape WithMinorToMajor(const char* text, std::initializer_list<int64_t> dims) {
  const Shape read = *ParseShape(text);
  Shape shape = read.is_tuple() ? read.elements()[0] : read;
  Layout layout;
  layout.minor_to_major.assign(dims.begin(), dims.end());
  shape.set_layout(std::move(layout));
  return read.is_tuple() ? Shape::Tuple({shape}) : shape;
}

// A layout in C++ can be any; written, no reader would take it.
TEST(FindsTest, ALayoutThatIsNoneIsAnError) {
  CheckCalls({
      {"too many dims",
       [](TestBuilder& b) {
         return b.Infeed(WithMinorToMajor("f32[2]", {1, 0}));
       },
       "IND0604"},
      {"a dim twice",
       [](TestBuilder& b) {
         return b.P(WithMinorToMajor("f32[2,3]", {1, 1}));
       },
       "IND0604"},
      {"a negative one",
       [](TestBuilder& b) {
         return b.CustomCall("t", {b.P("f32[]")},
                             WithMinorToMajor("f32[2]", {-1}));
       },
       "IND0604"},
      {"of a collective",
       [](TestBuilder& b) {
         Layout layout;
         layout.minor_to_major = {0, 5};
         return b.AllGather(b.P("f32[2,2]"), 0, 1, {}, layout);
       },
       "IND0604"},
      {"in a tuple",
       [](TestBuilder& b) {
         return b.P(Shape::Tuple({WithMinorToMajor("f32[2]", {7})}));
       },
       "IND0604"},
  });
}

// An element type is a number, which a program may have from anywhere.
TEST(FindsTest, AnElementTypeThatIsNoneIsAnError) {
  static constexpr ElementType kNone = static_cast<ElementType>(38);
  CheckCalls({
      {"of a result",
       [](TestBuilder& b) {
         return b.ConvertElementType(b.P("f32[2]"), kNone);
       },
       "IND0604"},
      {"not given",
       [](TestBuilder& b) {
         return b.ConvertElementType(b.P("f32[2]"), ElementType::kInvalid);
       },
       "IND0604"},
      {"of a parameter",
       [](TestBuilder& b) { return b.P(Shape::Of(kNone, {2})); }, "IND0604"},
      {"in a tuple",
       [](TestBuilder& b) {
         return b.CustomCall("t", {b.P("f32[]")},
                             Shape::Tuple({Shape::Scalar(kNone)}));
       },
       "IND0604"},
      {"preferred",
       [](TestBuilder& b) {
         return b.Dot(b.P("f32[2,3]"), b.P("f32[3,2]"), kNone);
       },
       "IND0604"},
  });
}

TEST(FindsTest, ANumberWithoutAMeaningIsAnError) {
  CheckCalls({
      {"version",
       [](TestBuilder& b) {
         CustomCallAttributes attributes;
         attributes.api_version = 5;
         return b.CustomCall("t", {}, "f32[]", attributes);
       },
       "IND0640"},
      {"padding",
       [](TestBuilder& b) {
         CustomCallAttributes attributes;
         attributes.padding_type = static_cast<PaddingType>(255);
         return b.CustomCall("t", {}, "f32[]", attributes);
       },
       "IND0640"},
      {"schedule",
       [](TestBuilder& b) {
         CustomCallAttributes attributes;
         attributes.schedule = static_cast<CustomCallSchedule>(3);
         return b.CustomCall("t", {}, "f32[]", attributes);
       },
       "IND0640"},
  });
}

// A file may have them all the same; text says the number and reads it.
TEST(FindsTest, ANumberWithoutAWordIsReadAsANumber) {
  const std::string text =
      "HloModule m\n\nENTRY e {\n"
      "  ROOT c = f32[] custom-call(), padding_type=200, "
      "custom_call_target=\"t\"\n}\n";
  const absl::StatusOr<Module> module = ParseHloText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(PrintHloText(*module), HasSubstr("padding_type=200"));
  EXPECT_FALSE(ParseHloText(absl::StrReplaceAll(text, {{"200", "1"}})).ok());
  EXPECT_FALSE(
      ParseHloText(absl::StrReplaceAll(text, {{"200", "3000000000"}})).ok());
}

TEST(FindsTest, ALiteralWithoutAShapeIsAnError) {
  CheckCalls({{"of a custom call",
               [](TestBuilder& b) {
                 const Literal none;
                 return b.CustomCall("t", {}, "f32[]", CustomCallAttributes(),
                                     &none);
               },
               "IND0604"}});
}

// XLA refuses others.
TEST(FindsTest, AFusionOfNoKindIsAnError) {
  const auto call = [](absl::string_view kind) {
    return [kind](TestBuilder& b) {
      return b.Fusion({b.P(Shape::Of(ElementType::kF32, {2}))}, kind,
                      Negated("f32[2]"));
    };
  };
  CheckCalls({
      {"a kind", call("kLoop"), "f32[2]"},
      {"none", call("main"), "IND0640"},
  });
}

// Any number splits a size of 0.
TEST(FindsTest, AnAllToAllAmongTooManyIsAnError) {
  const auto call = [](int64_t count) {
    return [count](TestBuilder& b) {
      return b.AllToAll(b.P(Shape::Of(ElementType::kF32, {0})), 0, 0, count);
    };
  };
  CheckCalls({
      {"two", call(2), "f32[0]"},
      {"no list's", call(int64_t{1} << 40), "IND0640"},
  });
}

Shape WithRowMajorOfRank3(Shape shape) {
  shape.set_layout(Layout::RowMajor(3));
  return shape;
}

TEST(FindsTest, ALayoutConstraintWithoutAShapeIsAnError) {
  const auto call = [](const Shape& constraint) {
    return [constraint](TestBuilder& b) {
      return b.CustomCallWithLayout(
          "t", {b.P(Shape::Of(ElementType::kF32, {2}))}, "f32[]", {constraint});
    };
  };
  CheckCalls({
      {"a shape", call(Shape::Of(ElementType::kF32, {2})), "f32[]"},
      {"none", call(Shape()), "IND0640"},
      {"a tuple of none", call(Shape::Tuple({Shape()})), "IND0640"},
      {"no type", call(Shape::Of(static_cast<ElementType>(99), {2})),
       "IND0640"},
      {"a layout of another rank",
       call(WithRowMajorOfRank3(Shape::Of(ElementType::kF32, {2}))), "IND0640"},
  });
}

// HLO text has ten digits for spatial dims, and names each dim once.
TEST(FindsTest, DimLabelsThatNoTextHasAreAnError) {
  ConvolutionDims good;
  good.input_feature = good.kernel_input_feature = good.output_feature = 1;
  for (int64_t dim = 2; dim < 12; ++dim) {
    for (DimIndices* spatial :
         {&good.input_spatial, &good.kernel_spatial, &good.output_spatial}) {
      spatial->push_back(dim);
    }
  }
  ConvolutionDims many = good;
  for (DimIndices* spatial :
       {&many.input_spatial, &many.kernel_spatial, &many.output_spatial}) {
    spatial->push_back(12);
  }
  ConvolutionDims uneven = good;
  uneven.kernel_spatial.pop_back();
  ConvolutionDims negative = good;
  negative.input_batch = -1;
  ConvolutionDims far = good;
  far.output_feature = ConvolutionDims::kMaxRank;
  ConvolutionDims twice = good;
  twice.kernel_output_feature = 5;
  const auto call = [](const ConvolutionDims& dims) {
    return [dims](TestBuilder& b) {
      CustomCallAttributes attributes;
      attributes.convolution_dims = dims;
      return b.CustomCall("t", {}, "f32[]", attributes);
    };
  };
  const auto convolution = [](const ConvolutionDims& dims) {
    return [dims](TestBuilder& b) {
      const Shape ones = Shape::Of(
          ElementType::kF32, DimIndices(dims.input_spatial.size() + 2, 1));
      return b.ConvWithGeneralDimensions(
          b.P(ones), b.P(ones), DimIndices(dims.input_spatial.size(), 1),
          Padding::kValid, dims);
    };
  };
  CheckCalls({
      {"ten digits", call(good), "f32[]"},
      {"eleven spatial dims", call(many), "IND0640"},
      {"fewer of the kernel", call(uneven), "IND0640"},
      {"a negative dim", call(negative), "IND0640"},
      {"of larger arrays than there are", call(far), "IND0640"},
      {"a dim twice", call(twice), "IND0640"},
      {"a convolution", convolution(good), "f32[1,1,1,1,1,1,1,1,1,1,1,1]"},
      {"of eleven spatial dims", convolution(many), "IND0640"},
  });
}

// Only where the number of devices matters was it an error.
TEST(FindsTest, AxesThatTheMeshDoesNotHaveAreAnError) {
  CollectiveAttributes attributes;
  MeshAxes& mesh = attributes.replica_groups.mesh.emplace();
  mesh.mesh.axes = {{"x", 2}, {"y", 3}};
  mesh.axes = {{5, AxisRef::Factor{4, 5}}};
  CheckCalls({
      {"all-reduce",
       [&](TestBuilder& b) {
         return b.AllReduce(b.P("f32[2]"), AddScalars(), attributes);
       },
       "IND0797"},
      {"collective-broadcast",
       [&](TestBuilder& b) {
         return b.CollectiveBroadcast(b.P("f32[2]"), attributes);
       },
       "IND0797"},
  });
}

TEST(FindsTest, TextThatNoFileCanHoldIsAnError) {
  CheckCalls({
      {"a target",
       [](TestBuilder& b) {
         return b.CustomCall("\xff", {b.P("f32[]")}, "f32[]");
       },
       "IND0640"},
      {"a thread",
       [](TestBuilder& b) {
         TestBuilder called("called");
         const Module module = *called.Build(called.Neg(called.P("f32[]")));
         return b.AsyncStart({b.P("f32[]")}, module, "\xfe");
       },
       "IND0640"},
  });
}

TEST(FindsTest, ShardingsThatAreNoneAreErrors) {
  TestBuilder b("b");
  b.set_sharding(std::string("\xff\xff"));
  const Op x = b.P("f32[]");
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("IND0640"));
  EXPECT_FALSE(b.Build(x).ok());

  TestBuilder scoped("scoped");
  {
    const ScopedSharding none(&scoped, std::string("\x0a"));
    scoped.P("f32[]");
  }
  EXPECT_THAT(scoped.DiagnosticsText(), HasSubstr("IND0640"));
}

// The fields of an OpSharding in another order are made canonical.
TEST(FindsTest, ShardingsOfOtherWritersAreTaken) {
  TestBuilder b("b");
  // tile_assignment_devices {0}, then type OTHER; as a list that isn't packed.
  b.set_sharding(std::string("\x20\x00\x18\x01\x08\x03", 6));
  const absl::StatusOr<Module> module = b.Build(b.P("f32[1]"));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_THAT(*bytes,
              HasSubstr(std::string("\x08\x03\x1a\x01\x01\x22\x01\x00", 8)));
}

// XLA's builder takes it, its verifier doesn't: what is written is for both.
TEST(FindsTest, ExportVerifiesWhatItWrites) {
  TestBuilder b("b");
  const Op x = b.P("f32[]");
  const absl::StatusOr<Module> module = b.Build(b.RngUniform(x, x, "s32[4]"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(ExportHloModuleProto(*module).status().message(),
              HasSubstr("IND0390"));
}

// What says nothing isn't recorded, since no text has a place for it; where
// layouts are demanded, the usual ones of scalars are meant.
TEST(FindsTest, RecordedTextsSayAllThatIsRecorded) {
  const Module scalar = *ParseHloText(
      "ENTRY e { x = f32[] parameter(0)\nROOT y = f32[] negate(x) }");
  CollectiveAttributes with_dimensions;
  with_dimensions.dimensions = {4, 4, 0};
  with_dimensions.channel_id = 7;
  CustomCallAttributes with_operands;
  with_operands.operand_shapes_with_layout = {*ParseShape("f32[2]{0}"),
                                              *ParseShape("s32[4]{0}")};
  CustomCallAttributes constrained;
  constrained.constrain_layout = true;
  constrained.operand_shapes_with_layout = {*ParseShape("(f32[], b(s32[]))")};
  const Literal literal = Literal::Scalar(1.0f);
  const struct {
    const char* name;
    std::function<Op(TestBuilder&)> call;
    BuildOptions options;
  } cases[] = {
      {"an infeed of a scalar",
       [](TestBuilder& b) { return b.Infeed("c64[]"); },
       {}},
      {"the usual layout of a scalar",
       [](TestBuilder& b) { return b.P(WithMinorToMajor("(f32[])", {})); },
       {}},
      {"of a parameter",
       [](TestBuilder& b) { return b.P(WithMinorToMajor("f32[]", {})); },
       {}},
      {"a graph with layouts",
       [&](TestBuilder& b) { return b.Inline(scalar, {b.P("f32[]")}); },
       {}},
      {"dimensions of a broadcast",
       [&](TestBuilder& b) {
         return b.CollectiveBroadcast(b.P("f32[]"), with_dimensions);
       },
       {}},
      {"dimensions of an all-reduce",
       [&](TestBuilder& b) {
         return b.AllReduce(b.P("f32[2]"), AddScalars(), with_dimensions);
       },
       {}},
      {"dimensions, by an instruction",
       [&](TestBuilder& b) {
         return b.AddInstruction(Opcode::kCollectiveBroadcast, {b.P("f32[2]")},
                                 with_dimensions);
       },
       {}},
      {"operand layouts that aren't asked for",
       [&](TestBuilder& b) {
         return b.CustomCall("t", {b.P("f32[2]")}, "f32[2]", with_operands);
       },
       {}},
      {"operand layouts that aren't asked for, and a literal",
       [&](TestBuilder& b) {
         return b.CustomCall("t", {b.P("f32[2]")}, "f32[2]", with_operands,
                             &literal);
       },
       {}},
      {"layouts of scalars that are asked for",
       [](TestBuilder& b) {
         return b.CustomCallWithLayout("t", {b.P("f32[]")}, "(f32[], s32[2])",
                                       {Shape::Scalar(ElementType::kF32)});
       },
       {}},
      {"layouts of scalars that are asked for, but not given",
       [&](TestBuilder& b) {
         return b.CustomCall("t", {b.P("(f32[], b(s32[]))")}, "f32[]",
                             constrained);
       },
       {}},
      {"the same beside a literal",
       [&](TestBuilder& b) {
         return b.CustomCall("t", {b.P("(f32[], b(s32[]))")}, "f32[]",
                             constrained, &literal);
       },
       {}},
      {"an outfeed of a scalar",
       [](TestBuilder& b) {
         b.OutfeedWithToken(b.P("f32[]"), b.CreateToken(), "f32[]");
         return b.P("f32[]");
       },
       {}},
      {"an outfeed of a scalar, by an instruction",
       [](TestBuilder& b) {
         return b.AddInstruction(
             Opcode::kOutfeed, {b.P("f32[]"), b.CreateToken()},
             OutfeedAttributes{"", Shape::Scalar(ElementType::kF32)});
       },
       {}},
      {"no aliases",
       [](TestBuilder& b) { return b.P("f32[]"); },
       {BuildOptions::Order::kAsRecorded, false, {}, {}, {2, 4}}},
      {"notes alone",
       [](TestBuilder& b) { return b.P("f32[]"); },
       {BuildOptions::Order::kAsRecorded, false, {}, {}, {}, {}, {{"k", "v"}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    TestBuilder b("b");
    const Op root = c.call(b);
    const BuildResult module = b.Build(root, c.options);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string text =
        PrintHloText(*module, PrintOptions::LargeConstants());
    const absl::StatusOr<Module> read = ParseHloText(text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*SerializeModule(*read), *SerializeModule(*module)) << text;
  }
}

// Flags that mean nothing of a broadcast, and the last channel that there is:
// the gradient's all-reduce had the first, and counting on overflowed.
TEST(FindsTest, GradientsOfBroadcasts) {
  CollectiveAttributes global;
  global.use_global_device_ids = true;
  CollectiveAttributes last;
  last.channel_id = std::numeric_limits<int64_t>::max();
  last.replica_groups.groups = {{0}};
  for (const CollectiveAttributes& attributes : {global, last}) {
    TestBuilder b("b");
    const Op result = b.CollectiveBroadcast(b.P("f32[]"), attributes);
    const Module module = *b.Build(result);
    ASSERT_TRUE(VerifyModule(module).ok());
    const absl::StatusOr<Module> gradient = Gradient(module, {});
    ASSERT_TRUE(gradient.ok()) << gradient.status();
    EXPECT_TRUE(VerifyModule(*gradient).ok());
  }
}

// Protobuf's text has one NaN: those that it changes are counted.
TEST(FindsTest, NansThatTextChangesAreCounted) {
  const struct {
    const char* shape;
    const char* value;
    int64_t count;
  } rows[] = {
      {"f32[]", "nan", 0},
      {"f32[]", "-nan", 1},
      {"f32[2]", "{nan(0x1), 1}", 1},
      {"f64[2]", "{nan(0x1), -nan(0x2)}", 2},
      {"c64[1]", "{(nan, -nan)}", 1},
      {"bf16[1]", "{nan(0x1)}", 0},
      {"f32[1]", "{inf}", 0},
  };
  for (const auto& row : rows) {
    const Module module = *ParseHloText(
        absl::StrCat("HloModule m\nENTRY e {\n ROOT c = ", row.shape,
                     " constant(", row.value, ")\n}\n"));
    EXPECT_EQ(NansChangedByText(module), row.count) << row.value;
    const bool same =
        *SerializeModule(*ReadHloModuleText(*WriteHloModuleText(module))) ==
        *SerializeModule(module);
    EXPECT_EQ(same, row.count == 0) << row.value;
  }
}

TEST(FindsTest, DeprecatedFieldsAreRead) {
  constexpr absl::string_view kText = R"(
      computations { instructions { opcode: "parameter" all_reduce_id: 3
                                    shape { element_type: F32 } } })";
  EXPECT_TRUE(ReadHloModuleText(kText).ok())
      << ReadHloModuleText(kText).status();
}

// The entry of a map has a key also where that is 0, as the id of the first
// computation of a text is.
TEST(FindsTest, EditedScheduleIsCanonical) {
  const absl::StatusOr<Module> module = ParseHloText(R"(
HloModule m, is_scheduled=true

f {
  x = f32[] parameter(0)
  ROOT n = f32[] negate(x)
}

ENTRY e {
  p = f32[] parameter(0)
  ROOT c = f32[] call(p), to_apply=f
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->computation(0).id(), 0);
  Editor editor(*module);
  editor.SetName(editor.Find("n"), "m");
  const EditResult result = editor.Finish();
  ASSERT_TRUE(result.ok()) << result.text();
  const std::string bytes = *SerializeModule(result.module);
  const absl::StatusOr<Module> back = ReadHloModuleProto(bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*SerializeModule(*back) == bytes);
}

}  // namespace
}  // namespace indim

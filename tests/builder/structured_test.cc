// SPDX-License-Identifier: Apache-2.0
// Each builder call that packs attributes: one that records, with its shape,
// and one that is an error.

#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

Module Greater() {
  TestBuilder b("greater");
  const Op x = b.P("f32[]"), y = b.P("f32[]");
  return *b.Build(b.Gt(x, y));
}

WindowDim Size(int64_t size) {
  WindowDim dim;
  dim.size = dim.stride = size;
  return dim;
}

TEST(StructuredTest, SlicesByValue) {
  const auto slice = [](TestBuilder& b, Ops p) {
    return b.DynamicSlice(p[0], {p[1], p[2]}, {2, 3});
  };
  const auto update = [](TestBuilder& b, Ops p) {
    return b.DynamicUpdateSlice(p[0], p[1], {p[2], p[3]});
  };
  CheckCalls({
      {"slice", Of({"f32[4,5]", "s32[]", "s32[]"}, slice), "f32[2,3]"},
      {"slice too large", Of({"f32[1,5]", "s32[]", "s32[]"}, slice), "IND0242"},
      {"update", Of({"f32[4,5]", "f32[2,3]", "s32[]", "s32[]"}, update),
       "f32[4,5]"},
      {"update too large",
       Of({"f32[4,5]", "f32[5,3]", "s32[]", "s32[]"}, update), "IND0243"},
  });
}

TEST(StructuredTest, GathersAndScatters) {
  const auto gather = [](TestBuilder& b, Ops p) {
    GatherAttributes rows;
    rows.offset_dims = {1};
    rows.collapsed_slice_dims = {0};
    rows.start_index_map = {0};
    rows.index_vector_dim = 1;
    rows.slice_sizes = {1, 5};
    return b.Gather(p[0], p[1], rows);
  };
  ScatterAttributes rows;
  rows.update_window_dims = {1};
  rows.inserted_window_dims = {0};
  rows.scatter_dims_to_operand_dims = {0};
  rows.index_vector_dim = 1;
  const auto scatter = [rows](TestBuilder& b, Ops p) {
    return b.Scatter(p[0], p[1], p[2], AddScalars(), rows);
  };
  const auto scatter_two = [rows](TestBuilder& b, Ops p) {
    TestBuilder pair("pair");
    const Op x = pair.P("f32[]"), y = pair.P("s32[]");
    pair.P("f32[]");
    pair.P("s32[]");
    return b.Scatter({p[0], p[1]}, p[2], {p[3], p[4]},
                     pair.Build(pair.Tuple({x, y})), rows);
  };
  CheckCalls({
      {"gather", Of({"f32[4,5]", "s32[7]"}, gather), "f32[7,5]"},
      {"gather by floats", Of({"f32[4,5]", "f32[7]"}, gather), "IND0102"},
      {"scatter", Of({"f32[4,5]", "s32[7]", "f32[7,5]"}, scatter), "f32[4,5]"},
      {"updates' rank", Of({"f32[4,5]", "s32[7]", "f32[7]"}, scatter),
       "IND0257"},
      {"scatter of two",
       Of({"f32[4,5]", "s32[4,5]", "s32[7]", "f32[7,5]", "s32[7,5]"},
          scatter_two),
       "(f32[4,5], s32[4,5])"},
  });
}

TEST(StructuredTest, Sorting) {
  const auto sort = [](TestBuilder& b, Ops p) { return b.Sort(p, Greater()); };
  const auto top = [](TestBuilder& b, Ops p) { return b.TopK(p[0], 3); };
  CheckCalls({
      {"sort", Of({"f32[4,5]"}, sort), "f32[4,5]"},
      {"which dim is last", Of({"f32[*]"}, sort), "IND0612"},
      {"dims differ", Of({"f32[4,5]", "f32[4]"}, sort), "IND0204"},
      {"top", Of({"f32[4,5]"}, top), "(f32[4,3], s32[4,3])"},
      {"top of too few", Of({"f32[4,2]"}, top), "IND0263"},
  });
}

TEST(StructuredTest, Windows) {
  const std::vector<WindowDim> halves = {Size(2), Size(2)};
  const auto reduce = [halves](TestBuilder& b, Ops p) {
    return b.ReduceWindow(p[0], p[1], AddScalars(), halves);
  };
  const auto select = [halves](TestBuilder& b, Ops p) {
    return b.SelectAndScatter(p[0], Greater(), halves, p[1], p[2],
                              AddScalars());
  };
  const auto conv = [](std::optional<ElementType> type) {
    return [=](TestBuilder& b, Ops p) {
      ConvolutionAttributes a;
      WindowDim window;
      window.size = 3;
      a.window = {window};
      a.dims.input_feature = a.dims.output_feature = 1;
      a.dims.kernel_output_feature = 1;
      a.dims.input_spatial = a.dims.kernel_spatial =
          a.dims.output_spatial = {2};
      return b.ConvGeneral(p[0], p[1], a, type);
    };
  };
  CheckCalls({
      {"reduce", Of({"f32[4,6]", "f32[]"}, reduce), "f32[2,3]"},
      {"reduce, rank", Of({"f32[4]", "f32[]"}, reduce), "IND0350"},
      {"select", Of({"f32[4,6]", "f32[2,3]", "f32[]"}, select), "f32[4,6]"},
      {"select, source", Of({"f32[4,6]", "f32[2,2]", "f32[]"}, select),
       "IND0354"},
      {"conv", Of({"f32[8,2,9]", "f32[2,4,3]"}, conv({})), "f32[8,4,7]"},
      {"conv to a type",
       Of({"bf16[8,2,9]", "bf16[2,4,3]"}, conv(ElementType::kF32)),
       "f32[8,4,7]"},
      {"conv, features", Of({"f32[8,3,9]", "f32[2,4,3]"}, conv({})), "IND0359"},
  });
}

TEST(StructuredTest, LinearAlgebra) {
  const auto fft = [](FftType type) {
    return [=](TestBuilder& b, Ops p) { return b.Fft(p[0], type, {8}); };
  };
  const auto cholesky = [](TestBuilder& b, Ops p) {
    return b.Cholesky(p[0], true);
  };
  const auto solve = [](TestBuilder& b, Ops p) {
    return b.TriangularSolve(p[0], p[1], true, true, false,
                             TriangularSolveTranspose::kNoTranspose);
  };
  CheckCalls({
      {"fft", Of({"f32[2,8]"}, fft(FftType::kRfft)), "c64[2,5]"},
      {"fft of reals", Of({"f32[2,8]"}, fft(FftType::kFft)), "IND0102"},
      {"cholesky", Of({"f32[2,3,3]"}, cholesky), "f32[2,3,3]"},
      {"cholesky, no square", Of({"f32[3,2]"}, cholesky), "IND0371"},
      {"solve", Of({"f32[3,3]", "f32[3,5]"}, solve), "f32[3,5]"},
      {"solve, types", Of({"f32[3,3]", "f64[3,5]"}, solve), "IND0103"},
  });
}

TEST(StructuredTest, BatchNorms) {
  const auto training = [](TestBuilder& b, Ops p) {
    return b.BatchNormTraining(p[0], p[1], p[1], 0.1f, 1);
  };
  const auto inference = [](TestBuilder& b, Ops p) {
    return b.BatchNormInference(p[0], p[1], p[1], p[1], p[1], 0.1f, 1);
  };
  const auto grad = [](TestBuilder& b, Ops p) {
    return b.BatchNormGrad(p[0], p[1], p[1], p[1], p[0], 0.1f, 1);
  };
  const char* tuple = "(f32[4,5], f32[5], f32[5])";
  CheckCalls({
      {"training", Of({"f32[4,5]", "f32[5]"}, training), tuple},
      {"training, index", Of({"f32[4]", "f32[4]"}, training), "IND0111"},
      {"inference", Of({"f32[4,5]", "f32[5]"}, inference), "f32[4,5]"},
      {"inference, scale", Of({"f32[4,5]", "f32[4]"}, inference), "IND0375"},
      {"grad", Of({"f32[4,5]", "f32[5]"}, grad), tuple},
      {"grad, scale", Of({"f32[4,5]", "f32[4]"}, grad), "IND0375"},
  });
}

TEST(StructuredTest, SizesAtRunTime) {
  const auto get = [](TestBuilder& b, Ops p) {
    return b.GetDimensionSize(p[0], 1);
  };
  const auto set = [](TestBuilder& b, Ops p) {
    return b.SetDimensionSize(p[0], p[1], 0);
  };
  CheckCalls({
      {"get", Of({"f32[4,<=5]"}, get), "s32[]"},
      {"get, no such dim", Of({"f32[4]"}, get), "IND0111"},
      {"set", Of({"f32[4,5]", "s32[]"}, set), "f32[<=4,5]"},
      {"set to a float", Of({"f32[4,5]", "f32[]"}, set), "IND0213"},
  });
}

TEST(StructuredTest, RandomNumbers) {
  const auto uniform = [](const char* shape) {
    return
        [=](TestBuilder& b, Ops p) { return b.RngUniform(p[0], p[1], shape); };
  };
  const auto normal = [](const char* shape) {
    return
        [=](TestBuilder& b, Ops p) { return b.RngNormal(p[0], p[1], shape); };
  };
  const auto bits = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) {
      return b.RngBitGenerator(RandomAlgorithm::kThreeFry, p[0], shape);
    };
  };
  CheckCalls({
      {"uniform", Of({"f32[]", "f32[]"}, uniform("f32[2,3]")), "f32[2,3]"},
      {"uniform, no shape", Of({"f32[]", "f32[]"}, uniform("f32[")), "IND0604"},
      {"normal", Of({"f32[]", "f32[]"}, normal("f32[4]")), "f32[4]"},
      {"normal, tuple", Of({"f32[]", "f32[]"}, normal("(f32[4])")), "IND0411"},
      {"bits", Of({"u64[2]"}, bits("f32[4]")), "(u64[2], u32[4])"},
      {"bits, no array", Of({"u64[2]"}, bits("(f32[4])")), "IND0411"},
      {"bits, no shape", Of({"u64[2]"}, bits("f32")), "IND0604"},
  });
}

TEST(StructuredTest, Collectives) {
  const auto all_reduce = [](TestBuilder& b, Ops p) {
    return b.AllReduce(p[0], AddScalars());
  };
  const auto all_gather = [](int64_t dim, int64_t shards) {
    return
        [=](TestBuilder& b, Ops p) { return b.AllGather(p[0], dim, shards); };
  };
  const auto gather_groups = [](TestBuilder& b, Ops p) {
    CollectiveAttributes pairs;
    pairs.replica_groups.groups = {{0, 1}, {2, 3}};
    return b.AllGather(p[0], 0, 0, pairs);
  };
  const auto reduce_scatter = [](TestBuilder& b, Ops p) {
    return b.ReduceScatter(p[0], AddScalars(), 0, 4);
  };
  const auto permute = [](TestBuilder& b, Ops p) {
    CollectivePermuteAttributes swap;
    swap.source_target_pairs = {{0, 1}, {1, 0}};
    return b.CollectivePermute(p[0], swap);
  };
  CheckCalls({
      {"all-reduce", Of({"f32[8,2]"}, all_reduce), "f32[8,2]"},
      {"all-reduce of a token", Of({"token[]"}, all_reduce), "IND0101"},
      {"all-gather", Of({"f32[8,2]"}, all_gather(1, 4)), "f32[8,8]"},
      {"all-gather of groups", Of({"f32[8,2]"}, gather_groups), "f32[16,2]"},
      {"all-gather, dim", Of({"f32[8]"}, all_gather(1, 4)), "IND0111"},
      {"all-gather, how many", Of({"f32[8]"}, all_gather(0, 0)), "IND0520"},
      {"reduce-scatter", Of({"f32[8,2]"}, reduce_scatter), "f32[2,2]"},
      {"reduce-scatter, rest", Of({"f32[9,2]"}, reduce_scatter), "IND0510"},
      {"permute", Of({"f32[8]"}, permute), "f32[8]"},
      {"permute of a token", Of({"token[]"}, permute), "IND0101"},
  });
}

}  // namespace
}  // namespace indim

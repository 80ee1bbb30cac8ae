// SPDX-License-Identifier: Apache-2.0
// The decompositions of CHLO's functions compute what the evaluator does.

#include "indim/stablehlo/export/decompose.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/proto/codec/literal.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

struct Function {
  absl::string_view hlo;
  absl::string_view chlo;
  std::vector<double> values;
};

// Each value is evaluated as HLO's own operation, and through an artifact, by
// the decomposition: calls of composites that no reader knows are calls.
TEST(DecomposeTest, ArtifactsComputeTheFunctions) {
  const std::vector<double> kAny = {-1e9, -90, -3, -1, -0.25, -1e-5, 0,
                                    1e-5, 0.5, 2,  5,  30,    1e9};
  const Function kFunctions[] = {
      {"acos", "chlo.acos", {-1, -0.5, -1e-5, 0, 1e-5, 0.75, 1}},
      {"acosh", "chlo.acosh", {1, 1.0001, 1.5, 2, 3, 100, 1e30}},
      {"asin", "chlo.asin", {-1, -0.5, -1e-5, 0, 1e-5, 0.75, 1}},
      {"asinh", "chlo.asinh", kAny},
      {"atanh", "chlo.atanh", {-0.999, -0.5, -1e-5, 0, 1e-5, 0.5, 0.999}},
      {"cosh", "chlo.cosh", {-80, -1, -1e-5, 0, 0.5, 1, 3, 80}},
      {"sinh", "chlo.sinh", {-80, -1, -1e-5, 0, 1e-5, 0.5, 1, 3, 80}},
      {"erf", "chlo.erf", kAny},
  };
  for (const Function& f : kFunctions) {
    for (const ElementType type : {ElementType::kF32, ElementType::kF64}) {
      SCOPED_TRACE(absl::StrCat(f.hlo, " of ", Name(type)));
      const std::string shape =
          absl::StrCat(Name(type), "[", f.values.size(), "]");
      const absl::StatusOr<Module> module = ReadModuleText(absl::StrCat(
          "HloModule m\nENTRY e {\n  x = ", shape,
          " parameter(0)\n  ROOT r = ", shape, " ", f.hlo, "(x)\n}\n"));
      ASSERT_TRUE(module.ok()) << module.status();
      StablehloWriteOptions options;
      options.form = StablehloForm::kArtifact;
      options.release = "1.0.0";
      const absl::StatusOr<std::string> artifact =
          WriteStablehlo(*module, options);
      ASSERT_TRUE(artifact.ok()) << artifact.status();
      // A name that no reader knows: the composite is a call.
      const std::string other = absl::StrReplaceAll(
          *artifact, {{f.chlo, absl::StrCat("none.", f.chlo.substr(5))}});
      const absl::StatusOr<Module> read = ReadStablehlo(other);
      ASSERT_TRUE(read.ok()) << read.status();
      const absl::StatusOr<Literal> x = Literal::FromDoubles(
          type, f.values, {static_cast<int64_t>(f.values.size())});
      ASSERT_TRUE(x.ok());
      const absl::StatusOr<Literal> want = Evaluate(*module, {*x});
      const absl::StatusOr<Literal> got = Evaluate(*read, {*x});
      ASSERT_TRUE(want.ok()) << want.status();
      ASSERT_TRUE(got.ok()) << got.status();
      const double bound = type == ElementType::kF32 ? 2e-5 : 1e-13;
      for (size_t i = 0; i < f.values.size(); ++i) {
        const int64_t at = static_cast<int64_t>(i);
        const double a = want->AsDouble(at), b = got->AsDouble(at);
        EXPECT_LE(std::abs(a - b), bound * std::abs(a))
            << f.values[i] << ": " << a << ", " << b;
      }
    }
  }
}

// Integers of the whole range.
absl::StatusOr<Literal> AnyValue(const Shape& shape, RandomStream* random) {
  if (!IsIntegral(shape.element_type())) return RandomLiteral(shape, random);
  std::string bytes;
  int64_t size = Info(shape.element_type()).bits / 8;
  for (const Dim dim : shape.dims()) size *= dim.size();
  while (static_cast<int64_t>(bytes.size()) < size) {
    bytes.push_back(static_cast<char>(random->Between(-128, 127)));
  }
  return Literal::FromBytes(shape, bytes);
}

// Both give the same for random arguments.
void ExpectSame(const Module& module, const Module& other) {
  RandomStream random(7);
  std::vector<Literal> values;
  for (const Shape& shape : module.entry().signature().parameters) {
    const absl::StatusOr<Literal> value = AnyValue(shape, &random);
    ASSERT_TRUE(value.ok()) << value.status();
    values.push_back(*value);
  }
  const absl::StatusOr<Literal> want = Evaluate(module, values);
  const absl::StatusOr<Literal> got = Evaluate(other, values);
  ASSERT_TRUE(want.ok()) << want.status();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(*want == *got);
}

// Operations with attributes, or of several operands: the whole program as HLO
// and through the artifact, of random values.
TEST(DecomposeTest, ArtifactsComputeTheOperations) {
  const struct {
    absl::string_view chlo;
    absl::string_view entry;  // after "ENTRY e {"
  } kCases[] = {
      {"chlo.top_k",
       "x = f32[3,8] parameter(0)\n ROOT t = (f32[3,2], s32[3,2]) topk(x), "
       "k=2, largest=true"},
      {"chlo.top_k",
       "x = u8[9] parameter(0)\n ROOT t = (u8[5], s32[5]) topk(x), k=5, "
       "largest=true"},
      {"chlo.mulhi",
       "x = s32[50] parameter(0)\n y = s32[50] parameter(1)\n ROOT r = "
       "s32[50] mulhi(x, y)"},
      {"chlo.mulhi",
       "x = u8[50] parameter(0)\n y = u8[50] parameter(1)\n ROOT r = u8[50] "
       "mulhi(x, y)"},
      {"chlo.mulhi",
       "x = s64[500] parameter(0)\n y = s64[500] parameter(1)\n ROOT r = "
       "s64[500] mulhi(x, y)"},
      {"chlo.mulhi",
       "x = u64[500] parameter(0)\n y = u64[500] parameter(1)\n ROOT r = "
       "u64[500] mulhi(x, y)"},
      // Each group has its own right operand; a batch has its own sizes.
      {"chlo.ragged_dot",
       "l = s32[11,5] parameter(0)\n r = s32[3,5,7] parameter(1)\n g = s32[3] "
       "constant({4, 0, 5})\n ROOT d = s32[11,7] ragged-dot(l, r, g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}"},
      {"chlo.ragged_dot",
       "l = s32[2,11,5] parameter(0)\n r = s32[3,2,5,7] parameter(1)\n g = "
       "s64[2,3] constant({{4, 0, 5}, {1, 2, 8}})\n ROOT d = s32[2,11,7] "
       "ragged-dot(l, r, g), lhs_batch_dims={0}, rhs_batch_dims={1}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={2}, "
       "lhs_ragged_dims={1}, rhs_group_dims={0}"},
      {"chlo.ragged_dot",
       "l = s32[4,6,5] parameter(0)\n r = s32[5,7,2] parameter(1)\n g = "
       "u8[4,2] constant({{4, 0}, {1, 5}, {2, 2}, {6, 0}})\n ROOT d = "
       "s32[4,6,7] ragged-dot(l, r, g), lhs_contracting_dims={2}, "
       "rhs_contracting_dims={0}, lhs_ragged_dims={1}, rhs_group_dims={2}"},
      // Groups of a batch change nothing, whatever they leave out.
      {"chlo.ragged_dot",
       "l = s32[4,3,5] parameter(0)\n r = s32[4,5,7] parameter(1)\n g = "
       "s32[2] constant({1, 1})\n ROOT d = s32[4,3,7] ragged-dot(l, r, g), "
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={0}"},
      // A product for each group, and batches.
      {"chlo.ragged_dot",
       "l = s32[11,5] parameter(0)\n r = s32[5,7] parameter(1)\n g = s32[3] "
       "constant({1, 2, 1})\n ROOT d = s32[3,11,7] ragged-dot(l, r, g), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "lhs_ragged_dims={1}"},
      {"chlo.ragged_dot",
       "l = s32[3,11,5] parameter(0)\n r = s32[3,5,7] parameter(1)\n g = "
       "s32[3] constant({1, 1, 1})\n ROOT d = s32[3,11,7] ragged-dot(l, r, g), "
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
       "operand_precision={high,default}"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.entry);
    const absl::StatusOr<Module> module = ReadModuleText(
        absl::StrCat("HloModule m\nENTRY e {\n ", c.entry, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    StablehloWriteOptions options;
    options.form = StablehloForm::kArtifact;
    options.release = "1.0.0";
    const absl::StatusOr<std::string> artifact =
        WriteStablehlo(*module, options);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    const std::string other = absl::StrReplaceAll(
        *artifact, {{c.chlo, absl::StrCat("none.", c.chlo.substr(5))}});
    ASSERT_NE(other, *artifact);
    const absl::StatusOr<Module> read = ReadStablehlo(other);
    ASSERT_TRUE(read.ok()) << read.status();
    ExpectSame(*module, *read);
  }
}

// Releases before 1.1.0 have no batching dims.
TEST(DecomposeTest, BatchingDimsBecomeIndices) {
  constexpr absl::string_view kCases[] = {
      // Positions in front of the indices, which have a dim for them, or none.
      "x = s32[3,10] parameter(0)\n i = s32[3,4,1] parameter(1)\n ROOT g = "
      "s32[3,4] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, "
      "start_index_map={1}, operand_batching_dims={0}, "
      "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}",
      "x = s32[10,3] parameter(0)\n i = s32[4,3] parameter(1)\n ROOT g = "
      "s32[4,2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={}, "
      "start_index_map={0}, operand_batching_dims={1}, "
      "start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={2,1}",
      // Two, in another order, and indices too narrow for a position.
      "x = s32[2,10,300] parameter(0)\n i = s8[300,1,2] parameter(1)\n ROOT g "
      "= s32[300,2] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, "
      "start_index_map={1}, operand_batching_dims={0,2}, "
      "start_indices_batching_dims={2,0}, index_vector_dim=1, "
      "slice_sizes={1,1,1}, indices_are_sorted=false",
      "x = s32[3,10] parameter(0)\n i = u8[3,4,1] parameter(1)\n u = s32[3,4] "
      "parameter(2)\n ROOT s = s32[3,10] scatter(x, i, u), "
      "update_window_dims={}, inserted_window_dims={1}, "
      "scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
      "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"};
  for (const absl::string_view entry : kCases) {
    SCOPED_TRACE(entry);
    const absl::StatusOr<Module> module = ReadModuleText(
        absl::StrCat("HloModule m\nadd {\n a = s32[] parameter(0)\n b = s32[] "
                     "parameter(1)\n ROOT c = s32[] add(a, b)\n}\nENTRY e {\n ",
                     entry, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    StablehloWriteOptions options;
    options.form = StablehloForm::kArtifact;
    for (const absl::string_view release : {"1.0.0", "1.1.0"}) {
      options.release = std::string(release);
      const absl::StatusOr<std::string> artifact =
          WriteStablehlo(*module, options);
      ASSERT_TRUE(artifact.ok()) << artifact.status();
      EXPECT_EQ(absl::StrContains(*artifact, "scatter_v2") ||
                    absl::StrContains(*artifact, "gather_v2"),
                release == "1.1.0");
      const absl::StatusOr<Module> read = ReadStablehlo(*artifact);
      ASSERT_TRUE(read.ok()) << read.status();
      ExpectSame(*module, *read);
    }
  }
}

// A composite of a scan would have a region, which no release before 1.17 has.
TEST(DecomposeTest, OthersAreRefused) {
  const absl::StatusOr<Module> module = ReadModuleText(
      "HloModule m\nENTRY e {\n  x = c64[8] parameter(0)\n  ROOT t = c64[8] "
      "acosh(x)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  const absl::Status status = WriteStablehlo(*module, options).status();
  EXPECT_TRUE(absl::StrContains(status.message(), "IND1280")) << status;
}

}  // namespace
}  // namespace indim

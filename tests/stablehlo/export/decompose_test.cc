// The decompositions of CHLO's functions compute what the evaluator does.

#include "indim/stablehlo/export/decompose.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "indim/codec/literal.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
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

TEST(DecomposeTest, OthersAreRefused) {
  const absl::StatusOr<Module> module = ReadModuleText(
      "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT t = (f32[2], "
      "s32[2]) topk(x), k=2, largest=true\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  StablehloWriteOptions options;
  options.form = StablehloForm::kArtifact;
  const absl::Status status = WriteStablehlo(*module, options).status();
  EXPECT_TRUE(absl::StrContains(status.message(), "IND1280")) << status;
}

}  // namespace
}  // namespace indim

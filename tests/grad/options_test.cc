// SPDX-License-Identifier: Apache-2.0
// Options of derivatives, their warnings, and the paths in their errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/grad/gradient.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using Complex = std::complex<double>;

Complex ComplexOf(const Literal& scalar) {
  double parts[2] = {};
  EXPECT_EQ(scalar.bytes().size(), sizeof(parts));
  std::memcpy(parts, scalar.bytes().data(),
              std::min(sizeof(parts), scalar.bytes().size()));
  return {parts[0], parts[1]};
}

Module FromText(const std::string& text) {
  absl::StatusOr<Module> module = ParseHloText(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : Module();
}

// --- Complex numbers ---------------------------------------------------------

struct ComplexRow {
  const char* body;  // of c128[] z, with a result r
  Complex (*derivative)(Complex z);
};

// The gradient for a cotangent g of a holomorphic function f is f'(z) g in
// JAX's convention, and conj(f'(z)) g in PyTorch's.
TEST(OptionsTest, ConjugateIsPyTorchsGradient) {
  const Complex z(0.7, -0.4), g(1.5, 0.25);
  const ComplexRow rows[] = {
      {"ROOT r = c128[] multiply(z, z)", [](Complex x) { return 2.0 * x; }},
      {"ROOT r = c128[] exponential(z)", [](Complex x) { return exp(x); }},
      {"ROOT r = c128[] sine(z)", [](Complex x) { return cos(x); }},
      {"i = c128[] constant((0, 1))  ROOT r = c128[] multiply(z, i)",
       [](Complex) { return Complex(0, 1); }},
  };
  for (const ComplexRow& row : rows) {
    const Module module = FromText(absl::StrCat(
        "HloModule m\nENTRY e { z = c128[] parameter(0)  ", row.body, " }\n"));
    for (const bool conjugate : {false, true}) {
      GradientOptions options;
      options.conjugate = conjugate;
      const absl::StatusOr<Module> gradient = Gradient(module, {0}, options);
      ASSERT_TRUE(gradient.ok()) << gradient.status();
      const absl::StatusOr<Literal> value =
          Evaluate(*gradient, {Literal::Scalar(z), Literal::Scalar(g)});
      ASSERT_TRUE(value.ok()) << value.status();
      const Complex slope = row.derivative(z);
      const Complex want = (conjugate ? std::conj(slope) : slope) * g;
      const Complex got = ComplexOf(*value);
      EXPECT_NEAR(std::abs(got - want), 0, 1e-12) << row.body << conjugate;
    }
  }
}

// Of a real result, the direction of steepest ascent: |z|^2 has 2 z.
TEST(OptionsTest, ConjugateOfARealResult) {
  const Module module = FromText(
      "HloModule m\nENTRY e { z = c128[] parameter(0)  a = f64[] abs(z)  ROOT "
      "r = f64[] multiply(a, a) }\n");
  const Complex z(0.7, -0.4);
  for (const bool conjugate : {false, true}) {
    GradientOptions options;
    options.conjugate = conjugate;
    const absl::StatusOr<Literal> value =
        Evaluate(*Gradient(module, {0}, options),
                 {Literal::Scalar(z), Literal::Scalar(1.0)});
    ASSERT_TRUE(value.ok()) << value.status();
    const Complex want = 2.0 * (conjugate ? z : std::conj(z));
    EXPECT_NEAR(std::abs(ComplexOf(*value) - want), 0, 1e-12);
  }
}

// --- Warnings ----------------------------------------------------------------

struct WarningRow {
  const char* body;
  const char* says;  // "": nothing
};

TEST(OptionsTest, WarnsOfGradientsThatAreZero) {
  const WarningRow rows[] = {
      {"ROOT r = f32[2] sine(x)", ""},
      {"s = f32[2] sine(x)  f = f32[2] floor(s)  ROOT r = f32[2] negate(f)",
       "ends at floor"},
      {"s = f32[2] sign(x)  ROOT r = f32[2] add(s, s)", "ends at sign"},
      {"i = s32[2] convert(x)  c = f32[2] convert(i)  ROOT r = f32[2] sine(c)",
       "ends at convert"},
      {"i = s32[2] bitcast-convert(x)  c = f32[2] convert(i)  ROOT r = f32[2] "
       "sine(c)",
       "ends at bitcast-convert"},
      {"c = f32[2] call(x), to_apply=g  ROOT r = f32[2] sine(c)",
       "ends at round-nearest-even"},
      {"t = (f32[2], f32[2]) tuple(x, x)  l = (f32[2], f32[2]) while(t), "
       "condition=c, body=b  a = f32[2] get-tuple-element(l), index=0  ROOT r "
       "= f32[2] floor(a)",
       "ends at floor"},
      {"s = f32[2] sine(x)  ROOT r = f32[2] constant({1, 2})",
       "no result depends on it"},
      // Another path is left.
      {"f = f32[2] floor(x)  ROOT r = f32[2] add(f, x)", ""},
  };
  for (const WarningRow& row : rows) {
    const Module module = FromText(absl::StrCat(
        "HloModule m\n"
        "g { y = f32[2] parameter(0)  n = f32[2] round-nearest-even(y)  ROOT m "
        "= f32[2] multiply(n, n) }\n"
        "b { s = (f32[2], f32[2]) parameter(0)  u = f32[2] "
        "get-tuple-element(s), index=0  ROOT n = (f32[2], f32[2]) tuple(u, u) "
        "}\n"
        "c { s = (f32[2], f32[2]) parameter(0)  ROOT n = pred[] "
        "constant(false) }\n"
        "ENTRY e { x = f32[2] parameter(0)  ",
        row.body, " }\n"));
    for (const bool forward : {false, true}) {
      std::vector<RenderedDiagnostic> warnings;
      GradientOptions options;
      options.warnings = &warnings;
      const absl::StatusOr<Module> made = forward
                                              ? Tangents(module, {0}, options)
                                              : Gradient(module, {0}, options);
      ASSERT_TRUE(made.ok()) << made.status();
      if (row.says[0] == '\0') {
        EXPECT_TRUE(warnings.empty()) << warnings[0].text;
        continue;
      }
      ASSERT_EQ(warnings.size(), 1u) << row.body;
      EXPECT_THAT(warnings[0].text, HasSubstr("parameter 0 is zero"));
      EXPECT_THAT(warnings[0].text, HasSubstr(row.says)) << row.body;
    }
  }
}

// --- Sizes -------------------------------------------------------------------

// Zeros of a parameter are made of its value; where rules need sizes, an error
// says so.
TEST(OptionsTest, SizesThatAreNoNumbers) {
  const Module unused = FromText(
      "HloModule m\nENTRY e { x = f32[<=4] parameter(0)  ROOT y = f32[2] "
      "parameter(1) }\n");
  const absl::StatusOr<Module> gradient = Gradient(unused, {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_EQ(gradient->entry().root().shape().ToString(), "f32[<=4]");
  for (const char* body :
       {"ROOT r = f32[<=4] maximum(x, x)",
        "s = f32[<=4] sine(x)  ROOT r = f32[<=4] concatenate(s), "
        "dimensions={0}"}) {
    const absl::StatusOr<Module> made =
        Gradient(FromText(absl::StrCat(
                     "HloModule m\nENTRY e { x = f32[<=4] parameter(0)  ", body,
                     " }\n")),
                 {});
    if (made.ok()) {
      EXPECT_TRUE(VerifyModule(*made).ok()) << body;
    } else {
      EXPECT_EQ(CodeOf(made.status()), Code::kNoDerivative) << made.status();
      EXPECT_THAT(std::string(made.status().message()),
                  HasSubstr("sizes that aren't numbers"));
    }
  }
}

// What can't be recorded is told without lines of this library.
TEST(OptionsTest, ErrorsOfWhatIsRecordedNameTheProgramsLine) {
  std::string text =
      "HloModule m\nw { p = (s32[], f32[2]) parameter(0)  i = "
      "s32[] get-tuple-element(p), index=0  k = s32[] "
      "constant(2000000000)  ROOT c = pred[] compare(i, k), "
      "direction=LT }\n";
  constexpr int kDepth = 3;
  for (int n = 0; n < kDepth; ++n) {
    absl::StrAppend(
        &text, "b", n,
        " { p = (s32[], f32[2]) parameter(0)  i = s32[] get-tuple-element(p), "
        "index=0  x = f32[2] get-tuple-element(p), index=1  o = s32[] "
        "constant(1)  j = s32[] add(i, o)  z = s32[] constant(0)  q = (s32[], "
        "f32[2]) tuple(z, x)  ",
        n == 0 ? "y = f32[2] sine(x)"
               : absl::StrCat("v = (s32[], f32[2]) while(q), condition=w, "
                              "body=b",
                              n - 1,
                              "  y = f32[2] get-tuple-element(v), "
                              "index=1"),
        "  ROOT t = (s32[], f32[2]) tuple(j, y) }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { x = f32[2] parameter(0)  z = s32[] constant(0)  q "
                  "= (s32[], f32[2]) tuple(z, x)  v = (s32[], f32[2]) "
                  "while(q), condition=w, body=b",
                  kDepth - 1,
                  "  ROOT r = f32[2] get-tuple-element(v), index=1 }\n");
  const absl::Status status = Gradient(FromText(text), {0}).status();
  EXPECT_THAT(std::string(status.message()),
              ::testing::AllOf(HasSubstr("does not fit in 63 bits"),
                               HasSubstr("parameter: %r, %v, %q, %x"),
                               ::testing::Not(HasSubstr(".cc:"))));
}

// --- Paths in errors ---------------------------------------------------------

TEST(OptionsTest, ErrorsShowThePath) {
  struct Row {
    const char* body;
    const char* says;
  };
  const Row rows[] = {
      {"s = f32[2] sine(x)  k = f32[2] custom-call(s), "
       "custom_call_target=\"mine\"  ROOT r = f32[2] negate(k)",
       "parameter: %r, %k, %s, %x"},
      {"a = f32[2] sine(x)  b = f32[2] sine(a)  c = f32[2] sine(b)  d = f32[2] "
       "sine(c)  k = f32[2] custom-call(d), custom_call_target=\"mine\"  e = "
       "f32[2] sine(k)  ROOT r = f32[2] negate(e)",
       "parameter: %r, %e, %k, 2 others, %b, %a, %x"},
      // Where it is.
      {"ROOT r = f32[2] call(x), to_apply=g", "parameter: %k, %y"},
  };
  for (const Row& row : rows) {
    const Module module = FromText(absl::StrCat(
        "HloModule m\ng { y = f32[2] parameter(0)  ROOT k = f32[2] "
        "custom-call(y), custom_call_target=\"mine\" }\n"
        "ENTRY q { x = f32[2] parameter(0)  ",
        row.body, " }\n"));
    const absl::Status status = Gradient(module, {0}).status();
    EXPECT_EQ(CodeOf(status), Code::kNoDerivative);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

TEST(OptionsTest, SaysWhatIsKept) {
  const Module module = Parsed(R"(HloModule m
body { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  one = s32[] constant(1)  j = s32[] add(i, one)  y = f64[3] tanh(x), metadata={op_name="model/tanh" source_file="model.py" source_line=7}  z = f64[3] exponential(y)  ROOT r = (s32[], f64[3]) tuple(j, z) }
cond { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  k = f64[3] multiply(x, x)  i = s32[] constant(0)  t = (s32[], f64[3]) tuple(i, k)  l = (s32[], f64[3]) while(t), condition=cond, body=body  y = f64[3] get-tuple-element(l), index=1  e = f64[3] exponential(y)  ROOT r = f64[3] broadcast(e), dimensions={0} }
)");
  std::vector<KeptValue> kept;
  GradientOptions options;
  options.kept = &kept;
  ASSERT_TRUE(Gradient(module, {0}, options).ok());
  // Of each step two values; and exp(y).
  int64_t bytes = 0;
  bool has_exponential = false, has_line = false;
  for (size_t k = 0; k < kept.size(); ++k) {
    bytes += kept[k].bytes;
    EXPECT_LE(kept[k].bytes, kept[k > 0 ? k - 1 : 0].bytes);
    EXPECT_EQ(kept[k].bytes, 24 * kept[k].steps);
    has_exponential |= kept[k].steps == 1 && kept[k].opcode == Opcode::kExp;
    has_line |= kept[k].steps == 5 && kept[k].location.line == 7 &&
                kept[k].op_name.find("model/tanh") == 0;
  }
  EXPECT_TRUE(has_exponential && has_line);
  const std::string text = KeptText(kept);
  EXPECT_THAT(text, HasSubstr(absl::StrCat(bytes, " bytes in ", kept.size())));
  EXPECT_THAT(text, HasSubstr("120 = 5 steps x 24: f64[3] "));
  EXPECT_THAT(text, HasSubstr("model.py:7"));
  // Forward mode keeps nothing.
  kept.clear();
  ASSERT_TRUE(Tangents(module, {0}, options).ok());
  EXPECT_TRUE(kept.empty());
}

// A slice that a computation takes, as JAX lowers what a scan reads, is kept no
// more than one that the body takes.
TEST(OptionsTest, SlicesThatCalledComputationsTakeAreNotKept) {
  // Kept bytes, and instructions: the gradient is added to in place by both.
  const auto sizes = [](const char* slice) {
    const Module module = FromText(absl::StrCat(
        R"(HloModule m
row { p = f64[5,3] parameter(0)  i = s32[] parameter(1)  z = s32[] constant(0)  s = f64[1,3] dynamic-slice(p, i, z), dynamic_slice_sizes={1,3}  ROOT r = f64[3] reshape(s) }
body { p = (s32[], f64[3], f64[5,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[5,3] get-tuple-element(p), index=2  one = s32[] constant(1)  z = s32[] constant(0)  j = s32[] add(i, one)  )",
        slice,
        R"(  y = f64[3] multiply(x, v)  ROOT r = (s32[], f64[3], f64[5,3]) tuple(j, y, w) }
cond { p = (s32[], f64[3], f64[5,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  w = f64[5,3] parameter(1)  i = s32[] constant(0)  t = (s32[], f64[3], f64[5,3]) tuple(i, x, w)  l = (s32[], f64[3], f64[5,3]) while(t), condition=cond, body=body  ROOT y = f64[3] get-tuple-element(l), index=1 }
)"));
    std::pair<int64_t, int64_t> sizes;
    for (const std::vector<int64_t>& wrt :
         {std::vector<int64_t>{0}, std::vector<int64_t>{0, 1}}) {
      std::vector<KeptValue> kept;
      GradientOptions options;
      options.kept = &kept;
      const absl::StatusOr<Module> made = Gradient(module, wrt, options);
      EXPECT_TRUE(made.ok()) << made.status() << slice;
      if (made.ok()) sizes.second += made->instruction_count();
      for (const KeptValue& value : kept) sizes.first += value.bytes;
    }
    ExpectDerivative(ExpectDerivative(module, slice), slice);
    return sizes;
  };
  EXPECT_EQ(sizes("v = f64[3] call(w, i), to_apply=row"),
            sizes("q = f64[1,3] dynamic-slice(w, i, z), "
                  "dynamic_slice_sizes={1,3}  v = f64[3] reshape(q)"));
}

}  // namespace
}  // namespace indim

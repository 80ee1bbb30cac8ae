// SPDX-License-Identifier: Apache-2.0
// Derivatives of custom calls that factor matrices, LAPACK's and XLA's.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/grad/gradient.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

// A call of `a`, made of the parameter x of the same type, and what is taken
// of its result `c`.
struct FactorRow {
  const char* type;    // of x
  const char* call;    // its result, target and configuration
  const char* result;  // elements of c, or lines of text that end in ROOT
};

// x x^T + 3 I + x / 2, of which routines read a triangle; or x itself.
constexpr char kPositive[] =
    "i = s32[3,3] iota(), iota_dimension=0\n"
    "j = s32[3,3] iota(), iota_dimension=1\n"
    "e = pred[3,3] compare(i, j), direction=EQ\n"
    "d = f64[3,3] convert(e)\n"
    "three = f64[] constant(3)\n"
    "threes = f64[3,3] broadcast(three), dimensions={}\n"
    "d3 = f64[3,3] multiply(d, threes)\n"
    "s = f64[3,3] dot(x, x), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={1}\n"
    "half = f64[] constant(0.5)\n"
    "halves = f64[3,3] broadcast(half), dimensions={}\n"
    "h = f64[3,3] multiply(x, halves)\n"
    "t = f64[3,3] add(s, d3)\n"
    "a = f64[3,3] add(t, h)\n";

std::string Text(const FactorRow& row, absl::string_view matrix,
                 absl::string_view operands) {
  const std::vector<std::string> call =
      absl::StrSplit(row.call, absl::MaxSplits(" = ", 1));
  const std::vector<std::string> target =
      absl::StrSplit(call[1], absl::MaxSplits(' ', 1));
  std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\nx = ", row.type, " parameter(0)\n",
      matrix.empty() ? absl::StrCat("a = ", row.type, " copy(x)\n")
                     : std::string(matrix),
      "c = ", call[0], " custom-call(", operands, "), custom_call_target=\"",
      target[0], "\"",
      target.size() == 1 ? ""
                         : absl::StrCat(", backend_config=\"", target[1], "\""),
      "\n", row.result, "}\n");
  return text;
}

void ExpectDerivatives(const std::string& text, absl::string_view what) {
  const Module gradient = ExpectDerivative(Parsed(text), std::string(what));
  ExpectDerivative(gradient, absl::StrCat("second: ", what));
}

constexpr char kFirst[] = "ROOT r = f64[3,3] get-tuple-element(c), index=0\n";

TEST(FactorizationsTest, OfPositiveMatrices) {
  const std::vector<FactorRow> rows = {
      {"f64[3,3]", "(f64[3,3], s32[]) = lapack_dpotrf_ffi {uplo = 76 : ui8}",
       kFirst},
      {"f64[3,3]", "(f64[3,3], s32[]) = lapack_dpotrf_ffi {uplo = 85 : ui8}",
       kFirst},
      {"f64[3,3]", "(f64[3,3], s32[3], s32[]) = lapack_dgetrf_ffi", kFirst},
      {"f64[3,3]",
       "(f64[3,3], f64[3], s32[]) = lapack_dsyevd_ffi {mode = 86 : ui8, uplo = "
       "76 : ui8}",
       "v = f64[3,3] get-tuple-element(c), index=0\n"
       "w = f64[3] get-tuple-element(c), index=1\n"
       "ROOT r = (f64[3,3], f64[3]) tuple(v, w)\n"},
      {"f64[3,3]", "(f64[3,3], f64[3]) = Eigh 0,1,15,0.000001",
       "v = f64[3,3] get-tuple-element(c), index=0\n"
       "w = f64[3] get-tuple-element(c), index=1\n"
       "ROOT r = (f64[3,3], f64[3]) tuple(v, w)\n"},
  };
  for (const FactorRow& row : rows) {
    ExpectDerivatives(Text(row, kPositive, "a"), row.call);
  }
  for (const char* config :
       {"{diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : "
        "ui8}",
        "{diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : "
        "ui8}"}) {
    const std::string call =
        absl::StrCat("f64[3,3] = lapack_dtrsm_ffi ", config);
    ExpectDerivatives(
        Text({"f64[3,3]", call.c_str(), "ROOT r = f64[3,3] copy(c)\n"},
             kPositive, "a, x"),
        config);
  }
}

// The sizes of matrices ($b$m,$n), and how many factors each has ($k).
struct Sides {
  const char* batch;
  int m, n, k;
};
std::string WithSizes(absl::string_view text, const Sides& of) {
  return absl::StrReplaceAll(text, {{"$b", of.batch},
                                    {"$m", absl::StrCat(of.m)},
                                    {"$n", absl::StrCat(of.n)},
                                    {"$k", absl::StrCat(of.k)},
                                    {"$1", absl::StripSuffix(of.batch, ",")}});
}

constexpr Sides kSides[] = {{"", 4, 3, 3},
                            {"", 3, 3, 3},
                            {"", 2, 4, 2},
                            {"2,", 3, 2, 2},
                            {"", 1, 1, 1}};

TEST(FactorizationsTest, OfAnyMatrices) {
  const std::vector<FactorRow> rows = {
      {"f64[$b$m,$n]", "(f64[$b$m,$n], s32[$b$k], s32[$1]) = lapack_dgetrf_ffi",
       "ROOT r = f64[$b$m,$n] get-tuple-element(c), index=0\n"},
      {"f64[$b$m,$n]", "(f64[$b$m,$n], f64[$b$k]) = lapack_dgeqrf_ffi",
       "p = f64[$b$m,$n] get-tuple-element(c), index=0\n"
       "f = f64[$b$k] get-tuple-element(c), index=1\n"
       "ROOT r = (f64[$b$m,$n], f64[$b$k]) tuple(p, f)\n"},
      {"f64[$b$m,$n]",
       "(f64[$b$m,$n], f64[$b$k], f64[$b$m,$k], f64[$b$k,$n], s32[$1]) = "
       "lapack_dgesdd_ffi {mode = 83 : ui8}",
       "s = f64[$b$k] get-tuple-element(c), index=1\n"
       "u = f64[$b$m,$k] get-tuple-element(c), index=2\n"
       "v = f64[$b$k,$n] get-tuple-element(c), index=3\n"
       "ROOT r = (f64[$b$k], f64[$b$m,$k], f64[$b$k,$n]) tuple(s, u, v)\n"},
      {"f64[$b$m,$n]",
       "(f64[$b$m,$n], f64[$b$k], f64[$b$m,$m], f64[$b$n,$n], s32[$1]) = "
       "lapack_dgesdd_ffi {mode = 78 : ui8}",
       "ROOT s = f64[$b$k] get-tuple-element(c), index=1\n"},
      {"f64[$b$m,$n]",
       "(f64[$b$m,$n], f64[$b$k], f64[$b$m,$m], f64[$b$n,$n], s32[$1]) = "
       "lapack_dgesdd_ffi {mode = 65 : ui8}",
       "ROOT s = f64[$b$k] get-tuple-element(c), index=1\n"},
  };
  for (const FactorRow& row : rows) {
    for (const Sides& sides : kSides) {
      const std::string text = WithSizes(Text(row, "", "a"), sides);
      ExpectDerivatives(text, text);
    }
  }
}

// Any vectors and factors, of which there may be fewer than columns.
TEST(FactorizationsTest, Reflections) {
  for (const char* target :
       {"lapack_dorgqr_ffi", "ProductOfElementaryHouseholderReflectors"}) {
    for (const Sides& sides :
         {Sides{"", 4, 3, 3}, Sides{"", 4, 4, 2}, Sides{"2,", 3, 2, 2}}) {
      const std::string text = WithSizes(
          absl::StrCat("HloModule m\nENTRY e {\nx = f64[$b$m,$n] parameter(0)\n"
                       "f = f64[$b$k] parameter(1)\n"
                       "ROOT c = f64[$b$m,$n] custom-call(x, f), "
                       "custom_call_target=\"",
                       target, "\"\n}\n"),
          sides);
      ExpectDerivatives(text, text);
    }
  }
}

// Of x as real and imaginary parts. Of the singular vectors, whose phases
// anyone may choose, their product.
TEST(FactorizationsTest, OfComplexMatrices) {
  constexpr char kComplex[] =
      "x0 = f64[1,$m,$n] slice(x), slice={[0:1], [0:$m], [0:$n]}\n"
      "x1 = f64[1,$m,$n] slice(x), slice={[1:2], [0:$m], [0:$n]}\n"
      "a = c128[1,$m,$n] complex(x0, x1)\n";
  constexpr char kResult[] =
      "q0 = f64[1,$m,$n] real(q)\n"
      "q1 = f64[1,$m,$n] imag(q)\n"
      "ROOT r = (f64[1,$m,$n], f64[1,$m,$n]) tuple(q0, q1)\n";
  const std::string svd = absl::StrCat(
      "u = c128[1,$m,$k] get-tuple-element(c), index=2\n"
      "v = c128[1,$k,$n] get-tuple-element(c), index=3\n"
      "q = c128[1,$m,$n] dot(u, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n",
      kResult);
  const std::string qr = absl::StrCat(
      "q = c128[1,$m,$n] get-tuple-element(c), index=0\n", kResult);
  for (const Sides& sides : kSides) {
    if (sides.batch[0] != 0) continue;
    for (const FactorRow& row : std::vector<FactorRow>{
             {"f64[2,$m,$n]",
              "(c128[1,$m,$n], f64[1,$k], c128[1,$m,$k], c128[1,$k,$n], "
              "s32[1]) = lapack_zgesdd_ffi {mode = 83 : ui8}",
              svd.c_str()},
             {"f64[2,$m,$n]", "(c128[1,$m,$n], c128[1,$k]) = lapack_zgeqrf_ffi",
              qr.c_str()}}) {
      const std::string text = WithSizes(Text(row, kComplex, "a"), sides);
      ExpectDerivatives(text, text);
    }
  }
}

// Three diagonals and two columns, in one array; the diagonal is the largest.
TEST(FactorizationsTest, OfTridiagonalSystems) {
  for (const Sides& sides :
       {Sides{"", 4, 5, 0}, Sides{"2,", 3, 5, 0}, Sides{"", 1, 5, 0}}) {
    std::string parts;
    for (int i = 0; i < 3; ++i) {
      absl::StrAppend(&parts, "c", i, " = f64[$b$m,1] slice(x), slice={",
                      sides.batch[0] == 0 ? "" : "[0:2], ", "[0:$m], [", i, ":",
                      i + 1, "]}\nd", i, " = f64[$b$m] reshape(c", i, ")\n");
    }
    absl::StrAppend(&parts, "a = f64[$b$m,2] slice(x), slice={",
                    sides.batch[0] == 0 ? "" : "[0:2], ", "[0:$m], [3:5]}\n",
                    "three = f64[] constant(3)\n"
                    "threes = f64[$b$m] broadcast(three), dimensions={}\n"
                    "d3 = f64[$b$m] add(d1, threes)\n");
    const std::string text = WithSizes(
        Text({"f64[$b$m,$n]",
              "(f64[$b$m], f64[$b$m], f64[$b$m], f64[$b$m,2], s32[$1]) = "
              "lapack_dgtsv_ffi {}",
              "ROOT r = f64[$b$m,2] get-tuple-element(c), index=3\n"},
             parts, "d0, d3, d2, a"),
        sides);
    ExpectDerivatives(text, text);
  }
}

// Values in any order, and vectors of both sides. Of the first matrix they are
// real, of the second complex.
TEST(FactorizationsTest, OfSquareMatrices) {
  constexpr char kResult[] =
      "l = c128[3,3] get-tuple-element(c), index=$l\n"
      "l0 = f64[3,3] real(l)\n"
      "l1 = f64[3,3] imag(l)\n"
      "r = c128[3,3] get-tuple-element(c), index=$r\n"
      "r0 = f64[3,3] real(r)\n"
      "r1 = f64[3,3] imag(r)\n"
      "ROOT p = (f64[3], f64[3]$v) tuple(w0, w1$n)\n";
  constexpr char kVectors[] = ", f64[3,3], f64[3,3], f64[3,3], f64[3,3]";
  const std::string real =
      absl::StrCat("w0 = f64[3] get-tuple-element(c), index=0\n",
                   "w1 = f64[3] get-tuple-element(c), index=1\n", kResult);
  const std::string complex =
      absl::StrCat("w = c128[3] get-tuple-element(c), index=0\n",
                   "w0 = f64[3] real(w)\n", "w1 = f64[3] imag(w)\n", kResult);
  // A rotation, and what is added to it.
  const std::string turned =
      "q = f64[3,3] constant({{0,-4,1},{5,0,2},{0,0,7}})\n"
      "a = f64[3,3] add(x, q)\n";
  for (const std::string& matrix : {std::string(kPositive), turned}) {
    for (const bool vectors : {true, false}) {
      const std::string letter = vectors ? "86" : "78";
      const auto with = [&](absl::string_view text, int left) {
        return absl::StrReplaceAll(text,
                                   {{"$l", absl::StrCat(left)},
                                    {"$r", absl::StrCat(left + 1)},
                                    {"$v", vectors ? kVectors : ""},
                                    {"$n", vectors ? ", l0, l1, r0, r1" : ""}});
      };
      const std::string config =
          absl::StrCat(" {compute_left = ", letter,
                       " : ui8, compute_right = ", letter, " : ui8}");
      const std::string of_real = absl::StrCat(
          "(f64[3], f64[3], c128[3,3], c128[3,3], s32[]) = lapack_dgeev_ffi",
          config);
      const std::string of_complex = absl::StrCat(
          "(c128[3], c128[3,3], c128[3,3], s32[]) = lapack_zgeev_ffi", config);
      const std::string real_result = with(real, 2),
                        complex_result = with(complex, 1);
      ExpectDerivatives(
          Text({"f64[3,3]", of_real.c_str(), real_result.c_str()}, matrix, "a"),
          of_real);
      ExpectDerivatives(
          Text({"f64[3,3]", of_complex.c_str(), complex_result.c_str()},
               absl::StrCat(matrix, "z = c128[3,3] complex(a, x)\n"), "z"),
          of_complex);
    }
  }
}

TEST(FactorizationsTest, Refused) {
  struct Refusal {
    const char* call;
    const char* result;
  };
  constexpr char kValues[] = "ROOT w = f64[2] get-tuple-element(c), index=1\n";
  constexpr char kVectors[] =
      "ROOT u = f64[2,2] get-tuple-element(c), index=2\n";
  for (const Refusal& row : std::vector<Refusal>{
           {"(f64[2,3], f64[2], s32[]) = lapack_dsyevd_ffi {mode = 78 : ui8}",
            kValues},
           {"(f64[2,3], f64[2], f64[2,2], f64[3,3], s32[]) = lapack_dgesdd_ffi "
            "{mode = 78 : ui8}",
            kVectors},
           {"(f64[2,3], f64[2], f64[2,2], f64[3,3], s32[]) = lapack_dgesdd_ffi "
            "{mode = 65 : ui8}",
            kVectors},
           {"(f64[2,3], f64[2], s32[]) = lapack_dgees_ffi", kValues},
           {"(f64[2,3], f64[2], s32[]) = lapack_xgeqrf_ffi", kValues},
           // Shapes that the target doesn't have.
           {"(f64[2,3], f64[2]) = lapack_dgetrf_ffi", kValues},
           {"(f64[2,3], f64[2], s32[]) = lapack_dgeqrf_ffi", kValues},
           {"(f64[2,3], f64[2]) = lapack_dpotrf_ffi", kValues},
           {"(f64[2,3], f64[2], c128[2,2], c128[2,2], s32[]) = "
            "lapack_dgeev_ffi {compute_left = 86 : ui8}",
            kValues},
           {"(f64[2,3], f64[2], f64[2], f64[2,3], s32[]) = lapack_dgtsv_ffi",
            kValues},
           {"(f64[3,2], f64[2]) = Qr", kValues},
           {"(f64[2,3], f64[3]) = Qr",
            "ROOT w = f64[3] get-tuple-element(c), index=1\n"},
           {"f64[2,3] = ProductOfElementaryHouseholderReflectors",
            "ROOT r = f64[2,3] copy(c)\n"},
           {"(f64[2,3], f64[2]) = Eigh", kValues}}) {
    const std::string text = Text({"f64[2,3]", row.call, row.result}, "", "a");
    EXPECT_EQ(CodeOf(Gradient(Parsed(text), {0}).status()), Code::kNoDerivative)
        << text;
  }
}

// Calls that say layouts, as jaxlib's do, of one matrix: no graph says the one
// of a scalar.
TEST(FactorizationsTest, OfCallsWithLayouts) {
  const char* kRows[][2] = {
      {"(f64[3,3]{0,1}, f64[3]{0}, f64[3,3]{0,1}, f64[3,3]{0,1}, s32[])",
       "lapack_dgesdd_ffi {mode = 78 : ui8}"},
      {"(f64[3]{0}, f64[3]{0}, c128[3,3]{0,1}, c128[3,3]{0,1}, s32[])",
       "lapack_dgeev_ffi {compute_left = 78 : ui8, compute_right = 78 : ui8}"}};
  for (const auto& [result, target] : kRows) {
    const std::vector<std::string> call =
        absl::StrSplit(target, absl::MaxSplits(' ', 1));
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\nx = f64[3,3]{1,0} parameter(0)\n"
        "q = f64[3,3]{1,0} constant({{4,1,2},{0,9,1},{0,0,-7}})\n"
        "a = f64[3,3]{1,0} add(x, q)\nc = ",
        result, " custom-call(a), custom_call_target=\"", call[0],
        "\", operand_layout_constraints={f64[3,3]{0,1}}, backend_config=\"",
        call[1], "\"\nROOT r = f64[3]{0} get-tuple-element(c), index=",
        call[0] == "lapack_dgeev_ffi" ? 0 : 1, "\n}\n");
    ExpectDerivatives(text, text);
  }
}

// Vectors that a call doesn't give, and what it leaves of its operands.
TEST(FactorizationsTest, RefusedResults) {
  const char* kRows[][2] = {
      {"(f64[2], f64[2], c128[2,2], c128[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgeev_ffi\", "
       "backend_config=\"{compute_left = 78 : ui8, compute_right = 86 : ui8}\"",
       "c128[2,2] get-tuple-element(c), index=2"},
      {"(f64[2], f64[2], c128[2,2], c128[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgeev_ffi\", "
       "backend_config=\"{compute_left = 86 : ui8, compute_right = 78 : ui8}\"",
       "c128[2,2] get-tuple-element(c), index=3"},
      {"(f64[2], f64[2], f64[2], f64[2,2], s32[]) custom-call(d, d, d, x), "
       "custom_call_target=\"lapack_dgtsv_ffi\"",
       "f64[2] get-tuple-element(c), index=1"}};
  for (const auto& [call, result] : kRows) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\nx = f64[2,2] parameter(0)\n"
        "s = f64[1,2] slice(x), slice={[0:1], [0:2]}\n"
        "d = f64[2] reshape(s)\nc = ",
        call, "\nROOT r = ", result, "\n}\n");
    EXPECT_EQ(CodeOf(Gradient(Parsed(text), {0}).status()), Code::kNoDerivative)
        << text;
  }
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Derivatives of custom calls for linear algebra. The evaluator knows none of
// LAPACK's: computations stand for them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "indim/grad/gradient.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

struct LapackRow {
  const char* call;    // its result and name
  const char* config;  // its backend_config
  const char* body;    // what computes the same of a, or of a and b
  const char* result;  // of the call's result c
};

constexpr char kMatrix[] =
    "c0 = f64[2,2] constant({{4, 0}, {0, 9}})\n"
    "s = f64[2,2] dot(x, x), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={1}\n"
    "t = f64[2,2] add(s, c0)\n"
    "a = f64[2,2] add(t, x)\n"
    "v = f64[2,2] reverse(a), dimensions={0}\n";

// The factor below the diagonal, what was there above.
constexpr char kPotrf[] =
    "f = f64[2,2] cholesky(a), lower=true\n"
    "m = pred[2,2] constant({{1, 0}, {1, 1}})\n"
    "r = f64[2,2] select(m, f, a)\n"
    "z = s32[] constant(0)\n"
    "ROOT c = (f64[2,2], s32[]) tuple(r, z)\n";

constexpr char kGetrf[] =
    "top = f64[1,2] slice(a), slice={[0:1], [0:2]}\n"
    "low = f64[1,2] slice(a), slice={[1:2], [0:2]}\n"
    "p = f64[1,1] slice(top), slice={[0:1], [0:1]}\n"
    "q = f64[1,1] slice(low), slice={[0:1], [0:1]}\n"
    "pp = f64[1,1] abs(p)\n"
    "qq = f64[1,1] abs(q)\n"
    "g = pred[1,1] compare(qq, pp), direction=GT\n"
    "swaps = pred[] reshape(g)\n"
    "both = pred[1,2] broadcast(swaps), dimensions={}\n"
    "first = f64[1,2] select(both, low, top)\n"
    "second = f64[1,2] select(both, top, low)\n"
    "ua = f64[1,1] slice(first), slice={[0:1], [0:1]}\n"
    "ub = f64[1,1] slice(first), slice={[0:1], [1:2]}\n"
    "va = f64[1,1] slice(second), slice={[0:1], [0:1]}\n"
    "vb = f64[1,1] slice(second), slice={[0:1], [1:2]}\n"
    "l = f64[1,1] divide(va, ua)\n"
    "lub = f64[1,1] multiply(l, ub)\n"
    "wb = f64[1,1] subtract(vb, lub)\n"
    "last = f64[1,2] concatenate(l, wb), dimensions={1}\n"
    "lu = f64[2,2] concatenate(first, last), dimensions={0}\n"
    "one = s32[] constant(1)\n"
    "two = s32[] constant(2)\n"
    "n = s32[] select(swaps, two, one)\n"
    "n1 = s32[1] reshape(n)\n"
    "n2 = s32[1] constant({2})\n"
    "pivots = s32[2] concatenate(n1, n2), dimensions={0}\n"
    "z = s32[] constant(0)\n"
    "ROOT c = (f64[2,2], s32[2], s32[]) tuple(lu, pivots, z)\n";

// The angle that turns the axes of {{p, q}, {q, s}} is 1/2 atan2(2q, p-s).
constexpr char kSyevd[] =
    "p1 = f64[1,1] slice(a), slice={[0:1], [0:1]}\n"
    "q1 = f64[1,1] slice(a), slice={[1:2], [0:1]}\n"
    "sb = f64[1,1] slice(a), slice={[1:2], [1:2]}\n"
    "h = f64[1,1] constant({{0.5}})\n"
    "q2 = f64[1,1] add(q1, q1)\n"
    "d = f64[1,1] subtract(p1, sb)\n"
    "aa = f64[1,1] atan2(q2, d)\n"
    "angle = f64[1,1] multiply(h, aa)\n"
    "co = f64[1,1] cosine(angle)\n"
    "si = f64[1,1] sine(angle)\n"
    "ns = f64[1,1] negate(si)\n"
    "r0 = f64[1,2] concatenate(ns, co), dimensions={1}\n"
    "r1 = f64[1,2] concatenate(co, si), dimensions={1}\n"
    "v = f64[2,2] concatenate(r0, r1), dimensions={0}\n"
    "mean2 = f64[1,1] add(p1, sb)\n"
    "mean = f64[1,1] multiply(h, mean2)\n"
    "dd = f64[1,1] multiply(d, d)\n"
    "qq = f64[1,1] multiply(q2, q2)\n"
    "sum = f64[1,1] add(dd, qq)\n"
    "root = f64[1,1] sqrt(sum)\n"
    "half = f64[1,1] multiply(h, root)\n"
    "e0 = f64[1,1] subtract(mean, half)\n"
    "e1 = f64[1,1] add(mean, half)\n"
    "e = f64[1,2] concatenate(e0, e1), dimensions={1}\n"
    "w = f64[2] reshape(e)\n"
    "z = s32[] constant(0)\n"
    "ROOT c = (f64[2,2], f64[2], s32[]) tuple(v, w, z)\n";

constexpr char kFirst[] = "ROOT r = f64[2,2] get-tuple-element(c), index=0\n";

std::vector<LapackRow> LapackRows() {
  return {
      {"(f64[2,2], s32[]) potrf(a)", "uplo = 76 : ui8", kPotrf, kFirst},
      {"(f64[2,2], s32[2], s32[]) getrf(v)", "", kGetrf, kFirst},
      {"(f64[2,2], f64[2], s32[]) syevd(a)", "mode = 86 : ui8, uplo = 76 : ui8",
       kSyevd,
       "vv = f64[2,2] get-tuple-element(c), index=0\n"
       "ww = f64[2] get-tuple-element(c), index=1\n"
       "ROOT r = (f64[2,2], f64[2]) tuple(vv, ww)\n"},
      {"f64[2,2] trsm(a, x)",
       "diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8",
       "ROOT c = f64[2,2] triangular-solve(a, b), left_side=true, "
       "transpose_a=TRANSPOSE\n",
       "ROOT r = f64[2,2] copy(c)\n"},
      {"f64[2,2] trsm(a, x)",
       "diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8",
       "ROOT c = f64[2,2] triangular-solve(a, b), lower=true, "
       "unit_diagonal=true, transpose_a=NO_TRANSPOSE\n",
       "ROOT r = f64[2,2] copy(c)\n"},
  };
}

std::string LapackText(const LapackRow& row) {
  const std::vector<std::string> call = absl::StrSplit(row.call, ") ");
  const std::string& last = call.back();
  const size_t open = last.find('('), blank = last.rfind(' ', open);
  const std::string name = blank == std::string::npos
                               ? last.substr(0, open)
                               : last.substr(blank + 1, open - blank - 1);
  return absl::StrCat(
      "HloModule m\nENTRY e {\nx = f64[2,2] parameter(0)\n", kMatrix, "c = ",
      absl::StrReplaceAll(row.call,
                          {{absl::StrCat(name, "("), "custom-call("}}),
      ", custom_call_target=\"lapack_d", name,
      "_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config=\"{",
      row.config, "}\"\n", row.result, "}\n");
}

// With calls of a computation in the place of custom calls.
Module Runnable(const Module& module, const LapackRow& row) {
  std::vector<std::string> lines = absl::StrSplit(PrintHloText(module), '\n');
  for (std::string& line : lines) {
    const size_t at = line.find(", custom_call_target=\"lapack_");
    if (at == std::string::npos) continue;
    line =
        absl::StrReplaceAll(line.substr(0, at), {{" custom-call(", " call("}});
    absl::StrAppend(&line, ", to_apply=stands_for_it");
  }
  std::string computation = "\nstands_for_it {\na = f64[2,2] parameter(0)\n";
  if (absl::StrContains(row.call, "trsm")) {
    absl::StrAppend(&computation, "b = f64[2,2] parameter(1)\n");
  }
  lines.insert(lines.begin() + 1, absl::StrCat(computation, row.body, "}\n"));
  return Parsed(absl::StrJoin(lines, "\n"));
}

TEST(LapackTest, BesideNumericalDerivatives) {
  for (const LapackRow& row : LapackRows()) {
    SCOPED_TRACE(row.call);
    const Module module = Parsed(LapackText(row));
    const Probe probe(Runnable(module, row));
    const double numeric = probe.Numeric();
    const absl::StatusOr<Module> gradient = Gradient(module, probe.wrt());
    ASSERT_TRUE(gradient.ok()) << gradient.status();
    ExpectClose(probe.ByGradient(Runnable(*gradient, row)), numeric, "reverse");
    const absl::StatusOr<Module> tangents = Tangents(module, probe.wrt());
    ASSERT_TRUE(tangents.ok()) << tangents.status();
    ExpectClose(probe.ByTangents(Runnable(*tangents, row)), numeric, "forward");
    // Of second order, where no value of the evaluator is needed.
    EXPECT_TRUE(Gradient(*gradient, {0}).ok());
  }
}

// Of either triangle, XLA's own call.
TEST(LapackTest, Eigh) {
  for (const char* lower : {"1", "0"}) {
    const Module module = Parsed(absl::StrCat(
        "HloModule m\nENTRY e { x = f64[2,3,3] parameter(0)  c = "
        "(f64[2,3,3], f64[2,3]) custom-call(x), custom_call_target=\"Eigh\", "
        "backend_config=\"",
        lower,
        ",1,15,0.000001\"  v = f64[2,3,3] get-tuple-element(c), index=0  w = "
        "f64[2,3] get-tuple-element(c), index=1  ROOT r = (f64[2,3,3], "
        "f64[2,3]) tuple(v, w) }"));
    ExpectDerivative(module, lower);
  }
}

TEST(LapackTest, Refused) {
  for (const char* call :
       {"(f64[2,2], f64[2], s32[]) custom-call(x), "
        "custom_call_target=\"lapack_dsyevd_ffi\", "
        "backend_config=\"{mode = 78 : ui8, uplo = 76 : ui8}\"",
        "(f64[2,2], f64[2], s32[]) custom-call(x), "
        "custom_call_target=\"lapack_dgees_ffi\"",
        "(f64[2,2], f64[2]) custom-call(x), custom_call_target=\"Qr\""}) {
    const absl::Status status =
        Gradient(
            Parsed(absl::StrCat(
                "HloModule m\nENTRY e { x = f64[2,2] parameter(0)  c = ", call,
                "  ROOT w = f64[2] get-tuple-element(c), index=1 }")),
            {0})
            .status();
    EXPECT_EQ(CodeOf(status), Code::kNoDerivative) << call;
  }
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Custom calls that are evaluated without the code that they name.

#include "indim/eval/ops/custom_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "indim/tests/eval/eval_text.h"

namespace indim {
namespace {

TEST(CustomCallsTest, NeedNoCode) {
  for (const char* target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
        "xla.sdy.FuncResultSharding", "annotate_device_placement", "MoveToHost",
        "MoveToDevice", "LayoutConstraint", "ShardBarrierFrom",
        "ShardBarrierTo"}) {
    EXPECT_EQ(Eval(absl::StrCat(
                  "HloModule m\nENTRY e {\n  x = f32[2] constant({1,2})\n"
                  "  ROOT r = f32[2] custom-call(x), custom_call_target=\"",
                  target, "\"\n}\n")),
              "f32[2] {1, 2}")
        << target;
  }
  ExpectValues({
      {"x = f32[2,4] constant({{3,1,nan,2},{-0,0,5,5}});"
       "r = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target=\"TopK\"",
       "(f32[2,2], s32[2,2]) ( { { nan, 3 }, { 5, 5 } }, { { 2, 0 }, { 2, 3 } "
       "} )"},
      {"x = f32[2,4] constant({{3,1,nan,2},{-0,0,5,5}}); k = s32[] constant(1);"
       "r = (f32[2,?], s32[2,?]) custom-call(x, k), "
       "custom_call_target=\"stablehlo.dynamic_top_k\"",
       "(f32[2,1], s32[2,1]) ( { {nan}, {5} }, { {2}, {2} } )"},
      {"p = s32[2,2] constant({{2,2},{0,1}});"
       "r = s32[2,3] custom-call(p), "
       "custom_call_target=\"cu_lu_pivots_to_permutation\"",
       "s32[2,3] { { 2, 0, 1 }, { 0, 1, 2 } }"},
      {"p = s32[1] constant({3});"
       "r = s32[3] custom-call(p), "
       "custom_call_target=\"hip_lu_pivots_to_permutation\"",
       "!IND0855"},
      {"x = f32[3,2] constant({{1,2},{3,4},{5,6}}); m = s32[] constant(1); n = "
       "s32[] constant(2); y = f32[<=3,2] custom-call(x, m, n), "
       "custom_call_target=\"SliceToDynamic\"; s = s32[] "
       "get-dimension-size(y), dimensions={0}; r = (f32[<=3,2], s32[]) "
       "tuple(y, "
       "s)",
       "(f32[<=3,2], s32[]) ( { { 1, 2 } }, 1 )"},
      {"x = f32[3] constant({1,2,3}); m = s32[] constant(4);"
       "r = f32[<=3] custom-call(x, m), custom_call_target=\"SliceToDynamic\"",
       "!IND0855"},
      {"x = f32[3] constant({1,2,3});"
       "r = f32[<=3] custom-call(x), custom_call_target=\"SliceToDynamic\"",
       "!IND0855"},
      {"x = f32[3] constant({1,2,3}); m = s32[] constant(2); y = f32[<=3] "
       "set-dimension-size(x, m), dimensions={0}; r = (f32[3], s32[]) "
       "custom-call(y), custom_call_target=\"PadToStatic\"",
       "(f32[3], s32[]) ( {1, 2, 0}, 2 )"},
      {"x = f32[3] constant({1,2,3}); r = (f32[2], s32[]) "
       "custom-call(x), custom_call_target=\"PadToStatic\"",
       "!IND0855"},
      {"x = u64[2] constant({4294967299,5});"
       "r = u32[2] custom-call(x), custom_call_target=\"X64SplitLow\"",
       "u32[2] {3, 5}"},
      {"x = u64[2] constant({4294967299,5});"
       "r = u32[2] custom-call(x), custom_call_target=\"X64SplitHigh\"",
       "u32[2] {1, 0}"},
      {"x = s64[2] constant({-2,5});"
       "l = u32[2] custom-call(x), custom_call_target=\"X64SplitLow\";"
       "h = s32[2] custom-call(x), custom_call_target=\"X64SplitHigh\";"
       "r = s64[2] custom-call(l,h), custom_call_target=\"X64Combine\"",
       "s64[2] {-2, 5}"},
      {"x = s32[2] constant({1,2}); y = s32[1] constant({1});"
       "r = s64[2] custom-call(x,y), custom_call_target=\"X64Combine\"",
       "!IND0855"},
      {"x = f64[2] constant({1,2});"
       "r = f32[2] custom-call(x), custom_call_target=\"X64SplitLow\"",
       "!IND0855"},
      {"x = f32[2] constant({1,2});"
       "r = f32[2] custom-call(x), custom_call_target=\"AllocateBuffer\"",
       "!IND0850"},
      {"x = f32[2] constant({1,2});"
       "r = f32[2] custom-call(x,x), custom_call_target=\"Sharding\"",
       "!IND0855"},
  });
}

// XLA's own, and LAPACK's: its values too, but that of a matrix without a
// factor.
TEST(CustomCallsTest, FactorMatrices) {
  ExpectValues({
      {"x = f64[2,2] constant({{0,2},{1,3}});"
       "r = (f64[2,2], f64[2]) custom-call(x), custom_call_target=\"Qr\"",
       "(f64[2,2], f64[2]) ( { { -1, -3 }, { 1, -2 } }, {1, 0} )"},
      {"x = f64[2,2] constant({{-1,-3},{1,-2}}); f = f64[2] constant({1,0});"
       "r = f64[2,2] custom-call(x, f), custom_call_target="
       "\"ProductOfElementaryHouseholderReflectors\"",
       "f64[2,2] { { 0, -1 }, { -1, 0 } }"},
      {"x = f64[2,2] constant({{-1,-3},{1,-2}}); f = f64[1] constant({1});"
       "r = f64[2,2] custom-call(x, f), custom_call_target="
       "\"ProductOfElementaryHouseholderReflectors\"",
       "f64[2,2] { { 0, -1 }, { -1, 0 } }"},
      {"x = f32[2,2] constant({{2,9},{1,2}});"
       "r = (f32[2,2], f32[2]) custom-call(x), custom_call_target=\"Eigh\", "
       "backend_config=\"1,1,4,0.000001\"",
       "(f32[2,2], f32[2]) ( { { 0.707106769, 0.707106769 }, { -0.707106769, "
       "0.707106769 } }, {1, 3} )"},
      {"x = c64[2,2] constant({{(2,0),(0,1)},{(9,9),(2,0)}});"
       "y = (c64[2,2], f32[2]) custom-call(x), custom_call_target=\"Eigh\", "
       "backend_config=\"0,1,4,0.000001\"; r = f32[2] get-tuple-element(y), "
       "index=1",
       "f32[2] {1, 3}"},
      {"x = f32[2,3] constant({{1,2,3},{4,5,6}});"
       "r = (f32[2,3], f32[2]) custom-call(x), custom_call_target=\"Eigh\"",
       "!IND0855"},
      {"x = s32[2,2] constant({{1,2},{3,4}});"
       "r = (s32[2,2], s32[2]) custom-call(x), custom_call_target=\"Qr\"",
       "!IND0855"},
      {"x = f64[2,2] constant({{4,7},{2,5}});"
       "r = (f64[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dpotrf_ffi\", "
       "backend_config=\"{uplo = 76 : ui8}\"",
       "(f64[2,2], s32[]) ( { { 2, 7 }, { 1, 2 } }, 0 )"},
      {"x = c64[2,2] constant({{(4,0),(0,2)},{(9,9),(5,0)}});"
       "r = (c64[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_cpotrf_ffi\", "
       "backend_config=\"{uplo = 85 : ui8}\"",
       "(c64[2,2], s32[]) ( { { (2, 0), (0, 1) }, { (9, 9), (2, 0) } }, 0 )"},
      {"x = f64[1,2,2] constant({{{4,7},{2,5}}});"
       "r = (f64[1,2,2], s32[1]) custom-call(x), "
       "custom_call_target=\"lapack_dpotrf_ffi\", "
       "operand_layout_constraints={f64[1,2,2]{1,2,0}}, "
       "backend_config=\"{uplo = 76 : ui8}\"",
       "(f64[1,2,2], s32[1]) ( { { { 2, 7 }, { 1, 2 } } }, {0} )"},
      // LAPACK would read the transpose.
      {"x = f64[2,2] constant({{4,7},{2,5}});"
       "r = (f64[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dpotrf_ffi\", "
       "operand_layout_constraints={f64[2,2]{1,0}}, "
       "backend_config=\"{uplo = 76 : ui8}\"",
       "!IND0855"},
      {"x = f32[1,1] constant({{-4}});"
       "r = (f32[1,1], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_spotrf_ffi\", "
       "backend_config=\"{uplo = 85 : ui8}\"",
       "(f32[1,1], s32[]) ( { {nan} }, 1 )"},
      {"x = f64[1,3,2] constant({{{1,2},{-4,3},{2,8}}});"
       "r = (f64[1,3,2], s32[1,2], s32[1]) custom-call(x), "
       "custom_call_target=\"lapack_dgetrf_ffi\", backend_config=\"{}\"",
       "(f64[1,3,2], s32[1,2], s32[1]) ( { { { -4, 3 }, { -0.5, 9.5 }, { "
       "-0.25, 0.28947368421052633 } } }, { { 2, 3 } }, {0} )"},
      {"x = f64[2,2] constant({{0,0},{0,8}});"
       "r = (f64[2,2], s32[2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgetrf_ffi\", backend_config=\"{}\"",
       "(f64[2,2], s32[2], s32[]) ( { { 0, 0 }, { 0, 8 } }, {1, 2}, 1 )"},
      {"x = c64[2,1] constant({{(3,3)},{(0,5)}});"
       "r = (c64[2,1], s32[1], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_cgetrf_ffi\", backend_config=\"{}\"",
       "(c64[2,1], s32[1], s32[]) ( { {(3, 3)}, {(0.833333313, 0.833333313)} "
       "}, {1}, 0 )"},
      {"a = f64[2,2] constant({{2,9},{6,4}}); x = f64[2,1] "
       "constant({{4},{8}}); r = f64[2,1] custom-call(a, x), "
       "custom_call_target=\"lapack_dtrsm_ffi\", backend_config=\"{diag = 78 "
       ": ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}\"",
       "f64[2,1] { {-4}, {2} }"},
      {"x = f64[2,2] constant({{2,9},{1,2}});"
       "y = (f64[2,2], f64[2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dsyevd_ffi\", "
       "backend_config=\"{mode = 86 : ui8, uplo = 76 : ui8}\"; r = f64[2] "
       "get-tuple-element(y), index=1",
       "f64[2] {0.99999999999999978, 2.9999999999999996}"},
      {"x = f64[2,3] constant({{0,0,3},{4,0,0}});"
       "y = (f64[2,3], f64[2], f64[2,2], f64[2,3], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgesdd_ffi\", "
       "backend_config=\"{mode = 83 : ui8}\"; r = f64[2] "
       "get-tuple-element(y), index=1",
       "f64[2] {4, 3}"},
      {"l = f64[4] constant({0,1,6,0}); d = f64[4] constant({2,3,4,5});"
       "u = f64[4] constant({4,1,2,0}); x = f64[4,1] constant({{2},{4},{8},{5}"
       "}); r = (f64[4], f64[4], f64[4], f64[4,1], s32[]) custom-call(l, d, u, "
       "x), custom_call_target=\"lapack_dgtsv_ffi\"",
       "(f64[4], f64[4], f64[4], f64[4,1], s32[]) ( {0, 0, 2, 0}, {2, 6, "
       "0.33333333333333337, 5}, {4, 4, -0.33333333333333331, 0}, { "
       "{6.9999999999999991}, {-2.9999999999999996}, {5.9999999999999991}, {1} "
       "}, "
       "0 )"},
      {"l = f32[1,2] constant({{0,0}}); d = f32[1,2] constant({{0,1}});"
       "x = f32[1,2,1] constant({{{2},{4}}});"
       "y = (f32[1,2], f32[1,2], f32[1,2], f32[1,2,1], s32[1]) custom-call(l, "
       "d, d, x), custom_call_target=\"lapack_sgtsv_ffi\";"
       "r = s32[1] get-tuple-element(y), index=4",
       "s32[1] {1}"},
      {"x = f64[2,2] constant({{1,2},{3,4}});"
       "r = (f64[2,2], f64[2,2], f64[2,2], f64[2,2], s32[]) custom-call(x, x, "
       "x, x), custom_call_target=\"lapack_dgtsv_ffi\"",
       "!IND0855"},
      {"x = f64[2,2] constant({{0,-9},{4,0}});"
       "r = (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgeev_ffi\"",
       "(f64[2], f64[2], c128[2,2], c128[2,2], s32[]) ( {0, 0}, {6, -6}, { { "
       "(0, "
       "0.554700196225229), (0, -0.554700196225229) }, { (0.83205029433784361, "
       "0), (0.83205029433784361, -0) } }, { { (0.83205029433784372, 0), "
       "(0.83205029433784372, -0) }, { (0, -0.55470019622522915), (0, "
       "0.55470019622522915) } }, 0 )"},
      {"x = c64[1,1] constant({{(3,-4)}});"
       "r = (c64[1], c64[1,1], c64[1,1], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_cgeev_ffi\"",
       "(c64[1], c64[1,1], c64[1,1], s32[]) ( {(3, -4)}, { {(1, 0)} }, { {(1, "
       "0)} }, 0 )"},
      {"x = f64[2,1] constant({{1},{2}});"
       "r = (f64[1], f64[1], c128[2,2], c128[2,2], s32[]) custom-call(x), "
       "custom_call_target=\"lapack_dgeev_ffi\"",
       "!IND0855"},
      {"x = f64[2,0,3] constant({{},{}});"
       "r = (f64[2,0,3], f64[2,0], f64[2,0,0], f64[2,0,3], s32[2]) "
       "custom-call(x), custom_call_target=\"lapack_dgesdd_ffi\", "
       "backend_config=\"{mode = 83 : ui8}\"",
       "(f64[2,0,3], f64[2,0], f64[2,0,0], f64[2,0,3], s32[2]) ( { {  }, {  } "
       "}, { {}, {} }, { {  }, {  } }, { {  }, {  } }, {0, 0} )"},
  });
}

// Of matrices of all sizes up to 3 by 3, of rank 1, and of 0: a = u s v^H, and
// both have orthogonal columns, with mode 'S' and with mode 'A'; in mode 'N'
// the recorded sizes count.
TEST(CustomCallsTest, SingularVectors) {
  for (const char* elements : {"iota", "one", "zero"}) {
    for (int m = 1; m <= 3; ++m) {
      for (int n = 1; n <= 3; ++n) {
        for (const char* mode : {"65", "83", "78"}) {
          const bool all = absl::string_view(mode) == "65";
          const int k = m < n ? m : n;
          const std::string text = absl::StrReplaceAll(
              "i = f64[$m,$n] iota(), iota_dimension=0;"
              "j = f64[$m,$n] iota(), iota_dimension=1;"
              "ii = f64[$m,$n] multiply(i, i);"
              "iota = f64[$m,$n] subtract(ii, j);"
              "zero = f64[$m,$n] subtract(i, i);"
              "one = f64[$m,$n] exponential(zero);"
              "y = (f64[$m,$n], f64[$k], f64[$m,$u], f64[$v,$n], s32[]) "
              "custom-call($x), custom_call_target=\"lapack_dgesdd_ffi\", "
              "backend_config=\"{mode = $c : ui8}\";"
              "s = f64[$k] get-tuple-element(y), index=1;"
              "u = f64[$m,$u] get-tuple-element(y), index=2;"
              "v = f64[$v,$n] get-tuple-element(y), index=3;"
              "uk = f64[$m,$k] slice(u), slice={[0:$m], [0:$k]};"
              "vk = f64[$k,$n] slice(v), slice={[0:$k], [0:$n]};"
              "ss = f64[$m,$k] broadcast(s), dimensions={1};"
              "us = f64[$m,$k] multiply(uk, ss);"
              "p = f64[$m,$n] dot(us, vk), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={0};"
              "uu = f64[$u,$u] dot(u, u), lhs_contracting_dims={0}, "
              "rhs_contracting_dims={0};"
              "vv = f64[$v,$v] dot(v, v), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={1};"
              "ui = s32[$u,$u] iota(), iota_dimension=0;"
              "uj = s32[$u,$u] iota(), iota_dimension=1;"
              "ue = pred[$u,$u] compare(ui, uj), direction=EQ;"
              "un = f64[$u,$u] convert(ue);"
              "vi = s32[$v,$v] iota(), iota_dimension=0;"
              "vj = s32[$v,$v] iota(), iota_dimension=1;"
              "ve = pred[$v,$v] compare(vi, vj), direction=EQ;"
              "vn = f64[$v,$v] convert(ve);"
              "d = f64[$m,$n] subtract(p, $x);"
              "e = f64[$u,$u] subtract(uu, un);"
              "f = f64[$v,$v] subtract(vv, vn);"
              "dd = f64[$m,$n] multiply(d, d);"
              "de = f64[$u,$u] multiply(e, e);"
              "df = f64[$v,$v] multiply(f, f);"
              "z = f64[] constant(0);"
              "sd = f64[] reduce(dd, z), dimensions={0,1}, to_apply=sum;"
              "se = f64[] reduce(de, z), dimensions={0,1}, to_apply=sum;"
              "sf = f64[] reduce(df, z), dimensions={0,1}, to_apply=sum;"
              "t = f64[] add(sd, se); w = f64[] add(t, sf);"
              "tiny = f64[] constant(1e-28);"
              "r = pred[] compare(w, tiny), direction=LT",
              {{"$m", absl::StrCat(m)},
               {"$n", absl::StrCat(n)},
               {"$k", absl::StrCat(k)},
               {"$u", absl::StrCat(all ? m : k)},
               {"$v", absl::StrCat(all ? n : k)},
               {"$c", mode},
               {"$x", elements}});
          ExpectValues({{text.c_str(), "pred[] true"}},
                       "sum { a = f64[] parameter(0) b = f64[] parameter(1) "
                       "ROOT s = f64[] add(a, b) }\n");
        }
      }
    }
  }
}

// a v = v w and u^H a = w u^H, of matrices with real and with complex
// eigenvalues, also equal ones.
TEST(CustomCallsTest, Eigenvectors) {
  for (const char* matrix : {"{{1,2,0,3},{0,-1,4,1},{5,0,2,1},{1,1,0,3}}",
                             "{{0,-1,0,0},{1,0,0,0},{0,0,2,-5},{0,0,5,2}}",
                             "{{2,1,0,0},{1,2,0,0},{0,0,3,0},{0,0,0,3}}",
                             "{{4,0,0,0},{3,2,0,0},{0,6,1,0},{1,0,5,-2}}",
                             "{{0,0,0,1},{1,0,0,0},{0,1,0,0},{0,0,1,0}}",
                             "{{0,0,0,0},{0,0,0,0},{0,0,0,0},{0,0,0,0}}"}) {
    for (const bool is_complex : {false, true}) {
      const std::string text = absl::StrCat(
          "x = f64[4,4] constant(", matrix, ");",
          "t = f64[4,4] transpose(x), dimensions={1,0};",
          is_complex
              ? "a = c128[4,4] complex(x, t);"
                "y = (c128[4], c128[4,4], c128[4,4], s32[]) custom-call(a), "
                "custom_call_target=\"lapack_zgeev_ffi\";"
                "w = c128[4] get-tuple-element(y), index=0;"
                "u = c128[4,4] get-tuple-element(y), index=1;"
                "v = c128[4,4] get-tuple-element(y), index=2;"
              : "a = c128[4,4] convert(x);"
                "y = (f64[4], f64[4], c128[4,4], c128[4,4], s32[]) "
                "custom-call(x), custom_call_target=\"lapack_dgeev_ffi\";"
                "p = f64[4] get-tuple-element(y), index=0;"
                "q = f64[4] get-tuple-element(y), index=1;"
                "w = c128[4] complex(p, q);"
                "u = c128[4,4] get-tuple-element(y), index=2;"
                "v = c128[4,4] get-tuple-element(y), index=3;",
          "re = f64[4,4] real(u); im = f64[4,4] imag(u);"
          "ne = f64[4,4] negate(im); uc = c128[4,4] complex(re, ne);"
          "ww = c128[4,4] broadcast(w), dimensions={1};"
          "vw = c128[4,4] multiply(v, ww); uw = c128[4,4] multiply(uc, ww);"
          "av = c128[4,4] dot(a, v), lhs_contracting_dims={1}, "
          "rhs_contracting_dims={0};"
          "au = c128[4,4] dot(a, uc), lhs_contracting_dims={0}, "
          "rhs_contracting_dims={0};"
          "d = c128[4,4] subtract(av, vw); e = c128[4,4] subtract(au, uw);"
          "da = f64[4,4] abs(d); ea = f64[4,4] abs(e);"
          "s = f64[4,4] add(da, ea); z = f64[] constant(0);"
          "ss = f64[] reduce(s, z), dimensions={0,1}, to_apply=sum;"
          "va = f64[4,4] abs(v); v2 = f64[4,4] multiply(va, va);"
          "l = f64[4] reduce(v2, z), dimensions={0}, to_apply=sum;"
          "one = f64[] constant(1); ones = f64[4] broadcast(one), "
          "dimensions={}; lo = f64[4] subtract(l, ones); la = f64[4] abs(lo);"
          "ls = f64[] reduce(la, z), dimensions={0}, to_apply=sum;"
          "sum2 = f64[] add(ss, ls); tiny = f64[] constant(1e-13);"
          "r = pred[] compare(sum2, tiny), direction=LT");
      ExpectValues({{text.c_str(), "pred[] true"}},
                   "sum { a = f64[] parameter(0) b = f64[] parameter(1) "
                   "ROOT s = f64[] add(a, b) }\n");
    }
  }
}

}  // namespace
}  // namespace indim

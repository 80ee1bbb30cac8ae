// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/grad/bodies.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

// Computations that bodies call.
constexpr char kCallees[] = R"(HloModule m
add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
one { a = f64[] parameter(0)  b = f64[] parameter(1)  c = f64[] add(a, b)  ROOT r = (f64[]) tuple(c) }
minus { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] subtract(a, b) }
mul { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] multiply(a, b) }
max { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] maximum(a, b) }
second { a = f64[] parameter(0)  ROOT b = f64[] parameter(1) }
odd { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] sine(b)  ROOT r = f64[] multiply(a, s) }
logadd { a = f64[] parameter(0)  b = f64[] parameter(1)  x = f64[] exponential(a)  y = f64[] exponential(b)  s = f64[] add(x, y)  ROOT r = f64[] log(s) }
twice { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] multiply(b, b)  c = pred[] compare(a, s), direction=GT  ROOT r = f64[] select(c, a, s) }
tupled { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] add(a, b)  c = f64[] reshape(s)  t = (f64[]) tuple(c)  ROOT r = f64[] get-tuple-element(t), index=0 }
over { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] divide(a, b) }
added { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] sine(b)  ROOT r = f64[] call(s, a), to_apply=add }
slope { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] cosine(b) }
pair { a = f64[] parameter(0)  b = f64[] parameter(1)  u = f64[] parameter(2)  v = f64[] parameter(3)  s = f64[] subtract(a, v)  m = f64[] multiply(u, b)  ROOT r = (f64[], f64[]) tuple(s, m) }
ge { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
lt { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
two { x = f64[3] parameter(0)  y = f64[3] parameter(1)  s = f64[3] sine(x)  ROOT r = f64[3] multiply(s, y) }
f { p = (f64[3], f64[3]) parameter(0)  x = f64[3] get-tuple-element(p), index=0  y = f64[3] get-tuple-element(p), index=1  ROOT r = f64[3] multiply(x, y) }
g { p = f64[3] parameter(0)  ROOT r = f64[3] cosine(p) }
body { p = (s32[], f64[3], f64[3,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[3,3] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  z = s32[] constant(0)  row = f64[1,3] dynamic-slice(w, i, z), dynamic_slice_sizes={1,3}  v = f64[3] reshape(row)  d = f64[3] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}  s = f64[3] sine(d)  y = f64[3] multiply(s, v)  ROOT r = (s32[], f64[3], f64[3,3]) tuple(j, y, w) }
cond { p = (s32[], f64[3], f64[3,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body2 { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[3] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  t = (f64[3], f64[3]) tuple(x, w)  k = s32[] constant(0)  c = f64[3] conditional(k, t, x), branch_computations={f, g}  ROOT r = (s32[], f64[3], f64[3]) tuple(j, c, w) }
cond2 { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body3 { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  one = s32[] constant(1)  j = s32[] add(i, one)  ROOT r = (s32[], f64[3]) tuple(j, x) }
cond3 { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  y = f64[1] dynamic-slice(x, i), dynamic_slice_sizes={1}  z = f64[] reshape(y)  n = f64[] constant(9)  ROOT r = pred[] compare(z, n), direction=GT }
step { x = f64[2] parameter(0)  c = f64[2] parameter(1)  s = f64[2] multiply(x, c)  d = f64[2] add(s, x)  ROOT r = (f64[2], f64[2]) tuple(s, d) }
)";

}  // namespace

Module BodyModule(const std::string& body) {
  std::string text = absl::StrCat(kCallees, "ENTRY e {\n");
  std::string rest = body;
  for (size_t at; (at = rest.find(';')) != std::string::npos;) {
    absl::StrAppend(&text, "  ", rest.substr(0, at), "\n");
    rest = rest.substr(at + 1);
  }
  return Parsed(absl::StrCat(text, "  ROOT ", rest, "\n}\n"));
}

}  // namespace indim

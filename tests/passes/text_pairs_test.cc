// SPDX-License-Identifier: Apache-2.0
// Operations in two halves whose first half is handed on before it is finished,
// and what two passes find and one tells.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/passes/text_verdicts.h"

namespace indim {
namespace {

using Case = TextVerdict;

// --- Transfers and copies that are handed on ---------------------------------

// `entry` after a send of x, `s`.
std::string Sent(const char* entry, const char* before = "") {
  return absl::StrCat(before, R"(
ENTRY e {
  x = f32[3] parameter(0)
  k = token[] after-all()
  s = (f32[3], u32[], token[]) send(x, k), channel_id=1
)",
                      entry, "\n}");
}

// A loop whose state is a send that its body finishes and begins anew, or
// `body` instead.
std::string Pipelined(const char* body, const char* end) {
  return Sent(absl::StrCat(R"(
  t = ((f32[3], u32[], token[])) tuple(s)
  w = ((f32[3], u32[], token[])) while(t), condition=go_on, body=turn
)",
                           end)
                  .c_str(),
              absl::StrCat(R"(
go_on {
  p = ((f32[3], u32[], token[])) parameter(0)
  ROOT c = pred[] constant(true)
}
turn {
  p = ((f32[3], u32[], token[])) parameter(0)
  g = (f32[3], u32[], token[]) get-tuple-element(p), index=0
  d = token[] send-done(g), channel_id=1
  y = f32[3] constant({1, 2, 3})
)",
                           body, "\n}")
                  .c_str());
}

std::vector<Case> HandedOnCases() {
  constexpr char kEnd[] = R"(
  g = (f32[3], u32[], token[]) get-tuple-element(w), index=0
  ROOT d = token[] send-done(g), channel_id=1)";
  return {
      {"a send whose data is read instead", {Code::kPairUsers}, Sent(R"(
  ROOT g = f32[3] get-tuple-element(s), index=0)")},
      {"a send whose data is read through a tuple", {Code::kPairUsers}, Sent(R"(
  t = ((f32[3], u32[], token[]), f32[3]) tuple(s, x)
  g = (f32[3], u32[], token[]) get-tuple-element(t), index=0
  r = f32[3] get-tuple-element(g), index=0
  d = token[] send-done(g), channel_id=1
  ROOT o = (f32[3], token[]) tuple(r, d))")},
      {"a send in what the entry returns", {Code::kPairUsers}, Sent(R"(
  ROOT t = ((f32[3], u32[], token[])) tuple(s))")},
      {"a send from turn to turn",
       {},
       Pipelined(R"(
  n = (f32[3], u32[], token[]) send(y, d), channel_id=1
  ROOT t = ((f32[3], u32[], token[])) tuple(n))",
                 kEnd)},
      {"one that a turn drops",
       {Code::kPairUsers},
       Pipelined(R"(
  n = (f32[3], u32[], token[]) send(y, d), channel_id=1
  t = ((f32[3], u32[], token[])) tuple(n)
  m = (f32[3], u32[], token[]) send(y, d), channel_id=1
  ROOT r = ((f32[3], u32[], token[])) tuple(m))",
                 kEnd)},
      {"a copy whose result is read instead", {Code::kPairUsers}, R"(
ENTRY e {
  x = f32[3] parameter(0)
  s = (f32[3], f32[3], u32[]) copy-start(x)
  g = f32[3] get-tuple-element(s), index=0
  ROOT y = f32[3] negate(g)
})"},
      {"a permute whose result is read instead", {Code::kPairUsers}, R"(
ENTRY e {
  x = f32[3] parameter(0)
  s = (f32[3], f32[3]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  g = f32[3] get-tuple-element(s), index=1
  ROOT y = f32[3] negate(g)
})"},
      {"a recv that is read before it is done", {Code::kPairUsers}, R"(
ENTRY e {
  k = token[] after-all()
  s = (f32[3], u32[], token[]) recv(k), channel_id=1
  b = (f32[3], u32[], token[]) opt-barrier(s)
  g = f32[3] get-tuple-element(b), index=0
  t = ((f32[3], u32[], token[])) tuple(b)
  h = (f32[3], u32[], token[]) get-tuple-element(t), index=0
  d = (f32[3], token[]) recv-done(h), channel_id=1
  r = f32[3] get-tuple-element(d), index=0
  ROOT a = f32[3] add(r, g)
})"},
      {"a group of transfers that an async-start wraps", {}, R"(
group {
  x = f32[3] parameter(0)
  k = token[] after-all()
  s = (f32[3], u32[], token[]) send(x, k), channel_id=1
  r = (f32[3], u32[], token[]) recv(k), channel_id=2
  ROOT t = ((f32[3], u32[], token[]), (f32[3], u32[], token[])) tuple(s, r)
}
ENTRY e {
  x = f32[3] parameter(0)
  a = ((f32[3]), ((f32[3], u32[], token[]), (f32[3], u32[], token[])), s32[]) async-start(x), calls=group, frontend_attributes={_collectives_group=""}
  ROOT d = ((f32[3], u32[], token[]), (f32[3], u32[], token[])) async-done(a)
})"},
      {"one in a call that nobody finishes", {Code::kPairUsers}, R"(
f {
  x = f32[3] parameter(0)
  s = (f32[3], f32[3]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  ROOT t = ((f32[3], f32[3])) tuple(s)
}
ENTRY e {
  x = f32[3] parameter(0)
  ROOT c = ((f32[3], f32[3])) call(x), to_apply=f
})"},
  };
}

std::vector<Case> ToldOnceCases() {
  return {
      {"a replica in two groups", {Code::kReplicaGroupTwice}, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT g = f32[4] all-gather(x), dimensions={0}, replica_groups={{0,1},{1,2}}
})"},
      {"a replica that is left out", {Code::kReplicaGroupIds}, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT g = f32[4] all-gather(x), dimensions={0}, replica_groups={{0,2}}
})"},
      {"a source twice", {Code::kPermutePairs}, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT p = f32[2] collective-permute(x), source_target_pairs={{0,1},{0,2}}
})"},
      {"a source that is none", {Code::kPermuteNegative}, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT p = f32[2] collective-permute(x), source_target_pairs={{-1,1}}
})"},
  };
}

INSTANTIATE_TEST_SUITE_P(HandedOn, TextVerdictsTest,
                         ::testing::ValuesIn(HandedOnCases()));
INSTANTIATE_TEST_SUITE_P(ToldOnce, TextVerdictsTest,
                         ::testing::ValuesIn(ToldOnceCases()));

}  // namespace
}  // namespace indim

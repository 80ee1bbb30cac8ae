// SPDX-License-Identifier: Apache-2.0
// Async chains, pairs, channels, aliasing, and what XLA takes or refuses of
// single operations.

#include "indim/tests/passes/text_verdicts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

using Case = TextVerdict;

TEST_P(TextVerdictsTest, Verdict) { Check(); }

// --- Async chains ------------------------------------------------------------

constexpr char kWrapped[] = R"(
wrapped {
  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
})";
constexpr char kStarted[] = "((f32[2]), f32[2], s32[])";

// The entry's instructions, after x = f32[2]; S stands for the shape of what is
// under way.
std::string Async(std::string entry, std::string before = "") {
  entry = absl::StrCat(kWrapped, before, R"(
ENTRY e {
  x = f32[2] parameter(0)
)",
                       entry, "\n}");
  for (size_t at = 0; (at = entry.find('S', at)) != std::string::npos;) {
    entry.replace(at, 1, kStarted);
    at += sizeof(kStarted) - 1;
  }
  return entry;
}

constexpr char kLoop[] = R"(
go_on {
  p = S parameter(0)
  ROOT t = pred[] constant(true)
}
turn {
  p = S parameter(0)
  done = f32[2] async-done(p), calls=wrapped
  ROOT again = S async-start(done), calls=wrapped
})";

std::vector<Case> AsyncCases() {
  return {
      {"start and done", {}, Async(R"(
  s = S async-start(x), calls=wrapped
  ROOT d = f32[2] async-done(s))")},
      {"updates between", {}, Async(R"(
  s = S async-start(x), calls=wrapped
  u = S async-update(s)
  v = S async-update(u)
  ROOT d = f32[2] async-done(v))")},
      {"a start is the root", {Code::kAsyncUsers}, Async(R"(
  ROOT s = S async-start(x), calls=wrapped)")},
      {"an update is the root",
       {Code::kAsyncUsers, Code::kAsyncUsers},
       Async(R"(
  s = S async-start(x), calls=wrapped
  ROOT u = S async-update(s))")},
      {"two dones", {Code::kAsyncUsers}, Async(R"(
  s = S async-start(x), calls=wrapped
  d = f32[2] async-done(s)
  c = f32[2] async-done(s)
  ROOT r = f32[2] add(c, d))")},
      {"a negation of what is under way", {Code::kAsyncUsers}, Async(R"(
  s = S async-start(x), calls=wrapped
  d = f32[2] async-done(s)
  ROOT b = (f32[2], pred[]) custom-call(d, s), custom_call_target="f")")},
      {"a done through a tuple", {}, Async(R"(
  s = S async-start(x), calls=wrapped
  t = (f32[2], S) tuple(x, s)
  g = S get-tuple-element(t), index=1
  ROOT d = f32[2] async-done(g), calls=wrapped)")},
      {"a done of a parameter", {Code::kAsyncOperand}, Async(R"(
  p = S parameter(1)
  ROOT d = f32[2] async-done(p), calls=wrapped)")},
      {"a loop takes it from turn to turn",
       {},
       Async(R"(
  s = S async-start(x), calls=wrapped
  w = S while(s), condition=go_on, body=turn
  ROOT d = f32[2] async-done(w), calls=wrapped)",
             kLoop)},
      {"a loop that nobody finishes",
       {},
       Async(R"(
  s = S async-start(x), calls=wrapped
  ROOT w = S while(s), condition=go_on, body=turn)",
             kLoop)},
      {"an async call that is read before it is done",
       {Code::kAsyncUsers},
       Async(R"(
  s = S async-start(x), calls=wrapped
  g = f32[2] get-tuple-element(s), index=1
  d = f32[2] async-done(s)
  ROOT r = f32[2] add(d, g))")},
      {"some arguments only",
       {Code::kCalleeArity},
       R"(
wrapped {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  ROOT c = f32[2] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  s = ((f32[2], f32[2]), f32[2], s32[]) async-start(x), calls=wrapped
  ROOT d = f32[2] async-done(s)
})"},
  };
}

// --- Aliasing of async operations --------------------------------------------

std::string Aliased(const char* pairs, const char* update = "") {
  return Async(absl::StrCat(R"(
  s = S async-start(x), calls=wrapped, output_to_operand_aliasing={)",
                            pairs, R"(}
  u = S async-update(s))",
                            update, R"(
  ROOT d = f32[2] async-done(u))"));
}

std::vector<Case> AliasingCases() {
  const auto update = [](const char* pairs) {
    return absl::StrCat(", output_to_operand_aliasing={", pairs, "}");
  };
  return {
      {"the result and its operand", {}, Aliased("{1}: (0, {})")},
      {"the argument and its operand", {}, Aliased("{0,0}: (0, {})")},
      {"no such operand", {Code::kAliasingIndex}, Aliased("{1}: (1, {})")},
      {"a negative operand", {Code::kAliasingIndex}, Aliased("{1}: (-1, {})")},
      {"no such part", {Code::kAliasingIndex}, Aliased("{1,0}: (0, {})")},
      {"the whole", {Code::kAliasingIndex}, Aliased("{}: (0, {})")},
      {"another shape", {Code::kAliasingShape}, Aliased("{2}: (0, {})")},
      {"the context", {}, Aliased("", update("{2}: (0, {2})").c_str())},
      {"an update's result",
       {Code::kAliasingIndex},
       Aliased("", update("{1}: (0, {2})").c_str())},
      {"what was updated before",
       {Code::kAliasingIndex},
       Aliased("", update("{2}: (0, {1})").c_str())},
  };
}

// --- Pairs and channels ---------------------------------------------

std::vector<Case> PairCases() {
  const auto sum = [](const char* entry) {
    return absl::StrCat(R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  s = f32[2] all-reduce-start(x), to_apply=sum
)",
                        entry, "\n}");
  };
  return {
      {"an order that is no use", {}, sum(R"(
  d = f32[2] all-reduce-done(s)
  o = () custom-call(s, x), custom_call_target="control_dep"
  ROOT r = f32[2] negate(d))")},
      {"any other call is one", {Code::kPairUsers}, sum(R"(
  d = f32[2] all-reduce-done(s)
  o = () custom-call(s, x), custom_call_target="f"
  ROOT r = f32[2] negate(d))")},
      {"a done through a tuple", {}, sum(R"(
  t = (f32[2], f32[2]) tuple(x, s)
  g = f32[2] get-tuple-element(t), index=1
  ROOT d = f32[2] all-reduce-done(g))")},
      {"a done of the tuple's other part",
       {Code::kPairOperand, Code::kPairUsers},
       sum(R"(
  t = (f32[2], f32[2]) tuple(x, s)
  g = f32[2] get-tuple-element(t), index=0
  ROOT d = f32[2] all-reduce-done(g))")},
      {"two dones through a tuple", {Code::kPairUsers}, sum(R"(
  t = (f32[2], f32[2]) tuple(s, s)
  g = f32[2] get-tuple-element(t), index=0
  h = f32[2] get-tuple-element(t), index=1
  d = f32[2] all-reduce-done(g)
  e = f32[2] all-reduce-done(h)
  ROOT r = f32[2] add(d, e))")},
      {"a done through a tuple of a barrier", {}, sum(R"(
  t = (f32[2], f32[2]) tuple(x, s)
  b = (f32[2], f32[2]) opt-barrier(t)
  g = f32[2] get-tuple-element(b), index=1
  h = f32[2] get-tuple-element(b), index=0
  d = f32[2] all-reduce-done(g)
  ROOT r = f32[2] add(d, h))")},
      {"a barrier is the root", {Code::kPairUsers}, sum(R"(
  ROOT b = f32[2] opt-barrier(s))")},
      {"read through a tuple and done", {Code::kPairUsers}, sum(R"(
  t = (f32[2], f32[2]) tuple(x, s)
  g = f32[2] get-tuple-element(t), index=1
  n = f32[2] negate(g)
  d = f32[2] all-reduce-done(g)
  ROOT r = f32[2] add(d, n))")},
      {"an order through a tuple is no use", {}, sum(R"(
  t = (f32[2], f32[2]) tuple(x, s)
  g = f32[2] get-tuple-element(t), index=1
  o = () custom-call(g, x), custom_call_target="control_dep"
  ROOT d = f32[2] all-reduce-done(g))")},
  };
}

std::string HostTransfers(const char* first, const char* second) {
  return absl::StrCat(R"(
ENTRY e {
  x = f32[] parameter(0)
  t = token[] after-all()
  a = (f32[], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true)",
                      first, R"(
  b = token[] send-done(a), channel_id=1, is_host_transfer=true
  c = (f32[], u32[], token[]) )",
                      second, R"(, channel_id=1, is_host_transfer=true
  ROOT d = token[] send-done(c), channel_id=1, is_host_transfer=true
})");
}

std::vector<Case> ChannelCases() {
  return {
      {"one transfer twice", {}, HostTransfers("", "send(x, b)")},
      {"a transfer of other attributes",
       {Code::kHostChannelDiffers},
       HostTransfers(", frontend_attributes={_xla_host=\"a\"}", "send(x, b)")},
      {"a recv on the channel of a send",
       {Code::kHostChannelDiffers},
       R"(
ENTRY e {
  x = f32[] parameter(0)
  t = token[] after-all()
  a = (f32[], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true
  b = token[] send-done(a), channel_id=1, is_host_transfer=true
  c = (f32[], u32[], token[]) recv(b), channel_id=1, is_host_transfer=true
  ROOT d = (f32[], token[]) recv-done(c), channel_id=1, is_host_transfer=true
})"},
  };
}

// --- What XLA's verifier doesn't look at -------------------------------------

std::vector<Case> LenientCases() {
  return {
      {"values for tokens",
       {Code::kTokenOdd, Code::kTokenOdd},
       R"(
ENTRY e {
  x = f32[] parameter(0)
  t = token[] after-all(x)
  s = (token[], u32[], token[]) send(t, x), channel_id=1
  ROOT d = token[] send-done(s), channel_id=1
})"},
      {"a feed without a token",
       {Code::kOperandNotToken},
       R"(
ENTRY e {
  x = f32[] parameter(0)
  ROOT i = (f32[], token[]) infeed(x)
})"},
      {"a loop of one turn only",
       {Code::kLoopShapeOdd},
       R"(
go_on {
  p = f32[2] parameter(0)
  ROOT t = pred[] constant(true)
}
turn {
  p = f32[2] parameter(0)
  ROOT c = f32[4] concatenate(p, p), dimensions={0}
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT w = f32[4] while(x), condition=go_on, body=turn
})"},
      {"a condition of another state",
       {Code::kCalleeParameter},
       R"(
go_on {
  p = f32[3] parameter(0)
  ROOT t = pred[] constant(true)
}
turn {
  ROOT p = f32[2] parameter(0)
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT w = f32[2] while(x), condition=go_on, body=turn
})"},
      {"tuples permuted two at a time", {}, R"(
ENTRY e {
  x = (f32[2], s32[]) parameter(0)
  s = (((f32[2], s32[]), (f32[2], s32[])), ((f32[2], s32[]), (f32[2], s32[]))) collective-permute-start(x, x), channel_id=1, source_target_pairs={{0,1}}
  ROOT d = ((f32[2], s32[]), (f32[2], s32[])) collective-permute-done(s)
})"},
      {"one tuple permuted",
       {Code::kOperandNotArray},
       R"(
ENTRY e {
  x = (f32[2], s32[]) parameter(0)
  s = ((f32[2], s32[]), (f32[2], s32[])) collective-permute-start(x), channel_id=1, source_target_pairs={{0,1}}
  ROOT d = (f32[2], s32[]) collective-permute-done(s)
})"},
      {"a broadcast that leaves some out", {}, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT b = f32[2] collective-broadcast(x), replica_groups={{2,0}}
})"},
      {"a broadcast to one twice",
       {Code::kReplicaGroupsOdd},
       R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT b = f32[2] collective-broadcast(x), replica_groups={{0,2},{2,3}}
})"},
      {"two pairs for two numbers of an offset",
       {Code::kPermutePairsOdd},
       R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  o = (s32[], s32[]) parameter(1)
  ROOT p = f32[2,3] collective-permute(x, x, o, o), source_target_pairs={{0,1},{0,2}}, slice_sizes={{1,3}}
})"},
      {"one result of a scan, bare", {}, R"(
step {
  p = f32[8] parameter(0)
  n = f32[8] negate(p)
  ROOT t = (f32[8]) tuple(n)
}
ENTRY e {
  x = f32[16,8] parameter(0)
  ROOT s = f32[16,8] scan(x), dimensions={0}, num_carries=0, is_associative=true, to_apply=step
})"},
  };
}

std::vector<Case> StrictCases() {
  return {
      {"a mapped parameter of another float type",
       {Code::kReducerPrecision},
       R"(
f {
  p = f32[] parameter(0)
  ROOT n = f32[] negate(p)
}
ENTRY e {
  x = f64[2] parameter(0)
  ROOT m = f32[2] map(x), dimensions={0}, to_apply=f
})"},
      {"offsets into both buffers", {}, R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[4,3] parameter(1)
  o = (s32[], s32[]) parameter(2)
  ROOT p = f32[4,3] collective-permute(x, y, o, o), source_target_pairs={{0,1}}, slice_sizes={{1,3}}
})"},
      {"an offset too few",
       {Code::kOperandShape},
       R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[4,3] parameter(1)
  o = (s32[], s32[]) parameter(2)
  i = (s32[]) parameter(3)
  ROOT p = f32[4,3] collective-permute(x, y, o, i), source_target_pairs={{0,1}}, slice_sizes={{1,3}}
})"},
      {"one buffer into two",
       {Code::kOperandShape},
       R"(
ENTRY e {
  x = f32[2] parameter(0)
  y = (f32[2], f32[2]) parameter(1)
  o = (s32[]) parameter(2)
  q = ((s32[]), (s32[])) parameter(3)
  ROOT p = (f32[2], f32[2]) collective-permute(x, y, o, q), source_target_pairs={{0,1}}, slice_sizes={{1}}
})"},
  };
}

// --- Memory ------------------------------------------------------------------

std::string AliasedEntry(const char* layout) {
  return absl::StrCat(
      ", input_output_alias={{}: (0, {}, must-alias)}, "
      "entry_computation_layout={(",
      layout, R"()->f32[4,2]{1,0}}
ENTRY e {
  x = f32[4,2]{1,0} parameter(0)
  ROOT r = f32[4,2]{1,0} negate(x)
})");
}

// A start that takes a buffer, and who else takes it.
std::string Takers(const char* others) {
  return absl::StrCat(R"(
taker {
  a = b(f32[4]) parameter(0)
  ROOT r = b(f32[4]) custom-call(a), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
}
ENTRY e {
  x = f32[4] parameter(0)
  b = b(f32[4]) custom-call(x), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  s = ((b(f32[4])), b(f32[4])) async-start(b), calls=taker
  d = b(f32[4]) async-done(s)
)",
                      others, R"(
  ROOT v = f32[4] custom-call(d), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}
})");
}

std::vector<Case> MemoryCases() {
  return {
      {"one layout", {}, AliasedEntry("f32[4,2]{1,0}")},
      {"another memory",
       {Code::kAliasMustShape},
       AliasedEntry("f32[4,2]{1,0:S(5)}")},
      {"an async start writes nothing", {}, Takers(R"(
  w = f32[4] custom-call(b), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})})")},
      {"two calls write", {Code::kBufferWriters}, Takers(R"(
  c = b(f32[4]) custom-call(b), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
  w = f32[4] custom-call(b), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})})")},
  };
}

INSTANTIATE_TEST_SUITE_P(Async, TextVerdictsTest,
                         ::testing::ValuesIn(AsyncCases()));
INSTANTIATE_TEST_SUITE_P(Aliasing, TextVerdictsTest,
                         ::testing::ValuesIn(AliasingCases()));
INSTANTIATE_TEST_SUITE_P(Pairs, TextVerdictsTest,
                         ::testing::ValuesIn(PairCases()));
INSTANTIATE_TEST_SUITE_P(Channels, TextVerdictsTest,
                         ::testing::ValuesIn(ChannelCases()));
INSTANTIATE_TEST_SUITE_P(Lenient, TextVerdictsTest,
                         ::testing::ValuesIn(LenientCases()));
INSTANTIATE_TEST_SUITE_P(Strict, TextVerdictsTest,
                         ::testing::ValuesIn(StrictCases()));
INSTANTIATE_TEST_SUITE_P(Memory, TextVerdictsTest,
                         ::testing::ValuesIn(MemoryCases()));

}  // namespace
}  // namespace indim

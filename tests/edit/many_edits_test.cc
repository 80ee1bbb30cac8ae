// SPDX-License-Identifier: Apache-2.0
// Many edits of one kind: what an Editor remembers of the graph stays true, and
// calls that take many at once do what as many single calls do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/edit/editor.h"
#include "indim/eval/values/random_literal.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// n parameters, every third of which something uses, called by two calls of the
// entry; the computation's root is a tuple of all that was made of them.
Module Called(int n) {
  std::string shapes, takes, names;
  for (int k = 0; k < n; ++k) {
    absl::StrAppend(&shapes, "  p", k, " = f32[", k + 1, "] parameter(", k,
                    ")\n");
  }
  std::string text = absl::StrCat("HloModule m\n\nf {\n", shapes);
  std::string results, types;
  for (int k = 0; k < n; k += 3) {
    absl::StrAppend(&text, "  n", k, " = f32[", k + 1, "] negate(p", k, ")\n");
    absl::StrAppend(&results, k == 0 ? "" : ", ", "n", k);
    absl::StrAppend(&types, k == 0 ? "" : ", ", "f32[", k + 1, "]");
  }
  for (int k = 0; k < n; ++k) {
    absl::StrAppend(&names, k == 0 ? "" : ", ", "p", k);
  }
  absl::StrAppend(&text, "  ROOT t = (", types, ") tuple(", results,
                  ")\n}\n\nENTRY e {\n", shapes, "  c = (", types, ") call(",
                  names, "), to_apply=f\n  d = (", types, ") call(", names,
                  "), to_apply=f\n  ROOT r = f32[1] get-tuple-element(d), "
                  "index=0\n}\n");
  return FromText(text);
}

std::vector<int64_t> Some(RandomStream* random, int64_t count, int64_t step) {
  std::vector<int64_t> some;
  for (int64_t k = 0; k < count; ++k) {
    if (k % step != 0 && random->Between(0, 1) == 1) some.push_back(k);
  }
  return some;
}

TEST(ManyEditsTest, RemoveParametersIsManyTimesRemoveParameter) {
  RandomStream random(1);
  for (int n = 1; n < 40; ++n) {
    SCOPED_TRACE(n);
    const Module module = Called(n);
    Editor once(module), singly(module);
    const std::vector<int64_t> numbers = Some(&random, n, 3);
    std::vector<int64_t> given = numbers;  // in any order, and again
    std::reverse(given.begin(), given.end());
    given.insert(given.end(), numbers.begin(), numbers.end());
    once.RemoveParameters(once.FindComputation("f"), given);
    for (size_t i = numbers.size(); i-- > 0;) {
      singly.RemoveParameter(singly.FindComputation("f"), numbers[i]);
    }
    const EditResult a = once.Finish(), b = singly.Finish();
    ASSERT_TRUE(a.ok()) << a.text();
    ASSERT_TRUE(b.ok()) << b.text();
    EXPECT_EQ(ToBytes(a.module), ToBytes(b.module));
  }
}

TEST(ManyEditsTest, ResultsAtOnceAreManyTimesOne) {
  RandomStream random(2);
  for (int n = 1; n < 40; ++n) {
    SCOPED_TRACE(n);
    const Module module = Called(n);
    Editor once(module), singly(module);
    const auto edit = [&](Editor* e, bool at_once) {
      const ComputationRef f = e->FindComputation("f");
      std::vector<InstructionRef> added;
      for (int64_t k = 0; k < n; k += 2) {
        added.push_back(e->parameters(f)[static_cast<size_t>(k)]);
      }
      RandomStream same(static_cast<uint64_t>(n));
      const std::vector<int64_t> gone = Some(&same, (n + 2) / 3, n + 7);
      if (at_once) {
        e->AddResults(f, added);
        e->RemoveResults(f, gone);
      } else {
        for (const InstructionRef x : added) e->AddResult(f, x);
        for (size_t i = gone.size(); i-- > 0;) e->RemoveResult(f, gone[i]);
      }
    };
    edit(&once, true);
    edit(&singly, false);
    const EditResult a = once.Finish(), b = singly.Finish();
    EXPECT_EQ(a.text(), b.text());
    EXPECT_EQ(a.ok() ? ToBytes(a.module) : "", b.ok() ? ToBytes(b.module) : "");
  }
}

TEST(ManyEditsTest, OneWrongNumberChangesNothing) {
  const Module module = Called(7);
  Editor e(module);
  const ComputationRef f = e.FindComputation("f");
  e.RemoveParameters(f, {1, 3});  // 3 is used
  e.RemoveParameters(f, {1, 7});  // there is no 7
  e.RemoveResults(f, {0, 3});     // nor a result 3
  e.AddResults(f, {e.parameters(f)[0], e.parameters(e.entry())[0]});
  EXPECT_EQ(e.parameters(f).size(), 7u);
  EXPECT_EQ(e.operands(e.root(f)).size(), 3u);
  const EditResult result = e.Finish();
  EXPECT_FALSE(result.ok());
  for (const char* code : {"IND1005", "IND1004", "IND1002"}) {
    EXPECT_THAT(result.text(), ::testing::HasSubstr(code));
  }
}

// Parameters and callers as they are, after any edits of both.
TEST(ManyEditsTest, ParametersAndCallersFollowEdits) {
  RandomStream random(3);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    Editor e(Called(9));
    const ComputationRef f = e.FindComputation("f");
    std::vector<std::string> names;
    for (const InstructionRef p : e.parameters(f)) names.push_back(e.name(p));
    int64_t made = 0;
    for (int step = 0; step < 20; ++step) {
      const int64_t count = static_cast<int64_t>(names.size());
      const int64_t k = count == 0 ? 0 : random.Between(0, count - 1);
      const size_t at = static_cast<size_t>(k);
      const int64_t kind = random.Between(0, 3);
      if (kind == 0) {
        const std::string name = absl::StrCat("new", ++made);
        e.AddParameter(f, Shape::Scalar(ElementType::kF32), name);
        names.push_back(name);
      } else if (kind == 1 && count > 0) {
        if (e.use_count(e.parameters(f)[at]) > 0) continue;
        e.RemoveParameter(f, k);
        names.erase(names.begin() + k);
      } else if (kind == 2 && count > 0) {
        e.SetSharding(e.parameters(f)[at], "");
      } else if (count > 0) {
        names[at] = absl::StrCat("named", ++made);
        e.SetName(e.parameters(f)[at], names[at]);
      }
      std::vector<std::string> now;
      for (const InstructionRef p : e.parameters(f)) now.push_back(e.name(p));
      ASSERT_EQ(now, names);
    }
  }
  Editor e(Called(3));
  const ComputationRef f = e.FindComputation("f");
  const InstructionRef c = e.Find("c"), d = e.Find("d");
  EXPECT_THAT(e.callers(f), ElementsAre(c, d));
  const ComputationRef copy = e.CloneComputation(f);
  EXPECT_THAT(e.callers(copy), IsEmpty());
  e.SetCallee(d, 0, copy);
  EXPECT_THAT(e.callers(f), ElementsAre(c));
  EXPECT_THAT(e.callers(copy), ElementsAre(d));
  e.SetCallee(d, 0, f);
  EXPECT_THAT(e.callers(f), ElementsAre(c, d));
  const InstructionRef again = e.Clone(c);
  EXPECT_THAT(e.callers(f), ElementsAre(c, d, again));
  e.Erase(again);
  e.Erase(c);
  EXPECT_THAT(e.callers(f), ElementsAre(d));
  EXPECT_EQ(e.computations().size(), 3u);
  e.Erase(copy);
  EXPECT_THAT(e.computations(), ElementsAre(f, e.entry()));
}

// New instructions stand where the edits say, however many at one place.
TEST(ManyEditsTest, ManyAtOnePlaceKeepTheirOrder) {
  for (const bool after : {false, true}) {
    Editor e(
        FromText("HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = "
                 "f32[] negate(x)\n  ROOT z = f32[] exponential(y)\n}\n"));
    const InstructionRef y = e.Find("y"), z = e.Find("z");
    std::vector<std::string> made;
    for (int k = 0; k < 3000; ++k) {
      Insertion at = after ? e.After(y) : e.Before(z);
      made.push_back(e.name(at.Insert(at->Neg(at.Use(y)))));
    }
    if (after) std::reverse(made.begin(), made.end());
    const EditResult result = e.Finish();
    ASSERT_TRUE(result.ok()) << result.text();
    std::vector<std::string> now;
    for (const Instruction i : result.module.entry().instructions()) {
      now.push_back(i.name());
    }
    ASSERT_EQ(now.size(), made.size() + 3);
    EXPECT_TRUE(std::equal(made.begin(), made.end(), now.begin() + 2));
  }
}

}  // namespace
}  // namespace indim

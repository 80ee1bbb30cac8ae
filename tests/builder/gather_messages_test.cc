// SPDX-License-Identifier: Apache-2.0
// What a person reads after mistakes in gathers, scatters, selects and loops.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/message_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// "slice_sizes={1,16}" or "index_vector_dim=1", as a person types it.
void TypeInto(const std::string& fix, GatherAttributes* gather) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(fix, '=');
  DimIndices numbers;
  for (const absl::string_view number : absl::StrSplit(
           parts.second, absl::ByAnyChar("{,}"), absl::SkipEmpty())) {
    int64_t value = 0;
    ASSERT_TRUE(absl::SimpleAtoi(number, &value)) << fix;
    numbers.push_back(value);
  }
  const std::map<std::string, DimIndices*> lists = {
      {"offset_dims", &gather->offset_dims},
      {"collapsed_slice_dims", &gather->collapsed_slice_dims},
      {"start_index_map", &gather->start_index_map},
      {"slice_sizes", &gather->slice_sizes}};
  if (const auto list = lists.find(parts.first); list != lists.end()) {
    *list->second = numbers;
    return;
  }
  ASSERT_EQ(parts.first, "index_vector_dim") << fix;
  ASSERT_EQ(numbers.size(), 1u) << fix;
  gather->index_vector_dim = numbers[0];
}

// The attributes have the names that XLA gives them.
TEST(GatherMessagesTest, GathersAndScatters) {
  GatherAttributes rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1, 16};
  const auto gather = [&](std::function<void(GatherAttributes&)> change) {
    GatherAttributes changed = rows;
    change(changed);
    return [=](TestBuilder& b) {
      return b.Gather(b.P("f32[8,16]"), b.P("s32[4]"), changed);
    };
  };
  ScatterAttributes add;
  add.update_window_dims = {1};
  add.inserted_window_dims = {0};
  add.scatter_dims_to_operand_dims = {0};
  add.index_vector_dim = 1;
  const auto scatter = [&](std::function<void(ScatterAttributes&)> change) {
    ScatterAttributes changed = add;
    change(changed);
    return [=](TestBuilder& b) {
      return b.Scatter(b.P("f32[8,16]"), b.P("s32[4]"), b.P("f32[4,16]"),
                       AddScalars(), changed);
    };
  };
  CheckMessages({
      {"offset dims", gather([](auto& g) { g.offset_dims = {2}; }), "IND0251",
       "gather: offset_dims={2} must name dims of the result, which has rank 2",
       "offset_dims={1}"},
      {"a dim from the end", gather([](auto& g) { g.offset_dims = {-1}; }),
       "IND0251", "offset_dims={-1}", "offset_dims={1}"},
      {"collapsed", gather([](auto& g) { g.collapsed_slice_dims = {}; }),
       "IND0256",
       "gather: offset_dims, collapsed_slice_dims and operand_batching_dims "
       "have 1 entry in all, but must have 2, one for each dim of f32[8,16]",
       "collapsed_slice_dims={0}"},
      {"map", gather([](auto& g) {
         g.start_index_map = {0, 1};
       }),
       "IND0253",
       "gather: start_index_map has 2 entries, but each index has length 1, as "
       "index_vector_dim=1 is one past the last dim of the indices",
       "start_index_map={0}"},
      {"map of no dim", gather([](auto& g) { g.start_index_map = {2}; }),
       "IND0251",
       "start_index_map={2} must name dims of the operand, which has rank 2",
       "start_index_map={1}"},
      {"index vector", gather([](auto& g) { g.index_vector_dim = 3; }),
       "IND0252", "index_vector_dim is 3, but must be in 0..1 for s32[4]",
       "index_vector_dim=1"},
      {"sizes", gather([](auto& g) { g.slice_sizes = {1}; }), "IND0241",
       "gather has 1 slice size, but f32[8,16] has rank 2",
       "slice_sizes={1,16}"},
      {"collapsed size", gather([](auto& g) {
         g.slice_sizes = {2, 16};
       }),
       "IND0255",
       "dim 0 of f32[8,16] is in collapsed_slice_dims, so its size in "
       "slice_sizes must be at most 1, not 2",
       "slice_sizes={1,16}"},
      {"order", gather([](auto& g) {
         g.offset_dims = {};
         g.collapsed_slice_dims = {1, 0};
       }),
       "IND0250", "collapsed_slice_dims={1,0} must be ascending", ""},
      {"inserted", scatter([](auto& s) { s.inserted_window_dims = {}; }),
       "IND0256",
       "scatter: update_window_dims, inserted_window_dims and "
       "input_batching_dims have 1 entry in all, but must have 2",
       "inserted_window_dims={0}"},
      {"window", scatter([](auto& s) {
         s.update_window_dims = {0, 1};
       }),
       "IND0257", "a dim for each of update_window_dims and for each dim of",
       "update_window_dims={1}"},
  });
}

TEST(GatherMessagesTest, FixesOfGathersWorkWhenTyped) {
  GatherAttributes rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1, 16};
  const std::function<void(GatherAttributes&)> mistakes[] = {
      [](auto& g) { g.offset_dims = {2}; },
      [](auto& g) { g.offset_dims = {-1}; },
      [](auto& g) { g.offset_dims = {}; },
      [](auto& g) { g.collapsed_slice_dims = {}; },
      [](auto& g) { g.collapsed_slice_dims = {-2}; },
      [](auto& g) {
        g.start_index_map = {0, 1};
      },
      [](auto& g) { g.start_index_map = {}; },
      [](auto& g) { g.start_index_map = {2}; },
      [](auto& g) { g.index_vector_dim = 0; },
      [](auto& g) { g.index_vector_dim = 3; },
      [](auto& g) { g.slice_sizes = {1}; },
      [](auto& g) {
        g.slice_sizes = {2, 16};
      },
      [](auto& g) {
        g.slice_sizes = {1, 17};
      },
  };
  for (const auto& mistake : mistakes) {
    GatherAttributes wrong = rows;
    mistake(wrong);
    TestBuilder b("wrong"), typed("typed");
    EXPECT_FALSE(
        b.Build(b.Gather(b.P("f32[8,16]"), b.P("s32[4]"), wrong)).ok());
    ASSERT_EQ(b.diagnostics().size(), 1u);
    const std::string fix = b.diagnostics()[0].fix;
    SCOPED_TRACE(b.DiagnosticsText() + fix);
    ASSERT_NE(fix, "");
    TypeInto(fix, &wrong);
    const Op op = typed.Gather(typed.P("f32[8,16]"), typed.P("s32[4]"), wrong);
    EXPECT_TRUE(typed.Build(op).ok()) << typed.DiagnosticsText();
  }
}

// A size that isn't known says nothing about a slice's.
TEST(GatherMessagesTest, SizesThatArentKnown) {
  GatherAttributes rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1};
  CheckMessages({{"columns",
                  [=](TestBuilder& b) {
                    return b.Gather(b.P("f32[8,?]"), b.P("s32[4]"), rows);
                  },
                  "IND0241", "gather has 1 slice size", "slice_sizes={1,1}"}});
}

TEST(LoopMessagesTest, SelectsAndLoops) {
  CheckMessages({
      {"predicate of numbers",
       [](TestBuilder& b) {
         const Op x = NamedParameter(b, "f32[8]", "x");
         return b.Select(x, x, x);
       },
       "IND0119", "operand 0 is f32[8], but must have element type pred",
       "Ne(x, 0) as operand 0: pred[8]"},
      {"predicate of rows",
       [](TestBuilder& b) {
         const Op p = NamedParameter(b, "pred[8]", "p"), x = b.P("f32[8,16]");
         return b.Select(p, x, x);
       },
       "IND0115", "",
       "BroadcastInDim(p, {8,16}, {0}) as operand 0: pred[8,16]"},
      {"carried type",
       [](TestBuilder& b) {
         const Op x = NamedParameter(b, "f32[8]", "x");
         return b.ForLoop(2, std::vector<Op>{b.P("s32[]"), x},
                          [&](Op, std::vector<Op> y) {
                            y[1] = b.ConvertElementType(y[1], ElementType::kF64,
                                                        Caller{"net.cc", 7});
                            return y;
                          })[1];
       },
       "IND0661",
       "while: a carried value begins as %x = f32[8] parameter(0) ("},
      {"line of the value",
       [](TestBuilder& b) {
         return b.ForLoop(2, b.P("f32[2]"), [&](Op, Op y) {
           return b.Reshape(y, {2, 1}, Caller{"net.cc", 9});
         });
       },
       "IND0661",
       "f32[2,1] for it, %reshape.4 = f32[2,1] reshape(%get-tuple-element.3) "
       "(net.cc:9); a value keeps its shape in all iterations; to fix: return "
       "Reshape(y, {2}), where y is what it returns now"},
  });
}

// x > 0 is an operator; what it finds wrong has the caller's line.
TEST(LoopMessagesTest, ComparisonsAreOperators) {
  const auto of = [](Op (*compare)(Op)) {
    return [=](TestBuilder& b) { return compare(b.P("f32[4]")); };
  };
  CheckCalls({{"greater", of([](Op x) { return x > 0; }), "pred[4]"},
              {"less", of([](Op x) { return x < x; }), "pred[4]"},
              {"at least", of([](Op x) { return 1 >= x; }), "pred[4]"},
              {"at most", of([](Op x) { return x <= 2.5; }), "pred[4]"}});
  TestBuilder b("main");
  const Op wrong = b.P("f32[4]") < b.P("f32[5]");
  const int line = __LINE__ - 1;
  EXPECT_FALSE(b.Build(wrong).ok());
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("gather_messages_test.cc:" + std::to_string(line)));
}

}  // namespace
}  // namespace indim

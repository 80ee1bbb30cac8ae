// SPDX-License-Identifier: Apache-2.0
// The tables of mistakes, and what their calls need.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/composites/special.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/mistakes.h"

namespace indim {
namespace {

// The broadcast_dimensions of a call; none unless a fix names them.
std::vector<int64_t> DimsOf(const Numbers& n) {
  const auto dims = n.find("broadcast_dimensions");
  return dims == n.end() ? std::vector<int64_t>() : dims->second;
}

// "padding=1,2,0,0,0,0": three numbers a dim.
std::vector<PaddingDim> PaddingOf(const Numbers& n) {
  std::vector<PaddingDim> padding;
  const std::vector<int64_t>& numbers = n.at("padding");
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
    padding.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return padding;
}

Op Sum(Op x, Op y) { return x + y; }
Op Less(Op x, Op y) { return x < y; }
Op LessOfFirst(absl::Span<const Op> pairs) { return pairs[0] < pairs[1]; }

// A computation of parameters of these shapes, which returns the first.
Callee Takes(TestBuilder& b, const std::vector<const char*>& shapes) {
  ComputationBuilder sub = b.SubBuilder("sub");
  Op first;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Op parameter = sub.Parameter(static_cast<int64_t>(i), shapes[i]);
    if (i == 0) first = parameter;
  }
  return sub.BuildCallee(first);
}

Op DropoutOf(TestBuilder& b, Op x, int64_t rate) {
  RandomState random;
  random.state = b.P("u64[2]");
  return Dropout(&random, x, static_cast<double>(rate));
}

// "starts=0,0;limits=8,3"
Numbers ReadNumbers(absl::string_view text) {
  Numbers numbers;
  for (const absl::string_view one :
       absl::StrSplit(text, ';', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(one, '=');
    std::vector<int64_t>& list = numbers[parts[0]];
    for (const absl::string_view number :
         absl::StrSplit(parts[1], ',', absl::SkipEmpty())) {
      EXPECT_TRUE(absl::SimpleAtoi(number, &list.emplace_back())) << text;
    }
  }
  return numbers;
}

}  // namespace

Op DotOf(TestBuilder& b, const Ops& x, const Numbers& n) {
  const std::vector<int64_t>&lhs = n.at("lhs_contracting_dims"),
        &rhs = n.at("rhs_contracting_dims");
  DotAttributes dot;
  dot.lhs_contracting_dims = DimIndices(lhs.begin(), lhs.end());
  dot.rhs_contracting_dims = DimIndices(rhs.begin(), rhs.end());
  return b.DotGeneral(x[0], x[1], dot);
}

#define INDIM_MISTAKE(name, operands, numbers, code, says, fix, ...) \
  {name,                                                             \
   absl::StrSplit(operands, ';'),                                    \
   ReadNumbers(numbers),                                             \
   []([[maybe_unused]] TestBuilder& b, const Ops& x,                 \
      [[maybe_unused]] const Numbers& n) { return __VA_ARGS__; },    \
   code,                                                             \
   says,                                                             \
   fix},

std::vector<Mistake> CallMistakes() {
  return {
#include "indim/tests/builder/call_mistakes.def"
  };
}

std::vector<Mistake> CompositeMistakes() {
  return {
#include "indim/tests/builder/composite_mistakes.def"
  };
}

#undef INDIM_MISTAKE

}  // namespace indim

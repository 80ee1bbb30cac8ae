// SPDX-License-Identifier: Apache-2.0
// Einsum and the matrix products made of it: random texts and shapes, on real
// XLA against NumPy.

#include "indim/builder/composites/einsum.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/matrix.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

const Types& EinsumTypes() {
  static const auto* const kTypes =
      new Types{ElementType::kF32, ElementType::kF64, ElementType::kS32,
                ElementType::kS64, ElementType::kC64, ElementType::kU32,
                ElementType::kF32, ElementType::kS16, ElementType::kBF16};
  return *kTypes;
}

// A text and the shapes that it is of.
class RandomEinsum {
 public:
  explicit RandomEinsum(RandomOperands& random) : random_(random) {
    for (int64_t n = random.Between(0, 2); n > 0; --n) {
      hidden_.push_back(random.Between(1, 3));
    }
    uses_ellipsis_ = random.OneIn(2);
    const int64_t operands = random.Between(1, 4);
    std::vector<std::string> terms;
    for (int64_t i = 0; i < operands; ++i) terms.push_back(Term());
    text = absl::StrJoin(terms, random.OneIn(4) ? " , " : ",");
    if (!random.OneIn(4)) absl::StrAppend(&text, "->", Result());
  }

  std::string text;
  std::vector<Sizes> shapes;

 private:
  std::string Term() {
    const std::string letters = "ijkaZB";
    std::string term;
    Sizes sizes;
    const bool ellipsis = uses_ellipsis_ && !random_.OneIn(4);
    const int64_t count = random_.Between(0, 3);
    const int64_t at = random_.Between(0, count);
    for (int64_t i = 0; i <= count; ++i) {
      if (i == at && ellipsis) {
        term += "...";
        has_ellipsis_ = true;
        const int64_t rest =
            random_.Between(0, static_cast<int64_t>(hidden_.size()));
        for (size_t d = hidden_.size() - rest; d < hidden_.size(); ++d) {
          sizes.push_back(random_.OneIn(3) ? 1 : hidden_[d]);
        }
      }
      if (i == count) break;
      const char label = letters[random_.Between(0, 5)];
      if (!sizes_.count(label)) {
        sizes_[label] = random_.OneIn(25) ? 0 : random_.Between(1, 4);
      }
      term.push_back(label);
      if (random_.OneIn(8)) term.push_back(' ');
      sizes.push_back(sizes_[label]);
    }
    shapes.push_back(sizes);
    return term;
  }

  std::string Result() {
    std::vector<std::string> parts;
    if (has_ellipsis_) parts.push_back("...");
    for (const auto& [label, size] : sizes_) {
      if (!random_.OneIn(3)) parts.push_back(std::string(1, label));
    }
    std::string result;
    for (int64_t i : random_.Permutation(static_cast<int64_t>(parts.size()))) {
      result += parts[i];
    }
    return result;
  }

  RandomOperands& random_;
  Sizes hidden_;  // what "..." stands for
  bool uses_ellipsis_ = false;
  bool has_ellipsis_ = false;
  std::map<char, int64_t> sizes_;
};

TEST(EinsumTest, Random) {
  RandomOperands random(1);
  for (uint32_t seed = 0; seed < 20; seed += SampleStep(4)) {
    JudgedModule m("einsum", seed);
    for (int i = 0; i < 20; ++i) {
      const RandomEinsum einsum(random);
      const ElementType type = random.Pick(EinsumTypes());
      std::vector<Op> ops;
      std::string call = absl::StrCat("np.einsum('", einsum.text, "'");
      for (const Sizes& sizes : einsum.shapes) {
        // One operand of narrow floats rounds once; sums of more would not.
        const ElementType own =
            type == ElementType::kBF16 && einsum.shapes.size() > 1
                ? ElementType::kF32
                : type;
        const auto x = m.AddInput(MakeShape(own, sizes), Domain::kSmall);
        ops.push_back(x.op);
        absl::StrAppend(&call, ", ", x.name);
      }
      m.Expect(Einsum(einsum.text, ops), absl::StrCat(call, ")"));
    }
    m.Run();
  }
}

TEST(EinsumTest, MatMul) {
  RandomOperands random(2);
  for (uint32_t seed = 0; seed < 4; ++seed) {
    JudgedModule m("matmul", seed);
    for (int i = 0; i < 20; ++i) {
      const int64_t inner = random.Between(0, 4);
      const Sizes front = random.Dims(random.Between(0, 2));
      const auto make = [&](bool left) {
        Sizes sizes;
        if (random.OneIn(4)) return Sizes{inner};
        for (size_t d = random.Between(0, front.size()); d < front.size();
             ++d) {
          sizes.push_back(random.OneIn(3) ? 1 : front[d]);
        }
        const int64_t outer = random.Between(1, 4);
        sizes.push_back(left ? outer : inner);
        sizes.push_back(left ? inner : outer);
        return sizes;
      };
      const ElementType type =
          i % 2 == 0 ? ElementType::kF32 : ElementType::kS32;
      const auto x = m.AddInput(MakeShape(type, make(true)), Domain::kSmall);
      const auto y = m.AddInput(MakeShape(type, make(false)), Domain::kSmall);
      m.Expect(MatMul(x.op, y.op),
               absl::StrCat("np.matmul(", x.name, ", ", y.name, ")"));
    }
    m.Run();
  }
}

TEST(EinsumTest, BatchDot) {
  JudgedModule m("batch_dot");
  for (bool transpose_x : {false, true}) {
    for (bool transpose_y : {false, true}) {
      const auto x =
          m.AddInput(transpose_x ? "f32[2,4,3]" : "f32[2,3,4]", Domain::kSmall);
      const auto y =
          m.AddInput(transpose_y ? "f32[1,5,4]" : "f32[1,4,5]", Domain::kSmall);
      m.Expect(BatchDot(x.op, transpose_x, y.op, transpose_y),
               absl::StrCat(
                   "np.matmul(", x.name, transpose_x ? ".transpose(0,2,1)" : "",
                   ", ", y.name, transpose_y ? ".transpose(0,2,1)" : "", ")"));
    }
  }
  m.Run();
}

TEST(EinsumTest, PreferredElementType) {
  JudgedModule m("preferred");
  const auto x = m.AddInput("s8[2,3]"), y = m.AddInput("s8[3,4]");
  m.Expect(Einsum("ij,jk", {x.op, y.op}, ElementType::kS32),
           absl::StrCat("np.matmul(", x.name, ".astype(int), ", y.name,
                        ".astype(int))"));
  m.Expect(MatMul(x.op, y.op, ElementType::kS32),
           absl::StrCat("np.matmul(", x.name, ".astype(int), ", y.name,
                        ".astype(int))"));
  m.Run();
}

}  // namespace
}  // namespace indim

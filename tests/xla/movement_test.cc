// SPDX-License-Identifier: Apache-2.0
// Ops that move data, of random shapes and element types, on real XLA against
// NumPy.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

const Types& AnyType() {
  static const auto* const kTypes =
      new Types{ElementType::kPred,  ElementType::kS8,   ElementType::kS16,
                ElementType::kS32,   ElementType::kS64,  ElementType::kU8,
                ElementType::kU16,   ElementType::kU32,  ElementType::kU64,
                ElementType::kF16,   ElementType::kBF16, ElementType::kF32,
                ElementType::kF64,   ElementType::kC64,  ElementType::kC128,
                ElementType::kF8E5M2};
  return *kTypes;
}

class MovementTest : public testing::Test {
 protected:
  // A few modules, each of as many results as there are element types.
  // `add_case` adds one for an input of the type.
  void Run(const std::function<void(JudgedModule&, ElementType)>& add_case) {
    for (uint32_t seed = 0; seed < 3; seed += SampleStep(3)) {
      JudgedModule m("movement", seed);
      for (ElementType type : AnyType()) add_case(m, type);
      m.Run();
    }
  }

  RandomOperands random_{13};
};

TEST_F(MovementTest, Broadcast) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims(random_.Between(0, 3));
    const Sizes front = random_.Dims(random_.Between(0, 2));
    Sizes all = front;
    all.insert(all.end(), dims.begin(), dims.end());
    const auto x = m.AddInput(MakeShape(type, dims));
    m.Expect(
        m.builder().Broadcast(x.op, front),
        absl::StrCat("np.broadcast_to(", x.name, ", ", PythonList(all), ")"));
  });
}

TEST_F(MovementTest, BroadcastInDim) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes result = random_.Dims();
    const std::vector<int64_t> dims = random_.Subset(result.size());
    Sizes sizes;
    for (int64_t d : dims) sizes.push_back(random_.OneIn(3) ? 1 : result[d]);
    const auto x = m.AddInput(MakeShape(type, sizes));
    m.Expect(m.builder().BroadcastInDim(x.op, result, dims),
             absl::StrCat("in_dim(", x.name, ", ", PythonList(result), ", ",
                          PythonList(dims), ")"));
  });
}

TEST_F(MovementTest, Reshape) {
  Run([&](JudgedModule& m, ElementType type) {
    // The factors of one count, shared out twice.
    const Sizes factors = {2, 3, 2, random_.OneIn(8) ? 0 : 2};
    const auto share = [&] {
      Sizes sizes(random_.Between(1, 4), 1);
      for (int64_t f : factors) {
        sizes[random_.Between(0, static_cast<int64_t>(sizes.size()) - 1)] *= f;
      }
      return sizes;
    };
    const auto x = m.AddInput(MakeShape(type, share()));
    const Sizes result = share();
    m.Expect(m.builder().Reshape(x.op, result),
             absl::StrCat(x.name, ".reshape(", PythonList(result), ")"));
  });
}

TEST_F(MovementTest, ReshapeToWhatIsLeft) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.FullDims(random_.Between(0, 3));
    int64_t count = 1;
    for (const int64_t size : dims) count *= size;
    Sizes result;
    for (int64_t n = random_.Between(0, 2); n > 0; --n) {
      const int64_t size = random_.Between(1, 4);
      result.push_back(count % size == 0 ? size : 1);
      count /= result.back();
    }
    result.insert(result.begin() + random_.Between(0, result.size()), -1);
    const auto x = m.AddInput(MakeShape(type, dims));
    m.Expect(m.builder().Reshape(x.op, result),
             absl::StrCat(x.name, ".reshape(", PythonList(result), ")"));
  });
}

// NumPy's basic indexing, ends beyond the array, empty ranges, new dims and
// places that are known at run time included.
TEST_F(MovementTest, Index) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.FullDims(random_.Between(1, 4));
    const auto x = m.AddInput(MakeShape(type, dims));
    const auto place = m.AddInput("s32[]", "0");
    for (int round = 0; round < 4; ++round) {
      std::vector<IndexArg> indices;
      std::vector<std::string> texts;
      const int64_t count = random_.Between(1, dims.size());
      // The last dims, or the first ones.
      const bool last = random_.OneIn(3);
      if (last) {
        indices.push_back(kEllipsis);
        texts.push_back("...");
      }
      for (int64_t i = 0; i < count; ++i) {
        const int64_t size = dims[last ? dims.size() - count + i : i];
        if (random_.OneIn(5)) {
          indices.push_back(kNewAxis);
          texts.push_back("None");
        }
        if (random_.OneIn(5)) {
          indices.push_back(place.op);
          texts.push_back("0");
          continue;
        }
        if (random_.OneIn(3)) {
          indices.push_back(random_.Between(-size, size - 1));
          texts.push_back(absl::StrCat(indices.back().number()));
          continue;
        }
        const auto end = [&]() -> std::optional<int64_t> {
          if (random_.OneIn(3)) return std::nullopt;
          return random_.Between(-size - 2, size + 2);
        };
        const auto text = [](std::optional<int64_t> e) {
          return e ? absl::StrCat(*e) : std::string();
        };
        const auto start = end(), stop = end();
        const int64_t strides[] = {1, 2, 3, 100, -1, -2, -3, -100};
        const int64_t stride = strides[random_.Between(0, 7)];
        indices.push_back(Range(start, stop, stride));
        texts.push_back(
            absl::StrCat(text(start), ":", text(stop), ":", stride));
      }
      m.Expect(m.builder().Index(x.op, indices),
               absl::StrCat(x.name, "[", absl::StrJoin(texts, ", "), "]"));
    }
  });
}

TEST_F(MovementTest, DynamicSliceOfWholeDims) {
  Run([&](JudgedModule& m, ElementType type) {
    const auto x = m.AddInput(MakeShape(type, {2, 4, 3}));
    const auto i = m.AddInput("s32[]", "1"), zero = m.AddInput("s32[]", "0");
    m.Expect(m.builder().DynamicSlice(x.op, {zero.op, i.op, zero.op},
                                      {kWhole, 2, kWhole}),
             absl::StrCat(x.name, "[:, 1:3]"));
  });
}

TEST_F(MovementTest, Transpose) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims();
    const std::vector<int64_t> order = random_.Permutation(dims.size());
    const auto x = m.AddInput(MakeShape(type, dims));
    m.Expect(m.builder().Transpose(x.op), absl::StrCat(x.name, ".T"));
    m.Expect(m.builder().Transpose(x.op, order),
             absl::StrCat("transpose(", x.name, ", ", PythonList(order), ")"));
  });
}

TEST_F(MovementTest, Reverse) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims();
    const std::vector<int64_t> reversed = random_.Subset(dims.size());
    const auto x = m.AddInput(MakeShape(type, dims));
    m.Expect(m.builder().Rev(x.op, reversed),
             absl::StrCat("reverse(", x.name, ", ", PythonList(reversed), ")"));
  });
}

TEST_F(MovementTest, Slice) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims();
    std::vector<int64_t> starts;
    std::vector<int64_t> limits;
    std::vector<int64_t> strides;
    for (int64_t size : dims) {
      starts.push_back(random_.Between(0, size));
      limits.push_back(random_.Between(starts.back(), size));
      strides.push_back(random_.Between(1, 3));
    }
    const auto x = m.AddInput(MakeShape(type, dims));
    m.Expect(m.builder().Slice(x.op, starts, limits, strides),
             absl::StrCat("slices(", x.name, ", ", PythonList(starts), ", ",
                          PythonList(limits), ", ", PythonList(strides), ")"));
  });
}

TEST_F(MovementTest, SliceInDim) {
  Run([&](JudgedModule& m, ElementType type) {
    const auto x = m.AddInput(MakeShape(type, {2, 4, 3}));
    m.Expect(m.builder().SliceInDim(x.op, 1, 4, 2, 1),
             absl::StrCat(x.name, "[:, 1:4:2]"));
  });
}

TEST_F(MovementTest, Concatenate) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims(random_.Between(1, 4));
    const int64_t d = random_.Between(0, static_cast<int64_t>(dims.size()) - 1);
    std::vector<Op> ops;
    std::vector<std::string> names;
    for (int64_t n = random_.Between(1, 4); n > 0; --n) {
      Sizes piece = dims;
      piece[d] = random_.Between(0, 3);
      const auto x = m.AddInput(MakeShape(type, piece));
      ops.push_back(x.op);
      names.push_back(x.name);
    }
    m.Expect(m.builder().ConcatInDim(ops, d),
             absl::StrCat("concatenate([", absl::StrJoin(names, ", "), "], ", d,
                          ")"));
  });
}

TEST_F(MovementTest, Pad) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.FullDims(random_.Between(0, 4));
    std::vector<PaddingDim> padding;
    std::string list;
    for (int64_t size : dims) {
      PaddingDim p;
      p.interior = random_.OneIn(3) ? random_.Between(1, 2) : 0;
      // Cuts off no more than there is.
      const int64_t grown = size + (size - 1) * p.interior;
      p.low = random_.Between(-std::min<int64_t>(grown / 2, 2), 2);
      p.high = random_.Between(-std::min<int64_t>(grown / 2, 2), 2);
      padding.push_back(p);
      absl::StrAppend(&list, "(", p.low, ",", p.high, ",", p.interior, "),");
    }
    const auto x = m.AddInput(MakeShape(type, dims));
    const auto value = m.AddInput(MakeShape(type, {}));
    m.Expect(m.builder().Pad(x.op, value.op, padding),
             absl::StrCat("pad(", x.name, ", ", value.name, ", [", list, "])"));
  });
}

TEST_F(MovementTest, Iota) {
  Run([&](JudgedModule& m, ElementType type) {
    if (type == ElementType::kPred) return;  // not of numbers
    const Sizes dims = random_.Dims(random_.Between(1, 4));
    const int64_t d = random_.Between(0, static_cast<int64_t>(dims.size()) - 1);
    m.Expect(m.builder().Iota(MakeShape(type, dims), d),
             absl::StrCat("iota(", PythonList(dims), ", ", d, ")"));
  });
}

TEST_F(MovementTest, Splat) {
  Run([&](JudgedModule& m, ElementType type) {
    const Sizes dims = random_.Dims();
    m.Expect(m.builder().Splat(1, MakeShape(type, dims)),
             absl::StrCat("np.ones(", PythonList(dims), ")"));
  });
}

}  // namespace
}  // namespace indim

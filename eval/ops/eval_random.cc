// SPDX-License-Identifier: Apache-2.0
// rng-bit-generator: Philox4x32-10 and ThreeFry2x32-20 (Salmon et al., SC
// 2011), with XLA's counters and order of bits (RngBitGeneratorExpander).

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"

namespace indim {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Join(uint32_t low, uint32_t high) {
  return uint64_t{low} | uint64_t{high} << 32;
}

// --- Philox ------------------------------------------------------------------
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> x, uint64_t key) {
  uint32_t k0 = Low(key), k1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{x[0]} * 0xD2511F53;
    const uint64_t p1 = uint64_t{x[2]} * 0xCD9E8D57;
    x = {High(p1) ^ x[1] ^ k0, Low(p1), High(p0) ^ x[3] ^ k1, Low(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

// A 128-bit counter.
struct Counter128 {
  uint64_t low, high;
  Counter128 operator+(uint64_t n) const {
    return {low + n, low + n < low ? high + 1 : high};
  }
};

// Element i of blocks of 128 bits, cut into 4 words of 32 bits (narrower
// elements take the lower bits) or 2 words of 64.
uint64_t PhiloxElement(Counter128 counter, uint64_t key, uint64_t i,
                       bool is_wide) {
  const uint64_t per_block = is_wide ? 2 : 4;
  const Counter128 c = counter + i / per_block;
  const std::array<uint32_t, 4> block =
      Philox({Low(c.low), High(c.low), Low(c.high), High(c.high)}, key);
  const size_t part = static_cast<size_t>(i % per_block);
  return is_wide ? Join(block[2 * part], block[2 * part + 1]) : block[part];
}

// --- ThreeFry ----------------------------------------------------------------
std::array<uint32_t, 2> ThreeFry(uint64_t counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k0 = Low(key), k1 = High(key);
  const uint32_t keys[3] = {k0, k1, 0x1BD11BDA ^ k0 ^ k1};
  uint32_t x0 = Low(counter) + k0, x1 = High(counter) + k1;
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = (x1 << rotation | x1 >> (32 - rotation)) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

// Each counter gives two words, which become neighbours along one dim: the
// first of even size, else the longest.
struct Halves {
  Sizes sizes;  // of the counters
  size_t dim = 0;

  explicit Halves(const Sizes& all) : sizes(all) {
    if (all.empty()) return;
    const auto even = std::find_if(all.begin(), all.end(),
                                   [](int64_t n) { return n % 2 == 0; });
    dim = static_cast<size_t>(
        (even != all.end() ? even : std::max_element(all.begin(), all.end())) -
        all.begin());
    sizes[dim] = sizes[dim] / 2 + sizes[dim] % 2;
  }
};

// --- Both --------------------------------------------------------------------
Value StateOf(absl::Span<const uint64_t> words) {
  std::string bytes(words.size() * 8, '\0');
  for (size_t i = 0; i < words.size(); ++i) {
    StoreScalar(ElementType::kU64, Scalar::Bits(words[i]), &bytes[8 * i]);
  }
  return Value::Array(ElementType::kU64, {static_cast<int64_t>(words.size())},
                      std::move(bytes));
}

Value FillPhilox(std::vector<uint64_t> state, ArrayMaker array) {
  const uint64_t key = state[0];
  const Counter128 counter = state.size() == 2 ? Counter128{state[1], state[0]}
                                               : Counter128{state[1], state[2]};
  const bool is_wide = Info(array.type()).bits == 64;
  const uint64_t per_block = is_wide ? 2 : 4;
  const uint64_t count = static_cast<uint64_t>(array.count());
  for (uint64_t i = 0; i < count; ++i) {
    array.Set(static_cast<int64_t>(i),
              Scalar::Bits(PhiloxElement(counter, key, i, is_wide)));
  }
  const Counter128 next = counter + (count + per_block - 1) / per_block;
  state[1] = next.low;
  if (state.size() > 2) state[2] = next.high;
  return Value::Tuple({StateOf(state), std::move(array).Finish()});
}

Value FillThreeFry(std::vector<uint64_t> state, ArrayMaker array) {
  const uint64_t key = state[0], counter = state[1];
  uint64_t used = static_cast<uint64_t>(array.count());
  if (Info(array.type()).bits == 64) {
    for (int64_t i = 0; i < array.count(); ++i) {
      const auto words = ThreeFry(counter + static_cast<uint64_t>(i), key);
      array.Set(i, Scalar::Bits(Join(words[0], words[1])));
    }
  } else {
    const Halves halves(array.sizes());
    const Sizes strides = StridesOf(halves.sizes);
    used = 1;
    for (int64_t size : halves.sizes) used *= static_cast<uint64_t>(size);
    int64_t at = 0;
    for (Counter i(array.sizes()); !i.done(); i.Next(), ++at) {
      Sizes half = i.index();
      size_t part = 0;
      if (!half.empty()) {
        part = static_cast<size_t>(half[halves.dim] % 2);
        half[halves.dim] /= 2;
      }
      const uint64_t number = static_cast<uint64_t>(LinearIndex(half, strides));
      array.Set(at, Scalar::Bits(ThreeFry(counter + number, key)[part]));
    }
  }
  state[1] = counter + used;
  return Value::Tuple({StateOf(state), std::move(array).Finish()});
}

}  // namespace

// (state, bits). XLA's CPU uses Philox for the default algorithm.
std::optional<Value> EvalRngBitGenerator(Evaluation& e) {
  const RandomAlgorithm algorithm =
      e.attributes_as<RngBitGeneratorAttributes>().algorithm;
  const Value& operand = e.operand(0);
  const bool three_fry = algorithm == RandomAlgorithm::kThreeFry;
  if (operand.type() != ElementType::kU64) return e.FailType(0);
  if (operand.rank() != 1 || operand.count() < 2 ||
      operand.count() > (three_fry ? 2 : 3)) {
    return e.Fail("its state must have the size that the algorithm needs");
  }
  const Shape* declared = e.declared();
  if (declared == nullptr || !declared->is_tuple() ||
      declared->tuple_size() != 2 || !declared->elements()[1].has_rank()) {
    return e.Fail("the array that it gives isn't recorded");
  }
  const Shape& bits = declared->elements()[1];
  if (!IsIntegral(bits.element_type())) {
    return e.Fail("it can make integers only");
  }
  Sizes sizes;
  for (Dim dim : bits.dims()) {
    if (!dim.has_upper()) return e.Fail("its size isn't known");
    sizes.push_back(dim.size());
  }
  ArrayMaker array;
  if (!e.NewArray(bits.element_type(), sizes, &array)) return std::nullopt;
  std::vector<uint64_t> state;
  for (int64_t i = 0; i < operand.count(); ++i) {
    state.push_back(operand.At(i).bits);
  }
  return three_fry ? FillThreeFry(std::move(state), std::move(array))
                   : FillPhilox(std::move(state), std::move(array));
}

}  // namespace indim

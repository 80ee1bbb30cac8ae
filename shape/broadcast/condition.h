// SPDX-License-Identifier: Apache-2.0
// Conditions on sizes that are not known yet, which must hold at run time:
// their text, whether facts decide them, their simplest form.

#ifndef INDIM_SHAPE_BROADCAST_CONDITION_H_
#define INDIM_SHAPE_BROADCAST_CONDITION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Dim `dim` of operand `operand`; operand -1 is the result.
struct DimRef {
  int32_t operand = 0;
  int32_t dim = 0;
  friend bool operator==(DimRef a, DimRef b) {
    return a.operand == b.operand && a.dim == b.dim;
  }
};

// A side of a condition: the size of a dim, by its place, or a size itself: a
// number or an expression of named sizes.
class ConditionSize {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): {kind, place, size}.
  ConditionSize(DimRef place) : place_(place), size_(Dim::Unknown()) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  ConditionSize(Dim size) : place_{kNoOperand, 0}, size_(size) {}

  bool is_place() const { return place_.operand != kNoOperand; }
  DimRef place() const { return place_; }  // operand < 0: the result's, or none
  Dim size() const { return size_; }       // of a place: `?`

  friend bool operator==(const ConditionSize& a, const ConditionSize& b) {
    return a.place_ == b.place_ && a.size_ == b.size_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const ConditionSize& side) {
    return H::combine(std::move(h), side.place_.operand, side.place_.dim,
                      side.size_);
  }

 private:
  static constexpr int32_t kNoOperand = -2;
  DimRef place_;
  Dim size_;
};

// If it doesn't hold, the rule's document calls the behaviour undefined. A dim
// of the result stands in it where three or more operands may stretch: its size
// is then the one size other than 1 among the operands' dims at that place, or
// 1.
struct Condition {
  enum class Kind : uint8_t {
    kEqual,             // a == b
    kOneOrEqual,        // a == 1 or a == b: a may stretch, b may not
    kEitherOneOrEqual,  // a == 1, b == 1 or a == b
    kAtMost,            // a <= b
    kDivisible,         // a % b == 0; b is a number
  };
  Kind kind;
  ConditionSize a, b;

  bool has_place() const { return a.is_place() || b.is_place(); }
  friend bool operator==(const Condition& x, const Condition& y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Condition& c) {
    return H::combine(std::move(h), c.kind, c.a, c.b);
  }
};

// Of sizes alone: "b == c", "n == 1 or n == m", "n <= 8", "n % 4 == 0". Of
// places: "operand 0 dim 1 is 1 or equals operand 1 dim 0", "result dim 0 is
// 7".
std::string ToString(const Condition& condition);

// `condition`, of an operation with these operands and this result (null:
// unknown), with sizes in place of places. nullopt: a size is neither static
// nor symbolic, or a dim doesn't exist.
std::optional<Condition> WithSizes(const Condition& condition,
                                   absl::Span<const Shape* const> operands,
                                   const Shape* result);

// The following take conditions without places; all sizes are static or
// symbolic.

// Whether the symbols' facts prove or refute `condition`.
Answer Decide(const Condition& condition);

// An equivalent condition without the terms and factors that both sides share:
// 4*n == 32 becomes n == 8, n+m == 2*m becomes n == m. nullopt: it can't hold.
std::optional<Condition> Simplify(const Condition& condition);

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_CONDITION_H_

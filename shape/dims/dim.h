// SPDX-License-Identifier: Apache-2.0
// Dim: the size of one dimension: known, bounded, or unknown.
//
// It is one 64-bit word, compared as a word. The kinds:
//
//   n        static: exactly n, 0 <= n < 2^63
//   <=n      bounded, XLA's dynamic dimension: anything in 0..n. `<=0` is not
//            `0` and `<=1` is not `1`, because XLA distinguishes them
//   ?        unknown: anything from 0 up (XLA calls it unbounded)
//   lo..hi   an interval, lo >= 1: OpenVINO's dimensions
//   lo..     an interval without an upper end, lo >= 1
//   2*n+1    an expression over named symbols (dim_expr.h): one size that is
//            not known yet; equal expressions have equal sizes
//
// n..n is always the static n (also for 0), 0..n otherwise the bounded n, 0..
// the unknown. Bounds of `<=n` reach 2^62-1, finite ends of intervals 2^30-1.
// Shape functions use lower(), upper() and DimMath (dim_math.h), so a new kind
// of Dim needs no new shape function.

#ifndef INDIM_SHAPE_DIMS_DIM_H_
#define INDIM_SHAPE_DIMS_DIM_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace indim {

class Dim {
 public:
  // "No upper end" as the result of upper().
  static constexpr int64_t kInfinity = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kMaxBound = (int64_t{1} << 62) - 1;
  static constexpr int64_t kMaxIntervalEnd = (int64_t{1} << 30) - 1;

  // Static 0.
  constexpr Dim() : word_(0) {}

  // Static `size`; a negative one becomes 0 (readers check before).
  static constexpr Dim Static(int64_t size) {
    return Dim(size < 0 ? 0 : static_cast<uint64_t>(size));
  }
  // `<=bound`, clamped into 0..kMaxBound (readers check before).
  static constexpr Dim Bounded(int64_t bound) {
    return Dim(kBoundedTag |
               static_cast<uint64_t>(bound < 0           ? 0
                                     : bound > kMaxBound ? kMaxBound
                                                         : bound));
  }
  // `?`
  static constexpr Dim Unknown() { return Dim(kUnknownWord); }

  // lower..upper, upper inclusive (kInfinity: none), in its normal form (see
  // above). nullopt when lower < 0, lower > upper, or an end is too large.
  static std::optional<Dim> Interval(int64_t lower, int64_t upper);

  // The tightest Dim that holds all of lower..upper: as Interval, but ends that
  // are too large are widened outwards. If only the upper end is too large for
  // an interval, the result is `<=upper`. A lower end below 0 counts as 0, an
  // upper end below the lower end as the lower end.
  static Dim Hull(int64_t lower, int64_t upper);

  constexpr bool is_static() const { return (word_ >> 63) == 0; }
  constexpr bool is_bounded() const { return (word_ >> 62) == 2; }
  constexpr bool is_unknown() const { return word_ == kUnknownWord; }
  constexpr bool is_interval() const { return (word_ >> 61) == 6; }
  constexpr bool is_symbolic() const {
    return (word_ >> 61) == 7 && !is_unknown();
  }
  // Static, of this size.
  constexpr bool is(int64_t size) const {
    return is_static() && word_ == static_cast<uint64_t>(size);
  }

  // The size of a static dim; of other dims upper() (XLA's "bound").
  constexpr int64_t size() const { return upper(); }
  // The smallest size; of a symbolic dim, as the facts of its symbols imply.
  constexpr int64_t lower() const {
    return is_static()     ? static_cast<int64_t>(word_)
           : is_interval() ? static_cast<int64_t>((word_ >> 31) & kLowerMask)
           : is_symbolic() ? SymbolicLower(word_)
                           : 0;
  }
  // The largest size, kInfinity when there is none.
  constexpr int64_t upper() const {
    return is_static()    ? static_cast<int64_t>(word_)
           : is_bounded() ? static_cast<int64_t>(word_ & kBoundMask)
           : is_interval() && (word_ & kUpperMask) != kUpperMask
               ? static_cast<int64_t>(word_ & kUpperMask)
           : is_symbolic() ? SymbolicUpper(word_)
                           : kInfinity;
  }
  constexpr bool has_upper() const { return upper() != kInfinity; }
  constexpr bool Contains(int64_t size) const {
    return lower() <= size && size <= upper();
  }

  // XLA has such dims: static, bounded or unknown.
  constexpr bool is_xla() const { return (word_ >> 61) < 6 || is_unknown(); }
  // It stands for one size: static or symbolic.
  constexpr bool is_exact() const { return is_static() || is_symbolic(); }

  constexpr uint64_t word() const { return word_; }
  friend constexpr bool operator==(Dim a, Dim b) { return a.word_ == b.word_; }
  friend constexpr bool operator!=(Dim a, Dim b) { return a.word_ != b.word_; }
  template <typename H>
  friend H AbslHashValue(H h, Dim d) {
    return H::combine(std::move(h), d.word_);
  }

  // "4", "<=4", "?", "2..5", "2..", "2*n+1"
  std::string ToString() const;
  // The inverse of ToString, for a whole text; nullopt for any other text.
  // Symbols get no facts (ParseDimExpr takes facts about them).
  static std::optional<Dim> Parse(absl::string_view text);

 private:
  friend class DimExpr;
  explicit constexpr Dim(uint64_t word) : word_(word) {}
  static int64_t SymbolicLower(uint64_t word);
  static int64_t SymbolicUpper(uint64_t word);
  // Words: 0 | size(63); 10 | bound(62); 110 | lower(30) | upper(31, all ones:
  // none); 111 | all ones: unknown; 111 | index of an expression (dim_expr.h).
  static constexpr uint64_t kBoundedTag = uint64_t{2} << 62;
  static constexpr uint64_t kIntervalTag = uint64_t{6} << 61;
  static constexpr uint64_t kSymbolicTag = uint64_t{7} << 61;
  static constexpr uint64_t kUnknownWord = ~uint64_t{0};
  static constexpr uint64_t kBoundMask = (uint64_t{1} << 62) - 1;
  static constexpr uint64_t kLowerMask = (uint64_t{1} << 30) - 1;
  static constexpr uint64_t kUpperMask = (uint64_t{1} << 31) - 1;
  uint64_t word_;
};

using DimVector = absl::InlinedVector<Dim, 4>;
// Positions of dimensions: broadcast_dimensions, contracting dims, ...
using DimIndices = absl::InlinedVector<int64_t, 4>;

}  // namespace indim

// Instantiated once, in dim.cc, instead of in every file that uses them.
extern template class absl::InlinedVector<indim::Dim, 4>;
extern template class absl::InlinedVector<int64_t, 4>;

#endif  // INDIM_SHAPE_DIMS_DIM_H_

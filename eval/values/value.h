// SPDX-License-Identifier: Apache-2.0
// Value: the value of an instruction at run time: an array of known sizes with
// its elements, a tuple of values, or a token. Elements are as in a Literal:
// row-major, dense, little-endian. Copies share them.
//
// A dim that is `<=5` or `?` in the graph has a known size here: an array of
// f32[<=5] with 3 elements is a value of shape f32[3]. Only the conversion to a
// Literal (ToLiteral) restores the bound. The elements beyond the 3 are kept
// separately (memory()), because a dim that grows shows them again.

#ifndef INDIM_EVAL_VALUES_VALUE_H_
#define INDIM_EVAL_VALUES_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/eval/values/scalar.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Sizes, positions or strides: one number per dim.
using Sizes = DimIndices;

class Value {
 public:
  Value() = default;  // no value
  // `bytes` must have the size that `sizes` need. *live_bytes, unless null,
  // counts them as long as a copy of the value lives.
  static Value Array(ElementType type, const Sizes& sizes, std::string bytes,
                     std::shared_ptr<int64_t> live_bytes = nullptr);
  static Value Of(ElementType type, const Scalar& scalar);
  // No value where elements nest deeper than shapes can.
  static Value Tuple(std::vector<Value> elements);
  static Value Token();

  const Shape& shape() const { return shape_; }
  ElementType type() const { return shape_.element_type(); }
  bool is_none() const { return shape_.is_none(); }
  bool is_array() const { return shape_.is_array(); }
  bool is_scalar() const { return shape_.is_scalar(); }
  bool is_tuple() const { return shape_.is_tuple(); }

  // For arrays:
  int rank() const { return shape_.rank(); }
  int64_t size(int dim) const { return shape_.dim(dim).size(); }
  Sizes sizes() const;
  int64_t count() const { return count_; }
  // The number of bytes per element.
  int width() const { return ElementBytes(type()); }
  const std::string& bytes() const;
  // 0 <= i < count(), row-major.
  Scalar At(int64_t i) const {
    return LoadScalar(type(), bytes().data() + i * width());
  }
  // These elements with other sizes of equal product, without memory.
  Value Reshaped(const Sizes& sizes) const;
  // These bytes as elements of another type of equal width.
  Value Reinterpreted(ElementType type, const Sizes& sizes) const;

  // For an array with dims whose sizes are known only at run time: the contents
  // of memory, an array as large as the dims' bounds, without memory of its
  // own. This array is its first part along each dim. Null: there is no such
  // dim, or the contents are unknown.
  const Value* memory() const;
  // Whether the size of `dim` is known only at run time; where operands' sizes
  // differ, such a size takes precedence. False without memory.
  bool is_given(int dim) const;
  // This array as the first part of `whole`; given[i] is is_given(i). Without
  // memory if all given[i] are false.
  Value WithMemory(const Value& whole, const std::vector<bool>& given) const;

  // A tuple's elements; empty for other values.
  absl::Span<const Value> elements() const;

 private:
  struct Memory;

  Shape shape_;
  int64_t count_ = 0;
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const std::vector<Value>> elements_;
  std::shared_ptr<const Memory> memory_;
};

// The distance of neighbours along each dim, in elements.
Sizes StridesOf(const Sizes& sizes);
// The row-major position of the element at `index`.
int64_t LinearIndex(absl::Span<const int64_t> index, const Sizes& strides);

// Iterates over all positions of an array in row-major order:
//   for (Counter i(sizes); !i.done(); i.Next()) Use(i.index());
class Counter {
 public:
  explicit Counter(Sizes sizes);
  bool done() const { return done_; }
  void Next();
  const Sizes& index() const { return index_; }

 private:
  Sizes sizes_;
  Sizes index_;
  bool done_;
};

// The value of a literal. Where it has run-time sizes, the value is that part,
// and the rest its memory. InvalidArgument: it has no shape or no values.
absl::StatusOr<Value> FromLiteral(const Literal& literal);
// `value` as a literal of `shape`, which must contain its shape (Contains).
// Bounded dims get their bound, with zeros after the values; all other dims get
// the value's sizes.
absl::StatusOr<Literal> ToLiteral(const Value& value, const Shape& shape);
// The elements that there are: `literal` with its run-time sizes as static
// ones, at every depth. Errors of FromLiteral.
absl::StatusOr<Literal> AtRunTimeSizes(const Literal& literal);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_VALUE_H_

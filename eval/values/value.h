// Value: what an instruction has at run time. An array of known sizes and its
// elements, a tuple of values, or a token. Elements lie as in a Literal:
// row-major, dense, little-endian. Copying shares them.
//
// A dim that a graph calls `<=5` or `?` has a size here like any other: an
// array of f32[<=5] that holds 3 elements is a value of shape f32[3]. Only
// where values leave as Literals (ToLiteral) does the bound come back. What
// lies behind the 3 elements is kept beside them (memory()), for a dim that
// grows again shows it.

#ifndef INDIM_EVAL_VALUES_VALUE_H_
#define INDIM_EVAL_VALUES_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/literal.h"
#include "indim/eval/values/scalar.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Sizes, positions, strides: one number per dim.
using Sizes = DimIndices;

class Value {
 public:
  Value() = default;  // no value
  // `bytes` must be as many as the sizes need. They are counted in *live_bytes,
  // unless that is null, as long as some copy of the value lives.
  static Value Array(ElementType type, const Sizes& sizes, std::string bytes,
                     std::shared_ptr<int64_t> live_bytes = nullptr);
  static Value Of(ElementType type, const Scalar& scalar);
  // Elements that nest deeper than shapes can give no value.
  static Value Tuple(std::vector<Value> elements);
  static Value Token();

  const Shape& shape() const { return shape_; }
  ElementType type() const { return shape_.element_type(); }
  bool is_none() const { return shape_.is_none(); }
  bool is_array() const { return shape_.is_array(); }
  bool is_scalar() const { return shape_.is_scalar(); }
  bool is_tuple() const { return shape_.is_tuple(); }

  // Arrays.
  int rank() const { return shape_.rank(); }
  int64_t size(int dim) const { return shape_.dim(dim).size(); }
  Sizes sizes() const;
  int64_t count() const { return count_; }
  // Bytes per element.
  int width() const { return ElementBytes(type()); }
  const std::string& bytes() const;
  // 0 <= i < count(), row-major.
  Scalar At(int64_t i) const {
    return LoadScalar(type(), bytes().data() + i * width());
  }
  // The same elements in other sizes of the same product, without memory.
  Value Reshaped(const Sizes& sizes) const;
  // The same bytes as elements of another type of the same width.
  Value Reinterpreted(ElementType type, const Sizes& sizes) const;

  // Arrays: what lies in memory, where the run gives some dims' sizes: an array
  // as large as their bounds, without memory of its own, of which this one is
  // the first part along each dim. null: no such dim, or nothing is known.
  const Value* memory() const;
  // Whether the run gives the size of `dim`, so that an operand without such a
  // size gives way to it; false without memory.
  bool is_given(int dim) const;
  // This array as the first part of `whole`; given[i]: see is_given. Without
  // memory where nothing is given.
  Value WithMemory(const Value& whole, const std::vector<bool>& given) const;

  // Tuples; empty for the rest.
  absl::Span<const Value> elements() const;

 private:
  struct Memory;

  Shape shape_;
  int64_t count_ = 0;
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const std::vector<Value>> elements_;
  std::shared_ptr<const Memory> memory_;
};

// How far apart neighbours lie along each dim, in elements.
Sizes StridesOf(const Sizes& sizes);
// The element at `index`.
int64_t LinearIndex(absl::Span<const int64_t> index, const Sizes& strides);

// Goes through all positions of an array in row-major order:
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

// The value of a literal; where it says run-time sizes, that part of it, the
// rest as its memory.
// InvalidArgument: it has no shape or no values.
absl::StatusOr<Value> FromLiteral(const Literal& literal);
// `value` as a literal of `shape`, which contains its shape (Contains): bounded
// dims get their bound and zeros behind the values, all other dims the value's
// sizes.
absl::StatusOr<Literal> ToLiteral(const Value& value, const Shape& shape);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_VALUE_H_

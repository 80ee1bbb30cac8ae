// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/values/value.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

const std::string& NoBytes() {
  static const std::string* const kNone = new std::string();
  return *kNone;
}

// The product, which must fit; 0 where a size is 0.
int64_t Product(const Sizes& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// Copies the elements at all positions of an array of `sizes`, with the strides
// of each side.
void CopyElements(const Sizes& sizes, size_t width, const Sizes& from_strides,
                  const std::string& from, const Sizes& to_strides,
                  std::string* to) {
  for (Counter i(sizes); !i.done(); i.Next()) {
    const size_t source =
        static_cast<size_t>(LinearIndex(i.index(), from_strides)) * width;
    const size_t target =
        static_cast<size_t>(LinearIndex(i.index(), to_strides)) * width;
    std::memcpy(&(*to)[target], &from[source], width);
  }
}

absl::StatusOr<Value> FromArray(const Literal& literal) {
  if (literal.is_splat()) {
    absl::StatusOr<Literal> expanded = literal.Expanded();
    if (!expanded.ok()) return expanded.status();
    return FromArray(*expanded);
  }
  const Shape& shape = literal.shape();
  const std::optional<int64_t> bound = shape.ElementCount();
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  if (!bound || literal.bytes().size() != static_cast<size_t>(*bound) * width) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal of shape ", shape.ToString(), " has ",
                     literal.bytes().size(), " bytes"));
  }
  Sizes bounds, sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    bounds.push_back(shape.dim(i).size());
    sizes.push_back(literal.dynamic_sizes().empty()
                        ? bounds.back()
                        : literal.dynamic_sizes()[static_cast<size_t>(i)]);
  }
  const Value whole =
      Value::Array(shape.element_type(), bounds, std::string(literal.bytes()));
  std::vector<bool> given;
  for (const Dim dim : shape.dims()) given.push_back(dim.is_bounded());
  if (sizes == bounds) return whole.WithMemory(whole, given);
  std::string bytes(static_cast<size_t>(Product(sizes)) * width, '\0');
  CopyElements(sizes, width, StridesOf(bounds), whole.bytes(), StridesOf(sizes),
               &bytes);
  return Value::Array(shape.element_type(), sizes, std::move(bytes))
      .WithMemory(whole, given);
}

}  // namespace

Value Value::Array(ElementType type, const Sizes& sizes, std::string bytes,
                   std::shared_ptr<int64_t> live_bytes) {
  Value value;
  value.shape_ = Shape::Of(type, absl::MakeConstSpan(sizes));
  value.count_ = Product(sizes);
  if (live_bytes == nullptr) {
    value.bytes_ = std::make_shared<const std::string>(std::move(bytes));
    return value;
  }
  *live_bytes += static_cast<int64_t>(bytes.size());
  value.bytes_ = std::shared_ptr<const std::string>(
      new std::string(std::move(bytes)), [live_bytes](const std::string* held) {
        *live_bytes -= static_cast<int64_t>(held->size());
        delete held;
      });
  return value;
}

Value Value::Of(ElementType type, const Scalar& scalar) {
  std::string bytes(static_cast<size_t>(ElementBytes(type)), '\0');
  if (!bytes.empty()) StoreScalar(type, scalar, &bytes[0]);
  return Array(type, {}, std::move(bytes));
}

Value Value::Tuple(std::vector<Value> elements) {
  std::vector<Shape> shapes;
  for (const Value& element : elements) shapes.push_back(element.shape());
  Value value;
  value.shape_ = Shape::Tuple(std::move(shapes));
  value.elements_ =
      std::make_shared<const std::vector<Value>>(std::move(elements));
  return value;
}

Value Value::Token() {
  Value value;
  value.shape_ = Shape::Token();
  return value;
}

Sizes Value::sizes() const { return SizesOf(shape_); }

const std::string& Value::bytes() const {
  return bytes_ != nullptr ? *bytes_ : NoBytes();
}

Value Value::Reshaped(const Sizes& sizes) const {
  return Reinterpreted(type(), sizes);
}

Value Value::Reinterpreted(ElementType type, const Sizes& sizes) const {
  Value value = *this;
  value.shape_ = Shape::Of(type, absl::MakeConstSpan(sizes));
  value.memory_ = nullptr;
  return value;
}

struct Value::Memory {
  Value whole;
  std::vector<bool> given;
};

const Value* Value::memory() const {
  return memory_ != nullptr ? &memory_->whole : nullptr;
}

bool Value::is_given(int dim) const {
  return memory_ != nullptr && dim >= 0 &&
         static_cast<size_t>(dim) < memory_->given.size() &&
         memory_->given[static_cast<size_t>(dim)];
}

Value Value::WithMemory(const Value& whole,
                        const std::vector<bool>& given) const {
  Value value = *this;
  value.memory_ = nullptr;
  if (std::find(given.begin(), given.end(), true) == given.end()) return value;
  Memory memory = {whole, given};
  memory.whole.memory_ = nullptr;
  value.memory_ = std::make_shared<const Memory>(std::move(memory));
  return value;
}

absl::Span<const Value> Value::elements() const {
  if (elements_ == nullptr) return {};
  return absl::MakeConstSpan(*elements_);
}

Sizes StridesOf(const Sizes& sizes) {
  Sizes strides(sizes.size(), 0);
  // Nothing is looked up in an empty array, whatever its other sizes are.
  if (Product(sizes) == 0) return strides;
  int64_t next = 1;
  for (size_t i = sizes.size(); i > 0; --i) {
    strides[i - 1] = next;
    next *= sizes[i - 1];
  }
  return strides;
}

int64_t LinearIndex(absl::Span<const int64_t> index, const Sizes& strides) {
  int64_t linear = 0;
  for (size_t i = 0; i < strides.size(); ++i) linear += index[i] * strides[i];
  return linear;
}

Counter::Counter(Sizes sizes)
    : sizes_(std::move(sizes)),
      index_(sizes_.size(), 0),
      done_(std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end()) {}

void Counter::Next() {
  for (size_t i = sizes_.size(); i > 0; --i) {
    if (++index_[i - 1] < sizes_[i - 1]) return;
    index_[i - 1] = 0;
  }
  done_ = true;
}

// --- Literals ----------------------------------------------------------------

absl::StatusOr<Value> FromLiteral(const Literal& literal) {
  if (literal.shape().is_token()) return Value::Token();
  if (literal.shape().is_array()) return FromArray(literal);
  if (!literal.shape().is_tuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat(literal.shape().ToString(), " has no values"));
  }
  std::vector<Value> elements;
  for (const Literal& element : literal.elements()) {
    absl::StatusOr<Value> value = FromLiteral(element);
    if (!value.ok()) return value.status();
    elements.push_back(*std::move(value));
  }
  return Value::Tuple(std::move(elements));
}

absl::StatusOr<Literal> ToLiteral(const Value& value, const Shape& shape) {
  if (value.is_tuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < value.elements().size(); ++i) {
      absl::StatusOr<Literal> element =
          ToLiteral(value.elements()[i], shape.elements()[i]);
      if (!element.ok()) return element.status();
      elements.push_back(*std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (value.shape().is_token()) return Literal::Token();
  Sizes bounds;
  std::vector<int32_t> dynamic;
  bool bounded = false;
  Shape padded = value.shape();
  for (int i = 0; i < value.rank(); ++i) {
    const Dim dim = shape.has_rank() ? shape.dim(i) : Dim::Unknown();
    if (dim.is_bounded()) padded.set_dim(i, dim);
    bounded = bounded || dim.is_bounded();
    bounds.push_back(padded.dim(i).size());
    dynamic.push_back(static_cast<int32_t>(value.size(i)));
  }
  if (!bounded) return Literal::FromBytes(value.shape(), value.bytes());
  const std::optional<int64_t> count = padded.ElementCount();
  const size_t width = static_cast<size_t>(value.width());
  if (!count || static_cast<uint64_t>(*count) >
                    std::numeric_limits<int32_t>::max() / width) {
    return absl::ResourceExhaustedError(
        absl::StrCat(padded.ToString(), " has too many elements"));
  }
  std::string bytes(static_cast<size_t>(*count) * width, '\0');
  CopyElements(value.sizes(), width, StridesOf(value.sizes()), value.bytes(),
               StridesOf(bounds), &bytes);
  return Literal::Bounded(padded, bytes, dynamic);
}

absl::StatusOr<Literal> AtRunTimeSizes(const Literal& literal) {
  if (literal.shape().is_static()) return literal;
  const absl::StatusOr<Value> value = FromLiteral(literal);
  if (!value.ok()) return value.status();
  return ToLiteral(*value, value->shape());
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// A part of indim.hpp: errors, owned objects, shapes and literals.

#ifndef INDIM_C_VALUES_HPP_
#define INDIM_C_VALUES_HPP_

#include <indim.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace indim_api {

struct Diagnostic {
  int code = 0;  // 7 is IND0007
  bool is_error = true;
  int64_t operand = -1;
  int64_t dim = -1;
  int64_t instruction = -1;
  std::string file;
  int64_t line = 0;
  std::string message;
  std::string fix;
  std::string text;
};
using Diagnostics = std::vector<Diagnostic>;

namespace internal {

template <typename T, void (*kRelease)(T*)>
struct Releaser {
  void operator()(T* object) const { kRelease(object); }
};
template <typename T, void (*kRelease)(T*)>
using Owned = std::unique_ptr<T, Releaser<T, kRelease>>;

using OwnedError = Owned<indim_error, indim_error_release>;
using OwnedDiagnostics = Owned<indim_diagnostics, indim_diagnostics_release>;
using OwnedBytes = Owned<indim_bytes, indim_bytes_release>;

inline std::string Text(indim_text text) {
  return std::string(text.data, text.size);
}

inline Diagnostics ListOf(const indim_diagnostics* from) {
  Diagnostics list;
  for (size_t i = 0; i < indim_diagnostics_count(from); ++i) {
    indim_diagnostic d = {};
    d.struct_size = sizeof(d);
    if (const OwnedError error{indim_diagnostics_get(from, i, &d)}) break;
    Diagnostic entry;
    entry.code = d.code;
    entry.is_error = d.severity == INDIM_SEVERITY_ERROR;
    entry.operand = d.operand;
    entry.dim = d.dim;
    entry.instruction = d.instruction;
    entry.file = Text(d.file);
    entry.line = d.line;
    entry.message = Text(d.message);
    entry.fix = Text(d.fix);
    entry.text = Text(d.text);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace internal

class Error : public std::runtime_error {
 public:
  explicit Error(const indim_error* error)
      : std::runtime_error(indim_error_message(error, nullptr)),
        status_(static_cast<indim_status>(indim_error_status(error))),
        diagnostics_(internal::ListOf(indim_error_diagnostics(error))) {}

  indim_status status() const { return status_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  indim_status status_;
  Diagnostics diagnostics_;
};

// Throws what a call returned, if that is an error.
inline void Check(indim_error* error) {
  if (error == nullptr) return;
  const internal::OwnedError owned(error);
  throw Error(error);
}

namespace internal {

// What a function gives through its last pointer, as an owned object.
template <typename Holder, typename Function, typename... Arguments>
Holder Make(Function function, Arguments... arguments) {
  typename Holder::pointer made = nullptr;
  Check(function(arguments..., &made));
  return Holder(made);
}

template <typename Function, typename... Arguments>
std::string MakeText(Function function, Arguments... arguments) {
  const auto bytes = Make<OwnedBytes>(function, arguments...);
  size_t size = 0;
  const char* const data = indim_bytes_data(bytes.get(), &size);
  return std::string(data, size);
}

template <typename Objects, typename T>
std::vector<const T*> Pointers(const Objects& objects) {
  std::vector<const T*> pointers;
  for (const auto& object : objects) pointers.push_back(object.get());
  return pointers;
}

}  // namespace internal

// --- Shapes ------------------------------------------------------------------

namespace internal {
// The number of the element type of that name. Throws what a shape with an
// unknown one says, which names what is near.
int32_t ElementTypeNamed(std::string_view name);
}  // namespace internal

class Shape {
 public:
  explicit Shape(indim_shape* shape) : shape_(shape, indim_shape_release) {}
  Shape(std::string_view text)  // NOLINT: where a shape is wanted
      : Shape(internal::Make<Raw>(indim_shape_parse, text.data(), text.size())
                  .release()) {}
  Shape(const char* text) : Shape(std::string_view(text)) {}         // NOLINT
  Shape(const std::string& text) : Shape(std::string_view(text)) {}  // NOLINT
  // Of an element type's name; -1 is an unknown size.
  static Shape Array(std::string_view type, const std::vector<int64_t>& sizes) {
    return Shape(internal::Make<Raw>(indim_shape_array,
                                     internal::ElementTypeNamed(type),
                                     sizes.data(), nullptr, sizes.size())
                     .release());
  }

  std::string text() const { return indim_shape_text(get(), nullptr); }
  int64_t rank() const { return indim_shape_rank(get()); }
  std::string element_type() const {
    return indim_element_type_name(indim_shape_element_type(get()), nullptr);
  }
  std::vector<int64_t> dims() const {
    std::vector<int64_t> sizes(static_cast<size_t>(rank() < 0 ? 0 : rank()));
    indim_shape_dims(get(), sizes.data(), nullptr, sizes.size());
    return sizes;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    return indim_shape_equal(a.get(), b.get()) != 0;
  }
  const indim_shape* get() const { return shape_.get(); }

 private:
  using Raw = internal::Owned<indim_shape, indim_shape_release>;
  std::shared_ptr<const indim_shape> shape_;
};

// --- Literals ----------------------------------------------------------------

inline int32_t internal::ElementTypeNamed(std::string_view name) {
  const int32_t number = indim_element_type_from_name(name.data(), name.size());
  if (number == 0) Shape(std::string(name) + "[]");
  return number;
}

class Literal {
 public:
  explicit Literal(indim_literal* literal)
      : literal_(literal, indim_literal_release) {}
  // Numbers that are converted to the element type.
  Literal(std::string_view type, const std::vector<int64_t>& sizes,
          const std::vector<double>& numbers)
      : Literal(internal::Make<Raw>(
                    indim_literal_doubles, internal::ElementTypeNamed(type),
                    sizes.data(), sizes.size(), numbers.data(), numbers.size())
                    .release()) {}
  // Elements as they lie in memory.
  static Literal Array(std::string_view type, const std::vector<int64_t>& sizes,
                       const void* data, size_t size) {
    return Literal(internal::Make<Raw>(indim_literal_array,
                                       internal::ElementTypeNamed(type),
                                       sizes.data(), sizes.size(), data, size)
                       .release());
  }
  static Literal Tuple(const std::vector<Literal>& elements) {
    const auto pointers =
        internal::Pointers<std::vector<Literal>, indim_literal>(elements);
    return Literal(internal::Make<Raw>(indim_literal_tuple, pointers.data(),
                                       pointers.size())
                       .release());
  }

  Shape shape() const {
    indim_shape* shape = nullptr;
    Check(indim_literal_shape(get(), &shape));
    return Shape(shape);
  }
  // The elements, of the C++ type that the element type has.
  template <typename T>
  std::vector<T> Values() const {
    const void* data = nullptr;
    size_t size = 0;
    Check(indim_literal_data(get(), &data, &size));
    const T* const first = static_cast<const T*>(data);
    return std::vector<T>(first, first + size / sizeof(T));
  }
  size_t element_count() const { return indim_literal_element_count(get()); }
  Literal element(size_t index) const {
    return Literal(
        internal::Make<Raw>(indim_literal_element, get(), index).release());
  }
  std::string text() const {
    return internal::MakeText(indim_literal_text, get(), int64_t{0});
  }
  friend bool operator==(const Literal& a, const Literal& b) {
    return indim_literal_equal(a.get(), b.get()) != 0;
  }
  const indim_literal* get() const { return literal_.get(); }

 private:
  using Raw = internal::Owned<indim_literal, indim_literal_release>;
  std::shared_ptr<const indim_literal> literal_;
};

}  // namespace indim_api

#endif  // INDIM_C_VALUES_HPP_

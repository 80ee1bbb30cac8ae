// SPDX-License-Identifier: Apache-2.0
// Literals.

#include "indim/proto/codec/literal.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/literals.h"

absl::StatusOr<const indim::Literal*> indim_literal::Whole() const {
  if (!literal.is_splat()) return &literal;
  const std::lock_guard<std::mutex> lock(mutex);
  if (whole == nullptr) {
    absl::StatusOr<indim::Literal> expanded = literal.Expanded();
    if (!expanded.ok()) return expanded.status();
    whole = std::make_unique<const indim::Literal>(*std::move(expanded));
  }
  return whole.get();
}

namespace indim::capi {

absl::StatusOr<Shape> StaticShape(int32_t element_type,
                                  absl::Span<const int64_t> sizes) {
  const ElementType type = ElementTypeOf(element_type);
  if (type == ElementType::kInvalid) {
    return MisuseStatus(absl::StrCat(element_type, " is no element type"));
  }
  for (const int64_t size : sizes) {
    if (size < 0) {
      return MisuseStatus(absl::StrCat("a size of an array is ", size));
    }
  }
  return Shape::Of(type, sizes);
}

absl::StatusOr<Literal> LiteralOf(int32_t element_type,
                                  absl::Span<const int64_t> sizes,
                                  absl::string_view bytes) {
  const absl::StatusOr<Shape> shape = StaticShape(element_type, sizes);
  if (!shape.ok()) return shape.status();
  return Literal::FromBytes(*shape, bytes);
}

absl::StatusOr<Literal> ScalarOf(int32_t element_type, Number number) {
  const absl::StatusOr<Shape> shape = StaticShape(element_type, {});
  if (!shape.ok()) return shape.status();
  return Literal::Scalar(shape->element_type(), number);
}

bool LiteralsOf(const indim_literal* const* handles, size_t count,
                std::vector<Literal>* literals) {
  for (size_t i = 0; i < count; ++i) {
    if (handles[i] == nullptr) return false;
    literals->push_back(handles[i]->literal);
  }
  return true;
}

extern "C" {

indim_error* indim_literal_array(int32_t element_type, const int64_t* sizes,
                                 size_t rank, const void* data, size_t size,
                                 indim_literal** literal) {
  return Guard(
      {{"sizes", sizes, rank}, {"data", data, size}, {"literal", literal}},
      [&] {
        return GiveNew(LiteralOf(element_type, List(sizes, rank),
                                 Text(static_cast<const char*>(data), size)),
                       literal);
      });
}

indim_error* indim_literal_doubles(int32_t element_type, const int64_t* sizes,
                                   size_t rank, const double* numbers,
                                   size_t count, indim_literal** literal) {
  return Guard({{"sizes", sizes, rank},
                {"numbers", numbers, count},
                {"literal", literal}},
               [&] {
                 const absl::StatusOr<Shape> shape =
                     StaticShape(element_type, List(sizes, rank));
                 if (!shape.ok()) return ErrorOf(shape.status());
                 return GiveNew(Literal::FromDoubles(shape->element_type(),
                                                     List(numbers, count),
                                                     List(sizes, rank)),
                                literal);
               });
}

indim_error* indim_literal_splat(int32_t element_type, const int64_t* sizes,
                                 size_t rank, double number,
                                 indim_literal** literal) {
  return Guard({{"sizes", sizes, rank}, {"literal", literal}}, [&] {
    const absl::StatusOr<Shape> shape =
        StaticShape(element_type, List(sizes, rank));
    if (!shape.ok()) return ErrorOf(shape.status());
    return GiveNew(
        Literal::Splat(shape->element_type(), number, List(sizes, rank)),
        literal);
  });
}

indim_error* indim_literal_tuple(const indim_literal* const* elements,
                                 size_t count, indim_literal** literal) {
  return Guard({{"elements", elements, count}, {"literal", literal}}, [&] {
    std::vector<Literal> parts;
    if (!LiteralsOf(elements, count, &parts)) return NullArgument("an element");
    Literal tuple = Literal::Tuple(std::move(parts));
    if (tuple.shape().is_none()) return Misuse("the tuple nests too deeply");
    return GiveNew(std::move(tuple), literal);
  });
}

void indim_literal_release(indim_literal* literal) { delete literal; }

indim_error* indim_literal_shape(const indim_literal* literal,
                                 indim_shape** shape) {
  return Guard({{"literal", literal}, {"shape", shape}},
               [&] { return GiveNew(literal->literal.shape(), shape); });
}

indim_error* indim_literal_data(const indim_literal* literal, const void** data,
                                size_t* size) {
  return Guard({{"literal", literal}, {"data", data}}, [&] {
    if (!literal->literal.shape().is_array()) {
      return Misuse(
          absl::StrCat(literal->literal.shape().ToString(), " is no array"));
    }
    const absl::StatusOr<const Literal*> whole = literal->Whole();
    if (!whole.ok()) return ErrorOf(whole.status());
    *data = (*whole)->bytes().data();
    if (size != nullptr) *size = (*whole)->bytes().size();
    return kOk;
  });
}

size_t indim_literal_element_count(const indim_literal* literal) {
  return literal == nullptr ? 0 : literal->literal.elements().size();
}

indim_error* indim_literal_element(const indim_literal* literal, size_t index,
                                   indim_literal** element) {
  return Guard({{"literal", literal}, {"element", element}}, [&] {
    const absl::Span<const Literal> elements = literal->literal.elements();
    if (index >= elements.size()) {
      return ErrorOf(absl::OutOfRangeError(absl::StrCat(
          literal->literal.shape().ToString(), " has no element ", index)));
    }
    return GiveNew(elements[index], element);
  });
}

indim_error* indim_literal_text(const indim_literal* literal,
                                int64_t max_elements, indim_bytes** text) {
  return Guard({{"literal", literal}, {"text", text}}, [&] {
    if (max_elements < 0) return Misuse("max_elements is negative");
    return GiveNew(
        literal->literal.ToString(max_elements == 0 ? 1000 : max_elements),
        text);
  });
}

int32_t indim_literal_equal(const indim_literal* a, const indim_literal* b) {
  return a != nullptr && b != nullptr && a->literal == b->literal ? 1 : 0;
}

}  // extern "C"
}  // namespace indim::capi

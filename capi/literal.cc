// Literals.

#include "indim/codec/literal.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
#include "indim/capi/literals.h"

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

indim_error* GiveLiteral(absl::StatusOr<Literal> literal, indim_literal** to) {
  if (!literal.ok()) return ErrorOf(literal.status());
  *to = new indim_literal(*std::move(literal));
  return nullptr;
}

bool LiteralsOf(const indim_literal* const* handles, size_t count,
                std::vector<Literal>* literals) {
  for (size_t i = 0; i < count; ++i) {
    if (handles[i] == nullptr) return false;
    literals->push_back(handles[i]->literal);
  }
  return true;
}

}  // namespace indim::capi

using indim::Literal;
using indim::capi::ErrorOf;
using indim::capi::GiveLiteral;
using indim::capi::Guard;
using indim::capi::List;
using indim::capi::Misuse;
using indim::capi::Text;

indim_error* indim_literal_array(int32_t element_type, const int64_t* sizes,
                                 size_t rank, const void* data, size_t size,
                                 indim_literal** literal) {
  return Guard(
      {{"sizes", sizes, rank}, {"data", data, size}, {"literal", literal}},
      [&]() -> indim_error* {
        return GiveLiteral(
            indim::capi::LiteralOf(element_type, List(sizes, rank),
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
               [&]() -> indim_error* {
                 const absl::StatusOr<indim::Shape> shape =
                     indim::capi::StaticShape(element_type, List(sizes, rank));
                 if (!shape.ok()) return ErrorOf(shape.status());
                 return GiveLiteral(Literal::FromDoubles(shape->element_type(),
                                                         List(numbers, count),
                                                         List(sizes, rank)),
                                    literal);
               });
}

indim_error* indim_literal_splat(int32_t element_type, const int64_t* sizes,
                                 size_t rank, double number,
                                 indim_literal** literal) {
  return Guard(
      {{"sizes", sizes, rank}, {"literal", literal}}, [&]() -> indim_error* {
        const absl::StatusOr<indim::Shape> shape =
            indim::capi::StaticShape(element_type, List(sizes, rank));
        if (!shape.ok()) return ErrorOf(shape.status());
        return GiveLiteral(
            Literal::Splat(shape->element_type(), number, List(sizes, rank)),
            literal);
      });
}

indim_error* indim_literal_tuple(const indim_literal* const* elements,
                                 size_t count, indim_literal** literal) {
  return Guard({{"elements", elements, count}, {"literal", literal}},
               [&]() -> indim_error* {
                 std::vector<Literal> parts;
                 for (size_t i = 0; i < count; ++i) {
                   if (elements[i] == nullptr) {
                     return indim::capi::NullArgument("an element");
                   }
                   parts.push_back(elements[i]->literal);
                 }
                 Literal tuple = Literal::Tuple(std::move(parts));
                 if (tuple.shape().is_none())
                   return Misuse("the tuple nests too deeply");
                 return GiveLiteral(std::move(tuple), literal);
               });
}

void indim_literal_release(indim_literal* literal) { delete literal; }

indim_error* indim_literal_shape(const indim_literal* literal,
                                 indim_shape** shape) {
  return Guard({{"literal", literal}, {"shape", shape}}, [&]() -> indim_error* {
    *shape = new indim_shape(literal->literal.shape());
    return nullptr;
  });
}

indim_error* indim_literal_data(const indim_literal* literal, const void** data,
                                size_t* size) {
  return Guard({{"literal", literal}, {"data", data}}, [&]() -> indim_error* {
    if (!literal->literal.shape().is_array()) {
      return Misuse(
          absl::StrCat(literal->literal.shape().ToString(), " is no array"));
    }
    const absl::StatusOr<const Literal*> whole = literal->Whole();
    if (!whole.ok()) return ErrorOf(whole.status());
    *data = (*whole)->bytes().data();
    if (size != nullptr) *size = (*whole)->bytes().size();
    return nullptr;
  });
}

size_t indim_literal_element_count(const indim_literal* literal) {
  return literal == nullptr ? 0 : literal->literal.elements().size();
}

indim_error* indim_literal_element(const indim_literal* literal, size_t index,
                                   indim_literal** element) {
  return Guard(
      {{"literal", literal}, {"element", element}}, [&]() -> indim_error* {
        const absl::Span<const Literal> elements = literal->literal.elements();
        if (index >= elements.size()) {
          return ErrorOf(absl::OutOfRangeError(absl::StrCat(
              literal->literal.shape().ToString(), " has no element ", index)));
        }
        return GiveLiteral(elements[index], element);
      });
}

indim_error* indim_literal_text(const indim_literal* literal,
                                int64_t max_elements, indim_bytes** text) {
  return Guard({{"literal", literal}, {"text", text}}, [&]() -> indim_error* {
    if (max_elements < 0) return Misuse("max_elements is negative");
    *text = new indim_bytes{
        literal->literal.ToString(max_elements == 0 ? 1000 : max_elements)};
    return nullptr;
  });
}

int32_t indim_literal_equal(const indim_literal* a, const indim_literal* b) {
  return a != nullptr && b != nullptr && a->literal == b->literal ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
// Element types, opcodes and shapes.

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/tools/explain/name_table.h"

static_assert(INDIM_SHAPE_BUFFER ==
              static_cast<int>(indim::Shape::Kind::kBuffer));

namespace indim::capi {

int32_t KindOf(Dim dim) {
  return dim.is_static()     ? INDIM_DIM_STATIC
         : dim.is_bounded()  ? INDIM_DIM_BOUNDED
         : dim.is_unknown()  ? INDIM_DIM_UNKNOWN
         : dim.is_interval() ? INDIM_DIM_INTERVAL
                             : INDIM_DIM_SYMBOLIC;
}

int64_t NumberOf(Dim dim) { return dim.has_upper() ? dim.upper() : -1; }

void WriteDims(absl::Span<const Dim> dims, int64_t* sizes, int32_t* kinds,
               size_t capacity) {
  for (size_t i = 0; i < dims.size() && i < capacity; ++i) {
    if (sizes != nullptr) sizes[i] = NumberOf(dims[i]);
    if (kinds != nullptr) kinds[i] = KindOf(dims[i]);
  }
}

ElementType ElementTypeOf(int32_t number) {
  return ElementTypeFromNumber(number).value_or(ElementType::kInvalid);
}

Opcode OpcodeOf(int32_t number) {
  if (number <= 0 || number > 255) return Opcode::kInvalid;
  return Info(static_cast<Opcode>(number)).opcode;
}

Opcode OpcodeOf(absl::string_view name) {
  if (const std::optional<Opcode> opcode = OpcodeFromName(name)) return *opcode;
  if (!absl::StrContains(name, '.')) return Opcode::kInvalid;
  const mlir::OpRow* const row = mlir::FindOp(name);
  return row == nullptr ? Opcode::kInvalid : row->opcode;
}

absl::Status UnknownOpcode(absl::string_view name) {
  std::optional<Opcode> near = NearestOpcode(name);
  std::string composite;
  // What other systems call so.
  for (const NameRow* row : FindNames(name)) {
    if (row->opcode) near = row->opcode;
    if (!row->c.empty()) composite = std::string(row->c[0]);
  }
  return ErrorWithCode(
      absl::StatusCode::kNotFound, Code::kUnknownOpcode,
      absl::StrCat(
          "no operation is named \"", name, "\"",
          !composite.empty()
              ? absl::StrCat("; it is the composite \"", composite, "\"")
          : near ? absl::StrCat(", did you mean \"", Name(*near), "\"?")
                 : ""));
}

bool ShapesOf(const indim_shape* const* handles, size_t count,
              std::vector<const Shape*>* shapes) {
  for (size_t i = 0; i < count; ++i) {
    if (handles[i] == nullptr) return false;
    shapes->push_back(&handles[i]->shape);
  }
  return true;
}

namespace {

// The dim of a number and a kind; nullopt: they are none.
std::optional<Dim> DimOf(int64_t size, std::optional<int32_t> kind) {
  if (!kind) kind = size == -1 ? INDIM_DIM_UNKNOWN : INDIM_DIM_STATIC;
  if (*kind == INDIM_DIM_UNKNOWN) return Dim::Unknown();
  if (size < 0) return std::nullopt;
  if (*kind == INDIM_DIM_STATIC) return Dim::Static(size);
  if (*kind == INDIM_DIM_BOUNDED && size <= Dim::kMaxBound) {
    return Dim::Bounded(size);
  }
  return std::nullopt;
}

}  // namespace
extern "C" {

int32_t indim_element_type_from_name(const char* name, size_t size) {
  const auto type = ElementTypeFromName(Text(name, size));
  return type ? static_cast<int32_t>(*type) : 0;
}

const char* indim_element_type_name(int32_t type, size_t* size) {
  const ElementType known = ElementTypeOf(type);
  return known == ElementType::kInvalid ? GiveNothing(size)
                                        : Give(Name(known), size);
}

int32_t indim_element_type_bytes(int32_t type) {
  const ElementType known = ElementTypeOf(type);
  return known == ElementType::kInvalid ? 0 : ElementBytes(known);
}

int32_t indim_opcode_from_name(const char* name, size_t size) {
  return GuardValue(
      0, [&] { return static_cast<int32_t>(OpcodeOf(Text(name, size))); });
}

const char* indim_opcode_name(int32_t opcode, size_t* size) {
  const Opcode known = OpcodeOf(opcode);
  return known == Opcode::kInvalid ? GiveNothing(size)
                                   : Give(Name(known), size);
}

indim_error* indim_shape_parse(const char* text, size_t size,
                               indim_shape** shape) {
  return Guard({{"text", text, size}, {"shape", shape}}, [&] {
    absl::StatusOr<Shape> parsed = ParseShape(Text(text, size));
    return GiveNew(std::move(parsed), shape);
  });
}

indim_error* indim_shape_array(int32_t element_type, const int64_t* sizes,
                               const int32_t* kinds, size_t rank,
                               indim_shape** shape) {
  return Guard({{"sizes", sizes, rank}, {"shape", shape}}, [&] {
    const ElementType type = ElementTypeOf(element_type);
    if (type == ElementType::kInvalid) {
      return Misuse(absl::StrCat(element_type, " is no element type"));
    }
    Shape array = Shape::Scalar(type);
    for (size_t i = 0; i < rank; ++i) {
      const std::optional<Dim> dim =
          DimOf(sizes[i], kinds == nullptr ? std::nullopt
                                           : std::optional<int32_t>(kinds[i]));
      if (!dim) {
        return Misuse(absl::StrCat("dim ", i, " of the shape can't be ",
                                   sizes[i], " of that kind"));
      }
      array.add_dim(*dim);
    }
    return GiveNew(std::move(array), shape);
  });
}

indim_error* indim_shape_tuple(const indim_shape* const* elements, size_t count,
                               indim_shape** shape) {
  return Guard({{"elements", elements, count}, {"shape", shape}}, [&] {
    std::vector<const Shape*> parts;
    if (!ShapesOf(elements, count, &parts)) return NullArgument("an element");
    std::vector<Shape> owned;
    for (const Shape* part : parts) owned.push_back(*part);
    Shape tuple = Shape::Tuple(std::move(owned));
    if (tuple.is_none()) {
      return Misuse("the tuple nests too deeply, or an element has no shape");
    }
    return GiveNew(std::move(tuple), shape);
  });
}

void indim_shape_release(indim_shape* shape) { delete shape; }

int32_t indim_shape_kind_of(const indim_shape* shape) {
  return shape == nullptr ? INDIM_SHAPE_NONE
                          : static_cast<int32_t>(shape->shape.kind());
}

int32_t indim_shape_element_type(const indim_shape* shape) {
  return shape == nullptr ? 0
                          : static_cast<int32_t>(shape->shape.element_type());
}

int64_t indim_shape_rank(const indim_shape* shape) {
  return shape == nullptr || !shape->shape.has_rank() ? -1
                                                      : shape->shape.rank();
}

int64_t indim_shape_dims(const indim_shape* shape, int64_t* sizes,
                         int32_t* kinds, size_t capacity) {
  const int64_t rank = indim_shape_rank(shape);
  if (rank > 0) {
    WriteDims(shape->shape.dims(), sizes, kinds, capacity);
  }
  return rank;
}

int64_t indim_shape_minor_to_major(const indim_shape* shape, int64_t* dims,
                                   size_t capacity) {
  const Layout* const layout =
      shape == nullptr ? nullptr : shape->shape.layout();
  if (layout == nullptr) return -1;
  const auto& order = layout->minor_to_major;
  for (size_t i = 0; dims != nullptr && i < order.size() && i < capacity; ++i) {
    dims[i] = order[i];
  }
  return static_cast<int64_t>(order.size());
}

size_t indim_shape_element_count(const indim_shape* shape) {
  return shape == nullptr ? 0 : shape->shape.elements().size();
}

indim_error* indim_shape_element(const indim_shape* shape, size_t index,
                                 indim_shape** element) {
  return Guard({{"shape", shape}, {"element", element}}, [&] {
    if (index >= shape->shape.elements().size()) {
      return ErrorOf(absl::OutOfRangeError(
          absl::StrCat(shape->text, " has no element ", index)));
    }
    return GiveNew(shape->shape.elements()[index], element);
  });
}

const char* indim_shape_text(const indim_shape* shape, size_t* size) {
  return shape == nullptr ? GiveNothing(size) : Give(shape->text, size);
}

int32_t indim_shape_equal(const indim_shape* a, const indim_shape* b) {
  return a != nullptr && b != nullptr && a->shape == b->shape ? 1 : 0;
}

}  // extern "C"
}  // namespace indim::capi

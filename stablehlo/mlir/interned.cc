// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/mlir/interned.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim::mlir {
namespace {

template <typename T>
const T& Default() {
  static const T* const value = new T();
  return *value;
}

// Appends the `size` low bytes of `value`, the lowest first.
void AppendBytes(int64_t value, int size, std::string* out) {
  for (int i = 0; i < size; ++i) {
    out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }
}

bool IsLocation(const Attribute& attribute) {
  return attribute.kind >= AttrKind::kUnknownLoc;
}

// The integer of `size` bytes at `bytes`; sign-extended if `is_signed`.
int64_t LoadInteger(const char* bytes, int size, bool is_signed) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  if (is_signed && size < 8) {
    const uint64_t sign = uint64_t{1} << (8 * size - 1);
    value = (value ^ sign) - sign;
  }
  return static_cast<int64_t>(value);
}

}  // namespace

// --- Interned things ---------------------------------------------------------

StringId Interned::Intern(absl::string_view text) {
  const auto found = string_ids_.find(text);
  if (found != string_ids_.end()) return found->second;
  const StringId id{static_cast<uint32_t>(strings_.size())};
  strings_.emplace_back(text);
  string_ids_.emplace(strings_.back(), id);
  return id;
}

absl::string_view Interned::text(StringId id) const {
  return id.valid() ? absl::string_view(strings_[id.index])
                    : absl::string_view();
}

template <typename T>
uint32_t Interned::Pool<T>::Intern(T&& thing) {
  const uint64_t hash = absl::HashOf(thing);
  const std::optional<uint32_t> found =
      index.Find(hash, [&](uint32_t i) { return things[i] == thing; });
  if (found.has_value()) return *found;
  const auto added = static_cast<uint32_t>(things.size());
  things.push_back(std::move(thing));
  index.Insert(hash, added);
  return added;
}

TypeId Interned::Intern(Type type) {
  const TypeId id{types_.Intern(std::move(type))};
  if (id.index == types_.extents.size()) {
    types_.extents.push_back(ExtentOf(types_.things[id.index]));
  }
  return id;
}

const Type& Interned::type(TypeId id) const {
  return id.valid() ? types_.things[id.index] : Default<Type>();
}

AttrId Interned::Intern(Attribute attribute) {
  const AttrId id{attrs_.Intern(std::move(attribute))};
  if (id.index == attrs_.extents.size()) {
    attrs_.extents.push_back(ExtentOf(attrs_.things[id.index]));
  }
  return id;
}

const Attribute& Interned::attr(AttrId id) const {
  return id.valid() ? attrs_.things[id.index] : Default<Attribute>();
}

// --- Extents -----------------------------------------------------------------

void Interned::Extent::Add(const Extent& part) {
  constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
  depth = std::max(depth, part.depth == kMax ? kMax : part.depth + 1);
  parts = part.parts > kMax - parts ? kMax : parts + part.parts;
}

void Interned::AddParts(absl::Span<const TypeId> parts, Extent* extent) const {
  for (const TypeId part : parts) {
    if (part.valid()) extent->Add(types_.extents[part.index]);
  }
}

void Interned::AddParts(absl::Span<const AttrId> parts, Extent* extent) const {
  for (const AttrId part : parts) {
    if (part.valid()) extent->Add(attrs_.extents[part.index]);
  }
}

Interned::Extent Interned::ExtentOf(const Type& type) const {
  Extent extent;
  extent.depth = 0;
  AddParts({type.element}, &extent);
  AddParts({type.encoding}, &extent);
  AddParts(type.parts, &extent);
  return extent;
}

Interned::Extent Interned::ExtentOf(const Attribute& attribute) const {
  Extent extent;
  AddParts({attribute.type}, &extent);
  AddParts({attribute.metadata}, &extent);
  AddParts(attribute.elements, &extent);
  for (const NamedAttr& field : attribute.fields) {
    AddParts({field.value}, &extent);
  }
  return extent;
}

std::string Interned::TooLarge(TypeId id) const {
  return id.valid() ? WhyTooLarge(types_.extents[id.index], kMostNested) : "";
}

std::string Interned::TooLarge(AttrId id) const {
  if (!id.valid()) return "";
  Extent extent = attrs_.extents[id.index];
  if (!IsLocation(attr(id))) return WhyTooLarge(extent, kMostNested);
  // The metadata is printed without aliases.
  extent.parts = 1;
  AddParts({attr(id).metadata}, &extent);
  return WhyTooLarge(extent, kMostNestedLocations);
}

std::string Interned::TooLargeAsValue(AttrId id) const {
  if (!id.valid()) return "";
  return WhyTooLarge(attrs_.extents[id.index],
                     IsLocation(attr(id)) ? kMostNestedLocations : kMostNested);
}

std::string Interned::WhyTooLarge(const Extent& extent, uint32_t most_nested) {
  if (extent.depth > most_nested) {
    return absl::StrCat("it nests more than ", most_nested, " levels deep");
  }
  if (extent.parts > kMostParts) {
    return absl::StrCat("it has more than ", kMostParts,
                        " parts, written without aliases");
  }
  return "";
}

// --- Shorthands --------------------------------------------------------------

TypeId Interned::ElementTypeId(ElementType type) {
  Type t(TypeKind::kElement);
  t.element_type = type;
  return Intern(std::move(t));
}

TypeId Interned::TensorType(ElementType type, absl::Span<const int64_t> dims) {
  Type t(TypeKind::kTensor);
  t.element = ElementTypeId(type);
  t.dims.assign(dims.begin(), dims.end());
  return Intern(std::move(t));
}

TypeId Interned::FunctionType(absl::Span<const TypeId> inputs,
                              absl::Span<const TypeId> results) {
  Type t(TypeKind::kFunction);
  t.input_count = static_cast<uint32_t>(inputs.size());
  t.parts.assign(inputs.begin(), inputs.end());
  t.parts.insert(t.parts.end(), results.begin(), results.end());
  return Intern(std::move(t));
}

AttrId Interned::UnitAttr() { return Intern(Attribute()); }

AttrId Interned::BoolAttr(bool value) {
  Attribute a(AttrKind::kBool);
  a.integer = value ? 1 : 0;
  return Intern(std::move(a));
}

AttrId Interned::IntegerAttr(int64_t value, ElementType type) {
  Attribute a(AttrKind::kInteger);
  a.integer = value;
  a.type = ElementTypeId(type);
  return Intern(std::move(a));
}

AttrId Interned::FloatAttr(TypeId type, uint64_t bits) {
  Attribute a(AttrKind::kFloat, type);
  a.integer = static_cast<int64_t>(bits);
  return Intern(std::move(a));
}

AttrId Interned::StringAttr(absl::string_view text) {
  Attribute a(AttrKind::kString);
  a.text = std::string(text);
  return Intern(std::move(a));
}

AttrId Interned::SymbolAttr(absl::string_view name) {
  Attribute a(AttrKind::kSymbol);
  a.text = std::string(name);
  return Intern(std::move(a));
}

AttrId Interned::TypeAttr(TypeId type) {
  return Intern(Attribute(AttrKind::kType, type));
}

AttrId Interned::ArrayAttr(absl::Span<const AttrId> elements) {
  Attribute a(AttrKind::kArray);
  a.elements.assign(elements.begin(), elements.end());
  return Intern(std::move(a));
}

AttrId Interned::DictionaryAttr(std::vector<NamedAttr> fields) {
  Attribute a(AttrKind::kDictionary);
  Sort(&fields);
  a.fields = std::move(fields);
  return Intern(std::move(a));
}

AttrId Interned::I64ArrayAttr(absl::Span<const int64_t> values) {
  Attribute a(AttrKind::kDenseArray, ElementTypeId(ElementType::kS64));
  for (const int64_t value : values) AppendBytes(value, 8, &a.text);
  return Intern(std::move(a));
}

AttrId Interned::I32ArrayAttr(absl::Span<const int32_t> values) {
  Attribute a(AttrKind::kDenseArray, ElementTypeId(ElementType::kS32));
  for (const int32_t value : values) AppendBytes(value, 4, &a.text);
  return Intern(std::move(a));
}

AttrId Interned::BoolArrayAttr(absl::Span<const bool> values) {
  Attribute a(AttrKind::kDenseArray, ElementTypeId(ElementType::kPred));
  for (const bool value : values) AppendBytes(value ? 1 : 0, 1, &a.text);
  return Intern(std::move(a));
}

AttrId Interned::DenseAttr(absl::Span<const int64_t> values, TypeId element,
                           int bytes, absl::Span<const int64_t> dims) {
  mlir::Type type(TypeKind::kTensor);
  type.element = element;
  type.dims.assign(dims.begin(), dims.end());
  Attribute a(AttrKind::kDense, Intern(std::move(type)));
  a.splat =
      !values.empty() && std::all_of(values.begin(), values.end(),
                                     [&](int64_t v) { return v == values[0]; });
  for (const int64_t value : a.splat ? values.first(1) : values) {
    AppendBytes(value, bytes, &a.text);
  }
  return Intern(std::move(a));
}

AttrId Interned::DenseI64Attr(absl::Span<const int64_t> values,
                              absl::Span<const int64_t> dims) {
  return DenseAttr(values, ElementTypeId(ElementType::kS64), 8, dims);
}

AttrId Interned::WordAttr(absl::string_view mnemonic, absl::string_view word) {
  return DialectAttr(mnemonic, {{Intern(""), StringAttr(word)}});
}

AttrId Interned::DialectAttr(absl::string_view mnemonic,
                             std::vector<NamedAttr> fields) {
  Attribute a(AttrKind::kDialect);
  a.text = std::string(mnemonic);
  a.fields = std::move(fields);
  return Intern(std::move(a));
}

void Interned::Sort(std::vector<NamedAttr>* attrs) const {
  const auto less = [this](const NamedAttr& a, const NamedAttr& b) {
    return text(a.name) < text(b.name);
  };
  // Most lists are short and sorted.
  if (!std::is_sorted(attrs->begin(), attrs->end(), less)) {
    std::stable_sort(attrs->begin(), attrs->end(), less);
  }
}

AttrId Interned::Find(const Attribute& attribute,
                      absl::string_view name) const {
  for (const NamedAttr& field : attribute.fields) {
    if (text(field.name) == name) return field.value;
  }
  return {};
}

bool Interned::Integers(AttrId id, std::vector<int64_t>* values,
                        int64_t limit) const {
  values->clear();
  if (!id.valid()) return false;
  const Attribute& a = attr(id);
  if (a.kind == AttrKind::kArray) {
    for (const AttrId element : a.elements) {
      if (attr(element).kind != AttrKind::kInteger) return false;
      values->push_back(attr(element).integer);
    }
    return static_cast<int64_t>(values->size()) <= limit;
  }
  const bool dense = a.kind == AttrKind::kDense;
  if (!dense && a.kind != AttrKind::kDenseArray) return false;
  const Type& element = type(dense ? type(a.type).element : a.type);
  const ElementTypeInfo& info = Info(element.element_type);
  const bool index = element.kind == TypeKind::kIndex;
  if (!index && info.kind != ElementKind::kSigned &&
      info.kind != ElementKind::kUnsigned && info.kind != ElementKind::kPred) {
    return false;
  }
  const int bytes = index ? 8 : std::max(info.bits / 8, 1);
  const auto size = static_cast<size_t>(bytes);
  const bool is_signed = index || info.kind == ElementKind::kSigned;
  if (static_cast<int64_t>(a.text.size() / size) > limit) return false;
  for (size_t at = 0; at + size <= a.text.size(); at += size) {
    values->push_back(LoadInteger(a.text.data() + at, bytes, is_signed));
  }
  if (!a.splat || values->empty()) return true;
  int64_t count = 1;
  for (const int64_t dim : type(a.type).dims) {
    if (dim < 0 || (dim > 0 && count > limit / dim)) return false;
    count *= dim;
  }
  values->assign(static_cast<size_t>(count), values->front());
  return true;
}

}  // namespace indim::mlir

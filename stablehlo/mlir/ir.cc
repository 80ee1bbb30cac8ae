#include "indim/stablehlo/mlir/ir.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/hash/hash.h"
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

StringId Ir::Intern(absl::string_view text) {
  const auto found = string_ids_.find(text);
  if (found != string_ids_.end()) return found->second;
  const StringId id{static_cast<uint32_t>(strings_.size())};
  strings_.emplace_back(text);
  string_ids_.emplace(strings_.back(), id);
  return id;
}

absl::string_view Ir::text(StringId id) const {
  return id.valid() ? absl::string_view(strings_[id.index])
                    : absl::string_view();
}

StringId Ir::FindString(absl::string_view text) const {
  const auto found = string_ids_.find(text);
  return found == string_ids_.end() ? StringId() : found->second;
}

template <typename T>
uint32_t Ir::Pool<T>::Intern(T&& thing) {
  const uint64_t hash = absl::HashOf(thing);
  const std::optional<uint32_t> found =
      index.Find(hash, [&](uint32_t i) { return things[i] == thing; });
  if (found.has_value()) return *found;
  const auto added = static_cast<uint32_t>(things.size());
  things.push_back(std::move(thing));
  index.Insert(hash, added);
  return added;
}

TypeId Ir::Intern(Type type) { return {types_.Intern(std::move(type))}; }

const Type& Ir::type(TypeId id) const {
  return id.valid() ? types_.things[id.index] : Default<Type>();
}

AttrId Ir::Intern(Attribute attribute) {
  return {attrs_.Intern(std::move(attribute))};
}

const Attribute& Ir::attr(AttrId id) const {
  return id.valid() ? attrs_.things[id.index] : Default<Attribute>();
}

// --- Shorthands --------------------------------------------------------------

TypeId Ir::ElementTypeId(ElementType type) {
  Type t;
  t.kind = TypeKind::kElement;
  t.element_type = type;
  return Intern(std::move(t));
}

TypeId Ir::TensorType(ElementType type, absl::Span<const int64_t> dims) {
  Type t;
  t.kind = TypeKind::kTensor;
  t.element = ElementTypeId(type);
  t.dims.assign(dims.begin(), dims.end());
  return Intern(std::move(t));
}

TypeId Ir::FunctionType(absl::Span<const TypeId> inputs,
                        absl::Span<const TypeId> results) {
  Type t;
  t.kind = TypeKind::kFunction;
  t.input_count = static_cast<uint32_t>(inputs.size());
  t.parts.assign(inputs.begin(), inputs.end());
  t.parts.insert(t.parts.end(), results.begin(), results.end());
  return Intern(std::move(t));
}

AttrId Ir::UnitAttr() { return Intern(Attribute()); }

AttrId Ir::BoolAttr(bool value) {
  Attribute a;
  a.kind = AttrKind::kBool;
  a.integer = value ? 1 : 0;
  return Intern(std::move(a));
}

AttrId Ir::IntegerAttr(int64_t value, ElementType type) {
  Attribute a;
  a.kind = AttrKind::kInteger;
  a.integer = value;
  a.type = ElementTypeId(type);
  return Intern(std::move(a));
}

AttrId Ir::StringAttr(absl::string_view text) {
  Attribute a;
  a.kind = AttrKind::kString;
  a.text = std::string(text);
  return Intern(std::move(a));
}

AttrId Ir::SymbolAttr(absl::string_view name) {
  Attribute a;
  a.kind = AttrKind::kSymbol;
  a.text = std::string(name);
  return Intern(std::move(a));
}

AttrId Ir::TypeAttr(TypeId type) {
  Attribute a;
  a.kind = AttrKind::kType;
  a.type = type;
  return Intern(std::move(a));
}

AttrId Ir::ArrayAttr(absl::Span<const AttrId> elements) {
  Attribute a;
  a.kind = AttrKind::kArray;
  a.elements.assign(elements.begin(), elements.end());
  return Intern(std::move(a));
}

AttrId Ir::DictionaryAttr(std::vector<NamedAttr> fields) {
  Attribute a;
  a.kind = AttrKind::kDictionary;
  Sort(&fields);
  a.fields = std::move(fields);
  return Intern(std::move(a));
}

AttrId Ir::I64ArrayAttr(absl::Span<const int64_t> values) {
  Attribute a;
  a.kind = AttrKind::kDenseArray;
  a.type = ElementTypeId(ElementType::kS64);
  for (const int64_t value : values) AppendBytes(value, 8, &a.text);
  return Intern(std::move(a));
}

AttrId Ir::I32ArrayAttr(absl::Span<const int32_t> values) {
  Attribute a;
  a.kind = AttrKind::kDenseArray;
  a.type = ElementTypeId(ElementType::kS32);
  for (const int32_t value : values) AppendBytes(value, 4, &a.text);
  return Intern(std::move(a));
}

AttrId Ir::BoolArrayAttr(absl::Span<const bool> values) {
  Attribute a;
  a.kind = AttrKind::kDenseArray;
  a.type = ElementTypeId(ElementType::kPred);
  for (const bool value : values) AppendBytes(value ? 1 : 0, 1, &a.text);
  return Intern(std::move(a));
}

AttrId Ir::DenseI64Attr(absl::Span<const int64_t> values,
                        absl::Span<const int64_t> dims) {
  Attribute a;
  a.kind = AttrKind::kDense;
  a.type = TensorType(ElementType::kS64, dims);
  a.splat =
      !values.empty() && std::all_of(values.begin(), values.end(),
                                     [&](int64_t v) { return v == values[0]; });
  for (const int64_t value : a.splat ? values.first(1) : values) {
    AppendBytes(value, 8, &a.text);
  }
  return Intern(std::move(a));
}

AttrId Ir::WordAttr(absl::string_view mnemonic, absl::string_view word) {
  return DialectAttr(mnemonic, {{Intern(""), StringAttr(word)}});
}

AttrId Ir::DialectAttr(absl::string_view mnemonic,
                       std::vector<NamedAttr> fields) {
  Attribute a;
  a.kind = AttrKind::kDialect;
  a.text = std::string(mnemonic);
  a.fields = std::move(fields);
  return Intern(std::move(a));
}

// --- Building ----------------------------------------------------------------

void Ir::MakeModule() {
  const RegionId region = AddRegion();
  module_block_ = AddBlock(region);
  OpParts parts;
  parts.name = Intern("builtin.module");
  parts.regions = {region};
  module_op_ = AddOp(BlockId(), &parts);
}

void Ir::SetModule(OpId module) {
  const absl::Span<const RegionId> of_module = regions(op(module));
  if (of_module.empty() || region(of_module[0]).blocks.empty()) return;
  module_op_ = module;
  module_block_ = region(of_module[0]).blocks[0];
}

RegionId Ir::AddRegion() {
  regions_.emplace_back();
  return {static_cast<uint32_t>(regions_.size() - 1)};
}

BlockId Ir::AddBlock(RegionId region) {
  const BlockId id{static_cast<uint32_t>(blocks_.size())};
  blocks_.emplace_back();
  blocks_.back().region = region;
  regions_[region.index].blocks.push_back(id);
  return id;
}

ValueId Ir::AddArgument(BlockId block, TypeId type, StringId name,
                        AttrId location, Offset offset) {
  const ValueId id{static_cast<uint32_t>(values_.size())};
  Value value;
  value.type = type;
  value.block = block;
  value.index = static_cast<uint32_t>(blocks_[block.index].arguments.size());
  value.name = name;
  value.location = location;
  value.offset = offset;
  values_.push_back(value);
  blocks_[block.index].arguments.push_back(id);
  return id;
}

void Ir::Reserve(size_t ops) {
  ops_.reserve(ops);
  values_.reserve(ops);
  operands_.reserve(2 * ops);
}

OpId Ir::AddOp(BlockId block, OpParts* parts) {
  const OpId id{static_cast<uint32_t>(ops_.size())};
  ops_.emplace_back();
  Op& op = ops_.back();
  op.name = parts->name;
  op.block = block;
  op.location = parts->location;
  op.offset = parts->offset;
  op.first_operand = static_cast<uint32_t>(operands_.size());
  op.operand_count = static_cast<uint32_t>(parts->operands.size());
  operands_.insert(operands_.end(), parts->operands.begin(),
                   parts->operands.end());
  op.first_region = static_cast<uint32_t>(region_lists_.size());
  op.region_count = static_cast<uint32_t>(parts->regions.size());
  region_lists_.insert(region_lists_.end(), parts->regions.begin(),
                       parts->regions.end());
  op.first_result = {static_cast<uint32_t>(values_.size())};
  op.result_count = static_cast<uint32_t>(parts->results.size());
  for (uint32_t i = 0; i < op.result_count; ++i) {
    values_.emplace_back();
    Value& value = values_.back();
    value.type = parts->results[i];
    value.op = id;
    value.index = i;
    value.offset = parts->offset;
  }
  if (block.valid()) blocks_[block.index].ops.push_back(id);
  Sort(&parts->properties);
  Sort(&parts->discardable);
  SetSorted(id, parts->properties, parts->discardable);
  return id;
}

OpId Ir::AddOp(BlockId block, absl::string_view name,
               absl::Span<const ValueId> operands,
               absl::Span<const TypeId> results) {
  OpParts parts;
  parts.name = Intern(name);
  parts.operands = operands;
  parts.results = results;
  return AddOp(block, &parts);
}

void Ir::SetAttrs(OpId id, std::vector<NamedAttr> properties,
                  std::vector<NamedAttr> discardable) {
  Sort(&properties);
  Sort(&discardable);
  SetSorted(id, properties, discardable);
}

void Ir::SetSorted(OpId id, absl::Span<const NamedAttr> properties,
                   absl::Span<const NamedAttr> discardable) {
  Op& op = ops_[id.index];
  op.first_attr = static_cast<uint32_t>(attr_lists_.size());
  op.property_count = static_cast<uint32_t>(properties.size());
  op.discardable_count = static_cast<uint32_t>(discardable.size());
  attr_lists_.insert(attr_lists_.end(), properties.begin(), properties.end());
  attr_lists_.insert(attr_lists_.end(), discardable.begin(), discardable.end());
}

void Ir::Sort(std::vector<NamedAttr>* attrs) const {
  const auto less = [this](const NamedAttr& a, const NamedAttr& b) {
    return text(a.name) < text(b.name);
  };
  // Most lists are short and sorted.
  if (!std::is_sorted(attrs->begin(), attrs->end(), less)) {
    std::stable_sort(attrs->begin(), attrs->end(), less);
  }
}

// --- Reading -----------------------------------------------------------------

AttrId Ir::Find(const Op& op, absl::string_view name) const {
  for (uint32_t i = 0; i < op.property_count + op.discardable_count; ++i) {
    const NamedAttr& attr = attr_lists_[op.first_attr + i];
    if (text(attr.name) == name) return attr.value;
  }
  return {};
}

AttrId Ir::Find(const Attribute& attribute, absl::string_view name) const {
  for (const NamedAttr& field : attribute.fields) {
    if (text(field.name) == name) return field.value;
  }
  return {};
}

bool Ir::Integers(AttrId id, std::vector<int64_t>* values,
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

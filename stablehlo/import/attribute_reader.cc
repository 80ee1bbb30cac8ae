// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/attribute_reader.h"

#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "indim/ir/storage/float_format.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/stablehlo/ops/dot_algorithms.h"

namespace indim::stablehlo_import {

std::optional<int64_t> ReadNumber(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kInteger || a.kind == AttrKind::kBool) {
    return a.integer;
  }
  // Old texts have dense<1> : tensor<i64>.
  std::vector<int64_t> values;
  if (a.kind == AttrKind::kDense && ir.Integers(id, &values) &&
      values.size() == 1) {
    return values[0];
  }
  return std::nullopt;
}

std::optional<bool> ReadBool(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (id.valid() && a.kind == AttrKind::kUnit) return true;
  const std::optional<int64_t> number = ReadNumber(ir, id);
  if (!number.has_value()) return std::nullopt;
  return *number != 0;
}

std::optional<DimIndices> ReadNumbers(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kInteger || a.kind == AttrKind::kBool) {
    return DimIndices{a.integer};
  }
  std::vector<int64_t> values;
  if (!ir.Integers(id, &values)) return std::nullopt;
  return DimIndices(values.begin(), values.end());
}

std::optional<std::vector<std::vector<int64_t>>> ReadRows(const Ir& ir,
                                                          AttrId id) {
  std::vector<int64_t> values;
  if (!ir.Integers(id, &values)) return std::nullopt;
  std::vector<std::vector<int64_t>> rows;
  const Attribute& a = ir.attr(id);
  const std::vector<int64_t>& dims = ir.type(a.type).dims;
  if (a.kind == AttrKind::kDense && dims.size() != 2) return std::nullopt;
  if (values.empty() || a.kind != AttrKind::kDense) {
    if (!values.empty()) return std::nullopt;
    return rows;
  }
  const size_t width = static_cast<size_t>(dims[1]);
  for (size_t at = 0; at + width <= values.size(); at += width) {
    rows.emplace_back(values.begin() + static_cast<ptrdiff_t>(at),
                      values.begin() + static_cast<ptrdiff_t>(at + width));
  }
  return rows;
}

std::optional<absl::string_view> ReadWord(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  // Old texts have words as strings: "DEFAULT".
  if (a.kind == AttrKind::kString) return a.text;
  if (a.kind != AttrKind::kDialect || a.fields.size() != 1) return std::nullopt;
  const Attribute& word = ir.attr(a.fields[0].value);
  if (word.kind != AttrKind::kString) return std::nullopt;
  return word.text;
}

std::optional<absl::string_view> ReadText(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (!id.valid() ||
      (a.kind != AttrKind::kString && a.kind != AttrKind::kSymbol)) {
    return std::nullopt;
  }
  return a.text;
}

std::optional<double> ReadFloat(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kInteger) return static_cast<double>(a.integer);
  if (a.kind != AttrKind::kFloat) return std::nullopt;
  const ElementTypeInfo& info = Info(ir.type(a.type).element_type);
  if (info.kind != ElementKind::kFloat) return std::nullopt;
  return DecodeFloat(info.type, static_cast<uint64_t>(a.integer));
}

// --- Members -----------------------------------------------------------------

namespace {

// The number of a word of StableHLO among an enum's words, which may have the
// enum's name in front: UNIFORM is rng_uniform.
std::optional<int64_t> NumberOfWord(const AttributeWords& words,
                                    absl::string_view word) {
  for (const AttributeWord& w : words.words) {
    absl::string_view known = w.word;
    absl::ConsumePrefix(&known, "rng_");
    if (absl::EqualsIgnoreCase(known, word)) return w.number;
  }
  return std::nullopt;
}

template <typename T>
bool Set(const std::optional<T>& value, T* to) {
  if (!value.has_value()) return false;
  *to = *value;
  return true;
}

bool SetValue(const Ir& ir, AttrId id, bool* to) {
  return Set(ReadBool(ir, id), to);
}
// Also the number of a channel, #stablehlo.channel_handle<handle = 1, ...>.
bool SetValue(const Ir& ir, AttrId id, int64_t* to) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kDialect) id = ir.Find(a, "handle");
  return Set(ReadNumber(ir, id), to);
}
bool SetValue(const Ir& ir, AttrId id, float* to) {
  const std::optional<double> value = ReadFloat(ir, id);
  if (value.has_value()) *to = static_cast<float>(*value);
  return value.has_value();
}
bool SetValue(const Ir& ir, AttrId id, DimIndices* to) {
  return Set(ReadNumbers(ir, id), to);
}
bool SetValue(const Ir& ir, AttrId id, std::string* to) {
  const std::optional<absl::string_view> text = ReadText(ir, id);
  if (text.has_value()) *to = std::string(*text);
  return text.has_value();
}
// The name of a type.
bool SetValue(const Ir& ir, AttrId id, absl::string_view* to) {
  const Attribute& a = ir.attr(id);
  if (a.kind != AttrKind::kType) return false;
  const Type& type = ir.type(a.type);
  *to = type.kind == TypeKind::kElement ? Info(type.element_type).name
                                        : absl::string_view(type.text);
  return true;
}
bool SetValue(const Ir& ir, AttrId id, ConvolutionDims* to) {
  return ReadFields(ir, id, to);
}
bool SetValue(const Ir& ir, AttrId id,
              std::vector<std::pair<int64_t, int64_t>>* to) {
  const auto rows = ReadRows(ir, id);
  if (!rows.has_value()) return false;
  for (const std::vector<int64_t>& row : *rows) {
    if (row.size() != 2) return false;
    to->emplace_back(row[0], row[1]);
  }
  return true;
}
template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
bool SetValue(const Ir& ir, AttrId id, Enum* to) {
  const std::optional<absl::string_view> word = ReadWord(ir, id);
  if (!word.has_value()) return false;
  if (*word == "NOTYPE") return true;  // the default
  const std::optional<int64_t> number =
      NumberOfWord(WordsOf(static_cast<const Enum*>(nullptr)), *word);
  if (number.has_value()) *to = static_cast<Enum>(*number);
  return number.has_value();
}

template <typename T>
bool SetValue(const Ir& ir, AttrId id, T* to, std::string*) {
  return SetValue(ir, id, to);
}
bool SetValue(const Ir& ir, AttrId id, ReplicaGroups* to, std::string* why) {
  return ReadGroups(ir, id, to, why);
}

template <typename Struct, auto member>
bool SetMember(const Ir& ir, AttrId id, Attributes* attributes,
               std::string* why) {
  return SetValue(ir, id, &(Get<Struct>(attributes)->*member), why);
}

template <typename Struct>
bool SetAll(const Ir& ir, AttrId id, Attributes* attributes, std::string*) {
  return ReadFields(ir, id, Get<Struct>(attributes));
}

struct Member {
  absl::string_view op;
  absl::string_view name;
  bool (*set)(const Ir& ir, AttrId id, Attributes* attributes,
              std::string* why);
};

constexpr Member kMembers[] = {
#define INDIM_MLIR_MEMBER(op, name, kind, of, need, otherwise, since, \
                          attributes, member)                         \
  {op, name,                                                          \
   &SetMember<attributes##Attributes, &attributes##Attributes::member>},
#define INDIM_MLIR_FIELDS(op, name, kind, of, need, otherwise, since, \
                          attributes)                                 \
  {op, name, &SetAll<attributes##Attributes>},
#define INDIM_MLIR_ATTRIBUTE(...)
#include "indim/stablehlo/ops/op_attributes.def"
};

// Ranges of kMembers by op; the rows of an op are neighbours.
const absl::flat_hash_map<absl::string_view, absl::Span<const Member>>&
MembersByOp() {
  static const auto* const map = [] {
    auto* made =
        new absl::flat_hash_map<absl::string_view, absl::Span<const Member>>();
    const absl::Span<const Member> all = kMembers;
    for (size_t i = 0; i < all.size();) {
      size_t end = i;
      while (end < all.size() && all[end].op == all[i].op) ++end;
      (*made)[all[i].op] = all.subspan(i, end - i);
      i = end;
    }
    return made;
  }();
  return *map;
}

template <typename Struct>
struct FieldSetter {
  absl::string_view attribute;
  absl::string_view name;
  bool (*set)(const Ir& ir, AttrId id, Struct* to);
};
template <typename Struct, auto member>
bool SetField(const Ir& ir, AttrId id, Struct* to) {
  return SetValue(ir, id, &(to->*member));
}

// Calls f(setter) for the rows of each struct; those of others are left out.
template <typename Struct, typename F>
void ForEachField(F f) {
#define INDIM_MLIR_FIELD_MEMBER(attribute, name, kind, of, otherwise, since, \
                                type, member)                                \
  if constexpr (std::is_same_v<Struct, type>) {                              \
    f(FieldSetter<type>{attribute, name, &SetField<type, &type::member>});   \
  }
#define INDIM_MLIR_FIELD(...)
#include "indim/stablehlo/ops/struct_fields.def"
}

}  // namespace

template <typename Struct>
bool ReadFields(const Ir& ir, AttrId id, Struct* to) {
  const Attribute& a = ir.attr(id);
  if (a.kind != AttrKind::kDialect) return false;
  bool known = false;
  bool good = true;
  ForEachField<Struct>([&](const FieldSetter<Struct>& field) {
    if (field.attribute != a.text) return;
    known = true;
    const AttrId value = ir.Find(a, field.name);
    if (value.valid()) good = field.set(ir, value, to) && good;
  });
  return known && good;
}

template bool ReadFields(const Ir&, AttrId, GatherAttributes*);
template bool ReadFields(const Ir&, AttrId, ScatterAttributes*);
template bool ReadFields(const Ir&, AttrId, OutputOperandAliasing*);
template bool ReadFields(const Ir&, AttrId, mlir::DotAlgorithmParts*);

bool ReadMembers(const Ir& ir, const mlir::Op& op, const OpRow& row,
                 Attributes* attributes, absl::string_view* wrong,
                 std::string* why) {
  const auto members = MembersByOp().find(row.name);
  if (members == MembersByOp().end()) return true;
  for (const Member& member : members->second) {
    const AttrId value = ir.Find(op, member.name);
    if (value.valid() && !member.set(ir, value, attributes, why)) {
      *wrong = member.name;
      return false;
    }
  }
  return true;
}

std::optional<std::vector<Precision>> ReadPrecisions(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind != AttrKind::kArray) return std::nullopt;
  std::vector<Precision> precisions;
  for (const AttrId element : a.elements) {
    precisions.emplace_back();
    if (!SetValue(ir, element, &precisions.back())) return std::nullopt;
  }
  return precisions;
}

}  // namespace indim::stablehlo_import

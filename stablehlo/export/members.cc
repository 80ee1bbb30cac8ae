// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/members.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/numeric/bits.h"
#include "indim/stablehlo/ops/dot_algorithms.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

using mlir::DefaultValue;
using mlir::ValueKind;

// What a row says of the form of a value.
struct MemberForm {
  absl::string_view name;
  ValueKind kind;
  absl::string_view of;
  DefaultValue otherwise;
  bool filled = false;  // it is written where it has that value, too
};

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// One number, for kinds that hold one.
AttrId NumberAttr(const MemberForm& form, int64_t number, Ir* ir) {
  const bool is_default =
      (form.otherwise == DefaultValue::kZero && number == 0) ||
      (form.otherwise == DefaultValue::kOne && number == 1) ||
      (form.otherwise == DefaultValue::kFalse && number == 0) ||
      (form.otherwise == DefaultValue::kNoType && number == 0) ||
      (form.otherwise == DefaultValue::kNoChannel && number <= 0);
  if (is_default) return {};
  switch (form.kind) {
    case ValueKind::kBool:
      return ir->BoolAttr(number != 0);
    case ValueKind::kUnit:
      return number != 0 ? ir->UnitAttr() : AttrId();
    case ValueKind::kI32:
      return ir->IntegerAttr(number, ElementType::kS32);
    case ValueKind::kWord:
      return NumberedWord(form.of, number, ir);
    case ValueKind::kStruct:
      return ChannelAttr(number, kDeviceToDevice, ir);
    default:
      return ir->IntegerAttr(number);
  }
}

AttrId PairsAttr(const Pairs& pairs, Ir* ir) {
  std::vector<int64_t> numbers;
  for (const auto& [a, b] : pairs) {
    numbers.push_back(a);
    numbers.push_back(b);
  }
  return ir->DenseI64Attr(numbers, {static_cast<int64_t>(pairs.size()), 2});
}

// The type of that name. tf32 is no type of HLO; "f8" is any type of eight
// bits, here XLA's choice.
AttrId NamedType(absl::string_view name, Ir* ir) {
  const auto type = ElementTypeFromName(name == "f8" ? "f8e5m2" : name);
  if (type.has_value()) return ir->TypeAttr(ir->ElementTypeId(*type));
  mlir::Type other(TypeKind::kOther);
  other.text = std::string(name);
  return ir->TypeAttr(ir->Intern(std::move(other)));
}

// The attribute of a member; none: it is left out.
template <typename T>
AttrId ValueAttr(const MemberForm& form, const T& value, Ir* ir) {
  if constexpr (std::is_same_v<T, float>) {
    return ir->FloatAttr(ir->ElementTypeId(ElementType::kF32),
                         absl::bit_cast<uint32_t>(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return NumberAttr(form, static_cast<int64_t>(value), ir);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (value.empty() && form.otherwise == DefaultValue::kEmptyString &&
        !form.filled) {
      return {};
    }
    return ir->StringAttr(value);
  } else if constexpr (std::is_same_v<T, absl::string_view>) {
    return NamedType(value, ir);
  } else if constexpr (std::is_same_v<T, Pairs>) {
    return PairsAttr(value, ir);
  } else if constexpr (std::is_same_v<T, ReplicaGroups>) {
    return GroupsAttr(value, ir);
  } else if constexpr (std::is_same_v<T, ConvolutionDims>) {
    return StructAttr(form.of, value, ir);
  } else {
    static_assert(std::is_same_v<T, DimIndices>);
    if (form.kind != ValueKind::kI64Array) {  // a list of one
      return NumberAttr(form, value.empty() ? 0 : value[0], ir);
    }
    if (value.empty() && form.otherwise == DefaultValue::kEmptyIntegers)
      return {};
    return ir->I64ArrayAttr(value);
  }
}

struct MemberRow {
  MemberForm form;
  AttrId (*write)(const MemberForm& form, const void* object, Ir* ir);
};
using MemberRows =
    absl::flat_hash_map<absl::string_view, std::vector<MemberRow>>;

template <typename T, auto kMember>
AttrId WriteMember(const MemberForm& form, const void* object, Ir* ir) {
  return ValueAttr(form, static_cast<const T*>(object)->*kMember, ir);
}
// `object` is an Attributes.
template <typename T, auto kMember>
AttrId WriteOwn(const MemberForm& form, const void* object, Ir* ir) {
  return ValueAttr(form,
                   As<T>(*static_cast<const Attributes*>(object)).*kMember, ir);
}

template <typename T>
AttrId WriteAll(const MemberForm& form, const void* object, Ir* ir) {
  return StructAttr(form.of, As<T>(*static_cast<const Attributes*>(object)),
                    ir);
}

// The members of each element of a list; none where all are what it means to
// leave them out.
template <typename T, auto kList, auto... kMembers>
AttrId WriteEach(const MemberForm& form, const void* object, Ir* ir) {
  const auto& list = As<T>(*static_cast<const Attributes*>(object)).*kList;
  std::vector<int64_t> values;
  for (const auto& element : list) {
    (values.push_back(static_cast<int64_t>(element.*kMembers)), ...);
  }
  if (form.otherwise != DefaultValue::kNone &&
      absl::c_count(values, form.otherwise == DefaultValue::kOnes ? 1 : 0) ==
          static_cast<int64_t>(values.size())) {
    return {};
  }
  switch (form.kind) {
    case ValueKind::kBoolArray: {
      const absl::InlinedVector<bool, 8> bools(values.begin(), values.end());
      return ir->BoolArrayAttr(bools);
    }
    case ValueKind::kI64Pairs:
      return ir->DenseI64Attr(values, {static_cast<int64_t>(list.size()), 2});
    default:
      return ir->I64ArrayAttr(values);
  }
}

const MemberRows& PropertyRows() {
  static const MemberRows* const rows = [] {
    auto* made = new MemberRows();
#define INDIM_ROW(op, name, kind, of, otherwise, write)        \
  (*made)[op].push_back(                                       \
      {{name, ValueKind::kind, of, DefaultValue::otherwise,    \
        mlir::FindAttribute(*mlir::FindOp(op), name)->filled}, \
       write});
#define INDIM_MLIR_MEMBER(op, name, kind, of, need, otherwise, since, \
                          attributes, member)                         \
  INDIM_ROW(                                                          \
      op, name, kind, of, otherwise,                                  \
      (&WriteOwn<attributes##Attributes, &attributes##Attributes::member>))
#define INDIM_MLIR_FIELDS(op, name, kind, of, need, otherwise, since, \
                          attributes)                                 \
  INDIM_ROW(op, name, kind, of, otherwise, &WriteAll<attributes##Attributes>)
#define INDIM_MLIR_EACH(op, name, kind, of, need, otherwise, since,            \
                        attributes, list, ...)                                 \
  INDIM_ROW(op, name, kind, of, otherwise,                                     \
            (&WriteEach<attributes##Attributes, &attributes##Attributes::list, \
                        __VA_ARGS__>))
#include "indim/stablehlo/ops/op_attributes.def"
#undef INDIM_ROW
    return made;
  }();
  return *rows;
}

const MemberRows& FieldRows() {
  static const MemberRows* const rows = [] {
    auto* made = new MemberRows();
#define INDIM_MLIR_FIELD_MEMBER(attribute, name, kind, of, otherwise, since, \
                                type, member)                                \
  (*made)[attribute].push_back(                                              \
      {{name, ValueKind::kind, of, DefaultValue::otherwise},                 \
       &WriteMember<type, &type::member>});
#include "indim/stablehlo/ops/struct_fields.def"
    return made;
  }();
  return *rows;
}

std::vector<NamedAttr> Write(const MemberRows& rows, absl::string_view key,
                             const void* object, Ir* ir) {
  std::vector<NamedAttr> written;
  const auto found = rows.find(key);
  if (found == rows.end()) return written;
  for (const MemberRow& row : found->second) {
    const AttrId value = row.write(row.form, object, ir);
    if (value.valid()) written.push_back({ir->Intern(row.form.name), value});
  }
  return written;
}

}  // namespace

std::vector<NamedAttr> MemberProperties(absl::string_view op,
                                        const Attributes& attributes, Ir* ir) {
  return Write(PropertyRows(), op, &attributes, ir);
}

template <typename T>
AttrId StructAttr(absl::string_view attribute, const T& value, Ir* ir) {
  return ir->DialectAttr(attribute, Write(FieldRows(), attribute, &value, ir));
}
template AttrId StructAttr(absl::string_view, const mlir::DotAlgorithmParts&,
                           Ir*);
template AttrId StructAttr(absl::string_view, const OutputOperandAliasing&,
                           Ir*);

AttrId GroupsAttr(const ReplicaGroups& groups, Ir* ir) {
  size_t size = 0;  // of the largest
  for (const auto& group : groups.groups) size = std::max(size, group.size());
  std::vector<int64_t> devices;
  for (const auto& group : groups.groups) {
    devices.insert(devices.end(), group.begin(), group.end());
    devices.resize(devices.size() + size - group.size(), -1);
  }
  return ir->DenseI64Attr(devices, {static_cast<int64_t>(groups.groups.size()),
                                    static_cast<int64_t>(size)});
}

AttrId ChannelAttr(int64_t handle, ChannelType type, Ir* ir) {
  return ir->DialectAttr("stablehlo.channel_handle",
                         {{ir->Intern("handle"), ir->IntegerAttr(handle)},
                          {ir->Intern("type"), ir->IntegerAttr(type)}});
}

AttrId NumberedWord(absl::string_view attribute, int64_t number, Ir* ir) {
  const mlir::WordsRow* words = mlir::FindWords(attribute);
  if (words == nullptr) return {};
  const int64_t i = number - words->first;
  if (i < 0 || i >= static_cast<int64_t>(words->words.size())) return {};
  return ir->WordAttr(attribute, words->words[static_cast<size_t>(i)]);
}

}  // namespace indim::stablehlo_export

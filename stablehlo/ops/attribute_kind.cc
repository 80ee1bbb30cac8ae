// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/ops/attribute_kind.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/ops/dot_algorithms.h"

namespace indim::mlir {
namespace {

// Of a list that is left out: longer splats aren't repeated to look.
constexpr int64_t kLongestList = int64_t{1} << 12;

bool IsIntegerOf(const Ir& ir, const Attribute& a, ElementType type) {
  return a.kind == AttrKind::kInteger && ir.type(a.type).element_type == type;
}

bool IsFloatOf(const Ir& ir, const Attribute& a, ElementType type) {
  return a.kind == AttrKind::kFloat && ir.type(a.type).element_type == type;
}

bool IsListOf(const Ir& ir, const Attribute& a, ElementType type) {
  return a.kind == AttrKind::kDenseArray &&
         ir.type(a.type).element_type == type;
}

// A dense tensor of i64.
bool IsDense64(const Ir& ir, const Attribute& a) {
  return a.kind == AttrKind::kDense &&
         ir.type(ir.type(a.type).element).element_type == ElementType::kS64;
}

// #dialect<name...> for the attribute "dialect.name": Shardy's lists.
bool IsInside(const Ir& ir, const Attribute& a, absl::string_view of) {
  return a.kind == AttrKind::kDialect && a.fields.size() == 1 &&
         absl::ConsumePrefix(&of, a.text) && absl::ConsumePrefix(&of, ".") &&
         absl::StartsWith(ir.attr(a.fields[0].value).text, of);
}

// An array whose elements all are good.
template <typename F>
bool IsArrayOf(const Ir& ir, const Attribute& a, F good) {
  if (a.kind != AttrKind::kArray) return false;
  for (const AttrId element : a.elements) {
    if (!good(ir.attr(element))) return false;
  }
  return true;
}

// dense<[1, 0]> : tensor<2xindex>
bool IsIndices(const Ir& ir, const Attribute& a) {
  return a.kind == AttrKind::kDense &&
         ir.type(ir.type(a.type).element).kind == TypeKind::kIndex &&
         ir.type(a.type).dims.size() == 1;
}

bool IsDialect(const Attribute& a, absl::string_view mnemonic) {
  return a.kind == AttrKind::kDialect && a.text == mnemonic;
}

bool IsWord(const Ir& ir, AttrId value, absl::string_view word) {
  const Attribute& a = ir.attr(value);
  return a.kind == AttrKind::kDialect && !a.fields.empty() &&
         ir.attr(a.fields[0].value).text == word;
}

// All elements of a list or tensor are `element`, and there is one.
bool AllAre(const Ir& ir, AttrId value, int64_t element) {
  std::vector<int64_t> values;
  return ir.Integers(value, &values, kLongestList) && !values.empty() &&
         std::all_of(values.begin(), values.end(),
                     [&](int64_t v) { return v == element; });
}

}  // namespace

AttrId Modern(Ir* ir, ValueKind kind, AttrId value) {
  const bool bools = kind == ValueKind::kBoolArray;
  if (!bools && kind != ValueKind::kI64Array) return value;
  const Attribute& a = ir->attr(value);
  if (a.kind != AttrKind::kDense) return value;
  const Type& type = ir->type(a.type);
  const ElementType wanted = bools ? ElementType::kPred : ElementType::kS64;
  std::vector<int64_t> integers;
  if (type.dims.size() != 1 || ir->type(type.element).element_type != wanted ||
      !ir->Integers(value, &integers)) {
    return value;
  }
  if (!bools) return ir->I64ArrayAttr(integers);
  Attribute list(AttrKind::kDenseArray, ir->ElementTypeId(ElementType::kPred));
  for (const int64_t integer : integers) {
    list.text.push_back(integer != 0 ? 1 : 0);
  }
  return ir->Intern(std::move(list));
}

bool HasKind(const Ir& ir, ValueKind kind, absl::string_view of, AttrId value) {
  const Attribute& a = ir.attr(value);
  switch (kind) {
    case ValueKind::kAny:
      return true;
    case ValueKind::kBool:
      return a.kind == AttrKind::kBool;
    case ValueKind::kUnit:
      return a.kind == AttrKind::kUnit;
    case ValueKind::kI32:
      return IsIntegerOf(ir, a, ElementType::kS32);
    case ValueKind::kI64:
      return IsIntegerOf(ir, a, ElementType::kS64);
    case ValueKind::kF32:
      return IsFloatOf(ir, a, ElementType::kF32);
    case ValueKind::kF64:
      return IsFloatOf(ir, a, ElementType::kF64);
    case ValueKind::kString:
      return a.kind == AttrKind::kString;
    case ValueKind::kType:
      return a.kind == AttrKind::kType;
    case ValueKind::kSymbol:
      return a.kind == AttrKind::kSymbol && a.elements.empty();
    case ValueKind::kSymbolArray:
      return IsArrayOf(ir, a, [](const Attribute& e) {
        return e.kind == AttrKind::kSymbol && e.elements.empty();
      });
    case ValueKind::kI32Array:
      return IsListOf(ir, a, ElementType::kS32);
    case ValueKind::kI64Array:
      return IsListOf(ir, a, ElementType::kS64);
    case ValueKind::kBoolArray:
      return IsListOf(ir, a, ElementType::kPred);
    case ValueKind::kI64Pairs:
      return IsDense64(ir, a);
    case ValueKind::kReplicaGroups:
      return IsDense64(ir, a) ||
             IsDialect(a, "stablehlo.replica_group_mesh_axes");
    case ValueKind::kElements:
      return a.kind == AttrKind::kDense || a.kind == AttrKind::kDenseResource;
    case ValueKind::kWord:
    case ValueKind::kStruct:
      return IsDialect(a, of) || IsInside(ir, a, of);
    case ValueKind::kPrecisions:
    case ValueKind::kStructArray:
      return IsArrayOf(ir, a,
                       [&](const Attribute& e) { return IsDialect(e, of); });
    case ValueKind::kLayouts:
      return IsArrayOf(ir, a,
                       [&](const Attribute& e) { return IsIndices(ir, e); });
    case ValueKind::kTilings:
      return IsArrayOf(ir, a, [&](const Attribute& e) {
        return IsArrayOf(ir, e,
                         [&](const Attribute& t) { return IsIndices(ir, t); });
      });
    case ValueKind::kArray:
      return a.kind == AttrKind::kArray;
    case ValueKind::kDictionary:
      return a.kind == AttrKind::kDictionary;
    case ValueKind::kStringOrDictionary:
      return a.kind == AttrKind::kString || a.kind == AttrKind::kDictionary;
  }
  return false;
}

bool IsLeftOut(const Ir& ir, DefaultValue otherwise, AttrId value) {
  const Attribute& a = ir.attr(value);
  const auto number = [&](AttrKind kind, int64_t n) {
    return a.kind == kind && a.integer == n;
  };
  switch (otherwise) {
    case DefaultValue::kFalse:
      return number(AttrKind::kBool, 0);
    case DefaultValue::kTrue:
      return number(AttrKind::kBool, 1);
    case DefaultValue::kZero:
      return number(AttrKind::kInteger, 0) || number(AttrKind::kFloat, 0);
    case DefaultValue::kOne:
      return number(AttrKind::kInteger, 1);
    case DefaultValue::kMinusOne:
      return number(AttrKind::kInteger, -1);
    case DefaultValue::kEmptyString:
      return a.kind == AttrKind::kString && a.text.empty();
    case DefaultValue::kEmptyArray:
      return a.kind == AttrKind::kArray && a.elements.empty();
    case DefaultValue::kEmptyDictionary:
      return a.kind == AttrKind::kDictionary && a.fields.empty();
    case DefaultValue::kEmptyConfig:
      return (a.kind == AttrKind::kString && a.text.empty()) ||
             (a.kind == AttrKind::kDictionary && a.fields.empty());
    case DefaultValue::kEmptyIntegers:
      return (a.kind == AttrKind::kDense || a.kind == AttrKind::kDenseArray) &&
             a.text.empty();
    case DefaultValue::kOnes:
      return AllAre(ir, value, 1);
    case DefaultValue::kFalses:
    case DefaultValue::kZeroPairs:
      return AllAre(ir, value, 0);
    case DefaultValue::kNoType:
      return IsWord(ir, value, "NOTYPE");
    case DefaultValue::kDefaultPrecisions:
      return a.kind == AttrKind::kArray &&
             std::all_of(a.elements.begin(), a.elements.end(),
                         [&](AttrId id) { return IsWord(ir, id, "DEFAULT"); });
    case DefaultValue::kDefaultAccuracy: {
      // Fields that are zero are left out.
      return a.kind == AttrKind::kDialect && a.fields.size() == 1 &&
             IsWord(ir, a.fields[0].value, "DEFAULT");
    }
    default:
      return false;
  }
}

Version ValueSince(const Ir& ir, const Attribute& value) {
  if (value.kind != AttrKind::kDialect) return {};
  const auto field = [&](absl::string_view name) -> const Attribute& {
    return ir.attr(ir.Find(value, name));
  };
  if (value.text != "stablehlo.dot_algorithm") {
    return WordSince(value.text, field("").text);
  }
  const Type& lhs = ir.type(field("lhs_precision_type").type);
  const int64_t operations = field("num_primitive_operations").integer;
  for (const DotAlgorithmRow& row : kDotAlgorithms) {
    if (lhs.kind == TypeKind::kElement &&
        row.parts.lhs == Name(lhs.element_type) &&
        row.parts.operations == operations) {
      return row.since;
    }
  }
  return {};
}

bool IsDefault(const Ir& ir, const AttributeRow& row, AttrId value) {
  return row.defaulted && IsLeftOut(ir, row.otherwise, value);
}

AttrId MakeStruct(const StructRow& row, const std::vector<AttrId>& values,
                  Ir* ir) {
  std::vector<NamedAttr> fields;
  for (size_t i = 0; i < row.fields.size() && i < values.size(); ++i) {
    if (!values[i].valid() ||
        IsLeftOut(*ir, row.fields[i].otherwise, values[i])) {
      continue;
    }
    fields.push_back({ir->Intern(row.fields[i].name), values[i]});
  }
  return ir->DialectAttr(row.attribute, std::move(fields));
}

std::string KindText(ValueKind kind, absl::string_view of) {
  static constexpr absl::string_view kTexts[] = {
#define INDIM_VALUE_KIND(name, text) text,
#include "indim/stablehlo/ops/value_kinds.def"
  };
  const absl::string_view text = kTexts[static_cast<size_t>(kind)];
  switch (kind) {
    case ValueKind::kWord: {
      const WordsRow* const words = FindWords(of);
      return words == nullptr
                 ? absl::StrCat("an attribute #", of)
                 : absl::StrCat(text, " ", absl::StrJoin(words->words, " "));
    }
    case ValueKind::kStruct:
      return absl::StrCat(text, of, "<...>");
    case ValueKind::kPrecisions:
    case ValueKind::kStructArray:
      return absl::StrCat(text, of);
    default:
      return std::string(text);
  }
}

}  // namespace indim::mlir

// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/structs.h"

#include <string>

namespace indim::mlir {

AttrId BoundsAttr(AttrId bounds, Ir* ir) {
  return ir->DialectAttr(kBoundsAttr, {{ir->Intern(""), bounds}});
}

AttrId FieldOf(const Attribute& a, const FieldRow& field, Ir* ir) {
  const AttrId value = ir->Find(a, field.name);
  return value.valid() ? value : ValueOf(field.otherwise, field.kind, ir);
}

AttrId ValueOf(DefaultValue otherwise, ValueKind kind, Ir* ir) {
  const auto number = [&](int64_t value) {
    // 0 alone has the same bits as a float.
    if (kind == ValueKind::kF64)
      return ir->FloatAttr(ir->ElementTypeId(ElementType::kF64), 0);
    return ir->IntegerAttr(
        value, kind == ValueKind::kI32 ? ElementType::kS32 : ElementType::kS64);
  };
  switch (otherwise) {
    case DefaultValue::kFalse:
      return ir->BoolAttr(false);
    case DefaultValue::kTrue:
      return ir->BoolAttr(true);
    case DefaultValue::kZero:
      return number(0);
    case DefaultValue::kOne:
      return number(1);
    case DefaultValue::kMinusOne:
      return number(-1);
    case DefaultValue::kEmptyString:
      return ir->StringAttr("");
    case DefaultValue::kEmptyArray:
      return ir->ArrayAttr({});
    case DefaultValue::kEmptyDictionary:
      return ir->DictionaryAttr({});
    case DefaultValue::kEmptyIntegers:
      return kind == ValueKind::kI64Array ? ir->I64ArrayAttr({})
                                          : ir->DenseI64Attr({}, {0});
    case DefaultValue::kNoType:
      return ir->WordAttr("stablehlo.comparison_type", "NOTYPE");
    case DefaultValue::kDefaultAccuracy:
      return ir->DialectAttr(
          "stablehlo.result_accuracy",
          {{ir->Intern("mode"),
            ir->WordAttr("stablehlo.result_accuracy_mode", "DEFAULT")}});
    default:
      return {};
  }
}

}  // namespace indim::mlir

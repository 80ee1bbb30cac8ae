// SPDX-License-Identifier: Apache-2.0
// The kinds of values that the tables give attributes.

#ifndef INDIM_STABLEHLO_OPS_ATTRIBUTE_KIND_H_
#define INDIM_STABLEHLO_OPS_ATTRIBUTE_KIND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// The value in today's form: dense<[1, 2]> : tensor<2xi64> as array<i64: 1, 2>
// where the kind is a list of integers or bools. Else the value itself.
AttrId Modern(Ir* ir, ValueKind kind, AttrId value);

// Whether a value is of the kind; `of` as in AttributeRow. It doesn't look at
// the fields of a struct.
bool HasKind(const Ir& ir, ValueKind kind, absl::string_view of, AttrId value);

// Whether `value` is the value of an attribute or field that is left out:
// `otherwise`.
bool IsLeftOut(const Ir& ir, DefaultValue otherwise, AttrId value);

// The release from which artifacts hold this value of its kind: a word of a
// list, an algorithm of products; {}: all that hold the kind do.
Version ValueSince(const Ir& ir, const Attribute& value);

// Whether the value is the one at which own forms leave the attribute out.
bool IsDefault(const Ir& ir, const AttributeRow& row, AttrId value);

// The attribute `row` with the values of its fields, in their order; invalid:
// it has none, and it is left out like one at its `otherwise`.
AttrId MakeStruct(const StructRow& row, const std::vector<AttrId>& values,
                  Ir* ir);

// "a list of integers, array<i64: 1, 2>", for messages.
std::string KindText(ValueKind kind, absl::string_view of);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_ATTRIBUTE_KIND_H_

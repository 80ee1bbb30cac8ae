// SPDX-License-Identifier: Apache-2.0
// Types and attributes as MLIR prints them.

#ifndef INDIM_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_
#define INDIM_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/location_aliases.h"

namespace indim::mlir {

// "tensor<2x?xf32>".
std::string TypeText(const Ir& ir, TypeId type);
// "dense<0> : tensor<2xi32>".
std::string AttributeText(const Ir& ir, AttrId attribute);

// Tensors with more elements, unless all are equal, are printed as hexadecimal
// bytes.
inline constexpr int64_t kMostPlainElements = 100;

// The one attribute of Shardy that MLIR prints as #sdy<manual_axes{"x"}>.
inline constexpr absl::string_view kManualAxes = "sdy.manual_axes";

// By number: what sdy.propagation_barrier lets through.
inline constexpr absl::string_view kDirections[] = {"NONE", "FORWARD",
                                                    "BACKWARD", "BOTH"};

// One side of a convolution's dimension numbers: the names of its fields, and
// the letters of the first two.
struct ConvSide {
  absl::string_view first;
  absl::string_view second;
  absl::string_view spatial;
  absl::string_view letters;
};

// Appends types and attributes to texts. It remembers the texts of types, so
// one printer should serve a whole module; the Ir must outlive it.
class AttributePrinter {
 public:
  explicit AttributePrinter(const Ir& ir) : ir_(ir) {}

  // Prints locations inside others as these aliases, which must outlive this.
  void UseAliases(const LocationAliases* aliases) { aliases_ = aliases; }

  // Valid until the next call.
  const std::string& Type(TypeId type);
  // The types with commas between.
  void Types(absl::Span<const TypeId> types, std::string* out);
  // (inputs) -> results
  void Function(absl::Span<const TypeId> inputs,
                absl::Span<const TypeId> results, std::string* out);
  // ` -> ` and the results of a function, in parentheses unless there is one.
  void Results(absl::Span<const TypeId> results, std::string* out);

  // With its type. `in_list`: an i64 or f64 stands without.
  void Attribute(AttrId attribute, std::string* out, bool in_list = false);
  // name = value, or the name alone of a unit
  void Entry(const NamedAttr& entry, std::string* out);
  // {name = value, ...}
  void Dictionary(absl::Span<const NamedAttr> entries, std::string* out);
  // A value as forms show it: 3 for 3 : i64, [1] for array<i64: 1>.
  void Short(ValueKind kind, AttrId value, std::string* out);
  // [1, 2] of a list of integers or bools
  void List(AttrId value, std::string* out);
  // <...> of an attribute of a dialect
  void Body(AttrId value, std::string* out);
  // Whether ConvDims can tell these dimension numbers.
  bool HasConvDims(AttrId value) const;
  // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
  void ConvDims(AttrId value, std::string* out);
  // The location, without loc().
  void Location(AttrId location, std::string* out);

 private:
  void MakeType(TypeId type, std::string* out);
  void Shaped(const indim::mlir::Type& type, absl::string_view name,
              std::string* out);
  void Number(const indim::mlir::Attribute& a, bool in_list, std::string* out);
  void Dense(const indim::mlir::Attribute& a, std::string* out);
  void DenseElements(const indim::mlir::Attribute& a, std::string* out);
  void Dialect(AttrId value, std::string* out);
  void Fields(const indim::mlir::Attribute& a, const StructRow& row,
              absl::string_view begin, std::string* out);
  void Field(const FieldRow& row, AttrId value, std::string* out);
  bool ConvLabels(const indim::mlir::Attribute& a, const ConvSide& side,
                  std::vector<std::string>* labels) const;
  int64_t FieldInteger(const indim::mlir::Attribute& a,
                       absl::string_view name) const;

  void PartLocation(AttrId location, std::string* out);

  const Ir& ir_;
  const LocationAliases* aliases_ = nullptr;
  std::vector<std::string> types_;  // by the type's index; empty: not made yet
};

// Appends a name as it stands in a dictionary: in quotes unless it is a word.
void AppendName(absl::string_view name, std::string* out);
// Appends @name or @"name".
void AppendSymbol(absl::string_view name, std::string* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_

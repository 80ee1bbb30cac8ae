// SPDX-License-Identifier: Apache-2.0
// Attributes of dialects.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/stablehlo/text/append_list.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/mlir_float_text.h"

namespace indim::mlir {
namespace {

// The sides of a convolution's dimension numbers, in the order of the text.
constexpr ConvSide kConvSides[] = {
    {"input_batch_dimension", "input_feature_dimension",
     "input_spatial_dimensions", "bf"},
    {"kernel_input_feature_dimension", "kernel_output_feature_dimension",
     "kernel_spatial_dimensions", "io"},
    {"output_batch_dimension", "output_feature_dimension",
     "output_spatial_dimensions", "bf"}};

}  // namespace

void AttributePrinter::Dialect(AttrId value, std::string* out) {
  const indim::mlir::Attribute& a = ir_.attr(value);
  const size_t dot = a.text.find('.');
  const absl::string_view dialect = absl::string_view(a.text).substr(0, dot);
  const absl::string_view name =
      dot == std::string::npos ? "" : absl::string_view(a.text).substr(dot + 1);
  const absl::string_view word =
      a.fields.size() == 1 &&
              ir_.attr(a.fields[0].value).kind == AttrKind::kString
          ? absl::string_view(ir_.attr(a.fields[0].value).text)
          : "";
  // Three spellings: #d<name word>, #d<name{...}>, #d.name<...>.
  if (FindWords(a.text) != nullptr &&
      a.text != "stablehlo.result_accuracy_mode") {
    absl::StrAppend(out, "#", dialect, "<", name, " ", word, ">");
  } else if (a.text == kManualAxes) {
    absl::StrAppend(out, "#", dialect, "<", name, word, ">");
  } else {
    absl::StrAppend(out, "#", a.text);
    if (!a.fields.empty() || FindStruct(a.text) != nullptr) Body(value, out);
  }
}

void AttributePrinter::Body(AttrId value, std::string* out) {
  const indim::mlir::Attribute& a = ir_.attr(value);
  const StructRow* const row = FindStruct(a.text);
  if (row == nullptr) {
    const bool plain = a.text == kManualAxes;
    if (!plain) out->push_back('<');
    if (!a.fields.empty()) out->append(ir_.attr(a.fields[0].value).text);
    if (!plain) out->push_back('>');
  } else if (a.text == "stablehlo.conv") {
    if (HasConvDims(value)) {
      out->push_back('<');
      ConvDims(value, out);
      out->push_back('>');
    } else {
      Fields(a, *row, "raw ", out);
    }
  } else if (a.text == "stablehlo.sub_axis_info") {
    absl::StrAppend(out, "(", FieldInteger(a, "pre_size"), ")",
                    FieldInteger(a, "size"));
  } else {
    Fields(a, *row, "", out);
  }
}

void AttributePrinter::Fields(const indim::mlir::Attribute& a,
                              const StructRow& row, absl::string_view begin,
                              std::string* out) {
  // MLIR prints these two without blanks.
  const absl::string_view equal = a.text == "stablehlo.mesh" ? "=" : " = ";
  absl::StrAppend(out, "<", begin);
  bool first = true;
  for (const FieldRow& field : row.fields) {
    const AttrId value = ir_.Find(a, field.name);
    if (!value.valid()) continue;
    absl::StrAppend(out, first ? "" : ", ", field.name, equal);
    first = false;
    Field(field, value, out);
  }
  out->push_back('>');
}

void AttributePrinter::Field(const FieldRow& row, AttrId value,
                             std::string* out) {
  const indim::mlir::Attribute& a = ir_.attr(value);
  switch (row.kind) {
    case ValueKind::kF64:
      return AppendFloat(ElementType::kF64, static_cast<uint64_t>(a.integer),
                         out);
    case ValueKind::kWord:
      return Attribute(value, out);
    case ValueKind::kStructArray:
      out->push_back('[');
      AppendList(a.elements.size(), out,
                 [&](size_t i) { Body(a.elements[i], out); });
      out->push_back(']');
      return;
    default:
      return Short(row.kind, value, out);
  }
}

int64_t AttributePrinter::FieldInteger(const indim::mlir::Attribute& a,
                                       absl::string_view name) const {
  const AttrId value = ir_.Find(a, name);
  return value.valid() ? ir_.attr(value).integer : 0;
}

void AttributePrinter::ConvDims(AttrId value, std::string* out) {
  absl::string_view before = "[";
  std::vector<std::string> labels;
  for (const ConvSide& side : kConvSides) {
    ConvLabels(ir_.attr(value), side, &labels);
    absl::StrAppend(out, before, absl::StrJoin(labels, ", "), "]");
    before = before == "[" ? "x[" : "->[";
  }
}

// The labels of the places of one side, b 0 1 f. False: they aren't the places
// of two letters and numbers, each once.
bool AttributePrinter::ConvLabels(const indim::mlir::Attribute& a,
                                  const ConvSide& side,
                                  std::vector<std::string>* labels) const {
  std::vector<int64_t> places;
  ir_.Integers(ir_.Find(a, side.spatial), &places);
  labels->assign(places.size() + 2, "");
  const auto put = [&](int64_t place, std::string label) {
    if (place < 0 || place >= static_cast<int64_t>(labels->size())) {
      return false;
    }
    std::string& at = (*labels)[static_cast<size_t>(place)];
    if (!at.empty()) return false;
    at = std::move(label);
    return true;
  };
  bool good =
      put(FieldInteger(a, side.first),
          std::string(side.letters.substr(0, 1))) &&
      put(FieldInteger(a, side.second), std::string(side.letters.substr(1)));
  for (size_t i = 0; good && i < places.size(); ++i) {
    good = put(places[i], absl::StrCat(i));
  }
  return good;
}

bool AttributePrinter::HasConvDims(AttrId value) const {
  std::vector<std::string> labels;
  for (const ConvSide& side : kConvSides) {
    if (!ConvLabels(ir_.attr(value), side, &labels)) return false;
  }
  return true;
}

}  // namespace indim::mlir

// SPDX-License-Identifier: Apache-2.0
// The building blocks of forms, printed.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/text/mlir_printer.h"

namespace indim::mlir {

bool MlirPrinter::RunStep(const Step& step) {
  Frame& frame = frames_.back();
  const Op& op = ir_.op(frame.op);
  const absl::Span<const ValueId> operands = ir_.operands(op);
  switch (step.part) {
    case Part::kText:
      absl::StrAppend(&out_, step.text);
      break;
    case Part::kOperand:
      Value(operands[step.index]);
      break;
    case Part::kOperands:
      Values(operands);
      break;
    case Part::kOperandsComma:
      for (const ValueId operand : operands.subspan(step.index)) {
        Value(operand);
        out_.append(", ");
      }
      break;
    case Part::kAttribute:
    case Part::kTypedValue:
      attributes_.Short(step.attribute->kind, Find(step.attribute->name),
                        &out_);
      break;
    case Part::kSymbolName:
      AppendSymbol(ir_.attr(Find(step.attribute->name)).text, &out_);
      break;
    case Part::kAttrs:
      Attrs(" {");
      break;
    case Part::kProperties:
      if (op.property_count > 0) {
        out_.append(" <");
        attributes_.Dictionary(ir_.properties(op), &out_);
        out_.push_back('>');
      }
      break;
    case Part::kDiscardable:
      if (op.discardable_count > 0) {
        out_.push_back(' ');
        attributes_.Dictionary(ir_.discardable(op), &out_);
      }
      break;
    case Part::kRegions:
      if (op.region_count == 0) break;
      OpenRegion();
      return false;
    case Part::kRegion:
      OpenRegion();
      return false;
    case Part::kOptional:
      if (!IsPresent(frame)) {
        frame.step = step.jump;
        return true;
      }
      break;
    case Part::kElse:
      frame.step = step.jump;
      return true;
    default:
      if (step.part >= Part::kTypes && step.part <= Part::kPairwise) {
        Types(step);
      } else {
        Special(step.part);
      }
  }
  ++frames_.back().step;
  return true;
}

// Whether what follows a kOptional is printed.
bool MlirPrinter::IsPresent(const Frame& frame) const {
  const Op& op = ir_.op(frame.op);
  const std::vector<Step>& steps = frame.form->steps;
  size_t next = frame.step + 1;
  while (steps[next].part == Part::kText) ++next;
  switch (steps[next].part) {
    case Part::kAttribute: {
      const AttributeRow& row = *steps[next].attribute;
      const AttrId value = ir_.Find(op, row.name);
      return value.valid() && !IsDefault(ir_, row, value);
    }
    case Part::kOperands:
    case Part::kTypes:
      return op.operand_count > 0;
    case Part::kRegions:
      return op.region_count > 0;
    case Part::kRegion:
      return !ir_.region(ir_.regions(op)[0]).blocks.empty();
    case Part::kReducer:
      return !frame.compact;
    default:
      return true;
  }
}

AttrId MlirPrinter::Find(absl::string_view name) const {
  return ir_.Find(op(), name);
}

// Appends `begin` and the attributes that the form doesn't show, and "}";
// nothing if there are none.
void MlirPrinter::Attrs(absl::string_view begin) {
  const Frame& frame = frames_.back();
  const Op& op = ir_.op(frame.op);
  const std::vector<absl::string_view>& shown = frame.form->shown;
  // Both lists are sorted; so is what is printed.
  absl::Span<const NamedAttr> own = ir_.properties(op);
  absl::Span<const NamedAttr> others = ir_.discardable(op);
  bool first = true;
  while (!own.empty() || !others.empty()) {
    const bool take_own =
        others.empty() ||
        (!own.empty() && ir_.text(own[0].name) < ir_.text(others[0].name));
    absl::Span<const NamedAttr>& from = take_own ? own : others;
    const NamedAttr attr = from[0];
    from.remove_prefix(1);
    const absl::string_view name = ir_.text(attr.name);
    if (std::find(shown.begin(), shown.end(), name) != shown.end()) continue;
    const AttributeRow* const row = FindAttribute(*frame.row, name);
    if (row != nullptr && IsDefault(ir_, *row, attr.value)) continue;
    absl::StrAppend(&out_, first ? begin : ", ");
    first = false;
    attributes_.Entry(attr, &out_);
  }
  if (!first) out_.push_back('}');
}

// --- Types -------------------------------------------------------------------

void MlirPrinter::Types(const Step& step) {
  const Op& op = this->op();
  const absl::Span<const ValueId> operands = ir_.operands(op);
  const auto all_are = [&](TypeId type, absl::Span<const ValueId> values) {
    return std::all_of(values.begin(), values.end(), [&](ValueId value) {
      return ir_.type_of(value) == type;
    });
  };
  const TypeId result =
      op.result_count == 0 ? TypeId() : ir_.type_of(op.first_result);
  bool short_form = op.result_count == 1;
  switch (step.part) {
    case Part::kTypes:
      return attributes_.Types(ir_.types_of(operands), &out_);
    case Part::kTypeOfOperand:
      out_.append(attributes_.Type(ir_.type_of(operands[step.index])));
      return;
    case Part::kResults:
      return attributes_.Types(ir_.types_of(ir_.results(op)), &out_);
    case Part::kIndex:
      return;
    case Part::kPairwise:
      // Its operands and results have the same types.
      return attributes_.Types(ir_.types_of(operands), &out_);
    case Part::kTuple:
      short_form &= ir_.type(result).kind == TypeKind::kTuple &&
                    ir_.type(result).parts == ir_.types_of(operands);
      break;
    case Part::kSame:
      short_form &= all_are(result, operands);
      break;
    case Part::kComplex: {
      const Type& type = ir_.type(result);
      short_form &= IsComplex(ir_.type(type.element).element_type) &&
                    type.kind == TypeKind::kTensor;
      for (const ValueId operand : operands) {
        if (!short_form) break;
        const Type& part = ir_.type(ir_.type_of(operand));
        short_form &= part.kind == type.kind && part.dims == type.dims &&
                      part.bounds == type.bounds &&
                      part.encoding == type.encoding &&
                      ir_.type(part.element).element_type ==
                          RealPart(ir_.type(type.element).element_type);
      }
      break;
    }
    case Part::kSelect:
      short_form &= all_are(result, operands.subspan(1));
      if (short_form) {
        absl::StrAppend(&out_, attributes_.Type(ir_.type_of(operands[0])),
                        ", ");
      }
      break;
    default:
      short_form = false;
  }
  if (short_form) {
    out_.append(attributes_.Type(result));
  } else {
    attributes_.Function(ir_.types_of(operands), ir_.types_of(ir_.results(op)),
                         &out_);
  }
}

}  // namespace indim::mlir

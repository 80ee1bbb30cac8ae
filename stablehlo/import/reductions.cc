// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/reductions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::stablehlo_import {
namespace {

// The operands that a region folds.
struct Folded {
  size_t callee = 0;
  size_t values = 1;  // that the region gives
  // For each of them, the operand whose elements it takes, and the initial
  // one; equal where an operation has none.
  std::vector<size_t> elements;
  std::vector<size_t> inits;
  // Each operand is folded by itself.
  bool one_by_one = false;
};

std::optional<Folded> FoldedBy(Opcode opcode, size_t count) {
  Folded folded;
  switch (opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      folded.values = count / 2;
      for (size_t i = 0; i < folded.values; ++i) {
        folded.elements.push_back(i);
        folded.inits.push_back(folded.values + i);
      }
      return folded;
    case Opcode::kScatter:
      folded.values = (count - 1) / 2;
      for (size_t i = 0; i < folded.values; ++i) {
        folded.elements.push_back(folded.values + 1 + i);
        folded.inits.push_back(i);
      }
      return folded;
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
    case Opcode::kCollectiveReduce:
      folded.one_by_one = true;
      for (size_t i = 0; i < count; ++i) {
        folded.elements.push_back(i);
        folded.inits.push_back(i);
      }
      return folded;
    case Opcode::kSelectAndScatter:
      folded.callee = 1;
      folded.elements = {1};
      folded.inits = {2};
      return folded;
    default:
      return std::nullopt;
  }
}

// Whether elements of `from` are elements of `to` without loss.
bool IsPromotable(ElementType from, ElementType to) {
  return Info(from).kind == Info(to).kind && Info(from).bits <= Info(to).bits;
}

class Checker {
 public:
  Checker(OpImport* op, const Folded& folded, const Signature& region)
      : op_(*op), folded_(folded), region_(region) {}

  bool Run() {
    return CheckCounts() && CheckParameters() && CheckOperands() &&
           CheckResults();
  }
  // The type in which value `i` is folded.
  const Shape& result(size_t i) const {
    return folded_.values == 1 ? region_.result : region_.result.elements()[i];
  }

 private:
  bool CheckCounts() {
    const size_t values = folded_.values;
    if (region_.parameters.size() != 2 * values) {
      return op_.Fail(absl::StrCat("Reduction-region must take ", 2 * values,
                                   " parameters, but takes ",
                                   region_.parameters.size(), " parameter(s)"));
    }
    const Shape& result = region_.result;
    if (result.is_tuple() && result.tuple_size() == 0) {
      return op_.Fail("The reduction-region expected to return some value(s)");
    }
    const size_t given = values > 1 && result.is_tuple()
                             ? static_cast<size_t>(result.tuple_size())
                             : size_t{1};
    if (given != values) {
      return op_.Fail(absl::StrCat("Reduction-region here must produce ",
                                   values, " tensors, but produces ", given,
                                   " instead"));
    }
    for (size_t i = 0; i < values; ++i) {
      if (this->result(i).is_array()) continue;
      return op_.Fail(
          absl::StrCat("Reduction-region here must produce tensor-typed "
                       "result(s), but produces ",
                       this->result(i).ToString(), " instead"));
    }
    return true;
  }
  bool CheckParameters() {
    for (size_t i = 0; i < region_.parameters.size(); ++i) {
      const Shape& wanted = result(i % folded_.values);
      if (Compatible(region_.parameters[i], wanted)) continue;
      return op_.Fail(absl::StrCat(
          "The type of reduction-region's parameter at index ", i,
          " is different than the corresponding result type: ",
          region_.parameters[i].ToString(), " vs ", wanted.ToString()));
    }
    return true;
  }
  bool CheckOperands() {
    for (size_t i = 0; i < folded_.elements.size(); ++i) {
      const Shape& value = result(folded_.one_by_one ? 0 : i);
      const ElementType type = value.element_type();
      const ElementType init =
          op_.operand_shape(folded_.inits[i]).element_type();
      const ElementType element =
          op_.operand_shape(folded_.elements[i]).element_type();
      if (!IsPromotable(init, type)) {
        return op_.Fail(absl::StrCat(
            "The element-type of reduction-region's result type at index ", i,
            " is expected to be promotable from the op's corresponding "
            "init-value element-type: ",
            Info(type).name, " vs ", Info(init).name));
      }
      if (!IsPromotable(element, type)) {
        return op_.Fail(absl::StrCat(
            "The element-type of reduction-region's argument at index ",
            folded_.values + i, " is expected to be promotable from ",
            Info(element).name, ", but got ", Info(type).name));
      }
      if (folded_.one_by_one && !value.is_scalar()) {
        return op_.Fail(absl::StrCat(
            "The shape of reduction-region's result type at index ", i,
            " differs from the op's corresponding init-value type: ",
            value.ToString(), " vs ", Info(init).name, "[]"));
      }
    }
    return true;
  }

  bool CheckResults() {
    for (size_t i = 0; i < op_.result_count(); ++i) {
      const Shape& declared = op_.result_shape(i);
      if (!declared.is_array() ||
          (!folded_.one_by_one && i >= folded_.values)) {
        continue;  // HLO's verifier refuses it
      }
      Shape given = declared;
      given.set_element_type(result(folded_.one_by_one ? 0 : i).element_type());
      if (given.element_type() == declared.element_type()) continue;
      return op_.Incompatible(given, declared);
    }
    return true;
  }

  OpImport& op_;
  const Folded& folded_;
  const Signature& region_;
};

// The node's elements as ones of that type.
Node Converted(OpImport* op, Node node, ElementType type) {
  Shape shape = op->writer().shape(node);
  if (!shape.is_array() || shape.element_type() == type) return node;
  shape.set_element_type(type);
  return op->Emit(Opcode::kConvert, shape, {node});
}

// The region that selects, for elements of `type`, which are converted back to
// what it compares.
uint32_t SelectOf(OpImport* op, uint32_t select, ElementType type) {
  HloWriter& writer = op->writer();
  const Signature signature = writer.SignatureOf(select);
  bool fits = true;
  for (const Shape& parameter : signature.parameters) {
    fits = fits && (!parameter.is_scalar() || parameter.element_type() == type);
  }
  if (fits) return select;
  writer.Begin("select");
  std::vector<Node> elements;
  for (const Shape& parameter : signature.parameters) {
    const Node wide = writer.Parameter(static_cast<int64_t>(elements.size()),
                                       Shape::Scalar(type), "");
    elements.push_back(Converted(op, wide, parameter.element_type()));
  }
  return writer.End(op->Emit(Opcode::kCall, signature.result, NoAttributes(),
                             elements, {select}));
}

}  // namespace

bool PrepareReduction(OpImport* op, std::vector<Node>* operands) {
  size_t count = operands->size();
  if (count > 0 && op->Has("has_dynamic_root")) --count;  // behind the values
  const std::optional<Folded> folded = FoldedBy(op->row().opcode, count);
  const std::vector<uint32_t>& callees = op->importer().callees();
  if (!folded.has_value() || folded->callee >= callees.size()) return true;
  for (const Node operand : *operands) {
    // The verifier refuses others.
    if (!op->writer().shape(operand).is_array()) return true;
  }
  const Signature region = op->writer().SignatureOf(callees[folded->callee]);
  Checker checker(op, *folded, region);
  if (!checker.Run()) return false;
  for (size_t i = 0; i < folded->elements.size(); ++i) {
    const ElementType type =
        checker.result(folded->one_by_one ? 0 : i).element_type();
    for (const size_t k : {folded->elements[i], folded->inits[i]}) {
      (*operands)[k] = Converted(op, (*operands)[k], type);
    }
  }
  return true;
}

void LowerSelectAndScatter(OpImport* op) {
  Attributes attributes;
  if (!ReadAttributes(op, &attributes)) return;
  std::vector<Node> operands = op->operands();
  std::vector<uint32_t> callees = op->importer().callees();
  const Signature select = op->writer().SignatureOf(callees[0]);
  for (const Shape& parameter : select.parameters) {
    const ElementType type = op->operand_shape(0).element_type();
    if (!parameter.is_array() || IsPromotable(type, parameter.element_type())) {
      continue;  // HLO refuses the first
    }
    return op->Error(
        absl::StrCat("expects the type of select-region's parameters to be ",
                     Info(type).name, ", but got ", parameter.ToString()));
  }
  if (!PrepareReduction(op, &operands)) return;
  const Shape scattered = op->writer().SignatureOf(callees[1]).result;
  if (scattered.is_array() && op->operand_shape(0).is_array()) {
    const ElementType type = scattered.element_type();
    operands[0] = Converted(op, operands[0], type);
    callees[0] = SelectOf(op, callees[0], type);
  }
  const Shape shape = op->writer().shape(operands[0]);
  SetMainResult(op, op->Emit(Opcode::kSelectAndScatter, shape, attributes,
                             operands, callees));
}

}  // namespace indim::stablehlo_import

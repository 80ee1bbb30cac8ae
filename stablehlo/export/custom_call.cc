// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/custom_call.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "indim/ir/module_access.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/stablehlo/export/attr_text.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/export/mlir_writer.h"
#include "indim/stablehlo/export/size_writer.h"

namespace indim::stablehlo_export {
namespace {

namespace of = field::HloInstructionProto;

// [dense<[1, 0]> : tensor<2xindex>, ...] for arrays and tokens; none: a shape
// has no layout, or is a tuple.
AttrId LayoutsAttr(absl::Span<const Shape> shapes, Ir* ir) {
  std::vector<AttrId> layouts;
  for (const Shape& shape : shapes) {
    if (shape.layout() == nullptr && !shape.is_array() && !shape.is_token()) {
      return {};
    }
    layouts.push_back(IndexVector(MinorToMajor(shape), ir));
  }
  return ir->ArrayAttr(layouts);
}

// The operands: a tuple is one operand, of a tuple type.
std::vector<ValueId> WholeOperands(NodeExport* node) {
  std::vector<ValueId> operands;
  for (int i = 0; i < node->instruction().operand_count(); ++i) {
    const Shape& shape = node->instruction().operand(i).shape();
    const auto leaves = node->Operand(i);
    // Emitting may not move the leaves: they belong to the computation.
    operands.push_back(shape.is_tuple() ? MakeTuple(shape, leaves, node)
                                        : leaves.front());
  }
  return operands;
}

// The result, or its elements where it is a tuple.
absl::Span<const Shape> Results(const Shape& shape) {
  return shape.is_tuple() ? shape.elements() : absl::MakeConstSpan(&shape, 1);
}

// The sizes of the results, a vector for each, where some have names: StableHLO
// gets them as further operands, as from JAX. None: all sizes are numbers,
// or some size can't be said. StableHLO's own calls have operands for it.
std::vector<ValueId> SizesOfResults(absl::string_view target,
                                    NodeExport* node) {
  bool any_named = false;
  for (const Shape& shape : Results(node->shape())) {
    if (!shape.is_array() || !shape.has_rank()) return {};
    for (const Dim dim : shape.dims()) {
      if (dim.is_static()) continue;
      if (!dim.is_symbolic()) return {};
      any_named = true;
      for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
        const NamedSizes& names = node->writer().named_sizes();
        if (names.Find(name) == nullptr) return {};
      }
    }
  }
  if (!any_named || absl::StartsWith(target, "stablehlo.")) return {};
  std::vector<ValueId> sizes;
  for (const Shape& shape : Results(node->shape())) {
    const std::optional<ValueId> vector = SizesOf(shape, {}, node);
    if (!vector.has_value()) return {};
    sizes.push_back(*vector);
  }
  return sizes;
}

void SetLayouts(const CustomCallAttributes& call, size_t sizes,
                NodeExport* node) {
  if (!call.constrain_layout) return;
  std::vector<Shape> shapes = call.operand_shapes_with_layout;
  shapes.resize(shapes.size() + sizes, Shape::Of(ElementType::kS32, {1}));
  const AttrId operands = LayoutsAttr(shapes, &node->ir());
  const AttrId results = LayoutsAttr(Results(node->shape()), &node->ir());
  if (!operands.valid() || !results.valid()) {
    node->Refuse("has layouts of tuples", "give it the parts of the tuples");
    return;
  }
  node->Set("operand_layouts", operands);
  node->Set("result_layouts", results);
}

void SetConfig(const CustomCallAttributes& call, NodeExport* node) {
  if (call.opaque.empty()) return;
  if (call.api_version != kApiTypedFfi) {
    node->Set("backend_config", node->ir().StringAttr(call.opaque));
    return;
  }
  const AttrId config = DictionaryOfText(call.opaque, &node->ir());
  if (!config.valid()) {
    node->Refuse(
        "has a backend_config that is no dictionary of MLIR, and "
        "API_VERSION_TYPED_FFI needs one",
        "write it as {name = 1 : i32}");
    return;
  }
  node->Set("backend_config", config);
}

// XLA keeps the alias of Pin and of Unpin to itself, since their types differ,
// and adds it when it reads them.
void SetAliases(const CustomCallAttributes& call, NodeExport* node) {
  if (call.target == kPinTarget || call.target == kUnpinTarget) return;
  std::vector<AttrId> aliases;
  for (const OutputOperandAliasing& alias : call.output_operand_aliasing) {
    aliases.push_back(
        StructAttr("stablehlo.output_operand_alias", alias, &node->ir()));
  }
  if (aliases.empty()) return;
  node->Set("output_operand_aliases", node->ir().ArrayAttr(aliases));
}

void SetCallees(NodeExport* node) {
  std::vector<AttrId> callees;
  for (int k = 0; k < node->instruction().callee_count(); ++k) {
    callees.push_back(node->CalleeSymbol(k));
  }
  if (callees.empty()) return;
  node->Set("called_computations", node->ir().ArrayAttr(callees));
}

// A tuple of arrays and tokens becomes several results, unless there is only
// one: MLIR would take it for the value itself.
bool HasTupleResult(const Shape& shape) {
  return shape.is_tuple() && (shape.depth() > 1 || shape.tuple_size() == 1);
}

// The leaves of a value of a tuple type.
void AppendElements(ValueId value, const Shape& shape, NodeExport* node,
                    std::vector<ValueId>* leaves) {
  if (!shape.is_tuple()) {
    leaves->push_back(value);
    return;
  }
  for (int i = 0; i < shape.tuple_size(); ++i) {
    const Shape& element = shape.elements()[static_cast<size_t>(i)];
    const ValueId part = node->EmitHelper(
        "stablehlo.get_tuple_element", {value}, element,
        {node->Named("index", node->ir().IntegerAttr(i, ElementType::kS32))});
    AppendElements(part, element, node, leaves);
  }
}

}  // namespace

ValueId MakeTuple(const Shape& shape, absl::Span<const ValueId> leaves,
                  NodeExport* node) {
  std::vector<ValueId> parts;
  for (const Shape& element : shape.elements()) {
    const size_t count = LeafCount(element);
    const auto part = leaves.first(count);
    leaves.remove_prefix(count);
    parts.push_back(element.is_tuple() ? MakeTuple(element, part, node)
                                       : part.front());
  }
  return node->EmitHelper("stablehlo.tuple", parts, shape);
}

// A custom call that stands for something of Shardy. False: it is another.
bool ExportAsShardy(NodeExport* node) {
  Shardy& shardy = node->writer().shardy();
  if (shardy.IsResultCall(node->instruction())) {  // an attribute of the result
    node->SetResult(node->Operands());
    return true;
  }
  const AttrId sharding = shardy.OfCall(node->instruction(), "Sharding");
  if (!sharding.valid() || !node->instruction().shape().is_array()) {
    return false;
  }
  node->Set("sharding", sharding);
  node->EmitResult("sdy.sharding_constraint");
  return true;
}

void ExportCustomCall(NodeExport* node) {
  if (ExportAsShardy(node)) return;
  const auto& call = node->As<CustomCallAttributes>();
  if (call.target == kShapeAssertion) {
    // In HLO its message is a frontend attribute.
    const auto message = FrontendAttribute(
        node->fields().Text(of::kFrontendAttributes), note::kErrorMessage);
    if (message.has_value()) {
      node->SetDiscardable(note::kErrorMessage,
                           node->ir().StringAttr(*message));
    }
  }
  if (node->fields().has(of::kLiteral)) {
    node->Refuse("has a literal", "make it an operand");
    return;
  }
  Ir& ir = node->ir();
  node->Set("call_target_name", ir.StringAttr(call.target));
  if (call.has_side_effect) node->Set("has_side_effect", ir.BoolAttr(true));
  if (call.api_version > kApiOriginal) {
    node->Set("api_version",
              ir.IntegerAttr(call.api_version, ElementType::kS32));
  }
  SetConfig(call, node);
  SetCallees(node);
  const std::vector<ValueId> sizes = SizesOfResults(call.target, node);
  SetLayouts(call, sizes.size(), node);
  SetAliases(call, node);
  if (node->refused()) return;
  std::vector<ValueId> operands = WholeOperands(node);
  std::vector<int64_t> places;
  for (const ValueId size : sizes) {
    places.push_back(static_cast<int64_t>(operands.size()));
    operands.push_back(size);
  }
  if (!places.empty()) {
    node->SetDiscardable("indices_of_shape_operands",
                         DenseVector(places, ElementType::kS64, &ir));
  }
  if (!HasTupleResult(node->shape())) {
    node->EmitResult("stablehlo.custom_call", operands);
    return;
  }
  const std::vector<ValueId> tuple =
      node->Emit("stablehlo.custom_call", operands,
                 {node->writer().types().Whole(node->shape())});
  std::vector<ValueId> leaves;
  AppendElements(tuple[0], node->shape(), node, &leaves);
  node->SetResult(std::move(leaves));
}

void ExportComposite(NodeExport* node) {
  const absl::string_view notes = node->fields().Text(of::kFrontendAttributes);
  Ir& ir = node->ir();
  const auto name = FrontendAttribute(notes, "composite.name");
  if (!name.has_value() || node->instruction().callee_count() != 1) {
    node->Refuse("is a composite without a name",
                 "give it the frontend attribute composite.name");
    return;
  }
  node->Set("name", ir.StringAttr(*name));
  const auto attributes = FrontendAttribute(notes, "composite.attributes");
  if (attributes.has_value()) {
    const AttrId dictionary = DictionaryOfText(*attributes, &ir);
    if (!dictionary.valid()) {
      node->Refuse("has composite.attributes that are no dictionary of MLIR",
                   "write them as {name = 1 : i32}");
      return;
    }
    if (!ir.attr(dictionary).fields.empty()) {
      node->Set("composite_attributes", dictionary);
    }
  }
  int64_t version = 0;
  const auto text = FrontendAttribute(notes, "composite.version");
  if (text.has_value() && !absl::SimpleAtoi(*text, &version)) {
    node->Refuse("has a composite.version that is no number",
                 "write it as a number");
    return;
  }
  if (version != 0) {
    node->Set("version", ir.IntegerAttr(version, ElementType::kS32));
  }
  node->Set("decomposition", node->CalleeSymbol());
  node->EmitResult("stablehlo.composite");
}

}  // namespace indim::stablehlo_export

// SPDX-License-Identifier: Apache-2.0
// Control flow, tokens and custom calls.

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/values/tile_assignment.h"
#include "indim/stablehlo/import/lower_arrays.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

std::vector<Node> NodesOf(OpImport* op, absl::Span<const ValueId> values) {
  std::vector<Node> nodes;
  for (const ValueId value : values) {
    nodes.push_back(op->importer().node(value));
  }
  return nodes;
}

// The operation's sharding is about its results. XLA gives each value that the
// regions capture the sharding that it has outside of them.
void AddCapturedShardings(OpImport* op, Node node,
                          absl::Span<const Node> captured) {
  const ValueSharding own = ShardingOf(op->writer(), node);
  if (captured.empty() || !own.has_value() || op->result_count() == 0) return;
  std::vector<ValueSharding> shardings =
      ShardingsOfResults(*own, op->result_count());
  for (const Node value : captured) {
    shardings.push_back(ShardingOf(op->writer(), value));
  }
  SetSharding(&op->writer(), node, *ShardingOfTuple(shardings));
}

// Pin and Unpin alias their operand without a word, as for XLA.
bool ReadAliases(OpImport* op, CustomCallAttributes* to) {
  const Ir& ir = op->ir();
  if (to->target == kPinTarget || to->target == kUnpinTarget) {
    to->output_operand_aliasing = {OutputOperandAliasing()};
    return true;
  }
  const AttrId list = op->Find("output_operand_aliases");
  if (!list.valid()) return true;
  for (const AttrId element : ir.attr(list).elements) {
    to->output_operand_aliasing.emplace_back();
    if (!ReadFields(ir, element, &to->output_operand_aliasing.back())) {
      return op->WrongKind("output_operand_aliases");
    }
  }
  return true;
}

// `shape` with the layout that MLIR writes as dense<[1, 0]> : tensor<2xindex>.
bool SetLayout(OpImport* op, AttrId id, Shape* shape) {
  const std::optional<DimIndices> order = ReadNumbers(op->ir(), id);
  if (!order.has_value()) return op->WrongKind("layouts");
  if (!shape->is_array() && !order->empty()) {
    return op->Fail(absl::StrCat(
        "Only tensor types can have non-empty layout: ", shape->ToString()));
  }
  if (!shape->has_rank()) return true;
  if (static_cast<int>(order->size()) != shape->rank() ||
      !IsPermutation(*order)) {
    return op->Fail(absl::StrCat(
        "incorrect layout for type ", shape->ToString(),
        ", layout must be a permutation of [0, ", shape->rank(), ")"));
  }
  Layout layout;
  layout.minor_to_major.assign(order->begin(), order->end());
  shape->set_layout(std::move(layout));
  return true;
}

// Layouts of the operands and of the result, one for each.
bool ReadLayouts(OpImport* op, CustomCallAttributes* to, Shape* result) {
  const Ir& ir = op->ir();
  const AttrId operands = op->Find("operand_layouts");
  const AttrId results = op->Find("result_layouts");
  if (operands.valid() != results.valid()) {
    return op->Fail(
        "Layout attributes should be specified for either both operands and "
        "results or none.");
  }
  if (!operands.valid()) return true;
  const std::vector<AttrId>& of_operands = ir.attr(operands).elements;
  const std::vector<AttrId>& of_results = ir.attr(results).elements;
  if (of_operands.empty() && of_results.empty()) return true;
  const size_t parts = result->is_tuple()
                           ? static_cast<size_t>(result->tuple_size())
                           : size_t{1};
  if (of_operands.size() != op->operand_count() || of_results.size() != parts) {
    return op->Fail(
        absl::StrCat("Number of layouts must match the number of operands and "
                     "results, but got ",
                     of_operands.size(), " and ", of_results.size(),
                     " layouts for ", op->operand_count(), " and ", parts));
  }
  to->constrain_layout = true;
  for (size_t i = 0; i < of_operands.size(); ++i) {
    Shape shape = op->operand_shape(i);
    if (!SetLayout(op, of_operands[i], &shape)) return false;
    to->operand_shapes_with_layout.push_back(std::move(shape));
  }
  if (!result->is_tuple()) return SetLayout(op, of_results[0], result);
  std::vector<Shape> elements(result->elements().begin(),
                              result->elements().end());
  for (size_t i = 0; i < parts; ++i) {
    if (!SetLayout(op, of_results[i], &elements[i])) return false;
  }
  *result = Shape::Tuple(std::move(elements));
  return true;
}

bool IsKnown(const Shape& shape) {
  return shape.has_rank() && absl::c_none_of(shape.dims(), [](Dim dim) {
           return dim.is_unknown();
         });
}

// JAX's custom calls with sizes as operands: those that the list
// indices_of_shape_operands names hold the dims of the results, in order.
// Returns their numbers where the dims are known then: as StableHLO refines
// shapes, the call itself doesn't take them. Source: StableHLO,
// StablehloCanonicalizeDynamism.cpp.
DimIndices SetSizesOfResults(OpImport* op, Shape* result) {
  DimIndices operands = op->Numbers("indices_of_shape_operands");
  std::vector<Shape> shapes;
  bool known = operands.size() == op->result_count();
  for (size_t i = 0; i < operands.size() && i < op->result_count(); ++i) {
    Shape shape = op->result_shape(i);
    const int64_t k = operands[i];
    const bool is_operand =
        k >= 0 && k < static_cast<int64_t>(op->operand_count());
    if (is_operand) {
      const SizeValues::Exprs& exprs = op->Sizes(static_cast<size_t>(k));
      for (int d = 0; d < shape.rank(); ++d) {
        const auto at = static_cast<size_t>(d);
        if (!shape.dim(d).is_unknown() || at >= exprs.size()) continue;
        shape.set_dim(d, exprs[at].ToDim().value_or(Dim::Unknown()));
      }
    }
    known = known && is_operand && shape.is_array() && IsKnown(shape);
    shapes.push_back(std::move(shape));
  }
  if (shapes.empty() || shapes.size() != op->result_count()) return {};
  *result = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
  if (!known) return {};
  op->Keep("indices_of_shape_operands");
  return operands;
}

// Takes the operands of these numbers from the call. Returns the others.
std::vector<Node> WithoutSizes(OpImport* op, const DimIndices& sizes,
                               CustomCallAttributes* to) {
  std::vector<Node> operands;
  std::vector<Shape> shapes;
  std::vector<int64_t> places;  // by number, of those that stay; else -1
  for (size_t i = 0; i < op->operand_count(); ++i) {
    const bool stays = !absl::c_linear_search(sizes, static_cast<int64_t>(i));
    places.push_back(stays ? static_cast<int64_t>(operands.size()) : -1);
    if (!stays) continue;
    operands.push_back(op->operand(i));
    if (to->constrain_layout) {
      shapes.push_back(to->operand_shapes_with_layout[i]);
    }
  }
  to->operand_shapes_with_layout.assign(shapes.begin(), shapes.end());
  for (OutputOperandAliasing& alias : to->output_operand_aliasing) {
    const auto at = static_cast<size_t>(alias.operand);
    // The verifier refuses others.
    if (at < places.size()) alias.operand = places[at];
  }
  return operands;
}

// mhlo.backend_config is a dictionary from the time when backend_config had to
// be a text: the call is one of API_VERSION_TYPED_FFI.
bool ReadTypedConfig(OpImport* op, CustomCallAttributes* to) {
  const Ir& ir = op->ir();
  const AttrId config = op->Find("mhlo.backend_config");
  if (ir.attr(config).kind != AttrKind::kDictionary || !to->opaque.empty() ||
      to->api_version != kApiOriginal) {
    return op->Fail(
        "has an mhlo.backend_config, which must be a dictionary beside an "
        "empty backend_config and API_VERSION_ORIGINAL");
  }
  to->opaque = AttributeText(ir, config);
  to->api_version = kApiTypedFfi;
  op->Keep("mhlo.backend_config");
  return true;
}

bool ReadConfig(OpImport* op, CustomCallAttributes* to) {
  const AttrId config = op->Find("backend_config");
  if (config.valid()) {
    const Attribute& a = op->ir().attr(config);
    if (a.kind == AttrKind::kString) {
      to->opaque = a.text;
    } else if (a.kind == AttrKind::kDictionary) {
      to->opaque = AttributeText(op->ir(), config);
    } else if (a.kind != AttrKind::kUnit) {
      return op->WrongKind("backend_config");
    }
  }
  return !op->Has("mhlo.backend_config") || ReadTypedConfig(op, to);
}

// stablehlo.dynamic_rng_bit_generator(state, sizes of the output).
void LowerDynamicRngBits(OpImport* op) {
  if (op->operand_count() != 2 || op->result_count() != 2) {
    return op->Error("dynamic_rng_bit_generator has 2 operands and results");
  }
  const std::optional<Shape> output = SizedResult(op, 1, 1);
  if (!output.has_value()) return;
  RngBitGeneratorAttributes attributes;
  const absl::string_view word =
      ReadWord(op->ir(), op->Find("rng_algorithm")).value_or("");
  if (word == "THREE_FRY") attributes.algorithm = RandomAlgorithm::kThreeFry;
  if (word == "PHILOX") attributes.algorithm = RandomAlgorithm::kPhilox;
  const Node node = op->Emit(Opcode::kRngBitGenerator,
                             Shape::Tuple({op->result_shape(0), *output}),
                             attributes, {op->operand(0)});
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

}  // namespace

// The state is a tuple of the operands and of what the regions capture, or the
// only one of these.
void LowerWhile(OpImport* op) {
  std::vector<Node> values = op->operands();
  const std::vector<Node> captured = NodesOf(op, op->importer().passed(0));
  values.insert(values.end(), captured.begin(), captured.end());
  const Node init = op->writer().Tuple(values, /*unless_one=*/true);
  const std::vector<uint32_t>& callees = op->importer().callees();
  const Shape shape = op->writer().shape(init);
  const Node node = op->Emit(Opcode::kWhile, shape, NoAttributes(), {init},
                             {callees[1], callees[0]});
  AddCommonAttributes(op, node);
  AddCapturedShardings(op, node, captured);
  if (values.size() == 1) {
    if (op->result_count() == 1) op->SetResult(0, node);
    return;
  }
  op->SetResults(node, /*tuple_of_one=*/true);
}

// Each branch has one parameter: the tuple of what it captures, or the only one
// of these.
void LowerBranches(OpImport* op) {
  std::vector<Node> operands = {op->operand(0)};
  const size_t branches = op->importer().callees().size();
  if (branches == 0) return op->Error("expects at least one branch");
  for (size_t i = 0; i < branches; ++i) {
    operands.push_back(op->writer().Tuple(NodesOf(op, op->importer().passed(i)),
                                          /*unless_one=*/true));
  }
  const Node node =
      op->Emit(Opcode::kConditional, op->ResultsShape(), NoAttributes(),
               operands, op->importer().callees());
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

void LowerBarrier(OpImport* op) {
  const std::vector<Node> operands = op->operands();
  if (operands.size() != op->result_count()) {
    return op->Error(absl::StrCat("has ", operands.size(), " operands and ",
                                  op->result_count(), " results"));
  }
  const Node tuple = op->writer().Tuple(operands, /*unless_one=*/true);
  const Node node =
      op->Emit(Opcode::kOptimizationBarrier, op->ResultsShape(), {tuple});
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

void LowerCreateToken(OpImport* op) {
  op->SetResult(0, op->Emit(Opcode::kAfterAll, Shape::Token(), {}));
}

// --- Custom calls ------------------------------------------------------------

void LowerCustomCall(OpImport* op) {
  if (op->Text("call_target_name") == "stablehlo.dynamic_rng_bit_generator") {
    return LowerDynamicRngBits(op);
  }
  if (LowerAsOperation(op) || LowerAsApproxTopK(op) ||
      LowerAsReduceWindow(op)) {
    return;
  }
  Attributes attributes = CustomCallAttributes();
  if (!ReadAttributes(op, &attributes)) return;
  auto* to = std::get_if<CustomCallAttributes>(&attributes);
  if (!op->Has("api_version")) to->api_version = kApiOriginal;
  if (!ReadConfig(op, to)) return;
  Shape result = op->ResultsShape();
  const DimIndices sizes = SetSizesOfResults(op, &result);
  if (op->failed()) return;
  if (!ReadAliases(op, to) || !ReadLayouts(op, to, &result)) return;
  const std::vector<Node> operands = WithoutSizes(op, sizes, to);
  const Node node = op->Emit(Opcode::kCustomCall, result, attributes, operands,
                             op->importer().callees());
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

}  // namespace indim::stablehlo_import

// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/op_import.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/fixes/stablehlo_fix.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/import/shardings.h"

namespace indim::stablehlo_import {

void OpImport::Error(absl::string_view message, Code code) {
  TextError error;
  error.code = code;
  if (code == Code::kStablehloConstraint) AddHloFix(&error);
  Error(message, std::move(error));
}

void OpImport::Error(absl::string_view message, TextError error) {
  failed_ = true;
  error.message = absl::StrCat("'", name(), "' op ", message);
  importer_.Error(op().offset, std::move(error));
}

void OpImport::AddHloFix(TextError* error) {
  if (row_ == nullptr || row_->opcode == Opcode::kInvalid ||
      op().region_count > 0 || result_count() != 1) {
    return;
  }
  OpInputs inputs;
  inputs.opcode = row_->opcode;
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  for (const ValueId value : ir().operands(op())) {
    shapes.push_back(importer_.shapes().Of(ir().type_of(value)));
    if (shapes.back().is_none()) return;
    names.emplace_back(ir().text(ir().value(value).name));
    // A number is no name in HLO, and the fix is in the program's words.
    if (names.back().empty())
      names.back() = absl::StrCat("operand", names.size() - 1);
  }
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  inputs.operands = operands;
  Attributes attributes;
  absl::string_view wrong;
  std::string why;
  if (!ReadMembers(ir(), op(), *row_, &attributes, &wrong, &why)) return;
  inputs.attributes = &attributes;
  const Shape declared = result_shape();
  if (declared.is_none()) return;
  inputs.declared = &declared;
  InferContext context(InferPolicy::kVerifier);
  if (VerifyNode(&context, inputs).ok) return;
  for (const Diagnostic& d : context.diagnostics()) {
    if (d.severity() != Severity::kError) continue;
    error->operand = d.operand;
    error->dim = d.dim;
    const std::optional<Fix> fix = SuggestFix(inputs, d);
    if (fix) error->fix = StablehloFixText(*fix, inputs, names);
    return;
  }
}

std::vector<Node> OpImport::operands() const {
  std::vector<Node> nodes;
  nodes.reserve(operand_count());
  for (const ValueId value : ir().operands(op())) {
    nodes.push_back(importer_.node(value));
  }
  return nodes;
}

const Shape& OpImport::result_shape(size_t i) {
  return importer_.shapes().Of(ir().type_of(result(i)));
}

Shape OpImport::ResultsShape(bool tuple_of_one) {
  if (result_count() == 1 && !tuple_of_one) return result_shape();
  std::vector<Shape> shapes;
  for (size_t i = 0; i < result_count(); ++i) {
    shapes.push_back(result_shape(i));
  }
  return Shape::Tuple(std::move(shapes));
}

bool OpImport::IsAsDeclared(size_t i, const Shape& given) {
  const Shape& declared = result_shape(i);
  if (CompatibleTypes(given, declared)) return true;
  TextError error;
  error.code = Code::kStablehloConstraint;
  if (given.is_array() && given.has_rank()) {
    error.fix = absl::StrCat("a result of type ", MlirTypeText(given));
  }
  Error(absl::StrCat("inferred type ", given.ToString(), " of result ", i,
                     " is incompatible with the return type ",
                     declared.ToString()),
        std::move(error));
  return false;
}

void OpImport::SpreadShardingOf(Node node) {
  const Shape shape = writer().shape(node);
  if (!shape.is_tuple()) return;
  const ValueSharding one = ShardingOf(writer(), node);
  if (!one.has_value()) return;
  const std::optional<std::string> spread =
      SpreadSharding(*one, LeafCount(shape));
  if (spread.has_value()) SetSharding(&writer(), node, *spread);
}

void OpImport::SetResult(size_t i, Node node) {
  SpreadShardingOf(node);
  const Shape given = writer().shape(node);
  if (!IsAsDeclared(i, given)) return;
  const Shape known = Refined(given, result_shape(i));
  if (given.is_array() && !SameStructure(known, given)) {
    node = Emit(Opcode::kReshape, known, DimensionsAttributes(), {node});
  }
  importer_.SetNode(result(i), node);
}

void OpImport::SetResults(Node node, bool tuple_of_one) {
  if (result_count() == 1 && !tuple_of_one) return SetResult(0, node);
  const Shape tuple = writer().shape(node);
  if (!tuple.is_tuple() ||
      static_cast<size_t>(tuple.tuple_size()) < result_count()) {
    return Error(absl::StrCat("has ", result_count(), " results, but gives ",
                              tuple.ToString()));
  }
  SpreadShardingOf(node);
  for (size_t i = 0; i < result_count(); ++i) {
    if (importer_.IsUsed(result(i))) {
      SetResult(i, writer().Element(node, static_cast<int64_t>(i)));
    } else if (!IsAsDeclared(i, tuple.elements()[i])) {
      return;
    }
  }
}

// --- Attributes --------------------------------------------------------------

OpImport::Failure OpImport::WrongKind(absl::string_view attribute) {
  return Fail(absl::StrCat("attribute '", attribute, "' is of the wrong kind"));
}

OpImport::Failure OpImport::Incompatible(const Shape& inferred,
                                         const Shape& declared) {
  return Fail(absl::StrCat("inferred type ", inferred.ToString(),
                           " is incompatible with the return type ",
                           declared.ToString()));
}

template <typename T, typename Read>
T OpImport::ValueOf(absl::string_view attribute, Read read, T otherwise) {
  const AttrId id = Find(attribute);
  if (!id.valid()) return otherwise;
  std::optional<T> value = read(ir(), id);
  if (!value.has_value()) WrongKind(attribute);
  return value.has_value() ? *std::move(value) : std::move(otherwise);
}

int64_t OpImport::Number(absl::string_view attribute, int64_t otherwise) {
  return ValueOf(attribute, ReadNumber, otherwise);
}
bool OpImport::Bool(absl::string_view attribute, bool otherwise) {
  return ValueOf(attribute, ReadBool, otherwise);
}
DimIndices OpImport::Numbers(absl::string_view attribute) {
  return ValueOf(attribute, ReadNumbers, DimIndices());
}
std::vector<std::vector<int64_t>> OpImport::Rows(absl::string_view attribute) {
  return ValueOf(attribute, ReadRows, std::vector<std::vector<int64_t>>());
}
std::string OpImport::Text(absl::string_view attribute) {
  return std::string(ValueOf(attribute, ReadText, absl::string_view()));
}

// --- Instructions ------------------------------------------------------------

Shape OpImport::Refined(const Shape& shape, const Shape& known) {
  if (shape.kind() != known.kind()) return shape;
  if (shape.is_tuple() && shape.tuple_size() == known.tuple_size()) {
    std::vector<Shape> elements;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      const auto at = static_cast<size_t>(i);
      elements.push_back(Refined(shape.elements()[at], known.elements()[at]));
    }
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.is_array()) return shape;
  if (shape.is_unranked() && known.has_rank() &&
      shape.element_type() == known.element_type()) {
    return known;
  }
  if (shape.rank() != known.rank()) return shape;
  Shape refined = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i).is_unknown()) refined.set_dim(i, known.dim(i));
  }
  return refined;
}

Shape OpImport::AsInferred(const Shape& shape, const Shape& inferred) {
  if (shape.is_tuple() && inferred.is_tuple() &&
      shape.tuple_size() == inferred.tuple_size()) {
    std::vector<Shape> elements;
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      elements.push_back(
          AsInferred(shape.elements()[i], inferred.elements()[i]));
    }
    return Shape::Tuple(std::move(elements));
  }
  Shape refined = Refined(shape, inferred);
  if (!refined.is_array() || !CompatibleTypes(refined, inferred) ||
      refined.rank() != inferred.rank()) {
    return refined;
  }
  for (int i = 0; i < refined.rank(); ++i) {
    if (CompatibleDims(refined.dim(i), inferred.dim(i))) continue;
    refined.set_dim(i, inferred.dim(i));
  }
  return refined;
}

Node OpImport::Emit(Opcode opcode, const Shape& shape,
                    const Attributes& attributes,
                    absl::Span<const Node> operands,
                    absl::Span<const uint32_t> callees) {
  HloWriter& writer = importer_.writer();
  if (importer_.has_static_sizes() ||
      (!importer_.has_bounds() && shape.is_static())) {
    return writer.Add(opcode, shape, attributes, operands, callees);
  }
  std::vector<const Shape*> shapes;
  for (const Node operand : operands) shapes.push_back(&writer.shape(operand));
  std::vector<Signature> signatures;
  for (const uint32_t callee : callees) {
    signatures.push_back(writer.SignatureOf(callee));
  }
  std::vector<const Signature*> signature_pointers;
  for (const Signature& s : signatures) signature_pointers.push_back(&s);
  InferContext context(InferPolicy::kVerifier);
  OpInputs inputs;
  inputs.opcode = opcode;
  inputs.operands = shapes;
  inputs.attributes = &attributes;
  inputs.callees = signature_pointers;
  inputs.declared = &shape;
  const std::optional<Shape> inferred = InferShape(&context, inputs);
  return writer.Add(opcode, inferred ? AsInferred(shape, *inferred) : shape,
                    attributes, operands, callees);
}

}  // namespace indim::stablehlo_import

// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/type_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::stablehlo_export {
namespace {

// Of an array or the array of a buffer.
std::string ArrayFault(const Shape& shape) {
  const ElementType type = shape.element_type();
  if (type == ElementType::kS1 || type == ElementType::kU1) {
    return absl::StrCat("has elements of ", Name(type),
                        ", and i1 is pred in StableHLO");
  }
  return "";
}

}  // namespace

DimIndices MinorToMajor(const Shape& shape) {
  const auto usual = Layout::RowMajor(shape.rank()).minor_to_major;
  const auto& order =
      shape.layout() == nullptr ? usual : shape.layout()->minor_to_major;
  return DimIndices(order.begin(), order.end());
}

std::string TypeWriter::Fault(const Shape& shape) {
  if (shape.is_none()) return "has no shape";
  if (shape.is_opaque()) return "is opaque";
  if (shape.is_array()) return ArrayFault(shape);
  for (const Shape& element : shape.elements()) {
    std::string fault = Fault(element);
    if (!fault.empty()) return fault;
  }
  return "";
}

TypeId TypeWriter::ArrayType(const Shape& shape) {
  mlir::Type type;
  type.element = ir_.ElementTypeId(shape.element_type());
  if (shape.is_unranked()) {
    type.kind = TypeKind::kUnrankedTensor;
    return ir_.Intern(std::move(type));
  }
  type.kind = TypeKind::kTensor;
  bool bounded = false;
  for (const Dim dim : shape.dims()) {
    type.dims.push_back(dim.is_static() ? dim.size() : mlir::kDynamic);
    bounded = bounded || dim.is_bounded();
  }
  if (bounded) {
    for (const Dim dim : shape.dims()) {
      type.bounds.push_back(dim.is_bounded() ? dim.upper() : mlir::kDynamic);
    }
  }
  return ir_.Intern(std::move(type));
}

TypeId TypeWriter::Whole(const Shape& shape) {
  if (shape.is_array()) return ArrayType(shape);
  mlir::Type type;
  if (shape.is_token()) {
    type.kind = TypeKind::kToken;
  } else if (shape.is_buffer()) {
    type = ir_.type(ArrayType(shape.elements().front()));
    type.kind = TypeKind::kMemRef;
  } else if (shape.is_tuple()) {
    type.kind = TypeKind::kTuple;
    for (const Shape& element : shape.elements()) {
      type.parts.push_back(Whole(element));
    }
  }
  return ir_.Intern(std::move(type));
}

std::vector<TypeId> TypeWriter::Leaves(const Shape& shape) {
  std::vector<TypeId> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(Whole(leaf)); });
  return leaves;
}

const TypeWriter::Entry& TypeWriter::Find(ShapeId id) {
  const auto [it, inserted] = entries_.try_emplace(id.value);
  if (inserted) {
    const Shape& shape = shapes_.shape(id);
    it->second.leaves = Leaves(shape);
    it->second.fault = Fault(shape);
  }
  return it->second;
}

absl::Span<const TypeId> TypeWriter::Leaves(ShapeId id) {
  return Find(id).leaves;
}

const std::string& TypeWriter::fault(ShapeId id) { return Find(id).fault; }

}  // namespace indim::stablehlo_export

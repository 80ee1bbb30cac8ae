// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/hlo_writer.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/splat.h"

namespace indim::stablehlo_import {

Node HloWriter::Constant(const Literal& literal) {
  if (!literal.has_equal_elements()) return ModuleBuilder::Constant(literal);
  const Shape& shape = literal.shape();
  const Shape scalar = Shape::Scalar(shape.element_type());
  const absl::StatusOr<Literal> element = Literal::FromBytes(
      scalar, literal.bytes().substr(
                  0, static_cast<size_t>(ElementBytes(shape.element_type()))));
  const Node node = Add(Opcode::kBroadcast, shape, DimensionsAttributes(),
                        {ModuleBuilder::Constant(*element)});
  SetName(node, SplatName());
  return node;
}

std::string HloWriter::SplatName() {
  return absl::StrCat(kSplatName, "_", ++splats_);
}

bool HloWriter::IsSplat(Node node) const {
  return record(node).opcode == Opcode::kBroadcast &&
         IsSplatName(pools().name(record(node).name));
}

Node HloWriter::Copy(Node outer, absl::Span<const Node> operands) {
  const Node node = AddLike(outer_record(outer), operands, {});
  // Nothing else has a name.
  if (record(node).name) SetName(node, SplatName());
  return node;
}

void HloWriter::LayOut() {
  ShapeTable& shapes = pools().shapes();
  std::vector<ShapeId> laid_out(shapes.size());
  for (InstructionRecord& r : data().instructions) {
    ShapeId& with_layout = laid_out[r.shape.value];
    if (!with_layout) {
      with_layout = shapes.Intern(shapes.shape(r.shape).WithDefaultLayout());
    }
    r.shape = with_layout;
  }
}

Module HloWriter::Finish(uint32_t entry, absl::string_view name) {
  LayOut();
  return ModuleBuilder::Finish(entry, name);
}

}  // namespace indim::stablehlo_import

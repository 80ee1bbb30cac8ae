#include "indim/ir/shape_table.h"

#include <string>
#include <utility>

#include "indim/ir/shape_wire.h"

namespace indim {

ShapeTable::ShapeTable() { entries_.emplace_back(); }

ShapeTable::ShapeTable(const ShapeTable& other) = default;

ShapeId ShapeTable::Add(Shape shape, StructureId structure,
                        absl::string_view wire) {
  const ShapeId id{static_cast<uint32_t>(entries_.size())};
  if (!structure && !shape.is_none()) structure = StructureId{id.value};
  entries_.push_back({std::move(shape), structure, wire});
  by_wire_.emplace(wire, id);
  return id;
}

ShapeId ShapeTable::FindWire(absl::string_view wire) const {
  auto it = by_wire_.find(wire);
  return it == by_wire_.end() ? ShapeId() : it->second;
}

ShapeId ShapeTable::Intern(const Shape& shape) {
  if (shape.is_none()) return ShapeId();
  auto it = by_shape_.find(shape);
  if (it != by_shape_.end()) return it->second;
  StructureId structure;
  if (shape.has_layout_anywhere()) {
    structure = StructureId{Intern(shape.WithoutLayout()).value};
  }
  const ShapeId id =
      Add(shape, structure, bytes_.Copy(SerializeShapeProto(shape)));
  by_shape_.emplace(shape, id);
  return id;
}

absl::StatusOr<ShapeId> ShapeTable::InternWire(absl::string_view wire) {
  const ShapeId known = FindWire(wire);
  if (known) return known;
  absl::StatusOr<Shape> shape = ParseShapeProto(wire);
  if (!shape.ok()) return shape.status();
  if (shape->is_none()) return Add(Shape(), StructureId(), bytes_.Copy(wire));
  // What our writer would have written is one with what Intern keeps.
  const std::string ours = SerializeShapeProto(*shape);
  if (ours == wire) return Intern(*shape);
  const StructureId structure{Intern(shape->WithoutLayout()).value};
  return Add(*std::move(shape), structure, bytes_.Copy(wire));
}

}  // namespace indim

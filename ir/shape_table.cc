#include "indim/ir/shape_table.h"

#include <string>
#include <utility>
#include <vector>

#include "indim/ir/shape_wire.h"
#include "indim/ir/wire.h"

namespace indim {
namespace {

// ShapeProto.tuple_shapes.
constexpr uint32_t kTupleElement = MakeTag(4, WireType::kLengthDelimited);

// What every tuple begins with: its element type.
absl::string_view EmptyTupleProto() {
  static const auto* const kWire =
      new std::string(SerializeShapeProto(Shape::Tuple({})));
  return *kWire;
}

}  // namespace

ShapeTable::ShapeTable() : structures_(1) { entries_.emplace_back(); }

ShapeTable::ShapeTable(const ShapeTable& other) = default;

StructureId ShapeTable::StructureOf(const Shape& shape, bool ours) {
  if (shape.is_none() || (ours && !shape.has_layout_anywhere())) {
    return StructureId();
  }
  return StructureId{Intern(shape.WithoutLayout()).value};
}

ShapeId ShapeTable::Add(const Shape& shape, absl::string_view wire,
                        uint64_t hash, bool ours, StructureId structure) {
  const ShapeId id{static_cast<uint32_t>(entries_.size())};
  if (!structure && !shape.is_none()) structure = StructureId{id.value};
  entries_.push_back({shape, ours, bytes_.Copy(wire)});
  structures_.push_back(structure);
  by_wire_.Insert(hash, id.value);
  return id;
}

// Our writer's spelling is one of wire bytes like any other: what it says is
// what they are looked up by, so that each shape is kept once.
ShapeId ShapeTable::Intern(const Shape& shape) {
  if (shape.is_none()) return ShapeId();
  const std::string wire = SerializeShapeProto(shape);
  const uint64_t hash = HashBytes(wire);
  const ShapeId known = Find(wire, hash);
  if (known) return known;
  return Add(shape, wire, hash, true, StructureOf(shape, true));
}

absl::StatusOr<ShapeId> ShapeTable::InternWire(absl::string_view wire) {
  const uint64_t hash = HashBytes(wire);
  const ShapeId known = Find(wire, hash);
  if (known) return known;
  const absl::StatusOr<Shape> shape = ParseShapeProto(wire);
  if (!shape.ok()) return shape.status();
  const bool ours = SerializeShapeProto(*shape) == wire;
  return Add(*shape, wire, hash, ours, StructureOf(*shape, ours));
}

ShapeId ShapeTable::InternTupleOfKnown(absl::string_view wire) {
  const absl::string_view start = EmptyTupleProto();
  if (wire.size() <= start.size() || wire.substr(0, start.size()) != start) {
    return ShapeId();
  }
  std::vector<Shape> elements;
  std::string bare(start);
  bool has_layout = false;
  WireReader reader(wire.substr(start.size()));
  while (!reader.done()) {
    absl::string_view element;
    if (!reader.ConsumeTag(kTupleElement) ||
        !reader.ReadMinimalLengthDelimited(&element)) {
      return ShapeId();
    }
    const ShapeId id = FindWire(element);
    if (!id || !entries_[id.value].ours) return ShapeId();
    const StructureId structure = structures_[id.value];
    has_layout |= structure.value != id.value;
    elements.push_back(entries_[id.value].shape);
    AppendTag(TagNumber(kTupleElement), WireType::kLengthDelimited, &bare);
    AppendLengthDelimited(entries_[structure.value].wire, &bare);
  }
  const Shape tuple = Shape::Tuple(std::move(elements));
  if (tuple.is_none()) return ShapeId();
  StructureId structure;
  if (has_layout) {
    const uint64_t hash = HashBytes(bare);
    ShapeId known = Find(bare, hash);
    if (!known) {
      known = Add(tuple.WithoutLayout(), bare, hash, true, StructureId());
    }
    structure = StructureId{known.value};
  }
  return Add(tuple, wire, HashBytes(wire), true, structure);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/shape_table.h"

#include <string>
#include <utility>

#include "indim/proto/codec/shape_wire.h"

namespace indim {
namespace {

// Equal shapes hash alike, and, without layouts, those of one structure.
// `start` is the hash of what precedes the shape. Depth is at most
// Shape::kMaxTupleDepth.
uint64_t HashShape(const Shape& shape, bool layouts, uint64_t start = 0) {
  const auto bytes = [](const auto& numbers) {
    return absl::string_view(reinterpret_cast<const char*>(numbers.data()),
                             numbers.size() * sizeof(numbers[0]));
  };
  const uint64_t head = static_cast<uint64_t>(shape.tuple_size()) << 24 |
                        static_cast<uint64_t>(shape.is_unranked()) << 16 |
                        static_cast<uint64_t>(shape.kind()) << 8 |
                        static_cast<uint64_t>(shape.element_type());
  uint64_t hash = HashBytes(bytes(shape.dims()), HashNumber(head, start));
  if (layouts && shape.layout() != nullptr) {
    // Other parts of a layout seldom differ alone.
    hash = HashBytes(bytes(shape.layout()->minor_to_major), ~hash);
  }
  for (const Shape& element : shape.elements()) {
    hash = HashShape(element, layouts, hash);
  }
  return hash;
}
uint64_t HashStructure(const Shape& shape) {
  return HashShape(shape, /*layouts=*/false);
}

}  // namespace

ShapeTable::ShapeTable() : structures_(1) { entries_.push_back({}); }

ShapeTable::ShapeTable(const ShapeTable& other) = default;

StructureId ShapeTable::StructureOf(ShapeId id) {
  const Entry& entry = entries_[id.value];
  if (entry.shape.is_none()) return StructureId();
  if (structures_differ_) {
    if (entry.ours() && !entry.shape.has_layout_anywhere()) {
      return StructureId{id.value};
    }
    structures_differ_ = false;
    for (uint32_t i = 1; i < id.value; ++i) {
      if (structures_[i]) {
        by_structure_.Insert(HashStructure(entries_[i].shape), i);
      }
    }
  }
  const uint64_t hash = HashStructure(entry.shape);
  const auto known = by_structure_.Find(hash, [&](uint32_t other) {
    return SameStructure(entries_[other].shape, entry.shape);
  });
  if (known) return StructureId{*known};
  by_structure_.Insert(hash, id.value);
  return StructureId{id.value};
}

ShapeId ShapeTable::Add(Shape&& shape, absl::string_view wire, bool lasts,
                        uint64_t hash, bool ours) {
  const ShapeId id{static_cast<uint32_t>(entries_.size())};
  entries_.emplace_back(std::move(shape), lasts ? wire : bytes_.Copy(wire),
                        ours);
  structures_.push_back(StructureOf(id));
  by_wire_.Insert(hash, id.value);
  return id;
}

// A shape that Intern hasn't met twice may have been read in our writer's
// spelling, so that is looked up among the wire bytes.
ShapeId ShapeTable::Intern(const Shape& shape) {
  if (shape.is_none()) return ShapeId();
  const uint64_t hash = HashShape(shape, /*layouts=*/true);
  const auto known = interned_.Find(
      hash, [&](uint32_t id) { return entries_[id].shape == shape; });
  if (known) return ShapeId{*known};
  const std::string wire = SerializeShapeProto(shape);
  const uint64_t wire_hash = HashBytes(wire);
  const ShapeId met = Find(wire, wire_hash);
  // A graph may have millions of shapes that come once.
  if (!met) {
    return Add(Shape(shape), wire, /*lasts=*/false, wire_hash, /*ours=*/true);
  }
  interned_.Insert(hash, met.value);
  return met;
}

absl::StatusOr<ShapeId> ShapeTable::InternWire(absl::string_view wire,
                                               bool lasts) {
  const uint64_t hash = HashBytes(wire);
  const ShapeId known = Find(wire, hash);
  if (known) return known;
  absl::StatusOr<Shape> shape = ParseShapeProto(wire);
  if (!shape.ok()) return shape.status();
  // Only StructureOf asks for it, while structures_differ_.
  const bool ours = structures_differ_ && !shape->has_layout_anywhere() &&
                    SerializeShapeProto(*shape) == wire;
  return Add(*std::move(shape), wire, lasts, hash, ours);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/shape_table.h"

#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "indim/proto/codec/shape_wire.h"

namespace indim {
namespace {

// A shape without layouts, for hashing.
struct Structure {
  const Shape& shape;

  // Depth is at most Shape::kMaxTupleDepth.
  template <typename H>
  friend H AbslHashValue(H h, const Structure& s) {
    h = H::combine(std::move(h), s.shape.kind(), s.shape.element_type(),
                   s.shape.is_unranked(), s.shape.dims(), s.shape.tuple_size());
    for (const Shape& element : s.shape.elements()) {
      h = H::combine(std::move(h), Structure{element});
    }
    return h;
  }
};
uint64_t HashStructure(const Shape& shape) {
  // InternIndex uses the upper half of a hash.
  return byte_hash::Mix(absl::Hash<Structure>()(Structure{shape}),
                        byte_hash::kFactors[0]);
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

// Looks our writer's spelling up among the wire bytes, so that each shape is
// stored once.
ShapeId ShapeTable::Intern(const Shape& shape) {
  if (shape.is_none()) return ShapeId();
  const std::string wire = SerializeShapeProto(shape);
  const uint64_t hash = HashBytes(wire);
  const ShapeId known = Find(wire, hash);
  if (known) return known;
  return Add(Shape(shape), wire, /*lasts=*/false, hash, /*ours=*/true);
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

// SPDX-License-Identifier: Apache-2.0
// ShapeTable: the shapes of a graph, each stored once. Ids are valid in their
// graph only.
//
// Three levels: a *structure* (types, dims, tuples; inference, memo and
// verifier compare it as one integer), a *shape* (structure and layout), and
// the *spelling* of a shape on the wire. Two ShapeIds differ when any of the
// three does; structure() tells whether only layout or spelling do.

#ifndef INDIM_IR_SHAPE_TABLE_H_
#define INDIM_IR_SHAPE_TABLE_H_

#include <cstdint>
#include <deque>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/byte_pool.h"
#include "indim/ir/storage/column.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/shape/types/shape.h"

namespace indim {

class ShapeTable {
 public:
  ShapeTable();

  // The id of `shape` in our writer's spelling; 0 for Kind::kNone.
  ShapeId Intern(const Shape& shape);

  // The id of the shape in `wire` (a canonical ShapeProto), whose spelling is
  // kept. Equal bytes give equal ids. InvalidArgument: they aren't a valid
  // shape (see shape_wire.h). Empty bytes, a shape without fields, get an id of
  // Kind::kNone.
  absl::StatusOr<ShapeId> InternWire(absl::string_view wire) {
    return InternWire(wire, /*lasts=*/false);
  }
  // InternWire without copying: `wire` must outlive this table and its copies.
  absl::StatusOr<ShapeId> InternWireView(absl::string_view wire) {
    return InternWire(wire, /*lasts=*/true);
  }

  // The id that InternWire returned for `wire` (or Intern for the shape that
  // our writer spells so); 0: none.
  ShapeId FindWire(absl::string_view wire) const {
    return Find(wire, HashBytes(wire));
  }

  // An id that all shapes share that are SameStructure; 0 for Kind::kNone.
  StructureId structure(ShapeId id) const { return structures_[id.value]; }

  // The reference is valid as long as the table.
  const Shape& shape(ShapeId id) const { return entries_[id.value].shape; }
  // The canonical ShapeProto bytes, as read or in our writer's spelling; empty
  // for id 0.
  absl::string_view wire(ShapeId id) const { return entries_[id.value].wire(); }

  // The number of ids, including 0.
  size_t size() const { return entries_.size(); }

  // A copy keeps all ids. Many threads may read a table while none interns.
  ShapeTable(const ShapeTable& other);
  ShapeTable& operator=(const ShapeTable& other) = delete;

 private:
  // A graph may have millions, when no two of its shapes are equal.
  struct Entry {
    Entry() = default;
    Entry(Shape&& s, absl::string_view spelling, bool is_ours)
        : shape(std::move(s)),
          start(spelling.data()),
          size_and_ours(uint64_t{spelling.size()} << 1 | (is_ours ? 1 : 0)) {}
    absl::string_view wire() const { return {start, size_and_ours >> 1}; }
    // Whether it has our writer's spelling.
    bool ours() const { return (size_and_ours & 1) != 0; }

    Shape shape;
    const char* start = nullptr;
    uint64_t size_and_ours = 0;
  };
  ShapeId Find(absl::string_view wire, uint64_t hash) const {
    const auto same = [&](uint32_t id) {
      return SameBytes(entries_[id].wire(), wire);
    };
    return ShapeId{by_wire_.Find(hash, same).value_or(0)};
  }
  absl::StatusOr<ShapeId> InternWire(absl::string_view wire, bool lasts);
  // Adds `shape`, which isn't in the table, with spelling `wire`, which is
  // copied unless it `lasts`. `ours`: it is our writer's spelling.
  ShapeId Add(Shape&& shape, absl::string_view wire, bool lasts, uint64_t hash,
              bool ours);
  // The structure of `id`, which is the last entry.
  StructureId StructureOf(ShapeId id);

  BytePool bytes_;
  std::deque<Entry> entries_;
  Column<StructureId> structures_;  // by entry; the most frequent look-up
  InternIndex by_wire_;
  // What Intern met again, by shape, so that it needn't be serialized to be
  // looked up.
  InternIndex interned_;
  // The first entry of each structure. Empty while all entries certainly differ
  // in structure: all have our spelling and no layouts.
  InternIndex by_structure_;
  bool structures_differ_ = true;
};

}  // namespace indim

#endif  // INDIM_IR_SHAPE_TABLE_H_

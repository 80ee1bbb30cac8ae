// ShapeTable: a graph's shapes, each kept once. Ids never cross graphs.
//
// Three levels: a *structure* (types, dims, tuples: what inference, memo and
// verifier compare, one integer), a *shape* (structure and layout), and the
// *spelling* of a shape on the wire. Two ShapeIds differ when any of the three
// does; structure() tells whether only layout or spelling do.

#ifndef INDIM_IR_SHAPE_TABLE_H_
#define INDIM_IR_SHAPE_TABLE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/shape/types/shape.h"
#include "indim/storage/byte_hash.h"
#include "indim/storage/byte_pool.h"
#include "indim/storage/column.h"
#include "indim/storage/intern_index.h"

namespace indim {

class ShapeTable {
 public:
  ShapeTable();

  // The id of `shape` in our writer's spelling. Kind::kNone has id 0.
  ShapeId Intern(const Shape& shape);

  // The id of the shape that `wire` (a canonical ShapeProto) spells; the
  // spelling is kept. The same bytes give the same id. InvalidArgument when
  // they say no valid shape (see shape_wire.h).
  // No bytes at all, a shape that is present but says nothing, get an id too,
  // of Kind::kNone.
  absl::StatusOr<ShapeId> InternWire(absl::string_view wire) {
    return InternWire(wire, /*lasts=*/false);
  }
  // The same without copying: `wire` must outlive this table and its copies.
  absl::StatusOr<ShapeId> InternWireView(absl::string_view wire) {
    return InternWire(wire, /*lasts=*/true);
  }

  // The id that InternWire gave to `wire` before (or Intern to the shape that
  // our writer spells so); 0 when neither did.
  ShapeId FindWire(absl::string_view wire) const {
    return Find(wire, HashBytes(wire));
  }

  // What all shapes share that are SameStructure; 0 for those of Kind::kNone.
  StructureId structure(ShapeId id) const { return structures_[id.value]; }

  // References stay valid as long as the table.
  const Shape& shape(ShapeId id) const { return entries_[id.value].shape; }
  // The canonical ShapeProto bytes, as read or as our writer spells them;
  // empty for id 0.
  absl::string_view wire(ShapeId id) const { return entries_[id.value].wire(); }

  // How many ids there are, 0 included.
  size_t size() const { return entries_.size(); }

  // A copy keeps all ids. Reading a table from many threads is safe while
  // nobody interns.
  ShapeTable(const ShapeTable& other);
  ShapeTable& operator=(const ShapeTable& other) = delete;

 private:
  // There are millions where no two shapes are equal.
  struct Entry {
    Entry() = default;
    Entry(Shape&& s, absl::string_view spelling, bool is_ours)
        : shape(std::move(s)),
          start(spelling.data()),
          size_and_ours(uint64_t{spelling.size()} << 1 | (is_ours ? 1 : 0)) {}
    absl::string_view wire() const { return {start, size_and_ours >> 1}; }
    // Spelled as our writer does it.
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
  // Adds `shape`, which isn't there, spelled `wire`, which is copied unless it
  // `lasts`. `ours`: that is how our writer spells it.
  ShapeId Add(Shape&& shape, absl::string_view wire, bool lasts, uint64_t hash,
              bool ours);
  // Of the entry `id`, the last one.
  StructureId StructureOf(ShapeId id);

  BytePool bytes_;
  std::deque<Entry> entries_;
  Column<StructureId> structures_;  // of each entry; asked most of all
  InternIndex by_wire_;
  // The first entry of each structure. Not needed, and empty, as long as no two
  // entries can be of one structure: all are ours and without layouts.
  InternIndex by_structure_;
  bool structures_differ_ = true;
};

}  // namespace indim

#endif  // INDIM_IR_SHAPE_TABLE_H_

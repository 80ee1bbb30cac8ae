// SPDX-License-Identifier: Apache-2.0
// ShapeCache: maps shapes of HLO text to ids by their text, since a module of a
// million instructions has about a hundred shapes.

#ifndef INDIM_TEXT_PARSE_SHAPE_CACHE_H_
#define INDIM_TEXT_PARSE_SHAPE_CACHE_H_

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Whether a shape begins at the lexer's current token: "(", a word before "[",
// or "b" before "(". An op or a name, which could also be there, has none of
// these forms.
bool IsShapeAhead(const Lexer& lexer);

class ShapeCache {
 public:
  // `shapes` and the text must outlive the cache. `fill_layouts` as in
  // ReadShape (shape_text.h).
  ShapeCache(ShapeTable* shapes, bool fill_layouts)
      : shapes_(shapes), fill_layouts_(fill_layouts) {}

  // Reads the shape at the current token, as ReadShape does. False after an
  // error.
  bool Read(Lexer* lexer, ShapeId* id);

  // The known shape at `at`, and its end. False: not known, or not a shape.
  bool FindKnown(absl::string_view text, size_t at, size_t* end,
                 ShapeId* id) const;

  // Drops known texts: their symbols have other meanings from now on.
  void Forget() { known_.clear(); }

  // Doesn't fill in omitted layouts from here on.
  void LeaveLayoutsOut() { fill_layouts_ = false; }

  const ShapeTable& shapes() const { return *shapes_; }

 private:
  // The tuple of arrays in [begin, end); kNone's id: something else.
  ShapeId ReadTupleOfArrays(absl::string_view text, size_t begin, size_t end);

  ShapeTable* shapes_;
  bool fill_layouts_;
  absl::flat_hash_map<absl::string_view, ShapeId, ByteHash> known_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_SHAPE_CACHE_H_

// Shapes of HLO text as ids: a text that was read before is looked up, since a
// module of a million instructions has a hundred shapes.

#ifndef INDIM_TEXT_PARSE_SHAPE_CACHE_H_
#define INDIM_TEXT_PARSE_SHAPE_CACHE_H_

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/storage/byte_hash.h"
#include "indim/text/base/lexer.h"

namespace indim {

// True where a shape may begin at the lexer's present token: "(", a word before
// "[", "b" before "(". What else could stand there, an op or a name, is none of
// these.
bool IsShapeAhead(const Lexer& lexer);

class ShapeCache {
 public:
  // `shapes` and the text must outlive the cache. `fill_layouts` as ReadShape
  // (shape_text.h).
  ShapeCache(ShapeTable* shapes, bool fill_layouts)
      : shapes_(shapes), fill_layouts_(fill_layouts) {}

  // Reads the shape at the present token, as ReadShape does. False after an
  // error.
  bool Read(Lexer* lexer, ShapeId* id);

  // The shape at `at`, which was read before, and where it ends. False: it is
  // not known, or no shape.
  bool FindKnown(absl::string_view text, size_t at, size_t* end,
                 ShapeId* id) const;

  // The names and plain arrays of a signature, `a: f32[2], b: s32[]`, from `at`
  // on, of which nothing is kept. Where the first that isn't so begins, or the
  // ")" behind the last, which `*all` tells.
  static size_t SkipPlainParameters(absl::string_view text, size_t at,
                                    bool* all);

  // What texts mean: symbols in them are others from now on.
  void Forget() { known_.clear(); }

  // From here on layouts that are left out stay out.
  void LeaveLayoutsOut() { fill_layouts_ = false; }

  const ShapeTable& shapes() const { return *shapes_; }

 private:
  // The tuple that stands in [begin, end), where it is one of arrays that were
  // read before or are plain ones; kNone's id where it isn't.
  ShapeId ReadTupleOfArrays(absl::string_view text, size_t begin, size_t end);

  ShapeTable* shapes_;
  bool fill_layouts_;
  absl::flat_hash_map<absl::string_view, ShapeId, ByteHash> known_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_SHAPE_CACHE_H_

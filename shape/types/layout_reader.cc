// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/layout_reader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"

namespace indim {
namespace {

bool ReadMinorToMajor(ShapeLexer* lexer, int rank, Layout* layout) {
  std::vector<bool> seen(rank);
  const size_t start = lexer->position();
  if (!lexer->Ahead(":")) {
    do {
      int64_t dim = 0;
      lexer->SkipBlanks();
      const size_t at = lexer->position();
      if (!lexer->ReadNumber("a dim of the layout", Dim::kInfinity, &dim)) {
        return false;
      }
      if (dim >= rank) {
        return lexer->Fail(at, absl::StrCat("the layout names dim ", dim,
                                            ", but the rank is ", rank));
      }
      if (seen[dim]) {
        return lexer->Fail(
            lexer->position() - 1,
            absl::StrCat("the layout names dim ", dim, " twice"));
      }
      seen[dim] = true;
      layout->minor_to_major.push_back(dim);
    } while (lexer->Eat(","));
  }
  if (layout->minor_to_major.size() == seen.size()) return true;
  return lexer->Fail(
      start, absl::StrCat("the layout names ", layout->minor_to_major.size(),
                          layout->minor_to_major.size() == 1 ? " dim" : " dims",
                          ", but the rank is ", rank));
}

bool ReadLayoutNumber(ShapeLexer* lexer, int64_t least, int64_t* value) {
  if (!lexer->Expect("(", "after a layout's letter")) return false;
  lexer->SkipBlanks();
  const size_t start = lexer->position();
  if (!lexer->ReadSigned("a number", value)) return false;
  if (*value < least) {
    return lexer->Fail(start, absl::StrCat("must be at least ", least));
  }
  return lexer->Expect(")", "after a layout's number");
}

// Skips the sparse levels of old XLA, D(D,C+,H~), which XLA reads and ignores.
bool SkipDimLevels(ShapeLexer* lexer) {
  if (!lexer->Expect("(", "after a layout's letter")) return false;
  if (lexer->Eat(")")) return true;
  do {
    lexer->SkipBlanks();
    const size_t start = lexer->position();
    const absl::string_view level = lexer->EatName();
    if (level != "D" && level != "C" && level != "S" && level != "H") {
      return lexer->Fail(start, "expected a dim level: D, C, S or H");
    }
    lexer->Eat("+");
    lexer->Eat("~");
  } while (lexer->Eat(","));
  return lexer->Expect(")", "or ',' after a dim level");
}

bool ReadTile(ShapeLexer* lexer, Layout::Tile* tile) {
  if (!lexer->Expect("(", "before the sizes of a tile")) return false;
  if (lexer->Eat(")")) return true;
  do {
    int64_t size = Layout::kCombine;
    if (!lexer->Eat("*") &&
        !lexer->ReadNumber("a tile size or '*'", Dim::kInfinity, &size)) {
      return false;
    }
    tile->push_back(size);
  } while (lexer->Eat(","));
  return lexer->Expect(")", "or ',' after a tile size");
}

bool ReadSplit(ShapeLexer* lexer, Layout::Split* split) {
  if (!lexer->Expect("(", "before a split")) return false;
  if (!lexer->ReadSigned("the dim of a split", &split->dimension)) return false;
  if (!lexer->Expect(":", "after the dim of a split")) return false;
  if (lexer->Eat(")")) return true;
  do {
    int64_t index = 0;
    if (!lexer->ReadSigned("an index of a split", &index)) return false;
    split->indices.push_back(index);
  } while (lexer->Eat(","));
  return lexer->Expect(")", "or ',' after an index of a split");
}

// Reads attributes in XLA's order, each at most once. XLA's reader accepts any
// number where this checks none; files contain such numbers.
bool ReadLayoutAttributes(ShapeLexer* lexer, Layout* layout) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::min();
  if (lexer->Eat("D") && !SkipDimLevels(lexer)) return false;
  if (lexer->Eat("T")) {
    do {
      layout->tiles.emplace_back();
      if (!ReadTile(lexer, &layout->tiles.back())) return false;
    } while (lexer->Ahead("("));
  }
  if (lexer->Eat("L") &&
      !ReadLayoutNumber(lexer, 1,
                        &layout->tail_padding_alignment_in_elements)) {
    return false;
  }
  if (lexer->Ahead("#") || lexer->Ahead("*")) {
    return lexer->Fail(lexer->position(),
                       "index and pointer types of layouts are not supported");
  }
  if (lexer->Eat("E") &&
      !ReadLayoutNumber(lexer, kAny, &layout->element_size_in_bits)) {
    return false;
  }
  if (!lexer->Ahead("SC") && lexer->Eat("S") &&
      !ReadLayoutNumber(lexer, kAny, &layout->memory_space)) {
    return false;
  }
  if (lexer->Eat("SC")) {
    do {
      layout->splits.emplace_back();
      if (!ReadSplit(lexer, &layout->splits.back())) return false;
    } while (lexer->Ahead("("));
  }
  if (lexer->Ahead("P")) {
    return lexer->Fail(lexer->position(),
                       "physical shapes of layouts are not supported");
  }
  return !lexer->Eat("M") ||
         ReadLayoutNumber(lexer, 0,
                          &layout->dynamic_shape_metadata_prefix_bytes);
}

}  // namespace

bool IsLayoutAhead(ShapeLexer* lexer) {
  const size_t start = lexer->position();
  bool is_layout = false;
  if (lexer->Eat("{"))
    is_layout = lexer->Ahead(":") || lexer->Ahead("-") || lexer->AheadDigit();
  lexer->Seek(start);
  return is_layout;
}

bool ReadLayout(ShapeLexer* lexer, int rank, Layout* layout) {
  lexer->Eat("{");
  if (!ReadMinorToMajor(lexer, rank, layout)) return false;
  if (lexer->Eat(":") && !ReadLayoutAttributes(lexer, layout)) return false;
  return lexer->Expect(
      "}", "or, in this order, a layout's T( L( E( S( SC( M( at its end");
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// LineCache: a cache of lines of HLO text, by their text without names.
//
// Two lines with equal text except names and metadata, and operands of equal
// shapes, have equal ops, shapes and fields. A module of a million instructions
// has a few thousand such lines. The grammar reads each once; after that it is
// looked up.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_LINE_CACHE_H_
#define INDIM_TEXT_PARSE_LINE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// The parts of `%x = f32[2]{0} add(%a, %b), attributes, metadata={...}, tail`,
// in the printed form, without names. The boundaries of the parts are a guess
// until the grammar has read the line. The cache's key excludes number and
// callee.
struct LineText {
  absl::string_view head;    // "f32[2]{0} add("; empty: another form
  absl::string_view number;  // of a parameter
  // After the operands' ")", or a parameter's number, or a constant's "("; up
  // to the "%" of the callee.
  absl::string_view attributes;
  // The single name of a computation; empty: there is none, or several.
  absl::string_view callee;
  absl::string_view after_callee;
  absl::string_view metadata;  // ", metadata={...}"; empty: none
  absl::string_view tail;      // after the metadata, to the line's end
  uint64_t hash = 0;           // LineCache's, since Find
  const char* end() const { return tail.data() + tail.size(); }
};

// The head that begins at `at`; empty: none.
absl::string_view FindLineHead(absl::string_view text, size_t at);
// Whether `head` is a constant's or a parameter's: no operands are between its
// parentheses.
bool IsConstant(absl::string_view head);
bool IsParameter(absl::string_view head);
// Finds the parts from `at` to the end of the line. False: the line is too
// long.
bool FindLineRest(absl::string_view text, size_t at, LineText* line);

class LineCache {
 public:
  // The instruction for equal lines.
  struct Instruction {
    Opcode opcode = Opcode::kInvalid;
    ShapeId shape;
    AttributeBytesId attribute_bytes;  // for a parameter, with its number
    std::vector<uint32_t> callees;     // if LineText::callee isn't the only one
  };

  // The instruction for `line` with operands of these shapes; null: not cached.
  // Valid until the next Insert. All text must outlive the cache.
  const Instruction* Find(LineText* line, absl::Span<const ShapeId> operands);
  // Inserts the line of the last Find.
  void Insert(const LineText& line, absl::Span<const ShapeId> operands,
              Instruction instruction);

  // The metadata for this text, to be set while it is 0. Valid until the next
  // call.
  MetadataId* Metadata(absl::string_view text) { return &metadata_[text]; }

 private:
  struct Entry {
    absl::string_view head;
    absl::string_view attributes;
    absl::string_view after_callee;
    absl::string_view tail;
    size_t first_operand;  // in operands_
    size_t operand_count;
    Instruction instruction;
  };
  static uint64_t Hash(const LineText& line,
                       absl::Span<const ShapeId> operands);
  std::optional<uint32_t> FindEntry(const LineText& line,
                                    absl::Span<const ShapeId> operands) const;

  std::vector<Entry> entries_;
  std::vector<ShapeId> operands_;
  InternIndex index_;
  absl::flat_hash_map<absl::string_view, MetadataId, ByteHash> metadata_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_LINE_CACHE_H_

// Instructions that were read before.
//
// Two lines that say the same but for names and metadata, of operands of the
// same shapes, mean the same op, shape and fields: a module of a million
// instructions has a few thousand such lines. The grammar reads each once; then
// it is looked up.
//
// For text/ alone.

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
#include "indim/shape/ops/opcode.h"
#include "indim/storage/byte_hash.h"
#include "indim/storage/intern_index.h"

namespace indim {

// The parts of `%x = f32[2]{0} add(%a, %b), attributes, metadata={...}, tail`,
// as printers write it, without names. Where one part ends and the next begins
// is a guess until the grammar has read the line. Number and callee are no part
// of what lines have in common.
struct LineText {
  absl::string_view head;        // "f32[2]{0} add("; empty: not of that form
  absl::string_view number;      // of a parameter
  absl::string_view attributes;  // behind the ")" of the operands, or behind
                                 // the number; of a constant, behind its "(";
                                 // to the "%" of the callee
  absl::string_view callee;      // the one name of a computation; empty: there
                                 // is none, or are several
  absl::string_view after_callee;
  absl::string_view metadata;  // ", metadata={...}"; empty: none
  absl::string_view tail;      // behind it, to the line's end
  uint64_t hash = 0;           // LineCache's, since Find
  const char* end() const { return tail.data() + tail.size(); }
};

// The head that begins at `at`. Empty: none.
absl::string_view FindLineHead(absl::string_view text, size_t at);
// True where `head` is one of what has no operands between its parentheses.
bool IsConstant(absl::string_view head);
bool IsParameter(absl::string_view head);
// From `at` to the end of the line. False: the line is too long.
bool FindLineRest(absl::string_view text, size_t at, LineText* line);

class LineCache {
 public:
  // What the lines mean.
  struct Instruction {
    Opcode opcode = Opcode::kInvalid;
    ShapeId shape;
    AttributeBytesId attribute_bytes;  // of a parameter, with its own number
    std::vector<uint32_t> callees;     // where LineText::callee isn't the one
  };

  // All text must outlive the cache. `operands`: the shapes of the operands.
  // Null: not read before. Valid until the next Insert.
  const Instruction* Find(LineText* line, absl::Span<const ShapeId> operands);
  // What Find was asked for.
  void Insert(const LineText& line, absl::Span<const ShapeId> operands,
              Instruction instruction);

  // The metadata that this text means; not known, 0, to be set. Valid until the
  // next call.
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

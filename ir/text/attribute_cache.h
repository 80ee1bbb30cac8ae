// The attributes of instructions that were read before.
//
// Text that says the same of an op with the same shapes means the same fields:
// a module of a million instructions has a few thousand such texts. Metadata,
// which differs from the rest and mostly stands last, is looked up on its own.
//
// For ir/text/ alone.

#ifndef INDIM_IR_TEXT_ATTRIBUTE_CACHE_H_
#define INDIM_IR_TEXT_ATTRIBUTE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/text/lexer.h"
#include "indim/shape/opcode.h"

namespace indim {

// The rest of an instruction's line, from behind its operands on: attributes,
// and ", metadata={...}", either may be empty. Which of the two a character
// belongs to is a guess until the text was read once.
struct AttributeLine {
  size_t begin = 0;
  size_t metadata = 0;   // where ", metadata={" begins; `end` without
  size_t end = 0;        // of the line
  bool is_known = true;  // false: the line is too long to look for its end
};
AttributeLine FindAttributeLine(absl::string_view text, size_t begin);

class AttributeCache {
 public:
  // `text` must outlive the cache.
  explicit AttributeCache(absl::string_view text) : text_(text) {}

  struct Entry {
    BlobId blob;
    // Where names of called computations stand in the text, from its beginning,
    // and how long they are.
    std::vector<std::pair<uint32_t, uint32_t>> callees;
  };

  // Begins the key of an instruction: what its fields depend on beside the
  // text. `number`: of a parameter.
  void Begin(Opcode opcode, ShapeId result, int64_t number);
  void AddOperand(ShapeId shape) { AppendId(shape); }

  // The entry of the key and the text before the metadata; null: none. Both are
  // kept for Insert.
  const Entry* Find(const AttributeLine& line);
  void Insert(const AttributeLine& line, Entry entry);

  // The metadata of the text from line.metadata to line.end. False: not known.
  bool FindMetadata(const AttributeLine& line, MetadataId* id) const;
  void InsertMetadata(const AttributeLine& line, MetadataId id);

 private:
  void AppendId(ShapeId id);
  absl::string_view MetadataText(const AttributeLine& line) const {
    return text_.substr(line.metadata, line.end - line.metadata);
  }

  absl::string_view text_;
  std::string key_;
  absl::flat_hash_map<std::string, Entry> entries_;
  absl::flat_hash_map<absl::string_view, MetadataId> metadata_;
};

}  // namespace indim

#endif  // INDIM_IR_TEXT_ATTRIBUTE_CACHE_H_

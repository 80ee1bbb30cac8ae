#include "indim/ir/text/attribute_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace indim {
namespace {

// A longer text is not worth being remembered: it is hardly met again. Nor is a
// longer line looked for: a text may be one line.
constexpr size_t kLongest = 4096;

constexpr absl::string_view kMetadata = ", metadata={";

}  // namespace

AttributeLine FindAttributeLine(absl::string_view text, size_t begin) {
  AttributeLine line;
  line.begin = begin;
  const char* const from = text.data() + begin;
  const size_t looked_at = std::min(text.size() - begin, 2 * kLongest);
  const void* newline = std::memchr(from, '\n', looked_at);
  if (newline != nullptr) {
    line.end =
        static_cast<size_t>(static_cast<const char*>(newline) - text.data());
  } else if (begin + looked_at == text.size()) {
    line.end = text.size();
  } else {
    line.is_known = false;
    return line;
  }
  const size_t metadata = text.substr(begin, line.end - begin).find(kMetadata);
  line.metadata =
      metadata == absl::string_view::npos ? line.end : begin + metadata;
  return line;
}

void AttributeCache::AppendId(ShapeId id) {
  char bytes[sizeof(id.value)];
  std::memcpy(bytes, &id.value, sizeof(bytes));
  key_.append(bytes, sizeof(bytes));
}

void AttributeCache::Begin(Opcode opcode, ShapeId result, int64_t number) {
  char bytes[1 + sizeof(number)];
  bytes[0] = static_cast<char>(opcode);
  std::memcpy(bytes + 1, &number, sizeof(number));
  key_.assign(bytes, sizeof(bytes));
  AppendId(result);
}

const AttributeCache::Entry* AttributeCache::Find(const AttributeLine& line) {
  if (line.metadata - line.begin > kLongest) return nullptr;
  // Operands end where a byte count says, so that no id is taken for text.
  const uint32_t operands = static_cast<uint32_t>(key_.size());
  AppendId(ShapeId{operands});
  key_.append(text_.data() + line.begin, line.metadata - line.begin);
  auto it = entries_.find(key_);
  return it == entries_.end() ? nullptr : &it->second;
}

void AttributeCache::Insert(const AttributeLine& line, Entry entry) {
  if (line.metadata - line.begin > kLongest) return;
  entries_.emplace(key_, std::move(entry));
}

bool AttributeCache::FindMetadata(const AttributeLine& line,
                                  MetadataId* id) const {
  auto it = metadata_.find(MetadataText(line));
  if (it == metadata_.end()) return false;
  *id = it->second;
  return true;
}

void AttributeCache::InsertMetadata(const AttributeLine& line, MetadataId id) {
  if (line.end - line.metadata <= kLongest) {
    metadata_.emplace(MetadataText(line), id);
  }
}

}  // namespace indim

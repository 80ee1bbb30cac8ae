// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/line_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "indim/text/base/char_lanes.h"
#include "indim/text/base/lexer.h"

namespace indim {
namespace {

// Longer lines aren't cached: a whole text may be one line.
constexpr size_t kLongest = 8192;

// A text with more different lines isn't worth the memory.
constexpr size_t kMaxLines = size_t{1} << 17;

constexpr absl::string_view kMetadata = ", metadata={";

// The end of the tuple whose open parenthesis is at `p`, in this line; null:
// none, or not a shape.
const char* TupleEnd(const char* p, const char* end) {
  size_t depth = 0;
  for (; p != end; ++p) {
    switch (*p) {
      case '(':
        ++depth;
        break;
      case ')':
        if (--depth == 0) return p + 1;
        break;
      case '\n':
      case '%':
      case '"':
        return nullptr;
      default:
        break;
    }
  }
  return nullptr;
}

// The quote that ends the string whose first character is at `p`; null: none.
const char* StringEnd(const char* p, const char* end) {
  const auto find = [&p](char c, const char* limit) {
    return static_cast<const char*>(
        std::memchr(p, c, static_cast<size_t>(limit - p)));
  };
  const char* const quote = find('"', end);
  if (quote == nullptr || find('\\', quote) == nullptr) return quote;
  for (; p != end && *p != '"'; ++p) {
    if (*p == '\\' && ++p == end) return nullptr;
  }
  return p == end ? nullptr : p;
}

// After the brace that closes the one at `p`, taking account of strings; null:
// none.
const char* BraceEnd(const char* p, const char* end) {
  size_t depth = 0;
  for (; p != end; ++p) {
    p = FindChar(p, end, [](CharLanes text) {
      return (text == '{') | (text == '}') | (text == '"') | (text == '\'');
    });
    if (p == end) return nullptr;
    switch (*p) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return p + 1;
        break;
      case '"':
        p = StringEnd(p + 1, end);
        if (p == nullptr) return nullptr;
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

absl::string_view Between(const char* begin, const char* end) {
  return absl::string_view(begin, static_cast<size_t>(end - begin));
}

// After the next "=%"; null: none.
const char* NameBehindEqual(const char* p, const char* end) {
  while (p != end) {
    const char* const percent = static_cast<const char*>(
        std::memchr(p, '%', static_cast<size_t>(end - p)));
    if (percent == nullptr) return nullptr;
    if (percent != p && percent[-1] == '=') return percent + 1;
    p = percent + 1;
  }
  return nullptr;
}

// The beginning of ", metadata={"; `end` if there is none.
const char* FindMetadata(const char* p, const char* end) {
  const size_t at = Between(p, end).find(kMetadata);
  return at == absl::string_view::npos ? end : p + at;
}

// Removes the only `=%name` from the attributes.
void FindLineCallee(LineText* line) {
  const absl::string_view all = line->attributes;
  line->callee = line->after_callee = absl::string_view();
  const char* const end = all.data() + all.size();
  const char* const name = NameBehindEqual(all.data(), end);
  if (name == nullptr || NameBehindEqual(name, end) != nullptr) return;
  const char* const name_end = Lexer::SkipIdentifier(name, end);
  if (name_end == name) return;
  line->attributes = Between(all.data(), name);
  line->callee = Between(name, name_end);
  line->after_callee = Between(name_end, end);
}

}  // namespace

absl::string_view FindLineHead(absl::string_view text, size_t at) {
  const char* const begin = text.data() + at;
  const char* const end = begin + std::min(text.size() - at, kLongest);
  const char* p = begin;
  if (p != end && *p == '(') {
    p = TupleEnd(p, end);
    if (p == nullptr) return absl::string_view();
  } else {
    p = FindChar(p, end,
                 [](CharLanes text) { return (text == ' ') | (text == '\n'); });
  }
  if (p == begin || p == end || *p != ' ') return absl::string_view();
  const char* const opcode = ++p;
  p = FindChar(p, end, [](CharLanes text) { return ~IsNameChar(text); });
  if (p == opcode || p == end || *p != '(') return absl::string_view();
  return Between(begin, p + 1);
}

bool IsConstant(absl::string_view head) {
  return absl::EndsWith(head, " constant(");
}

bool IsParameter(absl::string_view head) {
  return absl::EndsWith(head, " parameter(");
}

bool FindLineRest(absl::string_view text, size_t at, LineText* line) {
  const char* const begin = text.data() + at;
  const size_t looked_at = std::min(text.size() - at, kLongest);
  const void* const newline = std::memchr(begin, '\n', looked_at);
  if (newline == nullptr && looked_at == kLongest) return false;
  const char* const end = newline == nullptr
                              ? begin + looked_at
                              : static_cast<const char*>(newline);
  const char* const metadata = FindMetadata(begin, end);
  const char* const after =
      metadata == end ? end : BraceEnd(metadata + kMetadata.size() - 1, end);
  if (after == nullptr) return false;
  line->attributes = Between(begin, metadata);
  line->metadata = Between(metadata, after);
  line->tail = Between(after, end);
  FindLineCallee(line);
  return true;
}

uint64_t LineCache::Hash(const LineText& line,
                         absl::Span<const ShapeId> operands) {
  uint64_t hash = HashBytes(line.head);
  for (const ShapeId operand : operands) {
    hash = byte_hash::Mix(hash ^ operand.value, byte_hash::kFactors[1]);
  }
  if (!line.attributes.empty()) hash = HashBytes(line.attributes, hash);
  if (!line.after_callee.empty()) hash = HashBytes(line.after_callee, hash + 1);
  return line.tail.empty() ? hash : HashBytes(line.tail, ~hash);
}

std::optional<uint32_t> LineCache::FindEntry(
    const LineText& line, absl::Span<const ShapeId> operands) const {
  return index_.Find(line.hash, [&](uint32_t index) {
    const Entry& entry = entries_[index];
    return SameBytes(entry.head, line.head) &&
           SameBytes(entry.attributes, line.attributes) &&
           SameBytes(entry.after_callee, line.after_callee) &&
           SameBytes(entry.tail, line.tail) &&
           absl::MakeConstSpan(operands_).subspan(
               entry.first_operand, entry.operand_count) == operands;
  });
}

const LineCache::Instruction* LineCache::Find(
    LineText* line, absl::Span<const ShapeId> operands) {
  line->hash = Hash(*line, operands);
  const std::optional<uint32_t> index = FindEntry(*line, operands);
  return index ? &entries_[*index].instruction : nullptr;
}

void LineCache::Insert(const LineText& line, absl::Span<const ShapeId> operands,
                       Instruction instruction) {
  if (entries_.size() >= kMaxLines || FindEntry(line, operands)) return;
  index_.Insert(line.hash, static_cast<uint32_t>(entries_.size()));
  entries_.push_back({line.head, line.attributes, line.after_callee, line.tail,
                      operands_.size(), operands.size(),
                      std::move(instruction)});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
}

}  // namespace indim

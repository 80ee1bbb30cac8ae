// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/shape_cache.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/shape_text.h"

namespace indim {
namespace {

constexpr size_t kNone = absl::string_view::npos;

size_t SkipSpaces(absl::string_view text, size_t at) {
  while (at < text.size() && absl::ascii_isspace(text[at])) ++at;
  return at;
}

// Finds `c` from `at` on in this line, without a comment before it; kNone:
// there is none.
size_t Find(absl::string_view text, size_t at, char c) {
  for (; at < text.size() && text[at] != c; ++at) {
    if (text[at] == '\n' || text[at] == '/') return kNone;
  }
  return at < text.size() ? at : kNone;
}

// Whether the "{" at `at` begins a layout: a number or ":" follows it.
bool IsLayout(absl::string_view text, size_t at) {
  at = SkipSpaces(text, at + 1);
  return at < text.size() &&
         (absl::ascii_isdigit(text[at]) || text[at] == ':' || text[at] == '-');
}

// The end of the array that begins at `at`; its brackets don't nest, so it
// counts none. kNone: it doesn't have the printed form, so only the grammar can
// read it.
size_t ArrayEnd(absl::string_view text, size_t at) {
  at = Find(text, at, '[');
  if (at != kNone) at = Find(text, at, ']');
  if (at == kNone) return kNone;
  ++at;
  if (at < text.size() && text[at] == '{') {
    const size_t first = SkipSpaces(text, at + 1);
    if (first < text.size() && text[first] == '/') return kNone;
    if (!IsLayout(text, at)) return at;
    at = Find(text, at, '}');
    return at == kNone ? kNone : at + 1;
  }
  // Blanks or a comment may be between dims and layout.
  const size_t next = SkipSpaces(text, at);
  if (next < text.size() &&
      (text[next] == '/' || (text[next] == '{' && IsLayout(text, next)))) {
    return kNone;
  }
  return at;
}

// The end of the parentheses that begin at `at`; those of layouts are balanced
// too. kNone: no end, or a comment other than /*index=5*/.
size_t TupleEnd(absl::string_view text, size_t at) {
  size_t depth = 0;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
      case '(':
        ++depth;
        break;
      case ')':
        if (--depth == 0) return at + 1;
        break;
      case '/': {
        const size_t end = text.find("*/", at + 1);
        if (end == kNone || text[at + 1] != '*' || end - at > 24) return kNone;
        at = end + 1;
        break;
      }
      case '=':
      case '%':
      case '"':
        return kNone;  // not a shape
      default:
        break;
    }
  }
  return kNone;
}

}  // namespace

bool IsShapeAhead(const Lexer& lexer) {
  if (lexer.token() == Token::kLeftParen) return true;
  if (lexer.token() != Token::kWord) return false;
  const absl::string_view text = lexer.whole_text();
  size_t next = SkipSpaces(text, lexer.end());
  while (absl::StartsWith(text.substr(next), "/*")) {
    const size_t end = text.find("*/", next + 2);
    if (end == kNone) return false;
    next = SkipSpaces(text, end + 2);
  }
  if (next == text.size()) return false;
  return text[next] == '[' || (text[next] == '(' && lexer.text() == "b");
}

bool ShapeCache::FindKnown(absl::string_view text, size_t at, size_t* end,
                           ShapeId* id) const {
  *end = kNone;
  if (at >= text.size()) return false;
  const bool is_buffer = text[at] == 'b' && at + 1 < text.size() &&
                         !absl::ascii_isalnum(text[at + 1]);
  if (text[at] == '(') {
    *end = TupleEnd(text, at);
  } else if (!is_buffer) {
    *end = ArrayEnd(text, at);
  }
  if (*end == kNone) return false;
  const auto it = known_.find(text.substr(at, *end - at));
  if (it == known_.end()) return false;
  *id = it->second;
  return true;
}

ShapeId ShapeCache::ReadTupleOfArrays(absl::string_view text, size_t begin,
                                      size_t end) {
  std::vector<Shape> elements;
  size_t at = begin + 1;
  for (;;) {
    if (text[at] == '/') {  // TupleEnd has checked that it ends
      at = text.find("*/", at) + 2;
    }
    if (text[at] == '(') return ShapeId();
    ShapeId id;
    size_t after;
    if (!FindKnown(text, at, &after, &id)) {
      absl::string_view rest = text.substr(at);
      // Only the grammar knows whether sizes may be names and sums, and what
      // they stand for.
      ShapeTextOptions plain;
      plain.symbols = false;
      const absl::StatusOr<Shape> array = ConsumeShape(&rest, plain);
      if (!array.ok()) return ShapeId();
      after = text.size() - rest.size();
      id = shapes_->Intern(fill_layouts_ ? array->WithDefaultLayout() : *array);
      known_.emplace(text.substr(at, after - at), id);
    }
    if (after >= end) return ShapeId();
    elements.push_back(shapes_->shape(id));
    if (after + 1 == end) break;
    if (!absl::StartsWith(text.substr(after), ", ")) return ShapeId();
    at = after + 2;
  }
  const Shape tuple = Shape::Tuple(std::move(elements));
  return tuple.is_none() ? ShapeId() : shapes_->Intern(tuple);
}

bool ShapeCache::Read(Lexer* lexer, ShapeId* id) {
  const absl::string_view text = lexer->whole_text();
  const size_t begin = lexer->offset();
  size_t end;
  if (FindKnown(text, begin, &end, id)) {
    lexer->Seek(end);
    return true;
  }
  if (end != kNone && text[begin] == '(') {
    *id = ReadTupleOfArrays(text, begin, end);
    if (*id) {
      known_.emplace(text.substr(begin, end - begin), *id);
      lexer->Seek(end);
      return true;
    }
  }
  Shape shape;
  if (!ReadShape(lexer, fill_layouts_, &shape)) return false;
  *id = shapes_->Intern(shape);
  // Remembers only texts that the grammar has confirmed: equal characters with
  // the same kind of neighbour are the same shape.
  if (end != kNone && SkipSpaces(text, end) == lexer->offset()) {
    known_.emplace(text.substr(begin, end - begin), *id);
  }
  return true;
}

}  // namespace indim

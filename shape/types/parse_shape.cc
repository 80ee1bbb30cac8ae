// SPDX-License-Identifier: Apache-2.0
// Reads shapes from text. It scans the text once, and recursion is at most
// Shape::kMaxTupleDepth deep. It refuses some shapes that could be stored (a
// layout that is not a permutation), because XLA's own checks refuse them
// later.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/layout_reader.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/shape_lexer.h"
#include "indim/shape/types/shape_reader.h"

namespace indim {
namespace {

class ShapeReader {
 public:
  ShapeReader(absl::string_view text, const ShapeTextOptions& options)
      : lexer_(text), options_(options) {}

  // Takes a shape off the front. Returns false after setting lexer().error().
  bool ReadShape(int depth, Shape* shape);

  ShapeLexer& lexer() { return lexer_; }

 private:
  bool ReadTuple(int depth, Shape* shape);
  bool ReadNamed(int depth, Shape* shape);
  bool ReadBuffer(int depth, Shape* shape);
  bool ReadBrackets();
  bool ReadDims(Shape* array);
  bool ReadDim(Dim* dim);
  bool ReadBounded(Dim* dim);
  bool SymbolAhead();
  bool NegativeTermAhead();
  bool ReadSymbolicDim(Dim* dim);

  ShapeLexer lexer_;
  const ShapeTextOptions options_;
};

bool ShapeReader::ReadShape(int depth, Shape* shape) {
  return lexer_.Ahead("(") ? ReadTuple(depth, shape) : ReadNamed(depth, shape);
}

bool ShapeReader::ReadTuple(int depth, Shape* shape) {
  if (depth >= Shape::kMaxTupleDepth) {
    return lexer_.Fail(lexer_.position(),
                       absl::StrCat("tuples nest deeper than ",
                                    Shape::kMaxTupleDepth, " levels"));
  }
  lexer_.Eat("(");
  std::vector<Shape> elements;
  if (!lexer_.Eat(")")) {
    do {
      elements.emplace_back();
      if (!ReadShape(depth + 1, &elements.back())) return false;
    } while (lexer_.Eat(","));
    if (!lexer_.Expect(")", "or ',' after an element of a tuple")) return false;
  }
  *shape = Shape::Tuple(std::move(elements));
  return !shape->is_none() ||
         lexer_.Fail(lexer_.position(),
                     absl::StrCat("a tuple has more than ",
                                  Shape::kMaxTupleParts, " parts"));
}

bool ShapeReader::ReadNamed(int depth, Shape* shape) {
  const absl::string_view name = lexer_.EatName();
  const size_t start = lexer_.position() - name.size();
  if (name.empty()) return lexer_.FailExpected("a shape such as f32[2,3]");
  if (name == "b" && lexer_.Ahead("(")) return ReadBuffer(depth, shape);
  if (name == "token" || name == "opaque") {
    *shape = name == "token" ? Shape::Token() : Shape::Opaque();
    return ReadBrackets();
  }
  const std::optional<ElementType> type = ElementTypeFromName(name);
  if (!type) {
    const absl::string_view nearest =
        NearestElementTypeName(name, {"token", "opaque"});
    constexpr size_t kLongest = 24;
    lexer_.Fail(start, absl::StrCat("unknown element type '",
                                    name.substr(0, kLongest), "'"));
    if (!nearest.empty()) lexer_.Suggest(nearest);
    return false;
  }
  *shape = Shape::Scalar(*type);
  if (!lexer_.Eat("["))
    return lexer_.FailExpected(absl::StrCat("'[' after ", name));
  if (lexer_.Eat("*")) {
    *shape = Shape::Unranked(*type);
    return lexer_.Expect("]", "after '*', an unknown rank");
  }
  if (!ReadDims(shape)) return false;
  if (!IsLayoutAhead(&lexer_)) return true;
  Layout layout;
  if (!ReadLayout(&lexer_, shape->rank(), &layout)) return false;
  // f32[]{:} is read as f32[]: XLA doesn't print the default layout of a
  // scalar.
  if (shape->rank() == 0 && layout == Layout()) return true;
  shape->set_layout(std::move(layout));
  return true;
}

bool ShapeReader::ReadBuffer(int depth, Shape* shape) {
  if (depth >= Shape::kMaxTupleDepth) {
    return lexer_.Fail(lexer_.position(),
                       absl::StrCat("tuples nest deeper than ",
                                    Shape::kMaxTupleDepth, " levels"));
  }
  lexer_.Eat("(");
  lexer_.SkipBlanks();
  const size_t start = lexer_.position();
  Shape array;
  if (!ReadShape(depth + 1, &array)) return false;
  if (!array.is_array()) return lexer_.Fail(start, "a buffer holds an array");
  *shape = Shape::Buffer(std::move(array));
  return lexer_.Expect(")", "after the array of a buffer");
}

bool ShapeReader::ReadBrackets() {
  return lexer_.Expect("[", "here") &&
         lexer_.Expect("]", "here: this kind has no dims");
}

bool ShapeReader::ReadDims(Shape* array) {
  if (lexer_.Eat("]")) return true;
  do {
    Dim dim;
    if (!ReadDim(&dim)) return false;
    array->add_dim(dim);
  } while (lexer_.Eat(","));
  return lexer_.Expect("]", "or ',' after a dim");
}

bool ShapeReader::ReadDim(Dim* dim) {
  if (lexer_.Eat("?")) {
    *dim = Dim::Unknown();
    return true;
  }
  int64_t lower = 0;
  if (lexer_.Eat("<=")) return ReadBounded(dim);
  lexer_.SkipBlanks();
  const size_t start = lexer_.position();
  if (options_.symbols && (SymbolAhead() || NegativeTermAhead())) {
    return ReadSymbolicDim(dim);
  }
  if (lexer_.Ahead("-")) {
    return lexer_.Fail(start,
                       "a size can't be negative; to fix: write ? for one that "
                       "isn't known");
  }
  if (!lexer_.ReadNumber("a size", Dim::kInfinity, &lower)) return false;
  if (options_.symbols &&
      (lexer_.Ahead("*") || lexer_.Ahead("+") || lexer_.Ahead("-"))) {
    lexer_.Seek(start);
    return ReadSymbolicDim(dim);
  }
  if (!lexer_.Eat("..")) {
    *dim = Dim::Static(lower);
    return true;
  }
  int64_t upper = Dim::kInfinity;
  if (lexer_.AheadDigit() &&
      !lexer_.ReadNumber("an upper end", Dim::kMaxBound, &upper)) {
    return false;
  }
  const std::optional<Dim> interval = Dim::Interval(lower, upper);
  if (interval) {
    *dim = *interval;
    return true;
  }
  return lexer_.Fail(
      start, lower > upper ? "the lower end of a dim is above its upper end"
                           : absl::StrCat("an end of an interval is out of "
                                          "range, at most ",
                                          Dim::kMaxIntervalEnd));
}

// A bound must be a number, as in XLA: a Dim has no room for a symbolic bound.
// Use a named size with a fact about it instead.
bool ShapeReader::ReadBounded(Dim* dim) {
  int64_t bound = 0;
  lexer_.SkipBlanks();
  const size_t start = lexer_.position();
  const bool is_number =
      !SymbolAhead() && lexer_.ReadNumber("a bound", Dim::kMaxBound, &bound);
  if (!lexer_.ok()) return false;
  if (is_number &&
      !(lexer_.Ahead("*") || lexer_.Ahead("+") || lexer_.Ahead("-"))) {
    *dim = Dim::Bounded(bound);
    return true;
  }
  return lexer_.Fail(start,
                     options_.symbols
                         ? "a bound must be a number; give the size a name, as "
                           "in f32[k], and state what it is at most, as in k<=n"
                         : "a bound must be a number");
}

// Whether a letter, '_' or '(' follows, which start an expression.
bool ShapeReader::SymbolAhead() {
  const char c = lexer_.Peek();
  return absl::ascii_isalpha(c) || c == '_' || c == '(';
}

// Whether '-' and a term with a symbol follow; '-' before a number alone is an
// error.
bool ShapeReader::NegativeTermAhead() {
  if (lexer_.Peek() != '-') return false;
  for (const char c : lexer_.rest()) {
    if (c == ',' || c == ']') break;
    if (absl::ascii_isalpha(c) || c == '_' || c == '(') return true;
  }
  return false;
}

// Reads an expression up to the ',' or ']' after it.
bool ShapeReader::ReadSymbolicDim(Dim* dim) {
  const size_t start = lexer_.position();
  int open = 0;
  while (!lexer_.AtEnd()) {
    const char c = lexer_.Peek();
    if (open == 0 && (c == ',' || c == ']')) break;
    if (c == '(') ++open;
    if (c == ')') --open;
    if (open < 0 || c == '[' || c == '{') break;
    lexer_.Seek(lexer_.position() + 1);
  }
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(
      lexer_.text().substr(start, lexer_.position() - start), options_.scope);
  if (!expr.ok()) {
    // The message's columns count from the expression's start.
    return lexer_.Fail(start,
                       absl::StrCat("no size: ", expr.status().message()));
  }
  const std::optional<Dim> size = expr->ToDim();
  if (!size) {
    return lexer_.Fail(start, expr->upper() < 0
                                  ? "the size is negative"
                                  : "too many different expressions");
  }
  *dim = *size;
  return true;
}

bool ReadsWhole(absl::string_view text, const ShapeTextOptions& options,
                Shape* shape, ShapeLexer* lexer) {
  ShapeReader reader(text, options);
  const bool ok = reader.ReadShape(0, shape) && reader.lexer().ReadEnd();
  *lexer = reader.lexer();
  return ok;
}

// The array that `text` means, written with other brackets and separators, with
// a part of its brackets or none, or as MLIR has it (tensor<2x3xf32>); empty:
// it means none that is known.
std::string NearArray(absl::string_view text, const ShapeTextOptions& options) {
  constexpr size_t kLongest = 64;
  text = absl::StripAsciiWhitespace(text);
  const bool is_mlir = absl::ConsumePrefix(&text, "tensor<");
  if (text.size() > kLongest || text.empty() || text[0] == '(') return "";
  // One pair of brackets, with nothing behind it: neither a layout nor another
  // shape.
  const absl::string_view ends = is_mlir ? ">" : "])";
  while (!text.empty() && absl::StrContains(ends, text.back())) {
    text.remove_suffix(1);
  }
  if (text.find_first_of("{}])>") != absl::string_view::npos) return "";
  std::vector<std::string> parts;
  for (const absl::string_view part :
       absl::StrSplit(text, absl::ByAnyChar("[(, "), absl::SkipEmpty())) {
    // Sizes that stand one behind the other: 2x3xf32.
    if (absl::ascii_isdigit(part[0]) || part[0] == '?') {
      for (const absl::string_view size : absl::StrSplit(part, 'x')) {
        parts.emplace_back(size);
      }
    } else {
      parts.emplace_back(part);
    }
  }
  if (parts.empty()) return "";
  // The element type comes first, in MLIR last.
  if (!absl::ascii_isalpha(parts[0][0])) {
    std::rotate(parts.begin(), parts.end() - 1, parts.end());
  }
  if (!ElementTypeFromName(parts[0])) {
    parts[0] = std::string(NearestElementTypeName(parts[0], {}));
  }
  const std::string near = absl::StrCat(
      parts[0], "[", absl::StrJoin(parts.begin() + 1, parts.end(), ","), "]");
  Shape shape;
  ShapeLexer lexer(near);
  return ReadsWhole(near, options, &shape, &lexer) ? near : "";
}

}  // namespace

absl::StatusOr<Shape> ParseShape(absl::string_view text,
                                 const ShapeTextOptions& options) {
  Shape shape;
  ShapeLexer lexer(text);
  if (ReadsWhole(text, options, &shape, &lexer)) return shape;
  const std::string near = NearArray(text, options);
  if (!near.empty()) lexer.Suggest(near);
  return lexer.status();
}

absl::StatusOr<Shape> ConsumeShape(absl::string_view* text,
                                   const ShapeTextOptions& options) {
  ShapeReader reader(*text, options);
  Shape shape;
  if (!reader.ReadShape(0, &shape)) return reader.lexer().status();
  text->remove_prefix(reader.lexer().position());
  return shape;
}

bool TakeShape(absl::string_view* text, const ShapeTextOptions& options,
               Shape* shape, ShapeTextError* error) {
  ShapeReader reader(*text, options);
  if (!reader.ReadShape(0, shape)) {
    *error = reader.lexer().error();
    return false;
  }
  text->remove_prefix(reader.lexer().position());
  return true;
}

}  // namespace indim

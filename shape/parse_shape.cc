// Reads the text form of shapes: goes over the text once, and nests no deeper
// than Shape::kMaxTupleDepth. What is refused but could be stored (a layout
// that is no permutation) is what XLA's own checks refuse later.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/dim_expr.h"
#include "indim/shape/shape.h"
#include "indim/shape/suggest.h"

namespace indim {
namespace {

// How others spell an element type, put XLA's way: "int32" gives "s32".
std::string Respell(absl::string_view name) {
  static constexpr std::pair<absl::string_view, absl::string_view> kWords[] = {
      {"bool", "pred"}, {"boolean", "pred"}, {"i1", "pred"},
      {"half", "f16"},  {"float", "f32"},    {"double", "f64"},
      {"byte", "s8"},   {"short", "s16"},    {"int", "s32"},
      {"long", "s64"},  {"char", "s8"},      {"complex", "c64"}};
  static constexpr std::pair<absl::string_view, absl::string_view> kStems[] = {
      {"bfloat", "bf"}, {"float", "f"}, {"complex", "c"}, {"uint", "u"},
      {"ui", "u"},      {"int", "s"},   {"si", "s"},      {"i", "s"}};
  for (const auto& [word, type] : kWords) {
    if (name == word) return std::string(type);
  }
  for (const auto& [stem, type] : kStems) {
    if (absl::ConsumePrefix(&name, stem)) return absl::StrCat(type, name);
  }
  return std::string(name);
}

// The element type, or other kind of shape, that was probably meant.
absl::string_view NearestType(absl::string_view name) {
  std::vector<absl::string_view> names = {"token", "opaque"};
  for (const ElementTypeInfo& info : AllElementTypes()) {
    names.push_back(info.name);
  }
  const std::string respelt = Respell(absl::AsciiStrToLower(name));
  return NearestName(respelt, names);
}

class Reader {
 public:
  Reader(absl::string_view text, const ShapeTextOptions& options)
      : text_(text), options_(options) {}

  // Each Read… takes something off the front. False: status() says why not.
  bool ReadShape(int depth, Shape* shape);
  bool ReadEnd();

  size_t position() const { return pos_; }
  const absl::Status& status() const { return status_; }

 private:
  bool ReadTuple(int depth, Shape* shape);
  bool ReadNamed(int depth, Shape* shape);
  bool ReadBuffer(int depth, Shape* shape);
  bool ReadBrackets();
  bool ReadDims(Shape* array);
  bool ReadDim(Dim* dim);
  bool SymbolAhead();
  bool ReadSymbolicDim(Dim* dim);
  bool ReadLayout(Shape* array);
  bool ReadMinorToMajor(int rank, Layout* layout);
  bool ReadLayoutAttributes(Layout* layout);
  bool ReadLayoutNumber(int64_t least, int64_t* value);
  bool ReadSigned(absl::string_view what, int64_t* value);
  bool SkipDimLevels();
  bool ReadTile(Layout::Tile* tile);
  bool ReadSplit(Layout::Split* split);
  bool ReadNumber(absl::string_view what, int64_t most, int64_t* value);

  absl::string_view rest() const { return text_.substr(pos_); }
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void SkipBlanks();
  bool SkipComment();
  // The next token, if it is this one.
  bool Eat(absl::string_view token);
  // Letters, digits, _ . -, not starting with a digit; empty: none here.
  absl::string_view EatName();
  // The next token without taking it.
  bool Ahead(absl::string_view token);
  bool AheadDigit();
  bool LayoutAhead();
  bool Expect(absl::string_view token, absl::string_view context);
  bool Fail(size_t at, absl::string_view what);
  bool FailExpected(absl::string_view what);

  absl::string_view text_;
  const ShapeTextOptions options_;
  size_t pos_ = 0;
  absl::Status status_;
};

// Blanks and comments. One that doesn't end stays, to be complained about.
void Reader::SkipBlanks() {
  while (pos_ < text_.size()) {
    switch (text_[pos_]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        ++pos_;
        break;
      case '/':
        if (!SkipComment()) return;
        break;
      default:
        return;
    }
  }
}

bool Reader::SkipComment() {
  if (absl::StartsWith(rest(), "//")) {
    pos_ = std::min(text_.find_first_of("\r\n", pos_), text_.size());
    return true;
  }
  if (!absl::StartsWith(rest(), "/*")) return false;
  const size_t end = text_.find("*/", pos_ + 2);
  if (end == absl::string_view::npos) return false;
  pos_ = end + 2;
  return true;
}

bool Reader::Ahead(absl::string_view token) {
  SkipBlanks();
  return absl::StartsWith(rest(), token);
}

bool Reader::AheadDigit() {
  SkipBlanks();
  return absl::ascii_isdigit(Peek());
}

bool Reader::Eat(absl::string_view token) {
  if (!Ahead(token)) return false;
  pos_ += token.size();
  return true;
}

absl::string_view Reader::EatName() {
  SkipBlanks();
  const size_t start = pos_;
  if (absl::ascii_isdigit(Peek())) return "";
  while (absl::ascii_isalnum(Peek()) || Peek() == '_' || Peek() == '.' ||
         Peek() == '-') {
    ++pos_;
  }
  return text_.substr(start, pos_ - start);
}

bool Reader::Expect(absl::string_view token, absl::string_view context) {
  return Eat(token) || FailExpected(absl::StrCat("'", token, "' ", context));
}

bool Reader::FailExpected(absl::string_view what) {
  SkipBlanks();
  const absl::string_view word = EatName();
  const size_t at = pos_ - word.size();
  pos_ = at;
  if (at == text_.size()) {
    return Fail(at, absl::StrCat("expected ", what, ", but the text ends"));
  }
  if (absl::StartsWith(rest(), "/*")) {
    return Fail(at, "a comment without its end");
  }
  constexpr size_t kLongest = 24;
  const absl::string_view found =
      word.empty() ? rest().substr(0, 1) : word.substr(0, kLongest);
  return Fail(at, absl::StrCat("expected ", what, ", not '",
                               absl::CHexEscape(found), "'"));
}

bool Reader::Fail(size_t at, absl::string_view what) {
  // Of a long text, what stands around the place.
  constexpr size_t kBefore = 30;
  constexpr size_t kLongest = 60;
  const size_t start = text_.size() <= kLongest || at < kBefore
                           ? 0
                           : std::min(at - kBefore, text_.size() - kLongest);
  const absl::string_view shown = text_.substr(start, kLongest);
  status_ = absl::InvalidArgumentError(
      absl::StrCat("shape \"", start > 0 ? "..." : "", absl::CHexEscape(shown),
                   start + shown.size() < text_.size() ? "..." : "",
                   "\", column ", at + 1, ": ", what));
  return false;
}

bool Reader::ReadNumber(absl::string_view what, int64_t most, int64_t* value) {
  if (!AheadDigit()) return FailExpected(what);
  const size_t start = pos_;
  *value = 0;
  bool fits = true;
  for (; absl::ascii_isdigit(Peek()); ++pos_) {
    fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, Peek() - '0', value);
  }
  return (fits && *value <= most) ||
         Fail(start, absl::StrCat(what, " is out of range, at most ", most));
}

bool Reader::ReadShape(int depth, Shape* shape) {
  return Ahead("(") ? ReadTuple(depth, shape) : ReadNamed(depth, shape);
}

bool Reader::ReadTuple(int depth, Shape* shape) {
  if (depth >= Shape::kMaxTupleDepth) {
    return Fail(pos_, absl::StrCat("tuples nest deeper than ",
                                   Shape::kMaxTupleDepth, " levels"));
  }
  Eat("(");
  std::vector<Shape> elements;
  if (!Eat(")")) {
    do {
      elements.emplace_back();
      if (!ReadShape(depth + 1, &elements.back())) return false;
    } while (Eat(","));
    if (!Expect(")", "or ',' after an element of a tuple")) return false;
  }
  *shape = Shape::Tuple(std::move(elements));
  return !shape->is_none() ||
         Fail(pos_, absl::StrCat("a tuple has more than ",
                                 Shape::kMaxTupleParts, " parts"));
}

bool Reader::ReadNamed(int depth, Shape* shape) {
  const absl::string_view name = EatName();
  const size_t start = pos_ - name.size();
  if (name.empty()) return FailExpected("a shape such as f32[2,3]");
  if (name == "b" && Ahead("(")) return ReadBuffer(depth, shape);
  if (name == "token" || name == "opaque") {
    *shape = name == "token" ? Shape::Token() : Shape::Opaque();
    return ReadBrackets();
  }
  const std::optional<ElementType> type = ElementTypeFromName(name);
  if (!type) {
    const absl::string_view nearest = NearestType(name);
    constexpr size_t kLongest = 24;
    return Fail(start,
                absl::StrCat("unknown element type '", name.substr(0, kLongest),
                             "'", nearest.empty() ? "" : "; did you mean '",
                             nearest, nearest.empty() ? "" : "'?"));
  }
  *shape = Shape::Scalar(*type);
  if (!Eat("[")) return FailExpected(absl::StrCat("'[' after ", name));
  if (Eat("*")) {
    *shape = Shape::Unranked(*type);
    return Expect("]", "after '*', an unknown rank");
  }
  if (!ReadDims(shape)) return false;
  return !LayoutAhead() || ReadLayout(shape);
}

bool Reader::ReadBuffer(int depth, Shape* shape) {
  if (depth >= Shape::kMaxTupleDepth) {
    return Fail(pos_, absl::StrCat("tuples nest deeper than ",
                                   Shape::kMaxTupleDepth, " levels"));
  }
  Eat("(");
  SkipBlanks();
  const size_t start = pos_;
  Shape array;
  if (!ReadShape(depth + 1, &array)) return false;
  if (!array.is_array()) return Fail(start, "a buffer holds an array");
  *shape = Shape::Buffer(std::move(array));
  return Expect(")", "after the array of a buffer");
}

bool Reader::ReadBrackets() {
  return Expect("[", "here") && Expect("]", "here: this kind has no dims");
}

bool Reader::ReadDims(Shape* array) {
  if (Eat("]")) return true;
  do {
    Dim dim;
    if (!ReadDim(&dim)) return false;
    array->add_dim(dim);
  } while (Eat(","));
  return Expect("]", "or ',' after a dim");
}

bool Reader::ReadDim(Dim* dim) {
  if (Eat("?")) {
    *dim = Dim::Unknown();
    return true;
  }
  int64_t lower = 0;
  if (Eat("<=")) {
    if (!ReadNumber("a bound", Dim::kMaxBound, &lower)) return false;
    *dim = Dim::Bounded(lower);
    return true;
  }
  SkipBlanks();
  const size_t start = pos_;
  if (options_.symbols && SymbolAhead()) return ReadSymbolicDim(dim);
  if (!ReadNumber("a size", Dim::kInfinity, &lower)) return false;
  if (options_.symbols && (Ahead("*") || Ahead("+") || Ahead("-"))) {
    pos_ = start;
    return ReadSymbolicDim(dim);
  }
  if (!Eat("..")) {
    *dim = Dim::Static(lower);
    return true;
  }
  int64_t upper = Dim::kInfinity;
  if (AheadDigit() && !ReadNumber("an upper end", Dim::kMaxBound, &upper)) {
    return false;
  }
  const std::optional<Dim> interval = Dim::Interval(lower, upper);
  if (interval) {
    *dim = *interval;
    return true;
  }
  return Fail(start, lower > upper
                         ? "the lower end of a dim is above its upper end"
                         : absl::StrCat("an end of an interval is out of "
                                        "range, at most ",
                                        Dim::kMaxIntervalEnd));
}

// A letter, '_' or '(' starts an expression, where no number does.
bool Reader::SymbolAhead() {
  const char c = Peek();
  return absl::ascii_isalpha(c) || c == '_' || c == '(';
}

// An expression, which goes to the ',' or ']' after it.
bool Reader::ReadSymbolicDim(Dim* dim) {
  const size_t start = pos_;
  int open = 0;
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (open == 0 && (c == ',' || c == ']')) break;
    if (c == '(') ++open;
    if (c == ')') --open;
    if (open < 0 || c == '[' || c == '{') break;
    ++pos_;
  }
  const absl::StatusOr<DimExpr> expr =
      ParseDimExpr(text_.substr(start, pos_ - start), options_.scope);
  if (!expr.ok()) {
    // Its columns count from its own start.
    return Fail(start, absl::StrCat("no size: ", expr.status().message()));
  }
  const std::optional<Dim> size = expr->ToDim();
  if (!size) {
    return Fail(start, expr->upper() < 0 ? "the size is negative"
                                         : "too many different expressions");
  }
  *dim = *size;
  return true;
}

// In HLO text a '{' after a shape may also start a computation's body. It
// starts a layout when a number or ':' follows.
bool Reader::LayoutAhead() {
  const size_t start = pos_;
  bool is_layout = false;
  if (Eat("{")) is_layout = Ahead(":") || Ahead("-") || AheadDigit();
  pos_ = start;
  return is_layout;
}

bool Reader::ReadLayout(Shape* array) {
  Eat("{");
  Layout layout;
  if (!ReadMinorToMajor(array->rank(), &layout)) return false;
  if (Eat(":") && !ReadLayoutAttributes(&layout)) return false;
  if (!Expect("}",
              "or, in this order, a layout's T( L( E( S( SC( M( at its end")) {
    return false;
  }
  array->set_layout(std::move(layout));
  return true;
}

bool Reader::ReadMinorToMajor(int rank, Layout* layout) {
  std::vector<bool> seen(rank);
  const size_t start = pos_;
  if (!Ahead(":")) {
    do {
      int64_t dim = 0;
      SkipBlanks();
      const size_t at = pos_;
      if (!ReadNumber("a dim of the layout", Dim::kInfinity, &dim)) {
        return false;
      }
      if (dim >= rank) {
        return Fail(at, absl::StrCat("the layout names dim ", dim,
                                     ", but the rank is ", rank));
      }
      if (seen[dim]) {
        return Fail(pos_ - 1,
                    absl::StrCat("the layout names dim ", dim, " twice"));
      }
      seen[dim] = true;
      layout->minor_to_major.push_back(dim);
    } while (Eat(","));
  }
  if (layout->minor_to_major.size() == seen.size()) return true;
  return Fail(start,
              absl::StrCat("the layout names ", layout->minor_to_major.size(),
                           " dims, but the rank is ", rank));
}

// In XLA's order, each at most once. XLA's reader takes any number where
// nothing is checked here; files carry what it takes.
bool Reader::ReadLayoutAttributes(Layout* layout) {
  constexpr int64_t kAny = -Dim::kInfinity;
  if (Eat("D") && !SkipDimLevels()) return false;
  if (Eat("T")) {
    do {
      layout->tiles.emplace_back();
      if (!ReadTile(&layout->tiles.back())) return false;
    } while (Ahead("("));
  }
  if (Eat("L") &&
      !ReadLayoutNumber(1, &layout->tail_padding_alignment_in_elements)) {
    return false;
  }
  if (Ahead("#") || Ahead("*")) {
    return Fail(pos_, "index and pointer types of layouts are not supported");
  }
  if (Eat("E") && !ReadLayoutNumber(kAny, &layout->element_size_in_bits)) {
    return false;
  }
  if (!Ahead("SC") && Eat("S") &&
      !ReadLayoutNumber(kAny, &layout->memory_space)) {
    return false;
  }
  if (Eat("SC")) {
    do {
      layout->splits.emplace_back();
      if (!ReadSplit(&layout->splits.back())) return false;
    } while (Ahead("("));
  }
  if (Ahead("P")) {
    return Fail(pos_, "physical shapes of layouts are not supported");
  }
  return !Eat("M") ||
         ReadLayoutNumber(0, &layout->dynamic_shape_metadata_prefix_bytes);
}

bool Reader::ReadLayoutNumber(int64_t least, int64_t* value) {
  if (!Expect("(", "after a layout's letter")) return false;
  SkipBlanks();
  const size_t start = pos_;
  if (!ReadSigned("a number", value)) return false;
  if (*value < least) {
    return Fail(start, absl::StrCat("must be at least ", least));
  }
  return Expect(")", "after a layout's number");
}

bool Reader::ReadSigned(absl::string_view what, int64_t* value) {
  const bool negative = Eat("-");
  if (!ReadNumber(what, Dim::kInfinity, value)) return false;
  if (negative) *value = -*value;
  return true;
}

// Sparse levels of old XLA, D(D,C+,H~): XLA reads and forgets them.
bool Reader::SkipDimLevels() {
  if (!Expect("(", "after a layout's letter")) return false;
  while (!Eat(")")) {
    if (EatName().empty() && !Eat(",") && !Eat("+") && !Eat("~")) {
      return FailExpected("a dim level or ')'");
    }
  }
  return true;
}

bool Reader::ReadTile(Layout::Tile* tile) {
  if (!Expect("(", "before the sizes of a tile")) return false;
  if (Eat(")")) return true;
  do {
    int64_t size = Layout::kCombine;
    if (!Eat("*") && !ReadNumber("a tile size or '*'", Dim::kInfinity, &size)) {
      return false;
    }
    tile->push_back(size);
  } while (Eat(","));
  return Expect(")", "or ',' after a tile size");
}

bool Reader::ReadSplit(Layout::Split* split) {
  if (!Expect("(", "before a split")) return false;
  if (!ReadSigned("the dim of a split", &split->dimension)) return false;
  if (!Expect(":", "after the dim of a split")) return false;
  if (Eat(")")) return true;
  do {
    int64_t index = 0;
    if (!ReadSigned("an index of a split", &index)) return false;
    split->indices.push_back(index);
  } while (Eat(","));
  return Expect(")", "or ',' after an index of a split");
}

bool Reader::ReadEnd() {
  SkipBlanks();
  if (pos_ == text_.size()) return true;
  return FailExpected("the end of the shape");
}

}  // namespace

absl::StatusOr<Shape> ParseShape(absl::string_view text,
                                 const ShapeTextOptions& options) {
  Reader reader(text, options);
  Shape shape;
  if (!reader.ReadShape(0, &shape) || !reader.ReadEnd()) {
    return reader.status();
  }
  return shape;
}

absl::StatusOr<Shape> ConsumeShape(absl::string_view* text,
                                   const ShapeTextOptions& options) {
  Reader reader(*text, options);
  Shape shape;
  if (!reader.ReadShape(0, &shape)) return reader.status();
  text->remove_prefix(reader.position());
  return shape;
}

}  // namespace indim

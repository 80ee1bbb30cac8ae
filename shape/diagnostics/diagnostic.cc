// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/diagnostics/diagnostic.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace indim {
namespace {

constexpr CodeInfo kCodes[] = {
#define INDIM_CODE(number, name, slug, kind, message) \
  {Code::k##name, slug, CodeKind::kind, message},
#include "indim/shape/diagnostics/codes.def"
#undef INDIM_CODE
};

constexpr CodeInfo kNoCode = {Code::kNone, "", CodeKind::kError, ""};

constexpr bool Ascending() {
  Code last = Code::kNone;
  for (const CodeInfo& info : kCodes) {
    if (info.code <= last) return false;
    last = info.code;
  }
  return true;
}
static_assert(Ascending(), "codes.def must ascend by number");

// --- Messages ---------------------------------------------------------------

// Cuts a long text, such as a tuple of thousands of elements.
std::string Shorten(std::string text) {
  constexpr size_t kLongest = 200;
  constexpr size_t kTail = 40;
  if (text.size() <= kLongest) return text;
  return absl::StrCat(text.substr(0, kLongest - kTail), " ... ",
                      text.substr(text.size() - kTail));
}

// Without layouts: no message is about them.
std::string ShapeText(const Shape& shape) {
  return Shorten(shape.WithoutLayout().ToString());
}

std::string ShapeText(const Shape* shape) {
  return shape == nullptr ? "?" : ShapeText(*shape);
}

// Replaces control characters by \xNN, except line breaks, which quoted
// messages may contain.
std::string Visible(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n') || u == 0x7f) {
      absl::StrAppend(&line, "\\x", absl::Hex(u, absl::kZeroPad2));
    } else {
      line.push_back(c);
    }
  }
  return line;
}

struct ArgText {
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(Dim dim) const { return dim.ToString(); }
  std::string operator()(ElementType type) const {
    return std::string(Name(type));
  }
  std::string operator()(const Shape& shape) const { return ShapeText(shape); }
  // Names and lists from a file may have any length and any characters.
  std::string operator()(const std::string& text) const {
    constexpr size_t kMax = 2000, kShown = 200;
    if (text.size() <= kMax) return Visible(text);
    return absl::StrCat(Visible(absl::string_view(text).substr(0, kShown)),
                        "... (", text.size() - kShown, " more bytes)");
  }
};

// Null: there is no such operand.
const Shape* OperandAt(const DiagnosticSubject& subject, int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= subject.operands.size()) {
    return nullptr;
  }
  return subject.operands[index];
}

// The shape whose dim is at fault: the operand's, or without one the result's.
const Shape* ShapeAtFault(const Diagnostic& diagnostic,
                          const DiagnosticSubject& subject) {
  return diagnostic.operand < 0 ? subject.declared
                                : OperandAt(subject, diagnostic.operand);
}

bool HasDim(const Shape* shape, int32_t dim) {
  return shape != nullptr && dim >= 0 && dim < shape->rank();
}

std::string PositionText(int32_t position) {
  return position < 0 ? "?" : absl::StrCat(position);
}

std::string SizeText(const Shape* shape, int32_t dim) {
  return HasDim(shape, dim) ? shape->dim(dim).ToString() : "?";
}

// The first difference between the dims of two shapes; "" where none is known.
std::string DifferenceText(const Shape* shape, const Shape* other) {
  if (shape == nullptr || other == nullptr || !shape->has_rank() ||
      !other->has_rank()) {
    return "";
  }
  if (shape->rank() != other->rank()) {
    return absl::StrCat(", but have ranks ", shape->rank(), " and ",
                        other->rank());
  }
  for (int dim = 0; dim < shape->rank(); ++dim) {
    if (!CompatibleDims(shape->dim(dim), other->dim(dim))) {
      return absl::StrCat(", but dim ", dim, " is ", SizeText(shape, dim),
                          " and ", SizeText(other, dim));
    }
  }
  return "";
}

// Gives "1 dim" for "1" and "dims", "2 axes" for "2" and "axis|axes", "2" for
// "2" and "".
std::string WithNoun(const std::string& count, absl::string_view noun) {
  if (noun.empty()) return count;
  const size_t bar = noun.find('|');
  const bool own = bar != absl::string_view::npos;
  const absl::string_view one =
      own ? noun.substr(0, bar) : absl::StripSuffix(noun, "s");
  const absl::string_view many = own ? noun.substr(bar + 1) : noun;
  return absl::StrCat(count, " ", count == "1" ? one : many);
}

// The text for `{name}`; nullopt when there is no such placeholder.
std::optional<std::string> Placeholder(absl::string_view name,
                                       const Diagnostic& diagnostic,
                                       const DiagnosticSubject& subject) {
  const Shape* fault = ShapeAtFault(diagnostic, subject);
  const Shape* other = OperandAt(subject, diagnostic.other_operand);
  if (name == "op") return std::string(subject.op);
  if (name == "operand") return ShapeText(fault);
  if (name == "index") return PositionText(diagnostic.operand);
  if (name == "dim") return PositionText(diagnostic.dim);
  if (name == "size") return SizeText(fault, diagnostic.dim);
  if (name == "other") return ShapeText(other);
  if (name == "other_index") return PositionText(diagnostic.other_operand);
  if (name == "other_dim") return PositionText(diagnostic.other_dim);
  if (name == "other_size") return SizeText(other, diagnostic.other_dim);
  if (name == "one_or_other_size") {
    const std::string size = SizeText(other, diagnostic.other_dim);
    return size == "1" ? size : absl::StrCat("1 or ", size);
  }
  if (name == "difference") return DifferenceText(fault, other);
  if (name == "declared") return ShapeText(subject.declared);
  const std::pair<absl::string_view, absl::string_view> counted =
      absl::StrSplit(name, absl::MaxSplits(' ', 1));
  size_t argument = 0;
  if (!absl::SimpleAtoi(counted.first, &argument)) return std::nullopt;
  const std::string text =
      argument < diagnostic.args.size()
          ? std::visit(ArgText(), diagnostic.args[argument])
          : "?";
  return WithNoun(text, counted.second);
}

// --- Pictures ---------------------------------------------------------------

// A row of a picture: one shape, with a cell for each dim and its column.
struct PictureRow {
  std::string label;
  std::string type;
  std::vector<std::string> cells;
  std::vector<int64_t> columns;  // ascending; one per cell
};

PictureRow MakeRow(std::string label, const Shape& shape,
                   int64_t first_column) {
  PictureRow row;
  row.label = std::move(label);
  row.type = std::string(Name(shape.element_type()));
  for (int i = 0; i < shape.rank(); ++i) {
    row.cells.push_back(shape.dim(i).ToString());
    row.columns.push_back(first_column + i);
  }
  return row;
}

// Moves the cells of `row` into the columns of `longer` that `dims` names.
// Returns false, and moves nothing, where `dims` isn't a valid place for each
// cell.
bool PlaceByMap(absl::Span<const int64_t> dims, const PictureRow& longer,
                PictureRow* row) {
  if (dims.empty() || dims.size() != row->cells.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<int64_t>(longer.cells.size())) {
      return false;
    }
    if (i > 0 && dims[i] <= dims[i - 1]) return false;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    row->columns[i] = longer.columns[dims[i]];
  }
  return true;
}

// "operand 0  f32[8,  10]": each dim right-aligned in its column.
std::string DrawRow(const PictureRow& row, absl::Span<const size_t> widths,
                    size_t label_width, size_t type_width) {
  std::string line =
      absl::StrFormat("%-*s  %*s[", static_cast<int>(label_width), row.label,
                      static_cast<int>(type_width), row.type);
  size_t cell = 0;
  for (size_t column = 0; column < widths.size(); ++column) {
    const bool here = cell < row.cells.size() &&
                      row.columns[cell] == static_cast<int64_t>(column);
    const std::string text = here ? row.cells[cell] : "";
    line.append(widths[column] - text.size(), ' ');
    line.append(text);
    if (here) ++cell;
    if (column + 1 == widths.size()) break;
    line.push_back(here && cell < row.cells.size() ? ',' : ' ');
  }
  line.push_back(']');
  return line;
}

// The picture of both rows, with carets under column `fault`.
std::string Draw(PictureRow a, PictureRow b, int64_t fault) {
  const int64_t first = std::min(a.columns.front(), b.columns.front());
  const int64_t last = std::max(a.columns.back(), b.columns.back());
  std::vector<size_t> widths(last - first + 1, 0);
  for (PictureRow* row : {&a, &b}) {
    for (size_t i = 0; i < row->cells.size(); ++i) {
      row->columns[i] -= first;
      size_t& width = widths[row->columns[i]];
      width = std::max(width, row->cells[i].size());
    }
  }
  fault -= first;
  const size_t label_width = std::max(a.label.size(), b.label.size());
  const size_t type_width = std::max(a.type.size(), b.type.size());
  size_t indent = label_width + 2 + type_width + 1;
  for (int64_t column = 0; column < fault; ++column) {
    indent += widths[column] + 1;
  }
  return absl::StrCat(DrawRow(a, widths, label_width, type_width), "\n",
                      DrawRow(b, widths, label_width, type_width), "\n",
                      std::string(indent, ' '), std::string(widths[fault], '^'),
                      "\n");
}

}  // namespace

Diagnostic::Diagnostic() = default;
Diagnostic::Diagnostic(const Diagnostic&) = default;
Diagnostic::Diagnostic(Diagnostic&&) noexcept = default;
Diagnostic& Diagnostic::operator=(const Diagnostic&) = default;
Diagnostic& Diagnostic::operator=(Diagnostic&&) noexcept = default;
Diagnostic::~Diagnostic() = default;

absl::Span<const CodeInfo> AllCodes() { return kCodes; }

const CodeInfo& Info(Code code) {
  const CodeInfo* found = std::lower_bound(
      std::begin(kCodes), std::end(kCodes), code,
      [](const CodeInfo& info, Code wanted) { return info.code < wanted; });
  return found != std::end(kCodes) && found->code == code ? *found : kNoCode;
}

std::string CodeText(Code code) {
  return absl::StrFormat("IND%04d", static_cast<int>(code));
}

std::optional<Code> FindCode(absl::string_view id_or_slug) {
  for (const CodeInfo& info : kCodes) {
    if (info.slug == id_or_slug || CodeText(info.code) == id_or_slug) {
      return info.code;
    }
  }
  return std::nullopt;
}

std::string FormatMessage(const Diagnostic& diagnostic,
                          const DiagnosticSubject& subject) {
  absl::string_view pattern = Info(diagnostic.code).message;
  std::string text;
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    const size_t close = pattern.find('}', open);
    if (close == absl::string_view::npos) break;
    absl::StrAppend(&text, pattern.substr(0, open));
    const absl::string_view name = pattern.substr(open + 1, close - open - 1);
    const std::optional<std::string> filled =
        Placeholder(name, diagnostic, subject);
    absl::StrAppend(&text, filled ? *filled : absl::StrCat("{", name, "}"));
    pattern.remove_prefix(close + 1);
  }
  absl::StrAppend(&text, pattern);
  return text;
}

std::string FormatPicture(const Diagnostic& diagnostic,
                          const DiagnosticSubject& subject) {
  const Shape* fault = ShapeAtFault(diagnostic, subject);
  const Shape* other = OperandAt(subject, diagnostic.other_operand);
  if (!HasDim(fault, diagnostic.dim) || !HasDim(other, diagnostic.other_dim)) {
    return "";
  }
  // More dims don't fit in a line.
  constexpr int kMaxRank = 32;
  if (fault->rank() > kMaxRank || other->rank() > kMaxRank) return "";
  auto label = [](int32_t operand) {
    return operand < 0 ? std::string("result")
                       : absl::StrCat("operand ", operand);
  };
  // Shift b so that the two dims at fault share a column; that aligns all dims
  // of right-aligned operands.
  PictureRow a = MakeRow(label(diagnostic.operand), *fault, 0);
  PictureRow b = MakeRow(label(diagnostic.other_operand), *other,
                         diagnostic.dim - diagnostic.other_dim);
  if (a.cells.size() < b.cells.size()) {
    PlaceByMap(subject.broadcast_dimensions, b, &a);
  } else if (b.cells.size() < a.cells.size()) {
    PlaceByMap(subject.broadcast_dimensions, a, &b);
  }
  const int64_t column = a.columns[diagnostic.dim];
  if (b.columns[diagnostic.other_dim] != column) {
    // broadcast_dimensions don't match these two dims.
    b = MakeRow(b.label, *other, column - diagnostic.other_dim);
  }
  if (diagnostic.other_operand < diagnostic.operand) std::swap(a, b);
  return Draw(std::move(a), std::move(b), column);
}

}  // namespace indim

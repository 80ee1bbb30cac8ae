// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/question_shape.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace indim {
namespace {

// A size as MLIR, OpenVINO and NumPy write it, in our notation.
absl::string_view SizeText(absl::string_view size) {
  return size == "-1" || size == "None" ? "?" : size;
}

// i32 is s32, ui8 is u8, i1 is pred; others are spelled alike.
std::string TypeOfMlir(absl::string_view name) {
  if (name == "i1") return "pred";
  if (absl::ConsumePrefix(&name, "ui")) return absl::StrCat("u", name);
  if (absl::StartsWith(name, "i")) return absl::StrCat("s", name.substr(1));
  if (name == "complex<f32>") return "c64";
  if (name == "complex<f64>") return "c128";
  return std::string(name);
}

absl::StatusOr<Shape> ReadSizes(absl::string_view closing,
                                absl::string_view* text) {
  const size_t end = text->find(closing);
  if (end == absl::string_view::npos) {
    return NoQuestion(*text, absl::StrCat("sizes and '", closing, "'"));
  }
  std::vector<absl::string_view> sizes;
  for (absl::string_view size : absl::StrSplit(text->substr(0, end), ',')) {
    size = absl::StripAsciiWhitespace(size);
    sizes.push_back(SizeText(size));
  }
  // (3,) is NumPy's tuple of one, () and (,) are scalars.
  while (!sizes.empty() && sizes.back().empty() && sizes.size() <= 2) {
    sizes.pop_back();
  }
  text->remove_prefix(end + 1);
  return ParseShape(absl::StrCat("f32[", absl::StrJoin(sizes, ","), "]"));
}

// Behind "tensor<": 2x?xf32>, f32>, *xf32>. MLIR's own document leaves the last
// bracket out before a ")".
absl::StatusOr<Shape> ReadTensor(absl::string_view* text) {
  const size_t first = text->find_first_of(">)");
  const bool complex =
      absl::StrContains(text->substr(0, std::min(first, text->size())), '<');
  if (first == absl::string_view::npos ||
      (complex && text->substr(first, 2) != ">>")) {
    return NoQuestion(*text, "a tensor's sizes and type, and '>'");
  }
  absl::string_view inside = text->substr(0, first + (complex ? 1 : 0));
  text->remove_prefix(inside.size());
  absl::ConsumePrefix(text, ">");
  std::vector<absl::string_view> sizes;
  size_t x;
  while ((x = inside.find('x')) != absl::string_view::npos &&
         inside.find_first_not_of("0123456789?*") == x) {
    sizes.push_back(inside.substr(0, x));
    inside.remove_prefix(x + 1);
  }
  return ParseShape(
      absl::StrCat(TypeOfMlir(inside), "[", absl::StrJoin(sizes, ","), "]"));
}

bool BeginsTuple(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "(")) return false;
  text = absl::StripLeadingAsciiWhitespace(text);
  while (absl::ConsumePrefix(&text, "(")) {
    text = absl::StripLeadingAsciiWhitespace(text);
  }
  const absl::string_view name = LeadingName(text);
  return !name.empty() && absl::ascii_islower(name[0]) &&
         absl::StartsWith(text.substr(name.size()), "[");
}

}  // namespace

absl::Status NoQuestion(absl::string_view rest, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      rest.empty() ? "the end of the question" : absl::StrCat("'", rest, "'"),
      " isn't ", expected, "; a question looks like 'f32[4] + f32[1,2] {0}'"));
}

absl::string_view LeadingName(absl::string_view text) {
  size_t length = 0;
  while (length < text.size() && (absl::ascii_isalnum(text[length]) ||
                                  text[length] == '-' || text[length] == '_')) {
    ++length;
  }
  return text.substr(0, length);
}

absl::StatusOr<Shape> ConsumeQuestionShape(absl::string_view* text,
                                           NotationsSeen* seen) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (absl::ConsumePrefix(text, "tensor<") ||
      absl::ConsumePrefix(text, "vector<")) {
    seen->notation = ShapeNotation::kMlir;
    seen->has_types = true;
    return ReadTensor(text);
  }
  if (absl::ConsumePrefix(text, "Shape(")) {
    seen->notation = ShapeNotation::kOpenVino;
    return ReadSizes(")", text);
  }
  if (!BeginsTuple(*text) &&
      (absl::StartsWith(*text, "(") || absl::StartsWith(*text, "["))) {
    const absl::string_view closing = (*text)[0] == '(' ? ")" : "]";
    if (seen->notation == ShapeNotation::kHlo) {
      seen->notation = ShapeNotation::kSizes;
    }
    text->remove_prefix(1);
    return ReadSizes(closing, text);
  }
  // A number alone is no shape.
  const absl::string_view product =
      text->substr(0, text->find_first_not_of("0123456789?x"));
  if (product.find('x', 1) != absl::string_view::npos) {
    if (seen->notation == ShapeNotation::kHlo) {
      seen->notation = ShapeNotation::kSizes;
    }
    text->remove_prefix(product.size());
    return ParseShape(
        absl::StrCat("f32[", absl::StrReplaceAll(product, {{"x", ","}}), "]"));
  }
  const size_t end = text->find(']');
  if (end == absl::string_view::npos) {
    return NoQuestion(
        *text, "a shape (f32[2,?], (2,?), tensor<2x?xf32>; of one dim: (4))");
  }
  seen->has_types = true;
  if (BeginsTuple(*text)) return ConsumeShape(text);
  // Braces behind an array may be broadcast_dimensions.
  absl::StatusOr<Shape> shape = ParseShape(text->substr(0, end + 1));
  if (shape.ok()) text->remove_prefix(end + 1);
  return shape;
}

std::string ShapeText(bool has_types, const Shape& shape) {
  std::string text = shape.WithoutLayout().ToString();
  if (has_types || !shape.is_array()) return text;
  return text.substr(text.find('['));
}

}  // namespace indim

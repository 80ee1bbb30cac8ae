// SPDX-License-Identifier: Apache-2.0
// The text of literals, as XLA's HLO text prints constants.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/float_text.h"
#include "indim/ir/storage/literal_bytes.h"
#include "indim/proto/codec/literal_proto.h"

namespace indim {
namespace {

// Whether the text would be disproportionately long: a splat's elements, or the
// braces of an array without elements.
bool IsTooLong(const Literal& literal, int64_t max_elements) {
  if (literal.is_splat()) {
    return std::min(literal.element_count(), max_elements) >
           Literal::kMaxSplatElements;
  }
  if (literal.element_count() > 0) return false;
  int64_t lists = 1;
  for (const Dim dim : literal.shape().dims()) {
    if (dim.upper() == 0) return false;
    if (dim.upper() > Literal::kMaxEmptyLists / lists) return true;
    lists *= dim.upper();
  }
  return false;
}

class Printer {
 public:
  Printer(const Literal& literal, int64_t max_elements, std::string* out)
      : bytes_(literal.bytes()),
        splat_(literal.is_splat()),
        info_(Info(literal.shape().element_type())),
        part_(RealPart(info_.type)),
        width_(static_cast<size_t>(ElementBytes(info_.type))),
        rank_(literal.shape().rank()),
        too_long_(IsTooLong(literal, max_elements)),
        left_(max_elements),
        out_(*out) {
    // A bounded dim has room for more elements than its run-time size.
    for (int i = 0; i < rank_; ++i) {
      sizes_.push_back(literal.dynamic_sizes().empty()
                           ? literal.shape().dim(i).upper()
                           : literal.dynamic_sizes()[static_cast<size_t>(i)]);
    }
    steps_.resize(sizes_.size());
    size_t step = width_;
    for (size_t i = steps_.size(); i > 0; --i) {
      steps_[i - 1] = step;
      step *= static_cast<size_t>(
          literal.shape().dim(static_cast<int>(i) - 1).upper());
    }
  }

  // The number of elements that may still be printed.
  int64_t left() const { return left_; }

  void Print() {
    if (rank_ > kMaxRank || too_long_) {
      out_ += "{...}";
    } else if (rank_ > 0) {
      Level(0, 0, "");
    } else if (!Cut()) {
      Element(0);
    }
  }

 private:
  // A limit on recursion; nobody reads deeper braces.
  static constexpr int kMaxRank = 64;

  // Prints the element whose bytes begin at `offset`. A scalar pred is a word.
  void Element(size_t offset) {
    --left_;
    if (splat_) offset = 0;
    switch (info_.kind) {
      case ElementKind::kPred: {
        const bool value = bytes_[offset] != 0;
        out_ += rank_ == 0 ? (value ? "true" : "false") : (value ? "1" : "0");
        break;
      }
      case ElementKind::kComplex: {
        const size_t half = width_ / 2;
        out_ += "(";
        Float(BitsAt(bytes_, offset, static_cast<int>(half)));
        out_ += ", ";
        Float(BitsAt(bytes_, offset + half, static_cast<int>(half)));
        out_ += ")";
        break;
      }
      case ElementKind::kFloat:
        Float(BitsAt(bytes_, offset, static_cast<int>(width_)));
        break;
      default:
        Integer(BitsAt(bytes_, offset, static_cast<int>(width_)));
    }
  }

  void Float(uint64_t code) {
    if (width_ > 1) return AppendFloatText(part_, code, &out_);
    // Small types have few codes, so the text of each is made once.
    if (texts_.empty()) texts_.resize(256);
    std::string& text = texts_[static_cast<size_t>(code)];
    if (text.empty()) AppendFloatText(part_, code, &text);
    out_ += text;
  }

  void Integer(uint64_t bits) {
    const uint64_t sign = uint64_t{1} << (info_.bits - 1);
    bits &= sign | (sign - 1);
    if (info_.kind == ElementKind::kSigned) {
      absl::StrAppend(&out_, static_cast<int64_t>((bits ^ sign) - sign));
    } else {
      absl::StrAppend(&out_, bits);
    }
  }

  // Prints the innermost dimension. Inside others, and with two elements or
  // more, spaces separate its braces: "{ 1, 2 }".
  void Row(int dim, size_t offset) {
    const int64_t size = sizes_[static_cast<size_t>(dim)];
    const char* const space = dim > 0 && size > 1 ? " " : "";
    out_ += "{";
    out_ += space;
    if (size == 0) --left_;
    for (int64_t i = 0; i < size; ++i, offset += width_) {
      if (i > 0) out_ += ", ";
      if (Cut()) break;
      Element(offset);
    }
    out_ += space;
    out_ += "}";
  }

  // Prints an outer dimension. From rank 4 on, inner arrays are preceded by
  // their position: "{ /*i0=1*/ { 1, 2 } }".
  void Level(int dim, size_t offset, const std::string& position) {
    if (dim == rank_ - 1) return Row(dim, offset);
    const int64_t size = sizes_[static_cast<size_t>(dim)];
    absl::StrAppend(&out_, "{ ", position);
    if (size == 0) --left_;
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ",";
      if (i > 0 || !position.empty()) out_ += " ";
      if (Cut()) break;
      Level(dim + 1, offset,
            rank_ > 3 && dim < rank_ - 2
                ? absl::StrCat("/*i", dim, "=", i, "*/")
                : "");
      offset += steps_[static_cast<size_t>(dim)];
    }
    out_ += " }";
  }

  // Prints "..." once the limit is reached.
  bool Cut() {
    if (left_ > 0) return false;
    out_ += "...";
    return true;
  }

  const absl::string_view bytes_;
  const bool splat_;  // bytes_ holds one element
  const ElementTypeInfo& info_;
  const ElementType part_;  // of a complex type its component
  const size_t width_;
  const int rank_;
  const bool too_long_;
  std::vector<int64_t> sizes_;
  std::vector<size_t> steps_;  // distance of neighbours, in bytes
  std::vector<std::string> texts_;
  int64_t left_;  // an empty list counts as one
  std::string& out_;
};

void Append(const Literal& whole, int64_t left, std::string* out) {
  if (whole.shape().is_array()) {
    Printer(whole, left, out).Print();
    return;
  }
  // The rest to print: elements of tuples, and text between them.
  struct Item {
    const Literal* literal;  // null: print `text`
    const char* text;
  };
  std::vector<Item> rest = {{&whole, ""}};
  while (!rest.empty()) {
    const Item item = rest.back();
    rest.pop_back();
    if (item.literal == nullptr) {
      *out += item.text;
    } else if (item.literal->shape().is_tuple()) {
      *out += "( ";
      rest.push_back({nullptr, " )"});
      const absl::Span<const Literal> elements = item.literal->elements();
      for (size_t i = elements.size(); i > 0; --i) {
        rest.push_back({&elements[i - 1], ""});
        if (i > 1) rest.push_back({nullptr, ", "});
      }
    } else if (item.literal->shape().is_array()) {
      Printer printer(*item.literal, left, out);
      printer.Print();
      left = printer.left();
    } else if (item.literal->shape().is_token()) {
      *out += "token";
    }
  }
}

}  // namespace

std::string Literal::ToString(int64_t max_elements) const {
  std::string text;
  Append(*this, max_elements, &text);
  return text;
}

void AppendConstantText(absl::string_view wire, bool large, std::string* out,
                        const ExternalFiles* files) {
  constexpr int64_t kFew = 10;
  const absl::StatusOr<Literal> literal = ParseLiteralProto(wire, files);
  if (!literal.ok() ||
      (!large && (!literal->shape().is_array() ||
                  literal->shape().ElementCount().value_or(kFew + 1) > kFew))) {
    *out += "{...}";
    return;
  }
  Append(*literal, std::numeric_limits<int64_t>::max(), out);
}

}  // namespace indim

// XLA's spelling of literals: as its HLO text prints constants.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "indim/ir/float_format.h"
#include "indim/ir/literal.h"
#include "indim/ir/literal_bytes.h"

namespace indim {
namespace {

// "nan" or "-nan", and "nan(0x41)" when its payload isn't the usual one.
std::string NanText(const ElementTypeInfo& info, uint64_t bits) {
  std::string text =
      (bits >> (info.bits - 1) & 1) != 0 && info.type != ElementType::kF8E8M0FNU
          ? "-nan"
          : "nan";
  // Formats with infinities have payloads, the rest one NaN (or two).
  const bool has_payload = info.bits > 8 || info.type == ElementType::kF8E5M2 ||
                           info.type == ElementType::kF8E4M3 ||
                           info.type == ElementType::kF8E3M4;
  const int digits = info.significand - 1;
  const uint64_t payload = bits & ((uint64_t{1} << digits) - 1);
  if (has_payload && payload != uint64_t{1} << (digits - 1)) {
    absl::StrAppendFormat(&text, "(0x%x)", payload);
  }
  return text;
}

// As few digits as give the value back: f32 and f64 try the digits that are
// always exact first, narrower types print all that they may need.
std::string FloatText(const ElementTypeInfo& info, double value,
                      uint64_t bits) {
  if (std::isnan(value)) return NanText(info, bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (info.type == ElementType::kF32) {
    const std::string text = absl::StrFormat("%.6g", value);
    float parsed = 0;
    if (absl::SimpleAtof(text, &parsed) && parsed == value) return text;
  }
  if (info.type == ElementType::kF64) {
    const std::string text = absl::StrFormat("%.15g", value);
    double parsed = 0;
    if (absl::SimpleAtod(text, &parsed) && parsed == value) return text;
  }
  // 1 + ceil(significand * log10(2)), what C++ calls max_digits10.
  const int digits =
      1 + static_cast<int>(std::ceil(info.significand * 0.30102999566));
  return absl::StrFormat("%.*g", digits, value);
}

class Printer {
 public:
  Printer(const Literal& literal, int64_t max_elements, std::string* out)
      : literal_(literal),
        info_(Info(literal.shape().element_type())),
        left_(max_elements),
        out_(*out) {}

  // How many elements may still be spelled.
  int64_t left() const { return left_; }

  void Print() {
    const int rank = literal_.shape().rank();
    if (rank > kMaxRank) {
      out_ += "{...}";
    } else if (rank > 0) {
      Level(0, "");
    } else if (!Cut()) {
      Element();
    }
  }

 private:
  // Beyond this nobody reads braces, and recursion stays shallow.
  static constexpr int kMaxRank = 64;

  // The next element. A pred by itself is a word.
  void Element() {
    --left_;
    const int64_t i = next_++;
    const int bytes = ElementBytes(info_.type);
    const size_t offset = static_cast<size_t>(i) * static_cast<size_t>(bytes);
    switch (info_.kind) {
      case ElementKind::kPred: {
        const bool value = literal_.AsDouble(i) != 0;
        out_ += literal_.shape().is_scalar() ? (value ? "true" : "false")
                                             : (value ? "1" : "0");
        break;
      }
      case ElementKind::kComplex: {
        const int half = bytes / 2;
        absl::StrAppend(&out_, "(", Component(offset, half), ", ",
                        Component(offset + static_cast<size_t>(half), half),
                        ")");
        break;
      }
      case ElementKind::kFloat:
        out_ += FloatText(info_, literal_.AsDouble(i),
                          BitsAt(literal_.bytes(), offset, bytes));
        break;
      default:
        Integer(i, offset, bytes);
    }
  }

  void Integer(int64_t i, size_t offset, int bytes) {
    if (info_.bits < 64) {
      absl::StrAppend(&out_, static_cast<int64_t>(literal_.AsDouble(i)));
      return;
    }
    const uint64_t bits = BitsAt(literal_.bytes(), offset, bytes);
    if (info_.kind == ElementKind::kSigned) {
      absl::StrAppend(&out_, static_cast<int64_t>(bits));
    } else {
      absl::StrAppend(&out_, bits);
    }
  }

  std::string Component(size_t offset, int bytes) const {
    const ElementTypeInfo& part = Info(RealPart(info_.type));
    const uint64_t bits = BitsAt(literal_.bytes(), offset, bytes);
    return FloatText(part, DecodeFloat(part.type, bits), bits);
  }

  // The innermost dimension. Inside others, and with two elements or more, its
  // braces stand apart: "{ 1, 2 }".
  void Row(int dim) {
    const int64_t size = literal_.shape().dim(dim).size();
    const absl::string_view space = dim > 0 && size > 1 ? " " : "";
    absl::StrAppend(&out_, "{", space);
    if (size == 0) --left_;
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ", ";
      if (Cut()) break;
      Element();
    }
    absl::StrAppend(&out_, space, "}");
  }

  // An outer dimension. From rank 4 on, arrays inside say their position:
  // "{ /*i0=1*/ { 1, 2 } }".
  void Level(int dim, const std::string& position) {
    const int rank = literal_.shape().rank();
    if (dim == rank - 1) return Row(dim);
    const int64_t size = literal_.shape().dim(dim).size();
    absl::StrAppend(&out_, "{ ", position);
    if (size == 0) --left_;
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ",";
      if (i > 0 || !position.empty()) out_ += " ";
      if (Cut()) break;
      Level(dim + 1, rank > 3 && dim < rank - 2
                         ? absl::StrCat("/*i", dim, "=", i, "*/")
                         : "");
    }
    out_ += " }";
  }

  // Says "..." once for what isn't spelled.
  bool Cut() {
    if (left_ > 0) return false;
    out_ += "...";
    return true;
  }

  const Literal& literal_;
  const ElementTypeInfo& info_;
  int64_t left_;  // an empty list costs one too
  int64_t next_ = 0;
  std::string& out_;
};

}  // namespace

std::string Literal::ToString(int64_t max_elements) const {
  std::string text;
  // What is still to be printed: the elements of tuples, and text between them.
  struct Item {
    const Literal* literal;  // null: `text`
    absl::string_view text;
  };
  std::vector<Item> rest = {{this, ""}};
  int64_t left = max_elements;
  while (!rest.empty()) {
    const Item item = rest.back();
    rest.pop_back();
    if (item.literal == nullptr) {
      absl::StrAppend(&text, item.text);
    } else if (item.literal->shape().is_tuple()) {
      text += "( ";
      rest.push_back({nullptr, " )"});
      const absl::Span<const Literal> elements = item.literal->elements();
      for (size_t i = elements.size(); i > 0; --i) {
        rest.push_back({&elements[i - 1], ""});
        if (i > 1) rest.push_back({nullptr, ", "});
      }
    } else if (item.literal->shape().is_array()) {
      Printer printer(*item.literal, left, &text);
      printer.Print();
      left = printer.left();
    } else if (item.literal->shape().is_token()) {
      text += "token[]";
    }
  }
  return text;
}

}  // namespace indim

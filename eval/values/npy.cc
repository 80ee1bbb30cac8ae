// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/values/npy.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/eval/values/value.h"
#include "indim/ir/storage/file.h"

// The format is a magic string, a version, the length of a header, the header
// (a Python dictionary with 'descr', 'fortran_order' and 'shape'), then the
// elements. Source: numpy.lib.format.

namespace indim {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

absl::Status Invalid(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(".npy: ", what));
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  Sizes sizes;
};

// The text of the value of 'key'; empty: there is none.
absl::string_view FieldOf(absl::string_view header, absl::string_view key) {
  const std::string quoted = absl::StrCat("'", key, "'");
  const size_t at = header.find(quoted);
  if (at == absl::string_view::npos) return "";
  absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(header.substr(at + quoted.size()));
  if (!absl::ConsumePrefix(&rest, ":")) return "";
  rest = absl::StripLeadingAsciiWhitespace(rest);
  const char* const end = !rest.empty() && rest[0] == '(' ? ")" : ",}";
  size_t length = rest.find_first_of(end);
  if (length == absl::string_view::npos) return "";
  if (rest[0] == '(') ++length;
  return absl::StripAsciiWhitespace(rest.substr(0, length));
}

absl::StatusOr<Sizes> ReadSizes(absl::string_view text) {
  Sizes sizes;
  if (!absl::ConsumePrefix(&text, "(") || !absl::ConsumeSuffix(&text, ")")) {
    return Invalid("its header has no shape");
  }
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    absl::ConsumeSuffix(&part, "L");  // Python 2 wrote it
    if (part.empty()) continue;
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 0) {
      return Invalid(absl::StrCat("its shape has the size ", part));
    }
    sizes.push_back(size);
  }
  return sizes;
}

// Reads the header, and leaves only the elements in *bytes.
absl::StatusOr<Header> ReadHeader(absl::string_view* bytes) {
  if (!absl::ConsumePrefix(bytes, kMagic) || bytes->size() < 4) {
    return Invalid("it doesn't begin with the magic string of .npy files");
  }
  const int version = static_cast<uint8_t>((*bytes)[0]);
  const size_t width = version == 1 ? 2 : 4;
  bytes->remove_prefix(2);
  if (version < 1 || version > 3 || bytes->size() < width) {
    return Invalid(absl::StrCat("version ", version, " isn't known"));
  }
  size_t length = 0;
  for (size_t i = 0; i < width; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>((*bytes)[i])) << (8 * i);
  }
  bytes->remove_prefix(width);
  if (length > bytes->size()) return Invalid("its header is cut short");
  const absl::string_view text = bytes->substr(0, length);
  bytes->remove_prefix(length);

  Header header;
  absl::string_view descr = FieldOf(text, "descr");
  if (descr.size() < 2 || !absl::ConsumePrefix(&descr, "'") ||
      !absl::ConsumeSuffix(&descr, "'")) {
    return Invalid("its elements have no single type");
  }
  header.descr = std::string(descr);
  const absl::string_view order = FieldOf(text, "fortran_order");
  if (order != "True" && order != "False") {
    return Invalid("its header doesn't say in which order elements lie");
  }
  header.fortran_order = order == "True";
  absl::StatusOr<Sizes> sizes = ReadSizes(FieldOf(text, "shape"));
  if (!sizes.ok()) return sizes.status();
  header.sizes = *std::move(sizes);
  return header;
}

// NumPy's letter and width for an element type.
struct NumpyType {
  char letter;
  int width;
  ElementType type;
};
constexpr NumpyType kTypes[] = {
    {'b', 1, ElementType::kPred}, {'i', 1, ElementType::kS8},
    {'i', 2, ElementType::kS16},  {'i', 4, ElementType::kS32},
    {'i', 8, ElementType::kS64},  {'u', 1, ElementType::kU8},
    {'u', 2, ElementType::kU16},  {'u', 4, ElementType::kU32},
    {'u', 8, ElementType::kU64},  {'f', 2, ElementType::kF16},
    {'f', 4, ElementType::kF32},  {'f', 8, ElementType::kF64},
    {'c', 8, ElementType::kC64},  {'c', 16, ElementType::kC128},
};

struct Described {
  ElementType type;
  bool big_endian;
};

absl::StatusOr<Described> TypeOf(const std::string& descr,
                                 ElementType expected) {
  const char order = descr[0];
  int width = 0;
  if (descr.size() < 3 ||
      absl::string_view("<>|=").find(order) == absl::string_view::npos ||
      !absl::SimpleAtoi(descr.substr(2), &width)) {
    return Invalid(absl::StrCat("its type '", descr, "' isn't XLA's"));
  }
  const char letter = descr[1];
  for (const NumpyType& known : kTypes) {
    if (known.letter == letter && known.width == width) {
      return Described{known.type, order == '>'};
    }
  }
  if (letter != 'V' && !(letter == 'f' && width == 1)) {
    return Invalid(absl::StrCat("its type '", descr, "' isn't XLA's"));
  }
  if (ElementBytes(expected) != width) {
    return Invalid(
        absl::StrCat("its type '", descr, "' has no name, and ",
                     expected == ElementType::kInvalid
                         ? "nothing says which it is"
                         : absl::StrCat(Name(expected), " isn't as wide")));
  }
  return Described{expected, order == '>'};
}

// Reverses the bytes of each element (of each of a complex number's two parts).
void SwapBytes(ElementType type, std::string* bytes) {
  const size_t width = static_cast<size_t>(ElementBytes(RealPart(type)));
  for (size_t i = 0; i + width <= bytes->size(); i += width) {
    std::reverse(bytes->begin() + static_cast<int64_t>(i),
                 bytes->begin() + static_cast<int64_t>(i + width));
  }
}

// Reorders elements from Fortran's order, where the first dim is innermost.
std::string RowMajor(const Sizes& sizes, size_t width,
                     const std::string& bytes) {
  Sizes strides(sizes.size());
  int64_t next = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    strides[i] = next;
    next *= sizes[i];
  }
  std::string ordered;
  ordered.reserve(bytes.size());
  for (Counter i(sizes); !i.done(); i.Next()) {
    ordered.append(bytes,
                   static_cast<size_t>(LinearIndex(i.index(), strides)) * width,
                   width);
  }
  return ordered;
}

std::string DescrOf(ElementType type) {
  for (const NumpyType& known : kTypes) {
    if (known.type == type) {
      return absl::StrCat(known.width == 1 ? "|" : "<",
                          std::string(1, known.letter), known.width);
    }
  }
  const int width = ElementBytes(type);
  return absl::StrCat(width == 1 ? "|" : "<", "V", width);
}

// Bytes in ml_dtypes' form: signed integers below 8 bits are sign-extended.
std::string ElementsOf(const Literal& literal) {
  std::string bytes(literal.bytes());
  const ElementTypeInfo& info = Info(literal.shape().element_type());
  if (info.kind != ElementKind::kSigned || info.bits >= 8) return bytes;
  const int sign = 1 << (info.bits - 1);
  for (char& byte : bytes) byte = static_cast<char>((byte ^ sign) - sign);
  return bytes;
}

}  // namespace

absl::StatusOr<Literal> ReadNpy(absl::string_view bytes, ElementType expected) {
  const absl::StatusOr<Header> header = ReadHeader(&bytes);
  if (!header.ok()) return header.status();
  const absl::StatusOr<Described> type = TypeOf(header->descr, expected);
  if (!type.ok()) return type.status();
  const Shape shape = Shape::Of(type->type, absl::MakeConstSpan(header->sizes));
  const std::optional<int64_t> count = shape.ElementCount();
  const size_t width = static_cast<size_t>(ElementBytes(type->type));
  if (!count || bytes.size() / width != static_cast<uint64_t>(*count) ||
      bytes.size() % width != 0) {
    return Invalid(absl::StrCat("it has ", bytes.size(), " bytes of elements, ",
                                "which are not those of ", shape.ToString()));
  }
  std::string elements(bytes);
  if (type->big_endian) SwapBytes(type->type, &elements);
  if (header->fortran_order && !elements.empty()) {
    elements = RowMajor(header->sizes, width, elements);
  }
  // Clear the bits above an element's own, and make preds 0 or 1.
  for (size_t i = 0; Info(type->type).bits < 8 && i < elements.size(); ++i) {
    elements[i] =
        static_cast<char>(elements[i] & ((1 << Info(type->type).bits) - 1));
  }
  for (size_t i = 0; type->type == ElementType::kPred && i < elements.size();
       ++i) {
    elements[i] = elements[i] != 0 ? 1 : 0;
  }
  return Literal::FromBytes(shape, elements);
}

absl::StatusOr<std::string> WriteNpy(const Literal& literal) {
  if (literal.is_splat()) {
    const absl::StatusOr<Literal> expanded = literal.Expanded();
    if (!expanded.ok()) return expanded.status();
    return WriteNpy(*expanded);
  }
  const Shape& shape = literal.shape();
  if (!literal.dynamic_sizes().empty()) {
    const absl::StatusOr<Literal> here = AtRunTimeSizes(literal);
    if (!here.ok()) return here.status();
    return WriteNpy(*here);
  }
  if (!shape.has_rank() || !shape.is_static()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a .npy file holds a static array, not ", shape.ToString()));
  }
  std::string sizes;
  for (Dim dim : shape.dims()) absl::StrAppend(&sizes, dim.size(), ", ");
  if (shape.rank() > 1) sizes.resize(sizes.size() - 2);
  if (shape.rank() == 1) sizes.resize(sizes.size() - 1);
  std::string header =
      absl::StrCat("{'descr': '", DescrOf(shape.element_type()),
                   "', 'fortran_order': False, 'shape': (", sizes, "), }");
  // Elements must begin at a multiple of 64 bytes.
  constexpr size_t kAlign = 64, kBefore = 10;
  if (header.size() > std::numeric_limits<uint16_t>::max() - kAlign) {
    return absl::InvalidArgumentError("a .npy file can't hold so many dims");
  }
  header.append(kAlign - 1 - (kBefore + header.size()) % kAlign, ' ');
  header += '\n';
  return absl::StrCat(kMagic, std::string("\x01\x00", 2),
                      std::string(1, static_cast<char>(header.size() & 255)),
                      std::string(1, static_cast<char>(header.size() >> 8)),
                      header, ElementsOf(literal));
}

absl::StatusOr<Literal> ReadNpyFile(absl::string_view path,
                                    ElementType expected) {
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Literal> literal = ReadNpy(*bytes, expected);
  if (literal.ok()) return literal;
  return absl::Status(literal.status().code(),
                      absl::StrCat(path, ": ", literal.status().message()));
}

absl::Status WriteNpyFile(const Literal& literal, absl::string_view path) {
  const absl::StatusOr<std::string> bytes = WriteNpy(literal);
  if (bytes.ok()) return WriteFile(path, *bytes);
  return absl::Status(bytes.status().code(),
                      absl::StrCat(path, ": ", bytes.status().message()));
}

}  // namespace indim

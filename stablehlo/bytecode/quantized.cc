// SPDX-License-Identifier: Apache-2.0
// Source: MLIR, the parser and the printer of the quant dialect's types.

#include "indim/stablehlo/bytecode/quantized.h"

#include "absl/base/casts.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/bytecode/type_text.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::mlir {
namespace {

// The range of all stored numbers of a type.
int64_t LeastOf(bool is_signed, int bits) {
  return is_signed ? -(int64_t{1} << (bits - 1)) : 0;
}
int64_t MostOf(bool is_signed, int bits) {
  return (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
}

// --- From text ---------------------------------------------------------------

bool ParseScale(absl::string_view text, Quantized* q) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  double scale = 0;
  if (parts.size() > 2 || !absl::SimpleAtod(parts[0], &scale)) return false;
  q->scales.push_back(absl::bit_cast<int64_t>(scale));
  return absl::SimpleAtoi(parts.size() == 1 ? "0" : parts[1],
                          &q->zeros.emplace_back());
}

// i8, u8, i8<-127:127>, with the range of the whole type by default.
bool ParseStorage(absl::string_view text, Ir* ir, Quantized* q) {
  const size_t open = text.find('<');
  absl::string_view name = text.substr(0, open);
  const bool is_signed = !absl::ConsumePrefix(&name, "u");
  if (is_signed && !absl::ConsumePrefix(&name, "i")) return false;
  int bits = 0;
  if (!absl::SimpleAtoi(name, &bits) || bits < 2 || bits > 32) return false;
  const ElementType storage = ElementTypeOf(absl::StrCat("i", bits));
  if (storage == ElementType::kInvalid) return false;
  q->flags = is_signed ? 1 : 0;
  q->storage = ir->ElementTypeId(storage);
  q->least = LeastOf(is_signed, bits);
  q->most = MostOf(is_signed, bits);
  if (open == text.npos) return true;
  absl::string_view range = text.substr(open + 1);
  if (!absl::ConsumeSuffix(&range, ">")) return false;
  const std::vector<absl::string_view> ends = absl::StrSplit(range, ':');
  return ends.size() == 2 && absl::SimpleAtoi(ends[0], &q->least) &&
         absl::SimpleAtoi(ends[1], &q->most);
}

// Splits at colons outside of <>.
std::vector<absl::string_view> SplitTypes(absl::string_view text) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ':' && depth == 0)) {
      parts.push_back(
          absl::StripAsciiWhitespace(text.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    }
  }
  return parts;
}

bool ParseScales(absl::string_view text, Quantized* q) {
  if (absl::ConsumePrefix(&text, "{") != q->per_axis ||
      (q->per_axis && !absl::ConsumeSuffix(&text, "}"))) {
    return false;
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    if (!ParseScale(absl::StripAsciiWhitespace(part), q)) return false;
  }
  return q->per_axis || q->scales.size() == 1;
}

// --- To text -----------------------------------------------------------------

// As MLIR prints it, with more digits where that loses some.
std::string NumberText(double value) {
  std::string text = absl::StrFormat("%e", value);
  double back = 0;
  if (absl::SimpleAtod(text, &back) && back == value) return text;
  return absl::StrFormat("%.17g", value);
}

// The type of stored numbers, with its range where that isn't all of the type.
std::string StorageText(const Quantized& q, int bits) {
  const bool is_signed = (q.flags & 1) != 0;
  std::string text = absl::StrCat(is_signed ? "i" : "u", bits);
  if (q.least != LeastOf(is_signed, bits) ||
      q.most != MostOf(is_signed, bits)) {
    absl::StrAppend(&text, "<", q.least, ":", q.most, ">");
  }
  return text;
}

}  // namespace

bool ParseQuantized(absl::string_view text, Ir* ir, Quantized* quantized) {
  if (!absl::ConsumePrefix(&text, "!quant.uniform<") ||
      !absl::ConsumeSuffix(&text, ">")) {
    return false;
  }
  const size_t comma = text.find(',');
  if (comma == text.npos) return false;
  const std::vector<absl::string_view> types =
      SplitTypes(text.substr(0, comma));
  if (types.size() < 2 || types.size() > 3 ||
      !ParseStorage(types[0], ir, quantized)) {
    return false;
  }
  const ElementType expressed = ElementTypeOf(types[1]);
  if (!IsFloat(expressed)) return false;
  quantized->expressed = ir->ElementTypeId(expressed);
  quantized->per_axis = types.size() == 3;
  if (quantized->per_axis &&
      (!absl::SimpleAtoi(types[2], &quantized->axis) || quantized->axis < 0)) {
    return false;
  }
  return ParseScales(absl::StripAsciiWhitespace(text.substr(comma + 1)),
                     quantized);
}

std::string TextOf(const Ir& ir, const Quantized& quantized) {
  const int bits = IntegerBits(ir, quantized.storage);
  const ElementType expressed = ir.type(quantized.expressed).element_type;
  if (bits == 0 || bits > 32 || !IsFloat(expressed)) return "";
  std::vector<std::string> scales;
  for (size_t i = 0; i < quantized.scales.size(); ++i) {
    const int64_t zero = quantized.zeros[i];
    scales.push_back(
        absl::StrCat(NumberText(absl::bit_cast<double>(quantized.scales[i])),
                     zero == 0 ? "" : absl::StrCat(":", zero)));
  }
  const std::string axis =
      absl::StrCat(":", static_cast<uint64_t>(quantized.axis));
  return absl::StrCat(
      "!quant.uniform<", StorageText(quantized, bits), ":", Name(expressed),
      quantized.per_axis ? axis : "", quantized.per_axis ? ", {" : ", ",
      absl::StrJoin(scales, ", "), quantized.per_axis ? "}>" : ">");
}

}  // namespace indim::mlir

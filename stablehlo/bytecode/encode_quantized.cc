// Encodes quantized types, which an Ir keeps as text.
//
// Source: StableHLO, VhloBytecode.cpp; MLIR, QuantDialectBytecode.td and the
// parser of the quant dialect's types.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/bytecode/encode_vhlo.h"
#include "indim/stablehlo/bytecode/type_text.h"

namespace indim::mlir {
namespace {

struct Scale {
  double scale = 0;
  int64_t zero = 0;
};

struct Parts {
  ElementType storage = ElementType::kInvalid;
  ElementType expressed = ElementType::kInvalid;
  bool is_signed = true;
  int64_t least = 0;
  int64_t most = 0;
  int64_t axis = -1;  // none: one scale for all
  std::vector<Scale> scales;
};

bool ParseScale(absl::string_view text, Scale* scale) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() > 2 || !absl::SimpleAtod(parts[0], &scale->scale)) {
    return false;
  }
  return parts.size() == 1 || absl::SimpleAtoi(parts[1], &scale->zero);
}

// i8, u8, i8<-127:127>, with the range of the whole type by default.
bool ParseStorage(absl::string_view text, Parts* parts) {
  const size_t open = text.find('<');
  absl::string_view name = text.substr(0, open);
  parts->is_signed = !absl::ConsumePrefix(&name, "u");
  if (parts->is_signed && !absl::ConsumePrefix(&name, "i")) return false;
  int bits = 0;
  if (!absl::SimpleAtoi(name, &bits) || bits < 2 || bits > 32) return false;
  // Stored in signless integers, whatever their sign.
  parts->storage = ElementTypeOfText(absl::StrCat("i", bits));
  const int64_t half = int64_t{1} << (bits - 1);
  parts->least = parts->is_signed ? -half : 0;
  parts->most = parts->is_signed ? half - 1 : 2 * half - 1;
  if (open == text.npos) return true;
  absl::string_view range = text.substr(open + 1);
  if (!absl::ConsumeSuffix(&range, ">")) return false;
  const std::vector<absl::string_view> ends = absl::StrSplit(range, ':');
  return ends.size() == 2 && absl::SimpleAtoi(ends[0], &parts->least) &&
         absl::SimpleAtoi(ends[1], &parts->most);
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

bool ParseScales(absl::string_view text, Parts* parts) {
  const bool per_axis = absl::ConsumePrefix(&text, "{");
  if (per_axis != (parts->axis >= 0) ||
      (per_axis && !absl::ConsumeSuffix(&text, "}"))) {
    return false;
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    if (!ParseScale(absl::StripAsciiWhitespace(part),
                    &parts->scales.emplace_back())) {
      return false;
    }
  }
  return per_axis || parts->scales.size() == 1;
}

bool Parse(absl::string_view text, Parts* parts) {
  if (!absl::ConsumePrefix(&text, "!quant.uniform<") ||
      !absl::ConsumeSuffix(&text, ">")) {
    return false;
  }
  const size_t comma = text.find(',');
  if (comma == text.npos) return false;
  const std::vector<absl::string_view> types =
      SplitTypes(text.substr(0, comma));
  if (types.size() < 2 || types.size() > 3 || !ParseStorage(types[0], parts)) {
    return false;
  }
  parts->expressed = ElementTypeOfText(types[1]);
  if (types.size() == 3 &&
      (!absl::SimpleAtoi(types[2], &parts->axis) || parts->axis < 0)) {
    return false;
  }
  return IsFloat(parts->expressed) && parts->storage != ElementType::kInvalid &&
         ParseScales(absl::StripAsciiWhitespace(text.substr(comma + 1)), parts);
}

uint64_t Bits(double value) { return absl::bit_cast<uint64_t>(value); }

}  // namespace

void EncodeQuantized(const Type& type, EntrySink* out) {
  Parts parts;
  if (!Parse(type.text, &parts)) {
    out->Fail(absl::StrCat("the type ", type.text,
                           " has no form in a portable artifact"));
    return;
  }
  const bool per_axis = parts.axis >= 0;
  if (per_axis) out->Need({0, 18, 0}, "a quantized type with several scales");
  out->Varint(per_axis ? 30 : 24);
  out->Varint(parts.is_signed ? 1 : 0);
  out->Type(out->ir().ElementTypeId(parts.storage), Terms::kVhlo);
  out->Type(out->ir().ElementTypeId(parts.expressed), Terms::kVhlo);
  if (!per_axis) {
    out->Bits(Bits(parts.scales[0].scale), 64);
    out->SignedVarint(parts.scales[0].zero);
    out->SignedVarint(parts.least);
    out->SignedVarint(parts.most);
    return;
  }
  out->Varint(static_cast<uint64_t>(parts.axis));
  out->SignedVarint(parts.least);
  out->SignedVarint(parts.most);
  out->Varint(parts.scales.size());
  for (const Scale& scale : parts.scales) out->Bits(Bits(scale.scale), 64);
  out->Varint(parts.scales.size());
  for (const Scale& scale : parts.scales) out->SignedVarint(scale.zero);
}

}  // namespace indim::mlir

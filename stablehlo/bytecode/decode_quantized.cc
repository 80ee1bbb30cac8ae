#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/quantized.h"
#include "indim/stablehlo/bytecode/type_text.h"

namespace indim::mlir {
namespace {

// As MLIR prints it, with more digits where that loses some.
std::string NumberText(double value) {
  std::string text = absl::StrFormat("%e", value);
  double back = 0;
  if (absl::SimpleAtod(text, &back) && back == value) return text;
  return absl::StrFormat("%.17g", value);
}

std::string WithZeroPoint(double scale, int64_t zero) {
  return zero == 0 ? NumberText(scale)
                   : absl::StrCat(NumberText(scale), ":", zero);
}

// The type of stored numbers, with its range where that isn't all of the type.
std::string StorageText(uint64_t flags, int bits, int64_t least, int64_t most) {
  const bool is_signed = (flags & 1) != 0;
  const uint64_t half = uint64_t{1} << (bits - 1);
  const int64_t whole_least = is_signed ? -static_cast<int64_t>(half) : 0;
  const int64_t whole_most =
      static_cast<int64_t>(is_signed ? half - 1 : 2 * half - 1);
  std::string text = absl::StrCat(is_signed ? "i" : "u", bits);
  if (least != whole_least || most != whole_most) {
    absl::StrAppend(&text, "<", least, ":", most, ">");
  }
  return text;
}

struct Quantized {
  uint64_t flags = 0;
  TypeId storage;
  TypeId expressed;
  std::string axis;    // ":1"
  std::string scales;  // "0.5:3", "{0.5, 0.25:1}"
  int64_t least = 0;
  int64_t most = 0;
};

Type Finish(const Quantized& q, EntryDecoder* in) {
  Type type;
  if (!in->ready()) return type;
  const Ir& ir = in->ir();
  const int bits = IntegerBits(ir, q.storage);
  const Type& expressed = ir.type(q.expressed);
  if (bits == 0 || bits > 32 || !IsFloat(expressed.element_type)) {
    in->Fail("a quantized type must store integers and express floats");
    return type;
  }
  type.kind = TypeKind::kQuantized;
  type.text = absl::StrCat(
      "!quant.uniform<", StorageText(q.flags, bits, q.least, q.most), ":",
      Name(expressed.element_type), q.axis, ", ", q.scales, ">");
  return type;
}

}  // namespace

Type DecodeQuantized(EntryDecoder* in) {
  Quantized q;
  q.flags = in->cursor().Varint();
  q.storage = in->Type();
  q.expressed = in->Type();
  const double scale = absl::bit_cast<double>(in->Bits(64));
  const int64_t zero = in->cursor().SignedVarint();
  q.scales = WithZeroPoint(scale, zero);
  q.least = in->cursor().SignedVarint();
  q.most = in->cursor().SignedVarint();
  return Finish(q, in);
}

Type DecodeQuantizedPerAxis(EntryDecoder* in) {
  Quantized q;
  q.flags = in->cursor().Varint();
  q.storage = in->Type();
  q.expressed = in->Type();
  q.axis = absl::StrCat(":", in->cursor().Varint());
  q.least = in->cursor().SignedVarint();
  q.most = in->cursor().SignedVarint();
  std::vector<double> scales(in->cursor().Count());
  for (double& scale : scales) scale = absl::bit_cast<double>(in->Bits(64));
  const std::vector<int64_t> zeros = in->SignedVarints();
  if (zeros.size() != scales.size()) {
    in->Fail("a quantized type must have as many zero points as scales");
    return {};
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < scales.size(); ++i) {
    texts.push_back(WithZeroPoint(scales[i], zeros[i]));
  }
  q.scales = absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
  return Finish(q, in);
}

}  // namespace indim::mlir

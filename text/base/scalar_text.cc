#include "indim/text/base/scalar_text.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "indim/codec/literal.h"
#include "indim/codec/literal_wire.h"
#include "indim/shape/types/element_type.h"
#include "indim/storage/float_text.h"
#include "indim/storage/literal_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_scalar.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace {

using field::LiteralProto::kShape;

constexpr uint32_t MessageTag(uint32_t number) {
  return MakeTag(number, WireType::kLengthDelimited);
}

// Finds the single value of a literal that has nothing else. False: it isn't
// one.
bool FindValue(const ElementTypeInfo& info, absl::string_view shape_wire,
               absl::string_view literal, uint64_t* bits) {
  const WireField& field = ValuesField(info.type);
  WireReader reader(literal);
  absl::string_view shape;
  absl::string_view values;
  if (!reader.ConsumeTag(MessageTag(kShape)) ||
      !reader.ReadLengthDelimited(&shape) || shape != shape_wire ||
      !reader.ConsumeTag(MessageTag(field.number)) ||
      !reader.ReadLengthDelimited(&values) || !reader.done()) {
    return false;
  }
  if (HasVarints(field)) {
    WireReader one(values);
    WireScalar value;
    if (!ReadScalar(field.kind, &one, &value)) return false;
    *bits = value.bits;
    return one.done();
  }
  const size_t width = static_cast<size_t>(ElementBytes(info.type));
  if (values.size() != width || width > sizeof *bits) return false;
  *bits = BitsAt(values, 0, static_cast<int>(width));
  return true;
}

}  // namespace

bool AppendScalarText(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view literal, TextBuffer* out) {
  if (!shape.is_array() || !shape.is_scalar()) return false;
  const ElementTypeInfo& info = Info(shape.element_type());
  if (info.kind == ElementKind::kInvalid ||
      info.kind == ElementKind::kComplex) {
    return false;
  }
  uint64_t bits = 0;
  if (!FindValue(info, shape_wire, literal, &bits)) return false;
  const uint64_t sign = uint64_t{1} << (info.bits - 1);
  const uint64_t code = bits & (sign | (sign - 1));
  switch (info.kind) {
    case ElementKind::kPred:
      out->Append(code != 0 ? "true" : "false");
      return true;
    case ElementKind::kSigned:
      out->AppendNumber(static_cast<int64_t>((code ^ sign) - sign));
      return true;
    case ElementKind::kUnsigned:
      out->AppendNumber(code);
      return true;
    case ElementKind::kFloat:
      out->AppendWith(
          [&](std::string* to) { AppendFloatText(info.type, code, to); });
      return true;
    default:
      return false;
  }
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// One element of a field that isn't a message: a number of any kind, or text. A
// number is kept as the 64 bits of its encoding, brought into the range of its
// kind as libprotobuf's assignment to a C++ field does.
#ifndef INDIM_PROTO_WIRE_WIRE_SCALAR_H_
#define INDIM_PROTO_WIRE_WIRE_SCALAR_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {

struct WireScalar {
  uint64_t bits = 0;
  absl::string_view text;

  // The value that a field without presence doesn't write. -0.0 has a bit set,
  // so it is not the default.
  bool is_default() const { return bits == 0 && text.empty(); }
};

// The value of a varint in a field of `kind`: 32-bit kinds keep the low half,
// signed ones and enums sign-extended (ten bytes when negative); any bit makes
// a bool true.
inline uint64_t NormalizeVarint(WireKind kind, uint64_t value) {
  switch (kind) {
    case WireKind::kInt32:
    case WireKind::kEnum: {
      const uint64_t low = value & 0xFFFFFFFFu;
      return (low ^ 0x80000000u) - 0x80000000u;
    }
    case WireKind::kUint32:
      return value & 0xFFFFFFFFu;
    case WireKind::kBool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

// Reads one element in the wire type of its kind. False where the bytes don't
// hold one. Doesn't check UTF-8.
inline bool ReadScalar(WireKind kind, WireReader* reader, WireScalar* scalar) {
  switch (ElementWireType(kind)) {
    case WireType::kVarint:
      if (!reader->ReadVarint(&scalar->bits)) return false;
      scalar->bits = NormalizeVarint(kind, scalar->bits);
      return true;
    case WireType::kFixed32: {
      uint32_t bits;
      if (!reader->ReadFixed32(&bits)) return false;
      scalar->bits = bits;
      return true;
    }
    case WireType::kFixed64:
      return reader->ReadFixed64(&scalar->bits);
    default:
      return reader->ReadLengthDelimited(&scalar->text);
  }
}

// The canonical bytes of one element, without a tag.
inline void AppendScalar(WireKind kind, const WireScalar& scalar,
                         std::string* out) {
  switch (ElementWireType(kind)) {
    case WireType::kVarint:
      return AppendVarint(scalar.bits, out);
    case WireType::kFixed32:
      return AppendFixed32(static_cast<uint32_t>(scalar.bits), out);
    case WireType::kFixed64:
      return AppendFixed64(scalar.bits, out);
    default:
      return AppendLengthDelimited(scalar.text, out);
  }
}

// The number of bytes that AppendScalar appends.
inline size_t ScalarSize(WireKind kind, const WireScalar& scalar) {
  switch (ElementWireType(kind)) {
    case WireType::kVarint:
      return VarintSize(scalar.bits);
    case WireType::kFixed32:
      return 4;
    case WireType::kFixed64:
      return 8;
    default:
      return LengthDelimitedSize(scalar.text.size());
  }
}

// The order of map keys in deterministic bytes: numbers by value, text by
// bytes.
inline bool MapKeyLess(WireKind kind, const WireScalar& a,
                       const WireScalar& b) {
  if (kind == WireKind::kString) return a.text < b.text;
  const bool is_signed = kind == WireKind::kInt32 || kind == WireKind::kInt64;
  const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;
  return (a.bits ^ flip) < (b.bits ^ flip);
}

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_WIRE_SCALAR_H_

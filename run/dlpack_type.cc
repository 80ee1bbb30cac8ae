// SPDX-License-Identifier: Apache-2.0
#include "indim/run/dlpack_type.h"

#include <optional>

#include "indim/shape/dims/checked_math.h"

namespace indim::pjrt::internal {
namespace {

// DLDataTypeCode of each kind of numbers.
enum DlCode : uint8_t {
  kInteger = 0,
  kUnsigned = 1,
  kReal = 2,
  kBrainFloat = 4,
  kComplexNumber = 5,
  kBoolean = 6,
};

// The codes from 7 on name single types of 8 bits.
struct ByteFloatCode {
  ElementType type;
  uint8_t code;
};
constexpr ByteFloatCode kByteFloats[] = {
    {ElementType::kF8E3M4, 7},        {ElementType::kF8E4M3, 8},
    {ElementType::kF8E4M3B11FNUZ, 9}, {ElementType::kF8E4M3FN, 10},
    {ElementType::kF8E4M3FNUZ, 11},   {ElementType::kF8E5M2, 12},
    {ElementType::kF8E5M2FNUZ, 13},   {ElementType::kF8E8M0FNU, 14},
};

}  // namespace

bool ToDlType(ElementType type, DlType* dl) {
  const ElementTypeInfo& info = Info(type);
  if (info.bits < 8) return false;
  dl->bits = static_cast<uint8_t>(info.bits);
  for (const ByteFloatCode& row : kByteFloats) {
    if (row.type != type) continue;
    dl->code = row.code;
    return true;
  }
  switch (info.kind) {
    case ElementKind::kPred:
      dl->code = kBoolean;
      return true;
    case ElementKind::kSigned:
      dl->code = kInteger;
      return true;
    case ElementKind::kUnsigned:
      dl->code = kUnsigned;
      return true;
    case ElementKind::kFloat:
      dl->code = type == ElementType::kBF16 ? kBrainFloat : kReal;
      return true;
    case ElementKind::kComplex:
      dl->code = kComplexNumber;
      return true;
    case ElementKind::kInvalid:
      return false;
  }
  return false;
}

ElementType FromDlType(const DlType& dl) {
  if (dl.lanes != 1) return ElementType::kInvalid;
  for (const ElementTypeInfo& info : AllElementTypes()) {
    DlType own;
    if (ToDlType(info.type, &own) && own.code == dl.code &&
        own.bits == dl.bits) {
      return info.type;
    }
  }
  return ElementType::kInvalid;
}

bool IsRowMajor(const DlTensor& tensor) {
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] < 0) return false;
  }
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int32_t d = tensor.rank; d-- > 0;) {
    // Of one element the stride says nothing.
    if (tensor.sizes[d] == 1) continue;
    if (tensor.sizes[d] == 0) return true;
    if (tensor.strides[d] != stride) return false;
    const std::optional<int64_t> next =
        CheckedMultiply(stride, tensor.sizes[d]);
    if (!next) return false;
    stride = *next;
  }
  return true;
}

}  // namespace indim::pjrt::internal

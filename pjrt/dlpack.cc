#include "indim/pjrt/dlpack.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/pjrt/abi/coded_error.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace pjrt {
namespace {

constexpr int32_t kCpu = 1;

// DLDataTypeCode of each kind of numbers.
enum DlCode : uint8_t {
  kInteger = 0,
  kUnsigned = 1,
  kReal = 2,
  kBrainFloat = 4,
  kComplexNumber = 5,
  kBoolean = 6,
};

absl::Status DlpackError(absl::StatusCode kind, absl::string_view message) {
  return CodedError(kind, Code::kPjrtBuffer, message);
}

// The codes from 7 on name single types of 8 bits.
struct Row {
  ElementType type;
  uint8_t code;
};
constexpr Row kByteFloats[] = {
    {ElementType::kF8E3M4, 7},        {ElementType::kF8E4M3, 8},
    {ElementType::kF8E4M3B11FNUZ, 9}, {ElementType::kF8E4M3FN, 10},
    {ElementType::kF8E4M3FNUZ, 11},   {ElementType::kF8E5M2, 12},
    {ElementType::kF8E5M2FNUZ, 13},   {ElementType::kF8E8M0FNU, 14},
};

// False: DLPack has it not, or in another form.
bool ToDlType(ElementType type, DlType* dl) {
  const ElementTypeInfo& info = Info(type);
  if (info.bits < 8) return false;
  dl->bits = static_cast<uint8_t>(info.bits);
  for (const Row& row : kByteFloats) {
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

// What an exported tensor keeps.
struct Exported {
  DlManagedTensor managed;
  BufferView view;
  std::vector<int64_t> sizes;
};

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

}  // namespace

absl::StatusOr<DlManagedTensor*> ToDlpack(const Buffer& buffer) {
  DlType type;
  if (!buffer.is_none() && !ToDlType(buffer.shape().element_type(), &type)) {
    return DlpackError(
        absl::StatusCode::kUnimplemented,
        absl::StrCat("DLPack has ", Name(buffer.shape().element_type()),
                     " in another form or not at all"));
  }
  absl::StatusOr<BufferView> view = buffer.View();
  if (!view.ok()) return view.status();
  auto exported = std::make_unique<Exported>();
  exported->view = *std::move(view);
  for (const Dim dim : buffer.shape().dims()) {
    exported->sizes.push_back(dim.size());
  }
  DlTensor& tensor = exported->managed.tensor;
  tensor.data = const_cast<void*>(exported->view.data());
  tensor.rank = buffer.shape().rank();
  tensor.type = type;
  tensor.sizes = exported->sizes.data();
  exported->managed.context = exported.get();
  exported->managed.deleter = [](DlManagedTensor* self) {
    delete static_cast<Exported*>(self->context);
  };
  return &exported.release()->managed;
}

absl::StatusOr<Buffer> FromDlpack(const Client& client, DlManagedTensor* tensor,
                                  const Device& device) {
  if (tensor == nullptr) {
    return DlpackError(absl::StatusCode::kInvalidArgument,
                       "there is no DLPack tensor");
  }
  const DlTensor& from = tensor->tensor;
  if (from.device.type != kCpu) {
    return DlpackError(
        absl::StatusCode::kUnimplemented,
        absl::StrCat("a DLPack tensor is on a device of kind ",
                     from.device.type, ", not in the host's memory"));
  }
  const ElementType type = FromDlType(from.type);
  if (type == ElementType::kInvalid || from.rank < 0 || !IsRowMajor(from)) {
    return DlpackError(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat("a DLPack tensor of type code ", from.type.code, ", ",
                     from.type.bits, " bits, ", from.type.lanes,
                     " lanes isn't row-major or not of a known type"));
  }
  const Shape shape = Shape::Of(
      type, absl::MakeConstSpan(from.sizes, static_cast<size_t>(from.rank)));
  const size_t size = static_cast<size_t>(shape.ElementCount().value_or(0)) *
                      static_cast<size_t>(ElementBytes(type));
  return client.ShareWithDevice(
      shape, static_cast<const char*>(from.data) + from.byte_offset, size,
      [tensor] {
        if (tensor->deleter != nullptr) tensor->deleter(tensor);
      },
      device);
}

}  // namespace pjrt
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/run/dlpack.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/run/dlpack_type.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim::pjrt {
namespace {

constexpr int32_t kCpu = 1;

absl::Status DlpackError(absl::StatusCode kind, absl::string_view message) {
  return ErrorWithCode(kind, Code::kPjrtBuffer, message);
}

// What an exported tensor keeps.
struct ExportedBuffer {
  DlManagedTensor managed;
  BufferView view;
  std::vector<int64_t> sizes;
};

}  // namespace

absl::StatusOr<DlManagedTensor*> ToDlpack(const Buffer& buffer) {
  DlType type;
  if (!buffer.is_none() &&
      !internal::ToDlType(buffer.shape().element_type(), &type)) {
    return DlpackError(
        absl::StatusCode::kUnimplemented,
        absl::StrCat("DLPack has ", Name(buffer.shape().element_type()),
                     " in another form or not at all"));
  }
  absl::StatusOr<BufferView> view = buffer.View();
  if (!view.ok()) return view.status();
  auto exported = std::make_unique<ExportedBuffer>();
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
    delete static_cast<ExportedBuffer*>(self->context);
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
  const ElementType type = internal::FromDlType(from.type);
  if (type == ElementType::kInvalid || from.rank < 0 ||
      !internal::IsRowMajor(from)) {
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

}  // namespace indim::pjrt

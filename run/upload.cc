// SPDX-License-Identifier: Apache-2.0
#include "indim/run/upload.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/abi.h"
#include "indim/run/abi/buffer_type.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

absl::Status CheckHostArray(const HostArray& array) {
  const Shape& shape = array.shape;
  const auto error = [](absl::string_view message) {
    return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtBuffer,
                         message);
  };
  if (!shape.has_rank() || !shape.is_static()) {
    return error(absl::StrCat("a buffer is an array of static sizes, not ",
                              shape.ToString()));
  }
  if (BufferType(shape.element_type()) == 0) {
    return error(absl::StrCat("buffers have no ", Name(shape.element_type())));
  }
  const auto count = shape.ElementCount();
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  // Divided, since the product might not fit.
  if (count && array.size % width == 0 &&
      static_cast<size_t>(*count) == array.size / width) {
    return absl::OkStatus();
  }
  return error(absl::StrCat("there are ", array.size, " bytes, which is no ",
                            shape.ToString()));
}

}  // namespace

absl::StatusOr<Upload> UploadArray(const ClientPtr& client, size_t device,
                                   const HostArray& array) {
  absl::Status status = CheckHostArray(array);
  if (!status.ok()) return status;
  std::vector<int64_t> dims;
  for (const Dim dim : array.shape.dims()) dims.push_back(dim.size());
  // Plugins may refuse null even for an array without elements.
  const char none = 0;
  abi::ClientBufferFromHostBufferArgs args;
  args.client = client->client.get();
  args.data = array.data == nullptr ? &none : array.data;
  args.type = BufferType(array.shape.element_type());
  args.dims = dims.data();
  args.dim_count = dims.size();
  args.semantics = array.semantics;
  args.device = client->devices[device].device;
  status = client->api->Call(&args);
  if (!status.ok()) return status;
  return Upload{BufferState::Take(client, device, array.shape.WithoutLayout(),
                                  args.buffer),
                EventState::Take(client, args.done_event)};
}

absl::StatusOr<Buffer> UploadLiteral(const ClientPtr& client, size_t device,
                                     const Literal& literal) {
  const absl::StatusOr<Literal> expanded =
      literal.is_splat() ? literal.Expanded() : Literal();
  if (!expanded.ok()) return expanded.status();
  const Literal& dense = literal.is_splat() ? *expanded : literal;
  absl::StatusOr<Upload> upload =
      UploadArray(client, device,
                  {dense.shape(), dense.bytes().data(), dense.bytes().size(),
                   abi::kDuringCall});
  if (!upload.ok()) return upload.status();
  return std::move(upload->buffer);
}

}  // namespace indim::pjrt

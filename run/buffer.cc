// SPDX-License-Identifier: Apache-2.0
#include "indim/run/buffer.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/client_state.h"
#include "indim/run/download.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

const Shape& NoShape() {
  static const auto* const shape = new Shape();
  return *shape;
}

absl::Status BufferError(absl::StatusCode kind, absl::string_view message) {
  return ErrorWithCode(kind, Code::kPjrtBuffer, message);
}

absl::Status NoBuffer() {
  return BufferError(absl::StatusCode::kFailedPrecondition,
                     "there is no buffer in this handle");
}

// The bytes that the elements take on the host; the shape's own were made or
// checked, so the product fits.
size_t HostBytes(const Shape& shape) {
  const int64_t count = shape.ElementCount().value_or(0);
  return static_cast<size_t>(count) *
         static_cast<size_t>(ElementBytes(shape.element_type()));
}

absl::Status CheckStatic(const Shape& shape) {
  if (shape.is_static()) return absl::OkStatus();
  return BufferError(absl::StatusCode::kUnimplemented,
                     absl::StrCat("the buffer is ", shape.ToString(),
                                  ", whose sizes at run time only ToLiteral "
                                  "tells"));
}

// An increased count of a buffer's external references.
struct Reference {
  explicit Reference(std::shared_ptr<BufferState> s) : state(std::move(s)) {}
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    abi::BufferDecreaseExternalReferenceCountArgs args;
    args.buffer = state->buffer.get();
    state->client->api->Call(&args).IgnoreError();
  }

  const std::shared_ptr<BufferState> state;
};

}  // namespace

Buffer BufferState::Take(const ClientPtr& client, size_t device, Shape shape,
                         void* buffer) {
  return Buffer(std::make_shared<BufferState>(
      client, device, std::move(shape), OwnedBuffer(client->api, buffer)));
}

const Shape& Buffer::shape() const {
  return state_ == nullptr ? NoShape() : state_->shape;
}

Device Buffer::device() const {
  return state_ == nullptr ? Device()
                           : state_->client->DeviceAt(state_->device);
}

absl::StatusOr<Event> Buffer::Ready() const {
  if (state_ == nullptr) return NoBuffer();
  abi::BufferReadyEventArgs args;
  args.buffer = state_->buffer.get();
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  return EventState::Take(state_->client, args.event);
}

int64_t Buffer::ElementCount() const {
  return shape().ElementCount().value_or(0);
}

absl::Status Buffer::CheckElements(ElementType type, size_t count) const {
  if (state_ == nullptr) return NoBuffer();
  if (type == shape().element_type() &&
      count == static_cast<size_t>(ElementCount())) {
    return absl::OkStatus();
  }
  return BufferError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("the buffer is ", shape().ToString(), ", not ", count,
                   " elements of ", Name(type)));
}

absl::Status Buffer::ReadBytes(void* to, size_t size) const {
  if (state_ == nullptr) return NoBuffer();
  const absl::Status status = CheckStatic(shape());
  if (!status.ok()) return status;
  const size_t needed = HostBytes(shape());
  if (size != needed) {
    return BufferError(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("the buffer ", shape().ToString(), " has ",
                                    needed, " bytes, not ", size));
  }
  return Download(*state_, to, size);
}

absl::StatusOr<Literal> Buffer::ToLiteral() const {
  if (state_ == nullptr) return NoBuffer();
  if (!shape().is_static()) return DownloadBounded(*state_);
  std::string bytes(HostBytes(shape()), '\0');
  const absl::Status status = ReadBytes(&bytes[0], bytes.size());
  if (!status.ok()) return status;
  return Literal::FromBytes(shape(), bytes);
}

absl::StatusOr<BufferView> Buffer::View() const {
  if (state_ == nullptr) return NoBuffer();
  absl::Status status = CheckStatic(shape());
  if (!status.ok()) return status;
  if (Info(shape().element_type()).bits < 8) {
    return BufferError(absl::StatusCode::kUnimplemented,
                       absl::StrCat("plugins may pack several elements of ",
                                    Name(shape().element_type()),
                                    " into a byte, so they aren't read in "
                                    "place"));
  }
  const PluginApi& api = *state_->client->api;
  abi::BufferIsOnCpuArgs on_cpu;
  on_cpu.buffer = state_->buffer.get();
  status = api.Call(&on_cpu);
  if (!status.ok()) return status;
  if (!on_cpu.is_on_cpu) {
    return BufferError(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the buffer lies in the memory of ", device().text(),
                     ", which the host doesn't see"));
  }
  const absl::StatusOr<Event> ready = Ready();
  if (!ready.ok()) return ready.status();
  status = ready->Await();
  if (!status.ok()) return status;
  abi::BufferIncreaseExternalReferenceCountArgs increase;
  increase.buffer = state_->buffer.get();
  status = api.Call(&increase);
  if (!status.ok()) return status;
  BufferView view;
  view.keep_ = std::make_shared<const Reference>(state_);
  abi::BufferOpaqueDeviceMemoryDataPointerArgs pointer;
  pointer.buffer = state_->buffer.get();
  status = api.Call(&pointer);
  if (!status.ok()) return status;
  view.data_ = pointer.data;
  view.size_ = HostBytes(shape());
  return view;
}

absl::StatusOr<Buffer> Buffer::CopyTo(const Device& device) const {
  if (state_ == nullptr) return NoBuffer();
  const ClientPtr& client =
      device.is_none() ? state_->client : ClientState::ClientOf(device);
  const absl::StatusOr<size_t> index = client->Resolve(device);
  if (!index.ok()) return index.status();
  abi::BufferCopyToDeviceArgs args;
  args.buffer = state_->buffer.get();
  args.device = client->devices[*index].device;
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  return BufferState::Take(client, *index, shape(), args.copy);
}

absl::Status Buffer::Delete() const {
  if (state_ == nullptr) return NoBuffer();
  abi::BufferDeleteArgs args;
  args.buffer = state_->buffer.get();
  return state_->client->api->Call(&args);
}

absl::StatusOr<bool> Buffer::IsDeleted() const {
  if (state_ == nullptr) return NoBuffer();
  abi::BufferIsDeletedArgs args;
  args.buffer = state_->buffer.get();
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  return args.is_deleted;
}

absl::StatusOr<int64_t> Buffer::DeviceBytes() const {
  if (state_ == nullptr) return NoBuffer();
  abi::BufferOnDeviceSizeInBytesArgs args;
  args.buffer = state_->buffer.get();
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  return static_cast<int64_t>(args.size);
}

}  // namespace indim::pjrt

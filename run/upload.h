// SPDX-License-Identifier: Apache-2.0
// From the host's memory to a device's.

#ifndef INDIM_RUN_UPLOAD_H_
#define INDIM_RUN_UPLOAD_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/buffer.h"
#include "indim/run/client_state.h"
#include "indim/run/event.h"
#include "indim/shape/types/shape.h"

namespace indim::pjrt {

// An array of the host: its bytes as a literal has them, and how long the
// plugin may read them (abi::HostBufferSemantics).
struct HostArray {
  const Shape& shape;
  const void* data;
  size_t size;
  int semantics;
};

struct Upload {
  Buffer buffer;
  Event done;  // the plugin needs the host's memory no more
};

// `device` counts the client's. Errors as of Client::BytesToDevice.
absl::StatusOr<Upload> UploadArray(const ClientPtr& client, size_t device,
                                   const HostArray& array);

// Errors as of Client::ToDevice.
absl::StatusOr<Buffer> UploadLiteral(const ClientPtr& client, size_t device,
                                     const Literal& literal);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_UPLOAD_H_

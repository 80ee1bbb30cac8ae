// SPDX-License-Identifier: Apache-2.0
// From a device's memory to the host's.

#ifndef INDIM_RUN_DOWNLOAD_H_
#define INDIM_RUN_DOWNLOAD_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/client_state.h"

namespace indim::pjrt {

// Copies the elements, row-major, to `to`, where they take `size` bytes, and
// waits for it. IND1102: the plugin's error.
absl::Status Download(const BufferState& buffer, void* to, size_t size);

// The value of a buffer of a bounded shape, whose sizes the plugin tells; zeros
// beyond them. Internal, IND1110: sizes that the shape doesn't allow.
absl::StatusOr<Literal> DownloadBounded(const BufferState& buffer);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_DOWNLOAD_H_

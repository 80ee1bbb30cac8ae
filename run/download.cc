// SPDX-License-Identifier: Apache-2.0
#include "indim/run/download.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/tiling/array_box.h"

namespace indim::pjrt {
namespace {

// What a copy of the buffer takes on the host, or the copy itself.
struct HostCopy {
  explicit HostCopy(const BufferState& buffer) {
    for (int i = buffer.shape.rank(); i-- > 0;) minor_to_major.push_back(i);
    layout.tiled.minor_to_major = minor_to_major.data();
    layout.tiled.minor_to_major_size = minor_to_major.size();
    args.buffer = buffer.buffer.get();
    args.layout = &layout;
  }

  std::vector<int64_t> minor_to_major;
  abi::MemoryLayout layout;
  abi::BufferToHostBufferArgs args;
};

// The sizes that the buffer has now, as far as the shape allows them.
absl::StatusOr<DimIndices> SizesNow(const BufferState& buffer) {
  abi::BufferUnpaddedDimensionsArgs args;
  args.buffer = buffer.buffer.get();
  const absl::Status status = buffer.client->api->Call(&args);
  if (!status.ok()) return status;
  const absl::Span<const int64_t> sizes(args.dims, args.dim_count);
  bool is_allowed = sizes.size() == static_cast<size_t>(buffer.shape.rank());
  for (size_t i = 0; is_allowed && i < sizes.size(); ++i) {
    is_allowed = buffer.shape.dim(static_cast<int>(i)).Contains(sizes[i]);
  }
  if (is_allowed) return DimIndices(sizes.begin(), sizes.end());
  return ErrorWithCode(
      absl::StatusCode::kInternal, Code::kPjrtBuffer,
      absl::StrCat("the buffer ", buffer.shape.ToString(), " has the sizes [",
                   absl::StrJoin(sizes, ","), "] at run time"));
}

size_t BytesOf(const DimIndices& sizes, size_t width) {
  size_t bytes = width;
  for (const int64_t size : sizes) bytes *= static_cast<size_t>(size);
  return bytes;
}

}  // namespace

absl::Status Download(const BufferState& buffer, void* to, size_t size) {
  HostCopy copy(buffer);
  // A place for nothing, since none would only ask for the size.
  char none = 0;
  copy.args.data = size == 0 ? &none : to;
  copy.args.size = size;
  const PluginApi* const api = buffer.client->api;
  const absl::Status status = api->Call(&copy.args);
  if (!status.ok()) return status;
  return AwaitEvent(OwnedEvent(api, copy.args.event));
}

absl::StatusOr<Literal> DownloadBounded(const BufferState& buffer) {
  const Shape& shape = buffer.shape;
  const absl::StatusOr<DimIndices> sizes = SizesNow(buffer);
  if (!sizes.ok()) return sizes.status();
  const DimIndices bounds = SizesOf(shape);
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  HostCopy asked(buffer);
  absl::Status status = buffer.client->api->Call(&asked.args);
  if (!status.ok()) return status;
  // XLA's CPU copies the part that is in use, others may copy the whole room.
  // The bounds are those of a shape that was made or checked: their product
  // fits.
  const size_t part = BytesOf(*sizes, width);
  const DimIndices& copied = asked.args.size == part ? *sizes : bounds;
  std::string copy(BytesOf(copied, width), '\0');
  status = Download(buffer, &copy[0], copy.size());
  if (!status.ok()) return status;
  std::string bytes(BytesOf(bounds, width), '\0');
  ForEachRow({DimIndices(sizes->size(), 0), *sizes}, bounds, copied, width,
             [&](size_t in_array, size_t in_part, size_t size) {
               std::memcpy(&bytes[in_array], &copy[in_part], size);
             });
  return Literal::Bounded(shape, bytes,
                          std::vector<int32_t>(sizes->begin(), sizes->end()));
}

}  // namespace indim::pjrt

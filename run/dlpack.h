// SPDX-License-Identifier: Apache-2.0
// DLPack: arrays that libraries hand each other without a copy, such as
// PyTorch, NumPy and JAX. The structs are those of DLPack's dlpack.h, in our
// own words; a program that has that header casts its DLManagedTensor*.

#ifndef INDIM_RUN_DLPACK_H_
#define INDIM_RUN_DLPACK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/run/buffer.h"
#include "indim/run/client.h"

namespace indim::pjrt {

// DLDevice. 1 is a CPU.
struct DlDevice {
  int32_t type = 1;
  int32_t id = 0;
};

// DLDataType: a kind of numbers, bits of an element, elements side by side.
struct DlType {
  uint8_t code = 0;
  uint8_t bits = 0;
  uint16_t lanes = 1;
};

// DLTensor. Without strides it is row-major; strides count elements.
struct DlTensor {
  void* data = nullptr;
  DlDevice device;
  int32_t rank = 0;
  DlType type;
  int64_t* sizes = nullptr;
  int64_t* strides = nullptr;
  uint64_t byte_offset = 0;
};

// DLManagedTensor. Who is done with it calls `deleter` once.
struct DlManagedTensor {
  DlTensor tensor;
  void* context = nullptr;
  void (*deleter)(DlManagedTensor* self) = nullptr;
};

// The buffer's memory, which stays until the tensor's deleter is called.
// FailedPrecondition, IND1110: the host doesn't see the memory (another device
// than a CPU). Unimplemented, IND1110: DLPack has no such type, or its elements
// are packed there (below 8 bits).
absl::StatusOr<DlManagedTensor*> ToDlpack(const Buffer& buffer);

// A buffer over the tensor's memory, as Client::ShareWithDevice; its deleter is
// called when the plugin needs it no more. After an error the caller still owns
// the tensor. InvalidArgument, IND1110: not row-major, of a type that buffers
// don't have, or null. Unimplemented, IND1110: not in the host's memory.
absl::StatusOr<Buffer> FromDlpack(const Client& client, DlManagedTensor* tensor,
                                  const Device& device = {});

}  // namespace indim::pjrt

#endif  // INDIM_RUN_DLPACK_H_

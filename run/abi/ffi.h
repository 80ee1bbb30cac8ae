// SPDX-License-Identifier: Apache-2.0
// The C ABI of custom calls and passes in our own words, made of ffi.def.

#ifndef INDIM_RUN_ABI_FFI_H_
#define INDIM_RUN_ABI_FFI_H_

#include <cstddef>
#include <cstdint>

#include "indim/run/abi/abi.h"

namespace indim::pjrt::abi {

// What XLA calls of a pass, with its PassCallbacks first, then the PassArgs.
using PassCallback = void (*)(void* callbacks, void* args);
using PassCleanup = void (*)(void* data);

#define INDIM_FFI_STRUCT(name, xla) \
  struct name {                     \
    static constexpr size_t Size(); \
    Head head{Size(), nullptr};
#define INDIM_FFI_PLAIN_STRUCT(name, xla) \
  struct name {                           \
    static constexpr size_t Size();
#define INDIM_FFI_FIELD(type, name, xla) type name{};
#define INDIM_FFI_END(name, last) \
  }                               \
  ;                               \
  constexpr size_t name::Size() { return offsetof(name, last) + sizeof(last); }
#include "indim/run/abi/ffi.def"
#undef INDIM_FFI_STRUCT
#undef INDIM_FFI_PLAIN_STRUCT
#undef INDIM_FFI_FIELD
#undef INDIM_FFI_END

// The numbers of the plugins' extensions, of the version of passes, and of a
// frame's extension with metadata.
constexpr int kFfiExtension = 5;
constexpr int kPassExtension = 24;
constexpr int64_t kPassVersion = 1;
constexpr int kMetadataExtension = 1;

enum FfiAttributeKind : int {
  kArrayAttribute = 1,
  kDictionaryAttribute = 2,
  kScalarAttribute = 3,
  kTextAttribute = 4,
};
constexpr int kBufferArgument = 1;
constexpr int kExecuteStage = 3;
constexpr int kFfiMajor = 0, kFfiMinor = 1;

}  // namespace indim::pjrt::abi

#endif  // INDIM_RUN_ABI_FFI_H_

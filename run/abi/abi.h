// SPDX-License-Identifier: Apache-2.0
// The C ABI of PJRT plugins in our own words: the layout of its structs and the
// places of its functions, made of abi.def. Facts, not XLA's code.

#ifndef INDIM_RUN_ABI_ABI_H_
#define INDIM_RUN_ABI_ABI_H_

#include <cstddef>
#include <cstdint>

namespace indim::pjrt::abi {

// The beginning of an entry in the list of extensions. `type`: a number of
// extensions.def.
struct Extension {
  size_t size = 0;
  int type = 0;
  Extension* next = nullptr;
};

// The beginning of every struct. `size` is the struct's size, from which either
// side knows which fields the other one has.
struct Head {
  size_t size = 0;
  Extension* extensions = nullptr;
};

// Which of a named value's kinds it has.
enum NamedValueType : int {
  kString = 0,
  kInt64 = 1,
  kInt64List = 2,
  kFloat = 3,
  kBool = 4,
};
union ValueUnion {
  const char* text;
  int64_t integer = 0;
  const int64_t* integers;
  float real;
  bool boolean;
};

// A number that a device may not tell.
struct KnownNumber {
  int64_t value = 0;
  bool known = false;
};

// How long a plugin may read the host's memory. kMutableZeroCopy lets it write
// there too.
enum HostBufferSemantics : int {
  kDuringCall = 0,
  kUntilTransferred = 1,
  kZeroCopy = 2,
  kMutableZeroCopy = 3,
};

using OnReadyCallback = void (*)(void* error, void* user);
using DeleteCallback = void (*)(void* object);
using ViewDeletedCallback = void (*)(void* data, void* user);

// How many bytes of a struct are fields: XLA doesn't count what pads the end.
#define INDIM_PJRT_STRUCT(name, xla) \
  struct name {                      \
    static constexpr size_t Size();  \
    Head head{Size(), nullptr};
#define INDIM_PJRT_FUNCTION(slot, name, xla)  \
  struct name##Args {                         \
    static constexpr size_t kSlot = slot;     \
    static constexpr const char* kName = xla; \
    static constexpr size_t Size();           \
    Head head{Size(), nullptr};
#define INDIM_PJRT_FIELD(type, name, xla) type name{};
#define INDIM_PJRT_END(name, last) \
  }                                \
  ;                                \
  constexpr size_t name::Size() { return offsetof(name, last) + sizeof(last); }
#include "indim/run/abi/abi.def"
#undef INDIM_PJRT_STRUCT
#undef INDIM_PJRT_FUNCTION
#undef INDIM_PJRT_FIELD
#undef INDIM_PJRT_END

// Takes an argument struct. Gives null or an error.
using Function = void* (*)(void*);
// The type of ErrorDestroy and ErrorMessage, which return nothing.
using SilentFunction = void (*)(void*);
inline SilentFunction ToSilent(Function function) {
  return reinterpret_cast<SilentFunction>(
      reinterpret_cast<void (*)()>(function));
}

// The result of a plugin's GetPjrtApi(). `head.size` tells how many functions
// there are.
struct Api {
  Head head;
  Head version_head;
  int major_version = 0;
  int minor_version = 0;
  Function functions[1];
};

// Where a number of functions ends in Api.
constexpr size_t EndOfFunctions(size_t count) {
  return offsetof(Api, functions) + count * sizeof(Function);
}

}  // namespace indim::pjrt::abi

#endif  // INDIM_RUN_ABI_ABI_H_

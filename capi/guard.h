// The border of the C interface: what happens inside ends as an indim_error*,
// exceptions included. No other code of Indim catches any.

#ifndef INDIM_CAPI_GUARD_H_
#define INDIM_CAPI_GUARD_H_

#include <indim.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/capi/diagnostics.h"

namespace indim::capi {

// The one error that takes no memory.
indim_error* OutOfMemory() noexcept;
// Null for OK. With the diagnostics that the message tells of, where it does
// (DiagnosticsOf).
indim_error* ErrorOf(const absl::Status& status);
// The error of a call that found `diagnostics`, one of which is an error.
indim_error* ErrorOf(DiagnosticList diagnostics);
indim_error* ErrorOf(const absl::Status& status, DiagnosticList diagnostics);
// InvalidArgument: a misuse of the interface itself (IND1300).
indim_error* Misuse(absl::string_view what);
// "WHAT is null".
indim_error* NullArgument(absl::string_view what);

// The result of `call`, which returns an indim_error*.
template <typename Call>
indim_error* Guard(Call call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (...) {
    try {
      return ErrorOf(absl::InternalError("an exception of a library"));
    } catch (...) {
      return OutOfMemory();
    }
  }
}

// The result of `call`, or `otherwise` where it throws: for functions that
// return no error.
template <typename Call, typename T>
T GuardValue(T otherwise, Call call) noexcept {
  try {
    return call();
  } catch (...) {
    return otherwise;
  }
}

// --- Arguments ---------------------------------------------------------------

// Whether a pointer and a count are a list.
inline bool IsList(const void* data, size_t size) {
  return data != nullptr || size == 0;
}
inline absl::string_view Text(const char* data, size_t size) {
  return data == nullptr ? absl::string_view() : absl::string_view(data, size);
}
template <typename T>
absl::Span<const T> List(const T* data, size_t size) {
  return data == nullptr ? absl::Span<const T>()
                         : absl::Span<const T>(data, size);
}

// What a caller's options say: `options` with the fields that the caller's
// version has, the others 0. False: struct_size is none.
template <typename T>
bool ReadOptions(const T* options, T* result) {
  *result = T();
  result->struct_size = sizeof(T);
  if (options == nullptr) return true;
  const size_t size = options->struct_size;
  if (size < sizeof(size_t)) return false;
  const size_t known = size < sizeof(T) ? size : sizeof(T);
  __builtin_memcpy(static_cast<void*>(result), options, known);
  result->struct_size = sizeof(T);
  return true;
}
// Writes as much of `value` to a struct of the caller as its version has.
// False: struct_size is none.
template <typename T>
bool WriteStruct(T value, T* to) {
  const size_t size = to->struct_size;
  if (size < sizeof(size_t)) return false;
  value.struct_size = size;
  __builtin_memcpy(static_cast<void*>(to), &value,
                   size < sizeof(T) ? size : sizeof(T));
  return true;
}

// Gives a text and its size to a caller who may not ask for the size.
inline const char* Give(absl::string_view text, size_t* size) {
  if (size != nullptr) *size = text.size();
  return text.data();
}
inline const char* GiveNothing(size_t* size) { return Give("", size); }

}  // namespace indim::capi

// Returns the error of a null argument; for functions that return indim_error*.
#define INDIM_CHECK_GIVEN(pointer)                               \
  do {                                                           \
    if ((pointer) == nullptr) {                                  \
      return ::indim::capi::Guard(                               \
          [] { return ::indim::capi::NullArgument(#pointer); }); \
    }                                                            \
  } while (false)
// Of a list whose pointer is null although its count isn't 0.
#define INDIM_CHECK_LIST(pointer, count)                         \
  do {                                                           \
    if (!::indim::capi::IsList((pointer), (count))) {            \
      return ::indim::capi::Guard(                               \
          [] { return ::indim::capi::NullArgument(#pointer); }); \
    }                                                            \
  } while (false)

#endif  // INDIM_CAPI_GUARD_H_

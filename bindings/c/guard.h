// SPDX-License-Identifier: Apache-2.0
// The border of the C interface: what happens inside ends as an indim_error*,
// exceptions included. No other code of Indim catches any.

#ifndef INDIM_BINDINGS_C_GUARD_H_
#define INDIM_BINDINGS_C_GUARD_H_

#include <indim.h>

#include <initializer_list>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/bindings/c/diagnostics.h"
#include "indim/ir/module.h"
#include "indim/passes/sizes/refine.h"

namespace indim::capi {

// What a call returns that found no error.
inline constexpr indim_error* kOk = nullptr;
// The one error that takes no memory.
indim_error* OutOfMemory() noexcept;
// Null for OK. With the diagnostics of FromStatus.
indim_error* ErrorOf(const absl::Status& status);
// The error of a call that found `diagnostics`, one of which is an error.
indim_error* ErrorOf(DiagnosticList diagnostics);
indim_error* ErrorOf(const absl::Status& status, DiagnosticList diagnostics);
// Of a module, `before`, that can't have the sizes that it was given.
indim_error* RefinementError(const Module& before, const RefineResult& refined);
// InvalidArgument: a misuse of the interface itself (IND1300).
indim_error* Misuse(absl::string_view what);
// "WHAT is null".
indim_error* NullArgument(absl::string_view what);
// "NAME's struct_size isn't set".
indim_error* NoStructSize(absl::string_view name);

// A pointer that a caller must give: to one thing, or to a list, which may be
// null where it is empty.
struct Argument {
  const char* name;
  const void* pointer;
  size_t count = 1;
};

// The result of `call`, which returns an indim_error*. Of arguments that must
// be there and aren't, the error names the first.
template <typename Call>
indim_error* Guard(std::initializer_list<Argument> arguments,
                   Call call) noexcept {
  try {
    for (const Argument& argument : arguments) {
      if (argument.pointer == nullptr && argument.count != 0) {
        return NullArgument(argument.name);
      }
    }
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

// --- Results -----------------------------------------------------------------

// Gives what was made as a new object of the caller's, or its error.
template <typename Made, typename Handle>
indim_error* GiveNew(Made made, Handle** to) {
  *to = new Handle{std::move(made)};
  return kOk;
}
template <typename Made, typename Handle>
indim_error* GiveNew(absl::StatusOr<Made> made, Handle** to) {
  return made.ok() ? GiveNew(*std::move(made), to) : ErrorOf(made.status());
}

// --- Options -----------------------------------------------------------------

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
// The result of `call` with what a caller's options say; `name` is their
// struct's.
template <typename T, typename Call>
indim_error* WithOptions(absl::string_view name, const T* options, Call call) {
  T given;
  return ReadOptions(options, &given) ? call(given) : NoStructSize(name);
}
// Both.
template <typename T, typename Call>
indim_error* GuardOptions(std::initializer_list<Argument> arguments,
                          absl::string_view name, const T* options,
                          Call call) noexcept {
  return Guard(arguments, [&] { return WithOptions(name, options, call); });
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

#endif  // INDIM_BINDINGS_C_GUARD_H_

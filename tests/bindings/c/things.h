// SPDX-License-Identifier: Apache-2.0
// Objects of the C interface for its tests.

#ifndef INDIM_TESTS_BINDINGS_C_THINGS_H_
#define INDIM_TESTS_BINDINGS_C_THINGS_H_

#include <indim.h>

#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace indim {

// A message without its error, for tests that expect none.
inline std::string MessageOf(indim_error* error) {
  std::string message = indim_error_message(error, nullptr);
  indim_error_release(error);
  return message;
}
#define EXPECT_NO_ERROR(call) EXPECT_EQ(::indim::MessageOf(call), "")
#define ASSERT_NO_ERROR(call) ASSERT_EQ(::indim::MessageOf(call), "")

// The bytes, which it releases.
inline std::string Take(indim_bytes* bytes) {
  size_t size = 0;
  const char* const data = indim_bytes_data(bytes, &size);
  std::string text(data, size);
  indim_bytes_release(bytes);
  return text;
}

inline indim_error* Parse(const char* text, indim_shape** shape) {
  return indim_shape_parse(text, std::strlen(text), shape);
}

template <typename T>
T Sized() {
  T options = {};
  options.struct_size = sizeof(T);
  return options;
}

// One of everything that works, so that a test can break one part of a call.
struct Things {
  Things();
  ~Things();
  Things(const Things&) = delete;
  Things& operator=(const Things&) = delete;

  indim_shape* shape = nullptr;  // f32[2]
  indim_literal* literal = nullptr;
  indim_builder* builder = nullptr;  // with x and y = x + x
  indim_value x = INDIM_NO_VALUE;
  indim_value y = INDIM_NO_VALUE;
  indim_module* module = nullptr;  // the same, built
  indim_columns* columns = nullptr;
  indim_editor* editor = nullptr;
  indim_builder* insertion = nullptr;  // behind y
  indim_callee* callee = nullptr;
  indim_plan* plan = nullptr;
  indim_diagnostics* diagnostics = nullptr;  // none
};

}  // namespace indim

#endif  // INDIM_TESTS_BINDINGS_C_THINGS_H_

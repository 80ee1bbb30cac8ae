// SPDX-License-Identifier: Apache-2.0
// The element type of a C++ type.

#ifndef INDIM_RUN_NATIVE_ELEMENT_H_
#define INDIM_RUN_NATIVE_ELEMENT_H_

#include <complex>
#include <type_traits>

#include "indim/proto/codec/literal.h"
#include "indim/shape/types/element_type.h"

namespace indim::pjrt::internal {

// Of a bool, an integer of 8 to 64 bits, a float, a double, a std::complex of
// these.
template <typename T>
constexpr ElementType NativeElement() {
  using N = indim::internal::NativeOf<T>;
  static_assert(!std::is_void_v<N>,
                "an element is a bool, a number or a complex number");
  if constexpr (std::is_same_v<N, bool>) return ElementType::kPred;
  if constexpr (std::is_same_v<N, int8_t>) return ElementType::kS8;
  if constexpr (std::is_same_v<N, int16_t>) return ElementType::kS16;
  if constexpr (std::is_same_v<N, int32_t>) return ElementType::kS32;
  if constexpr (std::is_same_v<N, int64_t>) return ElementType::kS64;
  if constexpr (std::is_same_v<N, uint8_t>) return ElementType::kU8;
  if constexpr (std::is_same_v<N, uint16_t>) return ElementType::kU16;
  if constexpr (std::is_same_v<N, uint32_t>) return ElementType::kU32;
  if constexpr (std::is_same_v<N, uint64_t>) return ElementType::kU64;
  if constexpr (std::is_same_v<N, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<N, double>) return ElementType::kF64;
  if constexpr (std::is_same_v<N, std::complex<float>>) {
    return ElementType::kC64;
  }
  return ElementType::kC128;
}

}  // namespace indim::pjrt::internal

#endif  // INDIM_RUN_NATIVE_ELEMENT_H_

// SPDX-License-Identifier: Apache-2.0
// Number: a C++ number of any type, as an argument.

#ifndef INDIM_PROTO_CODEC_NUMBER_H_
#define INDIM_PROTO_CODEC_NUMBER_H_

#include <cstdint>
#include <string>
#include <type_traits>

namespace indim {

// A number without loss: an integer of up to 64 bits or a double, never
// converted into each other. Any C++ number converts to it.
class Number {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr Number(T value)  // NOLINT
      : is_integer_(std::is_integral_v<T>) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) is_negative_ = value < 0;
      bits_ = static_cast<uint64_t>(value);
    } else {
      real_ = static_cast<double>(value);
    }
  }

  bool is_integer() const { return is_integer_; }
  bool is_negative() const { return is_negative_; }  // only for an integer
  // The absolute value of an integer.
  uint64_t magnitude() const { return is_negative_ ? -bits_ : bits_; }
  // The double nearest to an integer, or the number itself.
  double AsDouble() const;
  // "-3", "0.5"
  std::string ToString() const;

 private:
  bool is_integer_;
  bool is_negative_ = false;
  uint64_t bits_ = 0;  // two's complement
  double real_ = 0;
};

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_NUMBER_H_

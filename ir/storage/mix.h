// SPDX-License-Identifier: Apache-2.0
// MixBits: a good mix of the bits of a number, the same in every run and on
// every machine (the last step of splitmix64). For values that are kept; hash
// tables have absl::Hash.

#ifndef INDIM_IR_STORAGE_MIX_H_
#define INDIM_IR_STORAGE_MIX_H_

#include <cstdint>

namespace indim {

inline uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace indim

#endif  // INDIM_IR_STORAGE_MIX_H_

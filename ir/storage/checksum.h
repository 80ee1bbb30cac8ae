// SPDX-License-Identifier: Apache-2.0
// Checksum: 64 bits that detect accidental changes of bytes, not an
// adversary's. XXH64 with seed 0, so that other programs can check a file of
// Indim's. Hosts of either byte order give the same value.

#ifndef INDIM_IR_STORAGE_CHECKSUM_H_
#define INDIM_IR_STORAGE_CHECKSUM_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace indim {

class Checksum {
 public:
  // Adds `bytes`; the division into calls doesn't matter.
  void Add(absl::string_view bytes);
  // The checksum of all bytes so far.
  uint64_t value() const;

 private:
  static constexpr size_t kBlock = 32;

  void AddBlock(const char* block);

  uint64_t lanes_[4] = {0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0,
                        0x61c8864e7a143579};
  char rest_[kBlock] = {};  // the first total_ % kBlock bytes are in use
  uint64_t total_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_CHECKSUM_H_

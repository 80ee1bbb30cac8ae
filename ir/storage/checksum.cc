// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/checksum.h"

#include <algorithm>

namespace indim {
namespace {

// The primes in XXH64's specification.
constexpr uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr uint64_t kPrime5 = 0x27d4eb2f165667c5;

uint64_t RotateLeft(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

// Little-endian loads, which compilers turn into a single load.
uint64_t Load8(const char* at) { return static_cast<uint8_t>(*at); }
uint64_t Load16(const char* at) { return Load8(at) | Load8(at + 1) << 8; }
uint64_t Load32(const char* at) { return Load16(at) | Load16(at + 2) << 16; }
uint64_t Load64(const char* at) { return Load32(at) | Load32(at + 4) << 32; }

uint64_t Round(uint64_t lane, uint64_t word) {
  return RotateLeft(lane + word * kPrime2, 31) * kPrime1;
}

}  // namespace

void Checksum::AddBlock(const char* block) {
  for (int i = 0; i < 4; ++i) {
    lanes_[i] = Round(lanes_[i], Load64(block + 8 * i));
  }
}

void Checksum::Add(absl::string_view bytes) {
  const size_t held = static_cast<size_t>(total_ % kBlock);
  total_ += bytes.size();
  if (held != 0) {
    const size_t taken = std::min(kBlock - held, bytes.size());
    bytes.copy(rest_ + held, taken);
    bytes.remove_prefix(taken);
    if (held + taken < kBlock) return;
    AddBlock(rest_);
  }
  while (bytes.size() >= kBlock) {
    AddBlock(bytes.data());
    bytes.remove_prefix(kBlock);
  }
  bytes.copy(rest_, bytes.size());
}

uint64_t Checksum::value() const {
  uint64_t hash = kPrime5;
  if (total_ >= kBlock) {
    hash = RotateLeft(lanes_[0], 1) + RotateLeft(lanes_[1], 7) +
           RotateLeft(lanes_[2], 12) + RotateLeft(lanes_[3], 18);
    for (const uint64_t lane : lanes_) {
      hash = (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
    }
  }
  hash += total_;
  const char* at = rest_;
  size_t left = static_cast<size_t>(total_ % kBlock);
  for (; left >= 8; at += 8, left -= 8) {
    hash ^= Round(0, Load64(at));
    hash = RotateLeft(hash, 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    hash ^= Load32(at) * kPrime1;
    hash = RotateLeft(hash, 23) * kPrime2 + kPrime3;
    at += 4;
    left -= 4;
  }
  for (; left > 0; ++at, --left) {
    hash ^= Load8(at) * kPrime5;
    hash = RotateLeft(hash, 11) * kPrime1;
  }
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace indim

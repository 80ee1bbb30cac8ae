// SPDX-License-Identifier: Apache-2.0
// Cursor: reads the primitives of MLIR's bytecode from bytes. Every access is
// checked; after the first error it reads zeros and empty strings, so a caller
// may check for errors once after several reads.

#ifndef INDIM_STABLEHLO_BYTECODE_CURSOR_H_
#define INDIM_STABLEHLO_BYTECODE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::mlir {

// An error (InvalidArgument, with a code) about byte `offset` of an artifact.
absl::Status BytecodeError(size_t offset, absl::string_view message,
                           Code code = Code::kArtifactMalformed);

class Cursor {
 public:
  Cursor() = default;
  // `offset` is the place of `bytes` in the artifact, for errors.
  Cursor(absl::string_view bytes, size_t offset)
      : bytes_(bytes), offset_(offset) {}

  bool ok() const { return message_.empty(); }
  bool AtEnd() const { return at_ == bytes_.size(); }
  size_t remaining() const { return bytes_.size() - at_; }
  // In the artifact.
  size_t offset() const { return offset_ + at_; }
  absl::Status status() const {
    return ok() ? absl::OkStatus()
                : BytecodeError(error_offset_, message_, code_);
  }

  // Records an error at the current place, unless there is one already.
  void Fail(absl::string_view message, Code code = Code::kArtifactMalformed);

  uint8_t Byte();
  // One to nine bytes; the low bits of the first tell how many.
  uint64_t Varint() {
    if (at_ < bytes_.size()) {
      const uint8_t first = static_cast<uint8_t>(bytes_[at_]);
      if ((first & 1) != 0 && ok()) {
        ++at_;
        return first >> 1;
      }
    }
    return LongVarint();
  }
  int64_t SignedVarint() {
    const uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  // The number of things that follow, each of at least one byte.
  size_t Count();
  // An index below `size`; 0 and an error otherwise.
  size_t Index(size_t size, absl::string_view what);
  absl::string_view Bytes(uint64_t size);
  // A varint, and as many bytes as it says.
  absl::string_view Blob() { return Bytes(Varint()); }
  // Up to the next zero byte, which is consumed too.
  absl::string_view ZeroTerminated();

 private:
  uint64_t LongVarint();

  absl::string_view bytes_;
  size_t offset_ = 0;
  size_t at_ = 0;
  size_t error_offset_ = 0;
  std::string message_;
  Code code_ = Code::kNone;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_CURSOR_H_

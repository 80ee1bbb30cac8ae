// SPDX-License-Identifier: Apache-2.0
// BytePieces: a byte string that need not be in memory as a whole. It is a list
// of pieces: bytes in memory, repeated bytes, bytes made on demand, ranges of
// files.

#ifndef INDIM_IR_STORAGE_BYTE_PIECES_H_
#define INDIM_IR_STORAGE_BYTE_PIECES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/file.h"

namespace indim {

// A range of a file, and the checksum of its bytes.
struct CheckedRange {
  std::shared_ptr<const RandomAccessFile> file;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t checksum = 0;
};

class BytePieces {
 public:
  // Appends a view; its bytes must outlive this, or an owner be passed to Keep.
  void Append(absl::string_view bytes);
  void AppendOwned(std::string bytes);
  void Keep(std::shared_ptr<const void> owner);
  // Appends `size` bytes that repeat `unit`, the last time perhaps in part. An
  // empty unit appends nothing.
  void AppendRepeated(std::string unit, uint64_t size);
  // Appends `size` bytes that `make` produces: each call must give them to its
  // argument in order.
  using Take = absl::FunctionRef<absl::Status(absl::string_view)>;
  using Maker = std::function<absl::Status(Take)>;
  void AppendWith(uint64_t size, Maker make);
  // Appends a range. `place` begins the errors of reading it.
  void AppendRange(CheckedRange range, std::string place);
  void AppendAll(const BytePieces& other);

  uint64_t size() const { return size_; }

  // Calls take(chunk) for all bytes in order, with at most about 1 MiB of
  // memory. Errors: those of take; InvalidArgument where a range can't be read
  // or, found at its end, its bytes were altered.
  absl::Status ForEach(Take take) const;
  // All bytes. Errors as in ForEach; ResourceExhausted: they don't fit into
  // memory.
  absl::StatusOr<std::string> ToString() const;

 private:
  struct Piece {
    absl::string_view bytes;
    uint64_t size = 0;  // above bytes.size(): bytes repeat
    CheckedRange range;
    std::string place;
    Maker make;
  };
  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<const void>> owners_;
  uint64_t size_ = 0;
};

// Calls take(chunk) for the bytes of `range`; errors as in BytePieces::ForEach.
absl::Status ForEachChunk(
    const CheckedRange& range,
    absl::FunctionRef<absl::Status(absl::string_view)> take);

// WriteFile (file.h) for pieces. Errors of WriteFile and ForEach.
absl::Status WritePieces(absl::string_view path, const BytePieces& pieces);

}  // namespace indim

#endif  // INDIM_IR_STORAGE_BYTE_PIECES_H_

// BytePieces: bytes that need not all be in memory at once. A list of pieces:
// bytes that are there, a few bytes again and again, bytes that are made when
// they are asked for, a range of a file.

#ifndef INDIM_STORAGE_BYTE_PIECES_H_
#define INDIM_STORAGE_BYTE_PIECES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/storage/file.h"

namespace indim {

// A range of a file, and what its bytes must be.
struct CheckedRange {
  std::shared_ptr<const RandomAccessFile> file;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t checksum = 0;
};

class BytePieces {
 public:
  // What is viewed must outlive this, or be kept by it.
  void Append(absl::string_view bytes);
  void AppendOwned(std::string bytes);
  void Keep(std::shared_ptr<const void> owner);
  // `unit` from its start again and again, until there are `size` bytes. An
  // empty unit appends nothing.
  void AppendRepeated(std::string unit, uint64_t size);
  // `size` bytes that `make` gives to what it is called with, in order, each
  // time it is called.
  using Take = absl::FunctionRef<absl::Status(absl::string_view)>;
  using Maker = std::function<absl::Status(Take)>;
  void AppendMade(uint64_t size, Maker make);
  // `place` begins the errors of reading it.
  void AppendRange(CheckedRange range, std::string place);
  void AppendAll(const BytePieces& other);

  uint64_t size() const { return size_; }

  // take(chunk) for all bytes in order. Memory: at most about 1 MiB. Errors:
  // those of take; InvalidArgument where a range can't be read or its bytes
  // were altered, which is known at its end.
  absl::Status ForEach(Take take) const;
  // All of them. Errors as ForEach; ResourceExhausted: more than memory
  // holds.
  absl::StatusOr<std::string> ToString() const;

 private:
  struct Piece {
    absl::string_view bytes;
    uint64_t size = 0;  // above bytes.size(): they are repeated
    CheckedRange range;
    std::string place;
    Maker make;
  };
  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<const void>> owners_;
  uint64_t size_ = 0;
};

// take(chunk) for the bytes of `range`, as BytePieces::ForEach.
absl::Status ForEachChunk(
    const CheckedRange& range,
    absl::FunctionRef<absl::Status(absl::string_view)> take);

// WriteFile (file.h) of pieces. Errors of both.
absl::Status WritePieces(absl::string_view path, const BytePieces& pieces);

}  // namespace indim

#endif  // INDIM_STORAGE_BYTE_PIECES_H_

// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/byte_pieces.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/checksum.h"
#include "indim/ir/storage/memory.h"

namespace indim {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

using Take = BytePieces::Take;

absl::Status Repeat(absl::string_view unit, uint64_t size, Take take) {
  // A chunk of whole units, so that every chunk begins with a unit.
  const size_t units = std::max<size_t>(1, kChunk / unit.size());
  std::string chunk;
  chunk.reserve(units * unit.size());
  for (size_t i = 0; i < units && chunk.size() < size; ++i) {
    chunk.append(unit.data(), unit.size());
  }
  while (size > 0) {
    const absl::string_view part = absl::string_view(chunk).substr(
        0, static_cast<size_t>(std::min<uint64_t>(size, chunk.size())));
    const absl::Status status = take(part);
    if (!status.ok()) return status;
    size -= part.size();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ForEachChunk(const CheckedRange& range, Take take) {
  std::string chunk(static_cast<size_t>(std::min<uint64_t>(kChunk, range.size)),
                    '\0');
  Checksum checksum;
  for (uint64_t done = 0; done < range.size;) {
    const size_t count = static_cast<size_t>(
        std::min<uint64_t>(chunk.size(), range.size - done));
    absl::Status status =
        range.file->Read(range.offset + done, &chunk[0], count);
    const absl::string_view part = absl::string_view(chunk).substr(0, count);
    checksum.Add(part);
    if (status.ok()) status = take(part);
    if (!status.ok()) return status;
    done += count;
  }
  if (checksum.value() == range.checksum) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(range.file->path(), " was altered: its ", range.size,
                   " bytes at offset ", range.offset, " have the checksum ",
                   absl::Hex(checksum.value(), absl::kZeroPad16), ", not ",
                   absl::Hex(range.checksum, absl::kZeroPad16)));
}

void BytePieces::Append(absl::string_view bytes) {
  if (bytes.empty()) return;
  Piece& piece = pieces_.emplace_back();
  piece.bytes = bytes;
  piece.size = bytes.size();
  size_ += piece.size;
}

void BytePieces::AppendOwned(std::string bytes) {
  const uint64_t size = bytes.size();
  AppendRepeated(std::move(bytes), size);
}

void BytePieces::AppendRepeated(std::string unit, uint64_t size) {
  if (unit.empty() || size == 0) return;
  auto owned = std::make_shared<const std::string>(std::move(unit));
  Piece& piece = pieces_.emplace_back();
  piece.bytes = *owned;
  piece.size = size;
  size_ += size;
  Keep(std::move(owned));
}

void BytePieces::Keep(std::shared_ptr<const void> owner) {
  owners_.push_back(std::move(owner));
}

void BytePieces::AppendAll(const BytePieces& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  owners_.insert(owners_.end(), other.owners_.begin(), other.owners_.end());
  size_ += other.size_;
}

void BytePieces::AppendRange(CheckedRange range, std::string place) {
  Piece& piece = pieces_.emplace_back();
  piece.size = range.size;
  piece.range = std::move(range);
  piece.place = std::move(place);
  size_ += piece.size;
}

void BytePieces::AppendWith(uint64_t size, Maker make) {
  Piece& piece = pieces_.emplace_back();
  piece.size = size;
  piece.make = std::move(make);
  size_ += size;
}

absl::Status BytePieces::ForEach(Take take) const {
  for (const Piece& piece : pieces_) {
    absl::Status status;
    if (piece.range.file != nullptr) {
      bool taken = true;
      status = ForEachChunk(piece.range, [&](absl::string_view chunk) {
        const absl::Status result = take(chunk);
        taken = result.ok();
        return result;
      });
      if (!status.ok() && taken) {
        status = absl::Status(status.code(),
                              absl::StrCat(piece.place, status.message()));
      }
    } else if (piece.make) {
      status = piece.make(take);
    } else if (piece.size > piece.bytes.size()) {
      status = Repeat(piece.bytes, piece.size, take);
    } else {
      status = take(piece.bytes.substr(0, static_cast<size_t>(piece.size)));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> BytePieces::ToString() const {
  if (size_ > 0 && !CanAllocate(size_)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(size_, " bytes don't fit into memory"));
  }
  std::string result;
  result.reserve(static_cast<size_t>(size_));
  const absl::Status status = ForEach([&](absl::string_view chunk) {
    result.append(chunk.data(), chunk.size());
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return result;
}

absl::Status WritePieces(absl::string_view path, const BytePieces& pieces) {
  absl::StatusOr<FileWriter> file = FileWriter::Open(path);
  if (!file.ok()) return file.status();
  absl::Status status = pieces.ForEach(
      [&](absl::string_view chunk) { return file->Write(chunk); });
  if (status.ok()) status = file->Commit();
  return status;
}

}  // namespace indim

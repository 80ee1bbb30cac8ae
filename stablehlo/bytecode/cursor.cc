// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/cursor.h"

#include "absl/base/optimization.h"
#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::mlir {

absl::Status BytecodeError(size_t offset, absl::string_view message,
                           Code code) {
  return ErrorWithCode(
      absl::StatusCode::kInvalidArgument, code,
      absl::StrCat("byte ", offset, " of the artifact: ", message));
}

void Cursor::Fail(absl::string_view message, Code code) {
  if (!ok()) return;
  message_ = std::string(message);
  code_ = code;
  error_offset_ = offset();
  at_ = bytes_.size();
}

uint8_t Cursor::Byte() {
  if (ABSL_PREDICT_FALSE(AtEnd() || !ok())) {
    Fail("the artifact ends too early", Code::kArtifactTruncated);
    return 0;
  }
  return static_cast<uint8_t>(bytes_[at_++]);
}

uint64_t Cursor::LongVarint() {
  if (AtEnd() || !ok()) {
    Fail("the artifact ends too early", Code::kArtifactTruncated);
    return 0;
  }
  const uint8_t first = static_cast<uint8_t>(bytes_[at_]);
  const size_t size =
      first == 0 ? 9 : 1 + static_cast<size_t>(absl::countr_zero(first));
  if (remaining() < size) {
    Fail("the artifact ends inside a number", Code::kArtifactTruncated);
    return 0;
  }
  // The bytes after the first; of nine bytes, the first holds nothing.
  uint64_t high = 0;
  for (size_t i = 1; i < size; ++i) {
    high |= uint64_t{static_cast<uint8_t>(bytes_[at_ + i])} << (8 * (i - 1));
  }
  at_ += size;
  if (size == 9) return high;
  return high << (8 - size) | uint64_t{first} >> size;
}

size_t Cursor::Count() {
  const uint64_t count = Varint();
  if (count <= remaining()) return static_cast<size_t>(count);
  Fail(absl::StrCat("a list of ", count, " things doesn't fit into the ",
                    remaining(), " bytes that follow"),
       Code::kArtifactTruncated);
  return 0;
}

size_t Cursor::Index(size_t size, absl::string_view what) {
  const uint64_t index = Varint();
  if (!ok()) return 0;
  if (index < size) return static_cast<size_t>(index);
  Fail(absl::StrCat("there is no ", what, " number ", index, ", only ", size),
       Code::kArtifactIndex);
  return 0;
}

absl::string_view Cursor::Bytes(uint64_t size) {
  if (size > remaining()) {
    Fail(absl::StrCat(size, " bytes should follow, but only ", remaining(),
                      " do"),
         Code::kArtifactTruncated);
    return {};
  }
  const absl::string_view bytes = bytes_.substr(at_, size);
  at_ += size;
  return bytes;
}

absl::string_view Cursor::ZeroTerminated() {
  const size_t end = bytes_.find('\0', at_);
  if (end == bytes_.npos) {
    Fail("a string doesn't end with a zero byte", Code::kArtifactTruncated);
    return {};
  }
  const absl::string_view text = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return text;
}

}  // namespace indim::mlir

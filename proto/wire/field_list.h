// SPDX-License-Identifier: Apache-2.0
// FieldList: the fields of one message, so that single fields can be read,
// replaced and removed while every other byte stays.
//
// It is made for small messages (an instruction's attributes): it views bytes
// and copies them only when a field is set.

#ifndef INDIM_PROTO_WIRE_FIELD_LIST_H_
#define INDIM_PROTO_WIRE_FIELD_LIST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/dims/dim.h"

namespace indim {

class FieldList {
 public:
  // No fields yet. `message` must not be WireMessage::kNone.
  explicit FieldList(WireMessage message);
  // The fields of canonical bytes, which must outlive the list; of other bytes
  // those before the first fault.
  FieldList(WireMessage message, absl::string_view canonical)
      : FieldList(message) {
    Append(canonical);
  }
  // The fields of attribute bytes, which must outlive the list.
  static FieldList Of(AttributeBytesView attribute_bytes);
  FieldList(FieldList&&) = default;
  FieldList& operator=(FieldList&&) = default;

  // Adds the fields of canonical bytes, which must outlive this list. Call it
  // with runs in the order of the message. Returns false where the bytes are
  // not canonical; the fields before that place are added.
  bool Append(absl::string_view canonical);
  bool Append(AttributeBytesView attribute_bytes);

  WireMessage message() const { return info_->message(); }
  bool has(uint32_t number) const { return Find(number) != nullptr; }
  // Calls f(number) for each present field of the wire table, in ascending
  // order.
  template <typename F>
  void ForEachNumber(F f) const {
    for (const Field& field : fields_) f(field.number);
  }

  // Readers. An absent field reads as 0, an empty list or empty text; so does a
  // value whose form differs from the wire table.

  // A varint; int32 and enums sign-extended, bool as 0 or 1.
  int64_t Number(uint32_t number) const;
  float Float(uint32_t number) const;
  double Double(uint32_t number) const;
  DimIndices Numbers(uint32_t number) const;  // packed varints
  // The first record of a text, bytes or message field.
  absl::string_view Text(uint32_t number) const;
  // Every record of a repeated text or message field.
  std::vector<absl::string_view> Texts(uint32_t number) const;

  // Writers replace all records of a field by canonical ones. A value that
  // implicit presence doesn't write (0, no elements, empty bytes) removes the
  // field. A number that the wire table lacks is ignored.

  // Clamps the value into the range of a 32-bit field.
  void SetNumber(uint32_t number, int64_t value);
  void SetFloat(uint32_t number, float value);
  void SetDouble(uint32_t number, double value);
  void SetNumbers(uint32_t number, const DimIndices& values);
  void SetText(uint32_t number, absl::string_view value);
  void SetTexts(uint32_t number, const std::vector<std::string>& values);
  void Remove(uint32_t number);

  // Canonical bytes of the message.
  std::string Serialize() const;
  // Serialize for an HloInstructionProto, as the three runs of attribute bytes.
  OwnedAttributeBytes ToAttributeBytes() const;

  // Compares the serialized bytes.
  friend bool operator==(const FieldList& a, const FieldList& b) {
    return a.Serialize() == b.Serialize();
  }

 private:
  // All records of one known field.
  struct Field {
    uint32_t number = 0;
    absl::string_view records;
  };
  const Field* Find(uint32_t number) const;
  // The row of the field; null where the table lacks it.
  const WireField* Row(uint32_t number) const { return info_->Find(number); }
  // `records` must live as long as this list.
  void Set(const WireField& row, absl::string_view records);

  // Owns the records that were set; one chunk suffices for most messages.
  class Kept {
   public:
    Kept() = default;
    Kept(Kept&& other) noexcept
        : chunks_(std::move(other.chunks_)),
          free_(std::exchange(other.free_, nullptr)),
          left_(std::exchange(other.left_, 0)) {}
    Kept& operator=(Kept&& other) noexcept {
      chunks_ = std::move(other.chunks_);
      free_ = std::exchange(other.free_, nullptr);
      left_ = std::exchange(other.left_, 0);
      return *this;
    }

    char* Allocate(size_t size) {
      if (size > left_) AddChunk(size);
      left_ -= size;
      return std::exchange(free_, free_ + size);
    }
    absl::string_view Copy(absl::string_view bytes);

   private:
    void AddChunk(size_t size);

    absl::InlinedVector<std::unique_ptr<char[]>, 1> chunks_;
    char* free_ = nullptr;
    size_t left_ = 0;
  };

  const WireMessageInfo* info_;
  absl::InlinedVector<Field, 8> fields_;  // ascending
  // Fields that the wire table lacks; they come last.
  absl::InlinedVector<absl::string_view, 1> unknown_;
  Kept kept_;
};

// The ids, in XLA's numbering, of an instruction's control predecessors.
DimIndices ControlPredecessors(AttributeBytesView attribute_bytes);

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_FIELD_LIST_H_

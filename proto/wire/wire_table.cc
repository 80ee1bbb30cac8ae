// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/wire_table.h"

#include <vector>

namespace indim {
namespace {

// Numbers below this have a slot each; the few above, all Indim's own, are
// searched.
constexpr uint32_t kDenseNumbers = 128;

// The names in the column `submessage`.
namespace id {
constexpr WireMessage none = WireMessage::kNone;
#define INDIM_WIRE_MESSAGE(message) \
  constexpr WireMessage message = WireMessage::k##message;
#include "indim/proto/wire/wire_messages.def"
}  // namespace id

struct WireFieldRow {
  WireMessage message;
  uint32_t number;
  WireKind kind;
  WireLabel label;
  WirePresence presence;
  WireMessage submessage;
};

constexpr WireFieldRow kRows[] = {
#define INDIM_WIRE_FIELD(message, name, number, kind, label, presence, \
                         submessage)                                   \
  {id::message,                                                        \
   number,                                                             \
   WireKind::kind,                                                     \
   WireLabel::label,                                                   \
   WirePresence::presence,                                             \
   id::submessage},
#include "indim/proto/wire/wire_messages.def"
};

constexpr absl::string_view kNames[] = {
    "",
#define INDIM_WIRE_MESSAGE(message) #message,
#include "indim/proto/wire/wire_messages.def"
};

constexpr size_t kMessages = sizeof(kNames) / sizeof(kNames[0]);

}  // namespace

// Lays out all rows of a message in one array: dense slots first, then higher
// numbers; and all fields again in order.
class WireTableBuilder {
 public:
  WireTableBuilder()
      : infos_(kMessages), dense_(kMessages), ordered_(kMessages) {
    for (size_t i = 0; i < kMessages; ++i) {
      infos_[i].message_ = static_cast<WireMessage>(i);
      infos_[i].name_ = kNames[i];
    }
    for (const WireFieldRow& row : kRows) AddRow(row);
    for (size_t i = 0; i < kMessages; ++i) Link(i);
  }

  absl::Span<const WireMessageInfo> infos() const { return infos_; }

 private:
  void AddRow(const WireFieldRow& row) {
    WireField field;
    field.number = static_cast<uint16_t>(row.number);
    const bool is_plain = row.label == WireLabel::kSingular &&
                          row.presence == WirePresence::kImplicit;
    field.is_plain_number = is_plain && row.kind <= WireKind::kUint64;
    field.is_plain_text = is_plain && row.kind == WireKind::kString;
    field.kind = row.kind;
    field.label = row.label;
    field.presence = row.presence;
    field.wire_type = row.label == WireLabel::kPacked
                          ? WireType::kLengthDelimited
                          : ElementWireType(row.kind);
    if (row.submessage != WireMessage::kNone) {
      WireMessageInfo& submessage = infos_[static_cast<size_t>(row.submessage)];
      if (row.kind == WireKind::kMap) submessage.is_map_entry_ = true;
      field.submessage = &submessage;
    }
    const size_t message = static_cast<size_t>(row.message);
    ordered_[message].push_back(field);
    if (row.number >= kDenseNumbers) return;
    std::vector<WireField>& dense = dense_[message];
    if (dense.size() <= row.number) dense.resize(row.number + 1);
    dense[row.number] = field;
  }

  void Link(size_t i) {
    infos_[i].by_number_ = dense_[i];
    infos_[i].fields_ = ordered_[i];
    size_t low = 0;
    while (low < ordered_[i].size() &&
           ordered_[i][low].number < kDenseNumbers) {
      ++low;
    }
    infos_[i].high_ = infos_[i].fields_.subspan(low);
  }

  std::vector<WireMessageInfo> infos_;
  std::vector<std::vector<WireField>> dense_;
  std::vector<std::vector<WireField>> ordered_;
};

const WireField* WireMessageInfo::FindHigh(uint32_t number) const {
  for (const WireField& field : high_) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

absl::Span<const WireMessageInfo> AllWireMessages() {
  static const WireTableBuilder* const table = new WireTableBuilder;
  return table->infos().subspan(1);
}

const WireMessageInfo& GetWireMessageInfo(WireMessage message) {
  static const WireMessageInfo* const first = AllWireMessages().data();
  return first[static_cast<size_t>(message) - 1];
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/printed_metadata.h"

#include <algorithm>

#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/metadata_text.h"
#include "indim/text/base/text_colors.h"

namespace indim {
namespace {

using field::HloModuleConfigProto::kFramesInOrder;
using field::HloModuleProto::kPayloads;
using field::OpMetadata::kMetadataPayload;
using field::OpMetadata::kSourceColumn;
using field::OpMetadata::kSourceFile;
using field::OpMetadata::kSourceLine;
using field::OpMetadata::kStackFrameId;

// The parts of a metadata that printing may change.
struct Quick {
  int64_t frame = 0;
  bool has_payload = false;
};

// Reads these without decoding the rest: most metadata has a frame and no other
// changes.
Quick Look(absl::string_view wire) {
  Quick quick;
  wire_fields::AllRecords(wire, [&quick](const wire_fields::Record& record) {
    if (record.tag == wire_fields::Varint(kStackFrameId)) {
      quick.frame = static_cast<int32_t>(record.number);
    }
    quick.has_payload |= record.tag == wire_fields::Bytes(kMetadataPayload);
    return true;
  });
  return quick;
}

}  // namespace

PrintedMetadata::PrintedMetadata(const ModuleData& data,
                                 const PrintOptions& options,
                                 const IdOrder& ids)
    : data_(data), options_(options), frames_(data) {
  if (!options.metadata) return;
  pieces_.resize(data.pools->metadata_count());
  FieldList module(WireMessage::kHloModuleProto, data.other_fields);
  payloads_ = module.Texts(kPayloads);
  FieldList config(WireMessage::kHloModuleConfigProto, data.config);
  if (config.Number(kFramesInOrder) != 0) frames_.AddAll();
  NumberFrames(ids);
}

void PrintedMetadata::NumberFrames(const IdOrder& ids) {
  frame_.resize(data_.pools->metadata_count(), kNotSeen);
  if (!frame_.empty()) frame_[0] = 0;  // for instructions without metadata
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    const absl::Span<const InstructionRecord> records = data_.Instructions(c);
    for (const uint32_t i : ids.Of(c)) {
      const MetadataId id = records[i].metadata;
      if (frame_[id.value] == kNotSeen) frame_[id.value] = NumberFrame(id);
    }
  }
}

int64_t PrintedMetadata::NumberFrame(MetadataId id) {
  const Quick quick = Look(data_.pools->metadata(id));
  const int64_t frame = frames_.Add(quick.frame);
  const bool as_stored =
      !quick.has_payload && !(options_.inline_stack_frames && frame != 0);
  return as_stored ? frame : ~frame;
}

void PrintedMetadata::Format(MetadataId id, TextBuffer* out) const {
  const size_t begin = out->size();
  if (options_.color) out->Append(kColorDim);
  if (!AppendText(id, out)) {
    out->Truncate(begin);
  } else if (options_.color) {
    out->Append(kColorEnd);
  }
}

void PrintedMetadata::Forget() {
  std::fill(pieces_.begin(), pieces_.end(), TextBuffer::Piece());
}

bool PrintedMetadata::AppendText(MetadataId id, TextBuffer* out) const {
  if (id.value >= frame_.size()) return false;
  constexpr absl::string_view kPrefix = ", metadata=";
  const absl::string_view wire = data_.pools->metadata(id);
  const int64_t frame = frame_[id.value];
  const bool only_op_name = options_.metadata_only_op_name;
  return frame >= 0 ? AppendMetadata(kPrefix, wire, frame, only_op_name, out)
                    : AppendMetadata(kPrefix, Replaced(wire, ~frame), ~frame,
                                     only_op_name, out);
}

std::string PrintedMetadata::Replaced(absl::string_view wire,
                                      int64_t frame) const {
  FieldList fields(WireMessage::kOpMetadata, wire);
  if (options_.inline_stack_frames && frame != 0) {
    const FrameTable::Place place = frames_.PlaceOf(frame);
    fields.Remove(kStackFrameId);
    fields.SetText(kSourceFile, place.file);
    fields.SetNumber(kSourceLine, place.line);
    fields.SetNumber(kSourceColumn, place.column);
  }
  FieldList payload(WireMessage::kPayload, fields.Text(kMetadataPayload));
  const int64_t index = payload.Number(field::Payload::kId);
  if (payload.has(field::Payload::kId) && index >= 0 &&
      index < static_cast<int64_t>(payloads_.size())) {
    FieldList value(WireMessage::kPayload);
    value.SetText(field::Payload::kValue,
                  payloads_[static_cast<size_t>(index)]);
    fields.SetText(kMetadataPayload, value.Serialize());
  }
  return fields.Serialize();
}

}  // namespace indim

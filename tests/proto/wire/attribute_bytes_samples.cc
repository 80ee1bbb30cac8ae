// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proto/wire/attribute_bytes_samples.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/proto/wire/canonical.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {

std::string Joined(const OwnedAttributeBytes& attribute_bytes) {
  return absl::StrCat(attribute_bytes.before_id, attribute_bytes.control,
                      attribute_bytes.after_callees);
}

bool operator==(const OwnedAttributeBytes& a, const OwnedAttributeBytes& b) {
  return a.before_id == b.before_id && a.control == b.control &&
         a.after_callees == b.after_callees;
}

proto::HloInstructionProto Parse(const OwnedAttributeBytes& attribute_bytes) {
  proto::HloInstructionProto message;
  EXPECT_TRUE(message.ParseFromString(Joined(attribute_bytes)));
  return message;
}

proto::HloInstructionProto FromText(const std::string& text) {
  proto::HloInstructionProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

std::string ToText(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

OwnedAttributeBytes AttributeBytesOf(proto::HloInstructionProto message) {
  message.clear_name();
  message.clear_opcode();
  message.clear_shape();
  message.clear_metadata();
  message.clear_id();
  message.clear_operand_ids();
  message.clear_called_computation_ids();
  OwnedAttributeBytes attribute_bytes;
  proto::HloInstructionProto control;
  *control.mutable_control_predecessor_ids() =
      message.control_predecessor_ids();
  attribute_bytes.control = DeterministicBytes(control);
  message.clear_control_predecessor_ids();
  proto::HloInstructionProto before;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const google::protobuf::Reflection* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  proto::HloInstructionProto after = message;
  before = message;
  reflection->MutableUnknownFields(&before)->Clear();
  for (const auto* field : fields) {
    reflection->ClearField(field->number() < 35 ? &after : &before, field);
  }
  attribute_bytes.before_id = DeterministicBytes(before);
  attribute_bytes.after_callees = DeterministicBytes(after);
  return attribute_bytes;
}

bool IsCanonicalAttributeBytes(const OwnedAttributeBytes& attribute_bytes) {
  return IsCanonical(WireMessage::kHloInstructionProto,
                     Joined(attribute_bytes));
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/bindings/c/attributes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/text_errors.h"

namespace indim::capi {
namespace {

using field::HloInstructionProto::kWindow;

// The fields that an instruction's record has beside its attributes, and the
// names of others, which aren't attributes of an operation alone.
constexpr uint32_t kNotAttributes[] = {
    field::HloInstructionProto::kName,
    field::HloInstructionProto::kOpcode,
    field::HloInstructionProto::kShape,
    field::HloInstructionProto::kMetadata,
    field::HloInstructionProto::kId,
    field::HloInstructionProto::kOperandIds,
    field::HloInstructionProto::kCalledComputationIds,
    field::HloInstructionProto::kControlPredecessorIds,
};

absl::Status NotGivenSo(absl::string_view what, absl::string_view instead) {
  return MisuseStatus(
      absl::StrCat("attributes have ", what, "; to fix: ", instead));
}

absl::StatusOr<GivenAttributes> Decode(Opcode opcode, const FieldList& fields) {
  OwnedAttributeBytes bytes = fields.ToAttributeBytes();
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(opcode, bytes.view());
  if (!attributes.ok() && !fields.has(kWindow)) {
    // A convolution without spatial dims has a window that text omits.
    OwnedAttributeBytes with_window =
        WithField(bytes.view(), static_cast<int>(kWindow), "");
    absl::StatusOr<Attributes> again =
        DecodeAttributes(opcode, with_window.view());
    if (again.ok()) {
      attributes = std::move(again);
      bytes = std::move(with_window);
    }
  }
  if (!attributes.ok()) return attributes.status();
  OwnedAttributeBytes spelled =
      SpellAttributes(opcode, bytes.view(), *attributes);
  return GivenAttributes{*std::move(attributes), std::move(spelled)};
}

// The computations that HLO text must name, for a reader that is given none: so
// that none is missing. *count is how many they are.
std::string ComputationsApart(Opcode opcode, size_t* count) {
  std::string text;
  *count = 0;
  for (const TextAttribute* row : TextAttributesOf(opcode)) {
    const bool is_list = row->kind == ValueSpelling::kCalls;
    if (!row->required || (!is_list && row->kind != ValueSpelling::kFirstCall &&
                           row->kind != ValueSpelling::kSecondCall)) {
      continue;
    }
    absl::StrAppend(&text, ", ", row->name, "=", is_list ? "{%c}" : "%c");
    ++*count;
  }
  return text;
}

}  // namespace

std::optional<BroadcastRule> RuleOf(int32_t number) {
  if (number < INDIM_BROADCAST_XLA || number > INDIM_BROADCAST_BIDIRECTIONAL) {
    return std::nullopt;
  }
  return static_cast<BroadcastRule>(number);
}

absl::StatusOr<std::string> AttributesText(const indim_attributes& given) {
  const std::optional<BroadcastRule> rule = RuleOf(given.broadcast_rule);
  if (!rule) {
    return NotGivenSo(absl::StrCat("the broadcast_rule ", given.broadcast_rule),
                      "an indim_broadcast_rule");
  }
  std::string text(Text(given.text, given.text_size));
  const auto add = [&](absl::string_view attribute, absl::string_view value) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", attribute, "=", value);
  };
  if (given.dimensions != nullptr) {
    add("dimensions",
        IndexText(List(given.dimensions, given.dimensions_count)));
  }
  if (given.broadcast_dimensions != nullptr) {
    if (*rule != BroadcastRule::kXla) {
      return NotGivenSo("broadcast_dimensions and a rule other than XLA's",
                        "one of them");
    }
    add("broadcast_dimensions",
        IndexText(List(given.broadcast_dimensions,
                       given.broadcast_dimensions_count)));
  }
  if (*rule != BroadcastRule::kXla) add("broadcast_rule", Name(*rule));
  if (*rule == BroadcastRule::kPdpd) {
    add("axis", absl::StrCat(given.broadcast_axis));
  }
  return text;
}

absl::StatusOr<GivenAttributes> ReadAttributesText(Opcode opcode,
                                                   absl::string_view text) {
  if (text.empty()) {
    return GivenAttributes{Attributes(),
                           EncodeAttributes(opcode, Attributes())};
  }
  // A comma stands before each attribute.
  size_t apart;
  const std::string computations = ComputationsApart(opcode, &apart);
  const std::string after_operands = absl::StrCat(",", text, computations);
  TextErrors errors;
  Lexer lexer(after_operands, &errors);
  AttributesRead read;
  read.recorded = true;
  const bool ok = ReadAttributes(&lexer, opcode, /*is_async=*/false,
                                 /*instruction_offset=*/0, &read);
  if (ok && lexer.token() != Token::kEnd) {
    lexer.Expected("the end of the attributes, or ','");
  }
  if (!errors.empty()) {
    // Of the text that was given, which doesn't begin with the comma.
    TextErrors given;
    for (const TextError& e : errors.errors()) {
      given.Add(e.offset - std::min<size_t>(e.offset, 1), e.length,
                WithCode(e.message, Code::kInterfaceMisuse),
                Code::kInterfaceMisuse);
    }
    return given.ToStatus("attributes",
                          absl::string_view(after_operands).substr(1));
  }
  if (read.callees.size() != apart) {
    return NotGivenSo("a computation", "give it as a callee or as a region");
  }
  if (read.metadata || read.has_known_metadata) {
    return NotGivenSo("metadata", "give a location, and set the op_name");
  }
  if (!read.control_predecessors.empty()) {
    return NotGivenSo("control-predecessors",
                      "call indim_add_control_dependency");
  }
  if (read.async_thread) {
    read.fields.SetText(field::HloInstructionProto::kAsyncExecutionThread,
                        *read.async_thread);
  }
  return Decode(opcode, read.fields);
}

absl::StatusOr<GivenAttributes> ReadAttributesProto(Opcode opcode,
                                                    absl::string_view bytes) {
  const absl::StatusOr<std::string> canonical =
      Canonicalize(WireMessage::kHloInstructionProto, bytes);
  if (!canonical.ok()) return canonical.status();
  FieldList fields(WireMessage::kHloInstructionProto);
  if (!fields.Append(*canonical)) {
    return absl::InternalError("canonical bytes aren't canonical");
  }
  for (const uint32_t number : kNotAttributes) fields.Remove(number);
  return Decode(opcode, fields);
}

absl::StatusOr<GivenAttributes> ReadAttributesOf(
    Opcode opcode, const indim_attributes& given) {
  const bool fast = given.dimensions != nullptr ||
                    given.broadcast_dimensions != nullptr ||
                    given.broadcast_rule != INDIM_BROADCAST_XLA;
  switch (given.form) {
    case INDIM_ATTRIBUTES_TEXT: {
      const absl::StatusOr<std::string> text = AttributesText(given);
      if (!text.ok()) return text.status();
      return ReadAttributesText(opcode, *text);
    }
    case INDIM_ATTRIBUTES_PROTO:
      if (fast) {
        return NotGivenSo("bytes and lists of numbers",
                          "give all of them in the bytes");
      }
      return ReadAttributesProto(opcode, Text(given.text, given.text_size));
    default:
      return NotGivenSo(absl::StrCat("the form ", given.form),
                        "an indim_attributes_form");
  }
}

bool IsPlain(Opcode opcode, const GivenAttributes& given) {
  const OwnedAttributeBytes plain = EncodeAttributes(opcode, given.attributes);
  return plain.before_id == given.bytes.before_id &&
         plain.control == given.bytes.control &&
         plain.after_callees == given.bytes.after_callees;
}

}  // namespace indim::capi

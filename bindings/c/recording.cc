// SPDX-License-Identifier: Apache-2.0
#include "indim/bindings/c/recording.h"

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/handles.h"
#include "indim/proto/wire/field_list.h"

namespace indim::capi {
namespace {

// What a text's reader depends on.
std::string KeyOf(Opcode opcode, int32_t form, absl::string_view text) {
  std::string key = {static_cast<char>(opcode), static_cast<char>(form)};
  key.append(text.data(), text.size());
  return key;
}

// Texts that are longer aren't kept: they hold data rather than attributes.
constexpr size_t kLongestKnown = 4096;
constexpr size_t kMostKnown = 1 << 16;

}  // namespace

indim_error* NoSuchValue(const indim_builder& builder, indim_value value) {
  return Misuse(absl::StrCat("the builder has no value ", value, ", but ",
                             builder.values.size()));
}

indim_error* NoSuchFile(indim_location location) {
  return Misuse(absl::StrCat("no file has the number ", location >> 32,
                             "; indim_builder_file gives numbers"));
}

indim_error* FindOps(const indim_builder& builder,
                     absl::Span<const indim_value> values, OpList* ops) {
  for (const indim_value value : values) {
    const Op* const op = FindOp(builder, value);
    if (op == nullptr) return NoSuchValue(builder, value);
    ops->push_back(*op);
  }
  return nullptr;
}

indim_error* TakeErrors(indim_builder* builder,
                        const internal::Recorder::Mark& mark) {
  const std::vector<CallDiagnostic> errors =
      builder->recorder()->TakeErrors(mark);
  if (errors.empty()) {
    return Misuse("the call uses what an earlier call failed to make");
  }
  return ErrorOf(FromCalls(errors));
}

indim_error* GiveResults(indim_builder* builder,
                         const internal::Recorder::Mark& mark,
                         absl::Span<const Op> results, indim_value* values,
                         size_t capacity, size_t* count) {
  for (const Op result : results) {
    if (!builder->collect && !IsGood(*builder, result)) {
      return TakeErrors(builder, mark);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    builder->values.push_back(results[i]);
    if (i < capacity) {
      values[i] = static_cast<indim_value>(builder->values.size() - 1);
    }
  }
  if (count != nullptr) *count = results.size();
  return nullptr;
}

indim_error* KnowAttributes(indim_builder* builder, Opcode opcode,
                            const indim_attributes* given,
                            const KnownAttributes** known) {
  *known = nullptr;
  if (given == nullptr) return nullptr;
  indim_attributes attributes;
  if (!ReadOptions(given, &attributes)) return NoStructSize("indim_attributes");
  if (!IsList(attributes.text, attributes.text_size)) {
    return NullArgument("the attributes' text");
  }
  std::string text;
  if (attributes.form == INDIM_ATTRIBUTES_TEXT) {
    absl::StatusOr<std::string> whole = AttributesText(attributes);
    if (!whole.ok()) return ErrorOf(whole.status());
    text = *std::move(whole);
    if (text.empty()) return nullptr;
  } else {
    text = std::string(Text(attributes.text, attributes.text_size));
  }
  const std::string key = KeyOf(opcode, attributes.form, text);
  if (const auto found = builder->attributes.find(key);
      found != builder->attributes.end()) {
    *known = &found->second;
    return nullptr;
  }
  absl::StatusOr<GivenAttributes> read =
      attributes.form == INDIM_ATTRIBUTES_TEXT
          ? ReadAttributesText(opcode, text)
          : ReadAttributesOf(opcode, attributes);
  if (!read.ok()) return ErrorOf(read.status());
  KnownAttributes entry;
  entry.given = *std::move(read);
  const AttributeBytesView bytes = entry.given.bytes.view();
  entry.plain = IsPlain(opcode, entry.given);
  internal::Recorder* const recorder = builder->recorder();
  if (recorder->family() != nullptr) {
    FieldList fields(WireMessage::kHloInstructionProto);
    if (!fields.Append(bytes)) {
      return ErrorOf(absl::InternalError("attributes aren't canonical"));
    }
    entry.bytes = recorder->family()->AddAttributeBytes(fields);
  }
  // One long text, or one of very many, is known until the next one.
  if (text.size() > kLongestKnown || builder->attributes.size() >= kMostKnown) {
    KnownAttributes& last = builder->attributes[std::string()];
    last = std::move(entry);
    *known = &last;
    return nullptr;
  }
  *known = &builder->attributes.emplace(key, std::move(entry)).first->second;
  return nullptr;
}

indim_error* FindOpcode(const indim_op& op, Opcode* opcode) {
  if (op.opcode != 0) {
    *opcode = OpcodeOf(op.opcode);
    if (*opcode == Opcode::kInvalid) {
      return Misuse(absl::StrCat("no operation has the number ", op.opcode));
    }
  } else {
    if (!IsList(op.name, op.name_size)) return NullArgument("the op's name");
    const absl::string_view name = Text(op.name, op.name_size);
    *opcode = OpcodeOf(name);
    if (*opcode == Opcode::kInvalid) return ErrorOf(UnknownOpcode(name));
  }
  if (*opcode == Opcode::kParameter) {
    return Misuse("indim_parameter records parameters");
  }
  if (*opcode == Opcode::kConstant) {
    return Misuse("indim_constant records constants");
  }
  return nullptr;
}

Op RecordCall(internal::Recorder* recorder, Opcode opcode,
              absl::Span<const Op> operands, const KnownAttributes* attributes,
              const Shape* result, absl::Span<const Callee> callees,
              Caller caller) {
  if (result == nullptr && callees.empty()) {
    // Calls that the recorder remembers.
    if (attributes == nullptr && operands.size() == 1) {
      return recorder->Unary(opcode, operands[0], caller);
    }
    if (operands.size() == 2 && (attributes == nullptr || attributes->plain)) {
      static const Attributes* const kNone = new Attributes();
      const Attributes& given =
          attributes == nullptr ? *kNone : attributes->given.attributes;
      if (Info(opcode).attributes == AttributesKind::kElementwise) {
        return recorder->Binary(opcode, operands[0], operands[1],
                                As<ElementwiseAttributes>(given).broadcast,
                                caller);
      }
      if (opcode == Opcode::kCompare && attributes != nullptr) {
        return recorder->Compare(operands[0], operands[1],
                                 As<CompareAttributes>(given), caller);
      }
    }
  }
  internal::Recorder::Request request{opcode, operands};
  request.declared = result;
  request.callees = callees;
  if (attributes != nullptr) {
    request.attributes = &attributes->given.attributes;
    request.attribute_bytes = attributes->bytes;
  }
  return recorder->Record(request, caller);
}

}  // namespace indim::capi

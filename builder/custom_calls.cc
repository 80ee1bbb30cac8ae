// SPDX-License-Identifier: Apache-2.0
// Operations of ComputationBuilder: custom calls, code of the user's runtime.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;
using internal::Recorder;
using internal::RejectText;

// The error for a field whose number has no meaning and so no word in HLO text;
// empty: all have one.
std::string UnknownNumber(const CustomCallAttributes& call) {
  if (call.api_version < kApiUnspecified || call.api_version > kApiTypedFfi) {
    return absl::StrCat("there is no api_version ", call.api_version);
  }
  if (call.padding_type > PaddingType::kSame) {
    return absl::StrCat("there is no padding_type ",
                        static_cast<int>(call.padding_type));
  }
  if (call.schedule > CustomCallSchedule::kEarliest) {
    return absl::StrCat("there is no schedule ",
                        static_cast<int>(call.schedule));
  }
  return "";
}

Op Record(Recorder* recorder, absl::string_view target,
          absl::Span<const Op> operands, absl::Span<const Callee> computations,
          const ShapeArg& shape, CustomCallAttributes call,
          const Literal* literal, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder, Opcode::kCustomCall, operands, shape, caller);
  }
  if (absl::StartsWith(target, "$")) {
    return recorder->Reject(Opcode::kCustomCall, operands,
                            Code::kCallTargetReserved, {std::string(target)},
                            caller);
  }
  if (call.constrain_layout &&
      call.operand_shapes_with_layout.size() != operands.size()) {
    return recorder->Reject(
        Opcode::kCustomCall, operands, Code::kWindowListCount,
        {std::string("operand_shapes_with_layout"),
         static_cast<int64_t>(call.operand_shapes_with_layout.size()),
         static_cast<int64_t>(operands.size()), std::string("operand"),
         std::string()},
        caller);
  }
  if (literal != nullptr && literal->shape().is_none()) {
    return recorder->Reject(Opcode::kCustomCall, operands, Code::kNoShape,
                            {std::string("the literal has no shape")}, caller);
  }
  if (const std::string none = UnknownNumber(call); !none.empty()) {
    return recorder->Reject(Opcode::kCustomCall, operands,
                            Code::kAttributeBytes, {none}, caller);
  }
  call.target = std::string(target);
  // XLA's builder always sets it, and XLA for CPU refuses a call without it.
  if (call.api_version == kApiUnspecified) call.api_version = kApiOriginal;
  const Attributes attributes = std::move(call);
  Recorder::Request request{Opcode::kCustomCall, operands, &attributes,
                            &*shape.shape(), computations};
  if (literal != nullptr && recorder->family() != nullptr) {
    FieldList fields(WireMessage::kHloInstructionProto);
    const std::optional<Attributes> said =
        internal::AsTextSays(Opcode::kCustomCall, attributes);
    const OwnedAttributeBytes encoded =
        EncodeAttributes(Opcode::kCustomCall, said ? *said : attributes);
    if (fields.Append(encoded.view())) {
      fields.SetText(kLiteral, SerializeLiteralProto(*literal));
      request.attribute_bytes = recorder->family()->AddAttributeBytes(fields);
    }
  }
  return recorder->Record(request, caller);
}

}  // namespace

Op ControlOps::CustomCall(absl::string_view call_target_name,
                          absl::Span<const Op> operands, const ShapeArg& shape,
                          bool has_side_effect, Caller caller) {
  CustomCallAttributes attributes;
  attributes.has_side_effect = has_side_effect;
  return Record(recorder(), call_target_name, operands, {}, shape,
                std::move(attributes), nullptr, caller);
}

Op ControlOps::CustomCall(absl::string_view call_target_name,
                          absl::Span<const Op> operands, const ShapeArg& shape,
                          CustomCallAttributes attributes,
                          const Literal* literal, Caller caller) {
  return Record(recorder(), call_target_name, operands, {}, shape,
                std::move(attributes), literal, caller);
}

Op ControlOps::CustomCallWithComputation(
    absl::string_view call_target_name, absl::Span<const Op> operands,
    absl::Span<const Callee> computations, const ShapeArg& shape,
    CustomCallAttributes attributes, const Literal* literal, Caller caller) {
  return Record(recorder(), call_target_name, operands, computations, shape,
                std::move(attributes), literal, caller);
}

Op ControlOps::CustomCallWithLayout(
    absl::string_view call_target_name, absl::Span<const Op> operands,
    const ShapeArg& shape, absl::Span<const Shape> operand_shapes_with_layout,
    CustomCallAttributes attributes, const Literal* literal, Caller caller) {
  attributes.constrain_layout = true;
  attributes.operand_shapes_with_layout.clear();
  for (const Shape& operand : operand_shapes_with_layout) {
    attributes.operand_shapes_with_layout.push_back(
        operand.WithDefaultLayout());
  }
  if (!shape.shape().ok()) {
    return Record(recorder(), call_target_name, operands, {}, shape,
                  std::move(attributes), literal, caller);
  }
  return Record(recorder(), call_target_name, operands, {},
                shape.shape()->WithDefaultLayout(), std::move(attributes),
                literal, caller);
}

}  // namespace indim

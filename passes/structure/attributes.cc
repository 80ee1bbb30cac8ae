// SPDX-License-Identifier: Apache-2.0
// Checks attributes that don't affect shapes but that XLA requires of a module
// (ShapeVerifier::HandleCustomCall, ::HandleOutfeed, InstructionVerifier;
// HloInstruction::CreateFromProto; VerifyOriginalValue).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kBackendConfigPayload;
using field::HloInstructionProto::kOriginalValue;
using field::HloInstructionProto::kParameterReplication;
using field::HloInstructionProto::kResultAccuracy;
using field::HloInstructionProto::kSparsityConfig;
using field::HloModuleProto::kPayloads;

// Whether every ranked array in `shape` has a layout.
bool HasLayouts(const Shape& shape) {
  if (shape.is_array()) return !shape.has_rank() || shape.layout() != nullptr;
  for (const Shape& element : shape.elements()) {
    if (!HasLayouts(element)) return false;
  }
  return true;
}

void CheckConstrainedCall(Context* context, uint32_t c, uint32_t i) {
  const Instruction call = context->At(c, i);
  const auto& attributes = As<CustomCallAttributes>(call.attributes());
  // These two targets don't declare their operands' shapes.
  if (!attributes.constrain_layout || attributes.target == "LayoutConstraint" ||
      attributes.target == "control_dep") {
    return;
  }
  const std::vector<Shape>& shapes = attributes.operand_shapes_with_layout;
  if (!HasLayouts(call.shape())) {
    context->Add(Code::kLayoutMissing, c, i, "its result");
  }
  if (static_cast<int>(shapes.size()) != call.operand_count()) {
    context->Add(Code::kOperandLayouts, c, i, int64_t{call.operand_count()},
                 static_cast<int64_t>(shapes.size()));
    return;
  }
  for (int k = 0; k < call.operand_count(); ++k) {
    const Shape& real = call.operand(k).shape();
    const Shape& shape = shapes[static_cast<size_t>(k)];
    if (!real.is_none() && !Compatible(real, shape)) {
      context->Add(Code::kOperandLayoutShape, c, i, shape, int64_t{k}, real);
    } else if (shape.layout() != nullptr &&
               shape.layout()->tail_padding_alignment_in_elements <= 0) {
      // The one number of such a layout that XLA checks.
      context->Add(Code::kLayoutNumbers, c, i,
                   absl::StrCat("operand ", k, ", ", shape.ToString(), ","),
                   LayoutFault(*shape.layout(), shape));
    } else if (!HasLayouts(shape)) {
      context->Add(Code::kLayoutMissing, c, i, absl::StrCat("operand ", k));
    }
  }
}

void CheckCustomCall(Context* context, uint32_t c, uint32_t i) {
  CheckConstrainedCall(context, c, i);
  const Instruction call = context->At(c, i);
  const auto& attributes = As<CustomCallAttributes>(call.attributes());
  if (attributes.target != "GetRngSeed" || call.shape().is_none()) return;
  const Shape& shape = call.shape();
  if (call.operand_count() == 0 && shape.is_array() && shape.has_rank() &&
      shape.rank() == 0 && shape.element_type() == ElementType::kU64) {
    return;
  }
  context->Add(Code::kRngSeed, c, i, int64_t{call.operand_count()});
}

void CheckFusionKind(Context* context, uint32_t c, uint32_t i) {
  const std::string& kind =
      As<FusionAttributes>(context->At(c, i).attributes()).kind;
  for (const char* known : {"kLoop", "kInput", "kOutput", "kCustom"}) {
    if (kind == known) return;
  }
  context->Add(Code::kFusionKind, c, i, kind);
}

std::string LayoutText(const Layout* layout) {
  if (layout == nullptr) return "nothing";
  return IndexText(layout->minor_to_major);
}

// The first array of `value` whose layout differs from the constant's, with
// that of the constant; null: none. Both have one structure.
std::pair<const Shape*, const Shape*> OtherLayout(const Shape& value,
                                                  const Shape& constant) {
  if (value.is_array() && constant.is_array()) {
    const Layout* ours = value.layout();
    const Layout* theirs = constant.layout();
    const bool fits =
        theirs == nullptr ||
        (ours != nullptr && ours->minor_to_major == theirs->minor_to_major);
    if (!fits) return {&value, &constant};
  }
  const int64_t count =
      value.is_tuple() && constant.is_tuple()
          ? std::min(value.tuple_size(), constant.tuple_size())
          : 0;
  for (int64_t k = 0; k < count; ++k) {
    const auto found = OtherLayout(value.elements()[static_cast<size_t>(k)],
                                   constant.elements()[static_cast<size_t>(k)]);
    if (found.first != nullptr) return found;
  }
  return {nullptr, nullptr};
}

void CheckValueLayout(Context* context, uint32_t c, uint32_t i,
                      const Shape& value) {
  const std::string fault = ValueLayoutFault(value);
  if (fault.empty()) return;
  context->Add(Code::kLayoutNumbers, c, i,
               absl::StrCat("its value, ", value.ToString(), ","), fault);
}

// A literal's values are in the order of its own layout, so a different layout
// of the constant would mean different values.
void CheckLiteralLayout(Context* context, uint32_t c, uint32_t i) {
  const Instruction constant = context->At(c, i);
  const absl::string_view literal =
      AttributeBytesField(internal::AttributeBytesOf(constant),
                          field::HloInstructionProto::kLiteral);
  if (literal.empty()) return;
  // A fast path: mostly the literal has exactly the constant's shape.
  const absl::string_view wire =
      context->data.pools->shapes().wire(internal::RecordOf(constant).shape);
  WireReader reader(literal);
  uint32_t tag;
  absl::string_view literal_shape;
  if (reader.ReadTag(&tag) && TagNumber(tag) == field::LiteralProto::kShape &&
      reader.ReadLengthDelimited(&literal_shape) && literal_shape == wire) {
    return CheckValueLayout(context, c, i, constant.shape());
  }
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(literal)) return;
  const absl::StatusOr<Shape> value =
      ParseShapeProto(fields.Text(field::LiteralProto::kShape));
  if (!value.ok()) return;  // VerifyShapes reports it
  CheckValueLayout(context, c, i, *value);
  const auto other = OtherLayout(*value, constant.shape());
  if (other.first == nullptr) return;
  context->Add(Code::kLiteralLayout, c, i, LayoutText(other.first->layout()),
               LayoutText(other.second->layout()));
}

// Calls f(index) on each leaf of `shape`, while it returns true. `index` is the
// path to `shape`.
template <typename F>
bool ForEachLeafIndex(const Shape& shape, DimIndices* index, const F& f) {
  if (!shape.is_tuple()) return f(*index);
  for (int64_t k = 0; k < shape.tuple_size(); ++k) {
    index->push_back(k);
    if (!ForEachLeafIndex(shape.elements()[static_cast<size_t>(k)], index, f)) {
      return false;
    }
    index->pop_back();
  }
  return true;
}

void CheckOriginalValue(Context* context, uint32_t c, uint32_t i,
                        absl::string_view wire) {
  FieldList value(WireMessage::kOriginalValueProto);
  if (!value.Append(wire) ||
      value.Number(field::OriginalValueProto::kIsSyntheticCall) != 0 ||
      // Newer XLA's spelling of a call that the compiler made up.
      (value.has(field::OriginalValueProto::kCallHierarchy) &&
       !value.has(field::OriginalValueProto::kElements))) {
    return;
  }
  const Shape& shape = context->At(c, i).shape();
  if (shape.is_none()) return;
  absl::flat_hash_set<std::string> named;
  for (absl::string_view text :
       value.Texts(field::OriginalValueProto::kElements)) {
    FieldList element(WireMessage::kOriginalValueElementProto, text);
    named.insert(IndexText(
        element.Numbers(field::OriginalValueElementProto::kShapeIndex)));
  }
  DimIndices index;
  const bool complete =
      ForEachLeafIndex(shape, &index, [&](const DimIndices& leaf) {
        if (named.erase(IndexText(leaf)) > 0) return true;
        context->Add(Code::kOriginalValue, c, i, "lacks", IndexText(leaf));
        return false;
      });
  if (!complete || named.empty()) return;
  // The smallest, so that the choice doesn't depend on the order of hashing.
  context->Add(Code::kOriginalValue, c, i, "names a part that the shape lacks:",
               *std::min_element(named.begin(), named.end()));
}

void CheckOutfeedShape(Context* context, uint32_t c, uint32_t i) {
  const auto& a = As<OutfeedAttributes>(context->At(c, i).attributes());
  if (a.outfeed_shape.is_none()) {
    context->Add(Code::kOutfeedShapeMissing, c, i);
  }
}

void CheckSparseOperands(Context* context, uint32_t c, uint32_t i) {
  const Instruction convolution = context->At(c, i);
  if (convolution.operand_count() > 2 &&
      AttributeBytesField(internal::AttributeBytesOf(convolution),
                          kSparsityConfig)
          .empty()) {
    context->Add(Code::kSparseOperands, c, i,
                 int64_t{convolution.operand_count()});
  }
}

void CheckOrigin(Context* context, uint32_t c, uint32_t i) {
  bool has_origin = false;
  const absl::string_view origin =
      AttributeBytesField(internal::AttributeBytesOf(context->At(c, i)),
                          kOriginalValue, &has_origin);
  if (has_origin) CheckOriginalValue(context, c, i, origin);
}

// The fault of a ResultAccuracy; "": none.
std::string AccuracyFault(absl::string_view wire) {
  constexpr int64_t kLastMode = 1;
  FieldList accuracy(WireMessage::kResultAccuracy, wire);
  const int64_t mode = accuracy.Number(field::ResultAccuracy::kMode);
  if (mode < 0 || mode > kLastMode) return absl::StrCat("is of mode ", mode);
  FieldList tolerance(WireMessage::kResultAccuracy_Tolerance,
                      accuracy.Text(field::ResultAccuracy::kTolerance));
  const bool is_negative =
      !(tolerance.Double(field::ResultAccuracy_Tolerance::kAtol) >= 0) ||
      !(tolerance.Double(field::ResultAccuracy_Tolerance::kRtol) >= 0) ||
      tolerance.Number(field::ResultAccuracy_Tolerance::kUlps) < 0;
  return is_negative ? "has a negative tolerance" : "";
}

// HloInstruction::set_parameter_replicated_at_leaf_buffers.
void CheckReplication(Context* context, uint32_t c, uint32_t i,
                      absl::string_view wire) {
  FieldList replication(WireMessage::kParameterReplication, wire);
  const size_t flags =
      replication.Numbers(field::ParameterReplication::kReplicatedAtLeafBuffers)
          .size();
  const Shape& shape = context->At(c, i).shape();
  if (flags == 0 || shape.is_none()) return;
  // Tuples may share their elements, so stop counting when there are too many.
  size_t leaves = 0;
  DimIndices index;
  ForEachLeafIndex(shape, &index,
                   [&](const DimIndices&) { return ++leaves <= flags; });
  if (leaves == flags) return;
  context->Add(Code::kParameterReplication, c, i, static_cast<int64_t>(flags),
               leaves > flags ? std::string("more") : absl::StrCat(leaves));
}

}  // namespace

void CheckRareFields(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto, context->data.other_fields);
  const int64_t payloads = static_cast<int64_t>(fields.Texts(kPayloads).size());
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (!context->occurs.Has(r.attribute_bytes, Occurrences::kRare)) return;
    const AttributeBytesView attribute_bytes =
        context->data.pools->attribute_bytes(r.attribute_bytes);
    if (r.opcode == Opcode::kParameter) {
      CheckReplication(
          context, c, i,
          AttributeBytesField(attribute_bytes, kParameterReplication));
    }
    const std::string fault =
        AccuracyFault(AttributeBytesField(attribute_bytes, kResultAccuracy));
    if (!fault.empty()) context->Add(Code::kResultAccuracy, c, i, fault);
    FieldList payload(
        WireMessage::kPayload,
        AttributeBytesField(attribute_bytes, kBackendConfigPayload));
    if (!payload.has(field::Payload::kId))
      return;  // the payload itself is here
    const int64_t id = payload.Number(field::Payload::kId);
    if (id >= 0 && id < payloads) return;
    context->Add(Code::kPayloadMissing, c, i, id, payloads);
  });
}

AttributeCheck AttributeCheckOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCustomCall:
      return &CheckCustomCall;
    case Opcode::kFusion:
      return &CheckFusionKind;
    case Opcode::kConstant:
      return &CheckLiteralLayout;
    case Opcode::kOutfeed:
      return &CheckOutfeedShape;
    case Opcode::kConvolution:
      return &CheckSparseOperands;
    default:
      return nullptr;
  }
}

void CheckAttributes(Context* context) {
  const Occurrences& occurs = context->occurs;
  if (!occurs.Any(Occurrences::kOrigin)) {
    for (const auto& [c, i] : occurs.attributed()) {
      AttributeCheckOf(context->At(c, i).opcode())(context, c, i);
    }
    return;
  }
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        const AttributeCheck check = AttributeCheckOf(r.opcode);
        if (check != nullptr) check(context, c, i);
        if (occurs.Has(r.attribute_bytes, Occurrences::kOrigin)) {
          CheckOrigin(context, c, i);
        }
      });
}

}  // namespace indim::structure

// SPDX-License-Identifier: Apache-2.0
// Fields that XLA writes without their being in the text: defaults that its
// parser sets when it creates an instruction, and fields that its writer always
// writes.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/text/attributes/attribute_text.h"

namespace indim {
namespace {

using field::HloInstructionProto::kBatchGroupCount;
using field::HloInstructionProto::kCollectiveDeviceList;
using field::HloInstructionProto::kComparisonOrder;
using field::HloInstructionProto::kComparisonType;
using field::HloInstructionProto::kCustomCallApiVersion;
using field::HloInstructionProto::kDimensions;
using field::HloInstructionProto::kFeatureGroupCount;
using field::HloInstructionProto::kFrontendAttributes;
using field::HloInstructionProto::kIotaCollectiveDeviceList;
using field::HloInstructionProto::kIsAssociative;
using field::HloInstructionProto::kLargest;
using field::HloInstructionProto::kMeshAxesReplicaGroupList;
using field::HloInstructionProto::kOutfeedShape;
using field::HloInstructionProto::kPrecisionConfig;
using field::HloInstructionProto::kReplicaGroups;
using field::HloInstructionProto::kSharding;
using field::HloInstructionProto::kSparsityConfig;
using field::HloInstructionProto::kStatisticsViz;

// Adds the field, empty, if it is missing.
void Ensure(uint32_t field, FieldList* fields) {
  if (!fields->has(field)) fields->SetText(field, "");
}

void SetUnlessGiven(absl::string_view name, uint32_t field, int64_t number,
                    AttributesRead* to) {
  if (!to->IsGiven(name)) to->fields.SetNumber(field, number);
}

// Adds the default precision for each of `count` operands.
void FillPrecision(size_t count, AttributesRead* to) {
  if (to->IsGiven("operand_precision")) return;
  FieldList precision(WireMessage::kPrecisionConfig);
  const std::string held(to->fields.Text(kPrecisionConfig));
  precision.Append(held);
  precision.SetNumbers(field::PrecisionConfig::kOperandPrecision,
                       DimIndices(count, 0));
  to->fields.SetText(kPrecisionConfig, precision.Serialize());
}

void FillGroupCounts(AttributesRead* to) {
  SetUnlessGiven("feature_group_count", kFeatureGroupCount, 1, to);
  SetUnlessGiven("batch_group_count", kBatchGroupCount, 1, to);
}

void FillReplicaGroups(FieldList* fields) {
  if (!fields->has(kReplicaGroups) && !fields->has(kIotaCollectiveDeviceList) &&
      !fields->has(kMeshAxesReplicaGroupList)) {
    Ensure(kCollectiveDeviceList, fields);
  }
}

void FillComparison(ElementType type, FieldList* fields) {
  if (fields->has(kComparisonType) || fields->has(kComparisonOrder)) return;
  fields->SetText(kComparisonType, DefaultComparison(type).word);
}

// One sharding of a tuple stands for all leaves, and XLA writes it once for
// each. If that would be far larger than the text, it stays single.
void FillSharding(const Shape& result, FieldList* fields) {
  if (!fields->has(kSharding) || !result.is_tuple()) return;
  const std::optional<std::string> spread =
      SpreadSharding(fields->Text(kSharding), LeafCount(result));
  if (spread.has_value()) fields->SetText(kSharding, *spread);
}

// What the op's own fields say where the text says nothing.
void FillImpliedByOp(Opcode opcode, absl::Span<const Shape* const> operands,
                     const Shape& result, AttributesRead* to) {
  FieldList* fields = &to->fields;
  EnsureMessages(opcode, fields);
  if (Info(opcode).attributes == AttributesKind::kCollective) {
    return FillReplicaGroups(fields);
  }
  switch (opcode) {
    case Opcode::kCompare:
      if (!operands.empty()) {
        FillComparison(operands[0]->element_type(), fields);
      }
      return;
    case Opcode::kConvolution:
      Ensure(kSparsityConfig, fields);
      FillGroupCounts(to);
      return FillPrecision(operands.size(), to);
    case Opcode::kCustomCall:
      FillGroupCounts(to);
      SetUnlessGiven("api_version", kCustomCallApiVersion, 1, to);
      return FillPrecision(operands.size(), to);
    case Opcode::kDot:
      return FillPrecision(operands.size(), to);
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot:
      return FillPrecision(2, to);
    case Opcode::kTopK:
      return SetUnlessGiven("largest", kLargest, 1, to);
    case Opcode::kScan:
      return SetUnlessGiven("is_associative", kIsAssociative, 2, to);
    case Opcode::kMap: {
      DimIndices all(static_cast<size_t>(result.rank()));
      std::iota(all.begin(), all.end(), 0);
      return fields->SetNumbers(kDimensions, all);
    }
    case Opcode::kOutfeed:
      if (!fields->has(kOutfeedShape) && !operands.empty()) {
        fields->SetText(kOutfeedShape, SerializeShapeProto(*operands[0]));
      }
      return;
    default:
      return;
  }
}

}  // namespace

void FillForInference(Opcode opcode, absl::Span<const Shape* const> operands,
                      AttributesRead* to) {
  // A map's dims are those of its operands.
  FillImpliedByOp(opcode, operands, operands.empty() ? Shape() : *operands[0],
                  to);
}

void FillImpliedFields(Opcode opcode, absl::Span<const Shape* const> operands,
                       const Shape& result, AttributesRead* to) {
  FillImpliedByOp(opcode, operands, result, to);
  FillSharding(result, &to->fields);
  Ensure(kFrontendAttributes, &to->fields);
  Ensure(kStatisticsViz, &to->fields);
}

}  // namespace indim

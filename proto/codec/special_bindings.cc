// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/special_bindings.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/codec/attribute_bindings.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim::binding {
namespace {

using field::HloInstructionProto::kAllReduceId;
using field::HloInstructionProto::kChannelId;
using field::HloInstructionProto::kCollectiveDeviceList;
using field::HloInstructionProto::kIotaCollectiveDeviceList;
using field::HloInstructionProto::kIsCrossProgramPrefetch;
using field::HloInstructionProto::kMeshAxesReplicaGroupList;
using field::HloInstructionProto::kReplicaGroups;

// Reads a list of ReplicaGroup messages, field `number` of `from`.
bool ReadGroupList(const FieldList& from, uint32_t number,
                   ReplicaGroups* groups, std::string* error) {
  for (absl::string_view text : from.Texts(number)) {
    FieldList group(WireMessage::kReplicaGroup);
    if (!group.Append(text)) return NotCanonical(number, error);
    const DimIndices ids = group.Numbers(field::ReplicaGroup::kReplicaIds);
    groups->groups.emplace_back(ids.begin(), ids.end());
  }
  return true;
}

// Groups by formula: an IotaReplicaGroupListProto.
bool ReadFormula(absl::string_view text, ReplicaGroups* groups,
                 std::string* error) {
  namespace of = field::IotaReplicaGroupListProto;
  FieldList list(WireMessage::kIotaReplicaGroupListProto);
  if (!list.Append(text)) {
    return NotCanonical(kIotaCollectiveDeviceList, error);
  }
  groups->iota_groups = list.Number(of::kNumReplicaGroups);
  groups->iota_group_size = list.Number(of::kNumDevicesPerGroup);
  groups->iota.reshape_dims = list.Numbers(of::kIotaReshapeDims);
  groups->iota.transpose_perm = list.Numbers(of::kIotaTransposePerm);
  if (groups->iota_groups > 0 && groups->iota_group_size > 0) return true;
  *error = absl::StrCat("replica groups can't be ", groups->iota_groups, " of ",
                        groups->iota_group_size);
  return false;
}

// A CollectiveDeviceListProto: groups one by one, or by formula in the field
// that jaxlib 0.4.31 to 0.9.0 wrote and XLA took out again.
bool ReadDeviceList(absl::string_view text, ReplicaGroups* groups,
                    std::string* error) {
  constexpr uint32_t kOldFormula = MakeTag(2, WireType::kLengthDelimited);
  FieldList list(WireMessage::kCollectiveDeviceListProto);
  if (!list.Append(text)) return NotCanonical(kCollectiveDeviceList, error);
  for (WireReader reader(text); !reader.done();) {
    uint32_t tag = 0;
    absl::string_view formula;
    if (!reader.ReadTag(&tag)) break;
    if (tag != kOldFormula) {
      if (!reader.SkipValue(tag, kMaxWireDepth)) break;
    } else if (reader.ReadLengthDelimited(&formula)) {
      return ReadFormula(formula, groups, error);
    } else {
      break;
    }
  }
  return ReadGroupList(list, field::CollectiveDeviceListProto::kReplicaGroups,
                       groups, error);
}

bool ReadMeshAxes(const FieldList& from, ReplicaGroups* groups,
                  std::string* error) {
  if (!ReadStruct(kMeshAxesFields, kMeshAxesReplicaGroupList,
                  from.Text(kMeshAxesReplicaGroupList), &groups->mesh.emplace(),
                  error)) {
    return false;
  }
  *error = "replica groups name axes that their mesh doesn't have";
  return CountMeshGroups(groups);
}

}  // namespace

void WriteValue(uint32_t number, const BroadcastSpec& spec, FieldList* to) {
  namespace of = field::ImplicitBroadcast;
  if (spec == BroadcastSpec()) return to->Remove(number);
  FieldList message(WireMessage::kImplicitBroadcast);
  if (spec.dimensions) {
    message.SetNumbers(of::kBroadcastDimensions, *spec.dimensions);
    if (spec.dimensions->empty()) {
      message.SetNumber(of::kHasBroadcastDimensions, 1);
    }
  }
  message.SetNumber(of::kRule, static_cast<int64_t>(spec.rule));
  if (spec.axis != -1) message.SetNumber(of::kAxis, spec.axis);
  to->SetText(number, message.Serialize());
}

bool ReadValue(const FieldList& from, uint32_t number, BroadcastSpec* spec,
               std::string* error) {
  namespace of = field::ImplicitBroadcast;
  *spec = BroadcastSpec();
  FieldList message(WireMessage::kImplicitBroadcast);
  if (!message.Append(from.Text(number))) {
    return NotCanonical(number, error);
  }
  const int64_t rule = message.Number(of::kRule);
  if (rule < 0 || rule > static_cast<int64_t>(BroadcastRule::kBidirectional)) {
    *error = absl::StrCat("implicit_broadcast has the unknown rule ", rule);
    return false;
  }
  spec->rule = static_cast<BroadcastRule>(rule);
  if (message.has(of::kBroadcastDimensions) ||
      message.Number(of::kHasBroadcastDimensions) != 0) {
    spec->dimensions = message.Numbers(of::kBroadcastDimensions);
  }
  if (message.has(of::kAxis)) spec->axis = message.Number(of::kAxis);
  return true;
}

void WriteValue(uint32_t, const ReplicaGroups& groups, FieldList* to) {
  namespace of = field::IotaReplicaGroupListProto;
  for (uint32_t number :
       {kReplicaGroups, kCollectiveDeviceList, kIotaCollectiveDeviceList,
        kMeshAxesReplicaGroupList}) {
    to->Remove(number);
  }
  if (groups.mesh) {
    to->SetText(kMeshAxesReplicaGroupList,
                WriteStruct(kMeshAxesFields, &*groups.mesh));
  } else if (groups.iota_groups != 0) {
    FieldList list(WireMessage::kIotaReplicaGroupListProto);
    list.SetNumber(of::kNumReplicaGroups, groups.iota_groups);
    list.SetNumber(of::kNumDevicesPerGroup, groups.iota_group_size);
    IotaTransform iota = groups.iota;
    if (iota.reshape_dims.empty()) {
      const auto devices =
          CheckedMultiply(groups.iota_groups, groups.iota_group_size);
      if (groups.iota_groups > 0 && devices && *devices > 0) {
        iota.reshape_dims = {*devices};
      }
      iota.transpose_perm = {0};
    }
    list.SetNumbers(of::kIotaReshapeDims, iota.reshape_dims);
    list.SetNumbers(of::kIotaTransposePerm, iota.transpose_perm);
    to->SetText(kIotaCollectiveDeviceList, list.Serialize());
  } else if (!groups.groups.empty()) {
    std::vector<std::string> texts;
    for (const std::vector<int64_t>& ids : groups.groups) {
      FieldList group(WireMessage::kReplicaGroup);
      group.SetNumbers(field::ReplicaGroup::kReplicaIds,
                       DimIndices(ids.begin(), ids.end()));
      texts.push_back(group.Serialize());
    }
    FieldList list(WireMessage::kCollectiveDeviceListProto);
    list.SetTexts(field::CollectiveDeviceListProto::kReplicaGroups, texts);
    to->SetText(kCollectiveDeviceList, list.Serialize());
  }
}

bool ReadValue(const FieldList& from, uint32_t, ReplicaGroups* groups,
               std::string* error) {
  *groups = ReplicaGroups();
  if (from.has(kIotaCollectiveDeviceList)) {
    return ReadFormula(from.Text(kIotaCollectiveDeviceList), groups, error);
  }
  if (from.has(kMeshAxesReplicaGroupList)) {
    return ReadMeshAxes(from, groups, error);
  }
  if (!from.has(kCollectiveDeviceList)) {
    return ReadGroupList(from, kReplicaGroups, groups, error);
  }
  return ReadDeviceList(from.Text(kCollectiveDeviceList), groups, error);
}

void WriteChannel(int64_t channel, FieldList* to) {
  to->SetNumber(kChannelId, channel);
  to->Remove(kAllReduceId);
}

int64_t ReadChannel(const FieldList& from) {
  const int64_t channel = from.Number(kChannelId);
  const int64_t old = from.Number(kAllReduceId);
  return channel <= 0 && old > 0 ? old : channel;
}

void WriteValue(uint32_t number, const std::optional<int64_t>& index,
                FieldList* to) {
  to->Remove(kIsCrossProgramPrefetch);
  if (index) {
    to->SetNumber(number, *index);
  } else {
    to->Remove(number);
  }
}

bool ReadValue(const FieldList& from, uint32_t number,
               std::optional<int64_t>* index, std::string*) {
  index->reset();
  if (from.has(number)) {
    *index = from.Number(number);
  } else if (from.Number(kIsCrossProgramPrefetch) != 0) {
    *index = 0;
  }
  return true;
}

void WriteValue(uint32_t number, const SliceAttributes& attributes,
                FieldList* to) {
  const auto at = [](const DimIndices& list, size_t i, int64_t absent) {
    return i < list.size() ? list[i] : absent;
  };
  const size_t count =
      std::max({attributes.starts.size(), attributes.limits.size(),
                attributes.strides.size()});
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    FieldList dim(WireMessage::kHloInstructionProto_SliceDimensions);
    dim.SetNumber(field::HloInstructionProto_SliceDimensions::kStart,
                  at(attributes.starts, i, 0));
    dim.SetNumber(field::HloInstructionProto_SliceDimensions::kLimit,
                  at(attributes.limits, i, 0));
    dim.SetNumber(field::HloInstructionProto_SliceDimensions::kStride,
                  at(attributes.strides, i, 1));
    if (absl::c_linear_search(attributes.whole, static_cast<int64_t>(i))) {
      dim.SetNumber(field::HloInstructionProto_SliceDimensions::kWhole, 1);
    }
    texts.push_back(dim.Serialize());
  }
  to->SetTexts(number, texts);
}

bool ReadValue(const FieldList& from, uint32_t number,
               SliceAttributes* attributes, std::string* error) {
  *attributes = SliceAttributes();
  for (absl::string_view text : from.Texts(number)) {
    FieldList dim(WireMessage::kHloInstructionProto_SliceDimensions);
    if (!dim.Append(text)) return NotCanonical(number, error);
    if (dim.Number(field::HloInstructionProto_SliceDimensions::kWhole) != 0) {
      attributes->whole.push_back(
          static_cast<int64_t>(attributes->starts.size()));
    }
    attributes->starts.push_back(
        dim.Number(field::HloInstructionProto_SliceDimensions::kStart));
    attributes->limits.push_back(
        dim.Number(field::HloInstructionProto_SliceDimensions::kLimit));
    attributes->strides.push_back(
        dim.Number(field::HloInstructionProto_SliceDimensions::kStride));
  }
  return true;
}

void WriteValue(uint32_t number,
                const std::vector<std::pair<int64_t, int64_t>>& pairs,
                FieldList* to) {
  std::vector<std::string> texts;
  for (const auto& [source, target] : pairs) {
    FieldList pair(WireMessage::kSourceTarget);
    pair.SetNumber(field::SourceTarget::kSource, source);
    pair.SetNumber(field::SourceTarget::kTarget, target);
    texts.push_back(pair.Serialize());
  }
  to->SetTexts(number, texts);
}

bool ReadValue(const FieldList& from, uint32_t number,
               std::vector<std::pair<int64_t, int64_t>>* pairs,
               std::string* error) {
  pairs->clear();
  for (absl::string_view text : from.Texts(number)) {
    FieldList pair(WireMessage::kSourceTarget);
    if (!pair.Append(text)) return NotCanonical(number, error);
    pairs->emplace_back(pair.Number(field::SourceTarget::kSource),
                        pair.Number(field::SourceTarget::kTarget));
  }
  return true;
}

void WriteValue(uint32_t number, const Shape& shape, FieldList* to) {
  if (shape.is_none()) {
    to->Remove(number);
  } else {
    to->SetText(number, SerializeShapeProto(shape));
  }
}

bool ReadValue(const FieldList& from, uint32_t number, Shape* shape,
               std::string* error) {
  *shape = Shape();
  if (!from.has(number)) return true;
  absl::StatusOr<Shape> read = ParseShapeProto(from.Text(number));
  if (!read.ok()) {
    *error = absl::StrCat("field ", number, ": ", read.status().message());
    return false;
  }
  *shape = *std::move(read);
  return true;
}

void WriteValue(uint32_t number, const std::vector<Shape>& shapes,
                FieldList* to) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(SerializeShapeProto(shape));
  to->SetTexts(number, texts);
}

bool ReadValue(const FieldList& from, uint32_t number,
               std::vector<Shape>* shapes, std::string* error) {
  shapes->clear();
  for (absl::string_view text : from.Texts(number)) {
    absl::StatusOr<Shape> read = ParseShapeProto(text);
    if (!read.ok()) {
      *error = absl::StrCat("field ", number, ": ", read.status().message());
      return false;
    }
    shapes->push_back(*std::move(read));
  }
  return true;
}

bool ReadWord(absl::Span<const AttributeWord> words, absl::string_view text,
              uint32_t number, int64_t* read, std::string* error) {
  std::vector<absl::string_view> spellings;
  for (const AttributeWord& word : words) {
    if (word.word == text) {
      *read = word.number;
      return true;
    }
  }
  if (words[0].number != 0) spellings.push_back("");
  if (text.empty() && !spellings.empty()) {
    *read = 0;
    return true;
  }
  for (const AttributeWord& word : words) spellings.push_back(word.word);
  *error =
      absl::StrCat("field ", number, " is \"", text, "\", but must be one of ",
                   absl::StrJoin(spellings, " "));
  return false;
}

absl::string_view WordOf(absl::Span<const AttributeWord> words,
                         int64_t number) {
  for (const AttributeWord& word : words) {
    if (word.number == number) return word.word;
  }
  return "";
}

}  // namespace indim::binding

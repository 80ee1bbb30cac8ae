// SPDX-License-Identifier: Apache-2.0
// The schedule of a changed module.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/edit/module_state.h"
#include "indim/ir/stable_order.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim::internal {
namespace {

constexpr int64_t kLowHalf = EditNodes::kLowHalf;

class Scheduler {
 public:
  // `brief`: write only the low halves of new ids, all that counts.
  Scheduler(EditSession* graph, const Assembled& assembled, bool brief)
      : graph_(*graph),
        assembled_(assembled),
        data_(*assembled.data),
        sorter_(graph->node_count()),
        brief_(brief) {}

  // The ids of a computation's instructions, which ran in the order of `old`. A
  // new one runs after what precedes it in the text; then what needs it.
  DimIndices Sequence(uint32_t c, const DimIndices& old);
  // For new computations: the order of the text.
  DimIndices TextOrder(uint32_t c) const;

 private:
  // The id of a new instruction as the schedule spells ids.
  int64_t IdOf(int64_t id) const { return brief_ ? id & kLowHalf : id; }

  EditSession& graph_;
  const Assembled& assembled_;
  const ModuleData& data_;
  StableSorter sorter_;
  const bool brief_;
};

DimIndices Scheduler::TextOrder(uint32_t c) const {
  const ComputationRecord& record = data_.computations[c];
  DimIndices ids;
  for (uint32_t i = 0; i < record.count; ++i) {
    ids.push_back(IdOf(data_.InstructionId(record.first + i)));
  }
  return ids;
}

DimIndices Scheduler::Sequence(uint32_t c, const DimIndices& old) {
  const ComputationRecord& record = data_.computations[c];
  absl::flat_hash_map<int64_t, uint32_t> place_of;
  for (size_t k = 0; k < old.size(); ++k) {
    place_of[old[k] & kLowHalf] = static_cast<uint32_t>(k);
  }
  // The new nodes behind each of the old ones, and before all.
  std::vector<std::vector<uint32_t>> behind(old.size() + 1);
  std::vector<uint32_t> node_at(old.size(), kNone);
  absl::flat_hash_map<uint32_t, int64_t> spelled;  // ids as they were
  size_t last = 0;
  for (uint32_t i = 0; i < record.count; ++i) {
    const uint32_t node = assembled_.nodes[record.first + i];
    const auto found = place_of.find(graph_.id(node) & kLowHalf);
    if (found != place_of.end()) {
      node_at[found->second] = node;
      spelled[node] = old[found->second];
      last = found->second + 1;
    } else if (graph_.is_new(node)) {
      behind[last].push_back(node);
    }
  }
  std::vector<uint32_t> base = behind[0];
  for (size_t k = 0; k < old.size(); ++k) {
    if (node_at[k] != kNone) base.push_back(node_at[k]);
    base.insert(base.end(), behind[k + 1].begin(), behind[k + 1].end());
  }
  std::vector<uint32_t> order, cycle;
  sorter_.Append(
      base,
      [this](uint32_t node, std::vector<uint32_t>* needs) {
        graph_.AddNeeds(node, needs);
      },
      &order, &cycle);
  DimIndices ids;
  for (const uint32_t node : order) {
    const auto was = spelled.find(node);
    ids.push_back(was != spelled.end() ? was->second : IdOf(graph_.id(node)));
  }
  return ids;
}

// For each computation whether a fusion calls it: then it needs no sequence.
std::vector<bool> FusedIn(const ModuleData& data) {
  std::vector<bool> fused(data.computations.size());
  for (const InstructionRecord& r : data.instructions) {
    if (r.opcode != Opcode::kFusion) continue;
    for (const uint32_t c : data.Callees(r)) fused[c] = true;
  }
  return fused;
}

// Whether the sequences have low halves of ids. (The high half of an id may be
// 0 too, but not of all, where ids have high halves.)
bool IsBrief(const FieldList& schedule) {
  namespace of = field::HloScheduleProto_SequencesEntry;
  for (const absl::string_view wire :
       schedule.Texts(field::HloScheduleProto::kSequences)) {
    FieldList entry(WireMessage::kHloScheduleProto_SequencesEntry, wire);
    FieldList sequence(WireMessage::kHloScheduleProto_InstructionSequence,
                       entry.Text(of::kValue));
    for (const int64_t id : sequence.Numbers(
             field::HloScheduleProto_InstructionSequence::kInstructionIds)) {
      if ((id & ~kLowHalf) != 0) return false;
    }
  }
  return true;
}

// An entry of a map has its key and its value also where they are 0 and empty,
// which a FieldList leaves out.
std::string EntryOf(int64_t id, const DimIndices& ids) {
  namespace of = field::HloScheduleProto_SequencesEntry;
  FieldList sequence(WireMessage::kHloScheduleProto_InstructionSequence);
  sequence.SetNumbers(
      field::HloScheduleProto_InstructionSequence::kInstructionIds, ids);
  std::string entry;
  wire_fields::AppendNumber(of::kKey, static_cast<uint64_t>(id), &entry);
  wire_fields::AppendBytes(of::kValue, sequence.Serialize(), &entry);
  return entry;
}

}  // namespace

std::string RewriteSchedule(EditSession* graph, const Assembled& assembled,
                            absl::string_view schedule) {
  namespace of = field::HloScheduleProto_SequencesEntry;
  using field::HloScheduleProto::kSequences;
  const ModuleData& data = *assembled.data;
  absl::flat_hash_map<int64_t, uint32_t> by_id;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    by_id.emplace(data.computations[c].id, c);
  }
  absl::flat_hash_map<int64_t, bool> was;  // ids of the module's computations
  for (const ComputationRecord& record : graph->old().computations) {
    was[record.id] = true;
  }
  FieldList all(WireMessage::kHloScheduleProto, schedule);
  Scheduler scheduler(graph, assembled, IsBrief(all));
  std::map<int64_t, std::string> entries;  // in the order of canonical bytes
  for (const absl::string_view wire : all.Texts(kSequences)) {
    FieldList entry(WireMessage::kHloScheduleProto_SequencesEntry, wire);
    const int64_t id = entry.Number(of::kKey);
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      if (!was.contains(id)) entries[id] = std::string(wire);  // wrong before
      continue;
    }
    if (!graph->at(assembled.computations[found->second]).touched) {
      entries[id] = std::string(wire);
      continue;
    }
    FieldList sequence(WireMessage::kHloScheduleProto_InstructionSequence);
    const std::string value(entry.Text(of::kValue));
    sequence.Append(value);
    entries[id] = EntryOf(
        id,
        scheduler.Sequence(
            found->second,
            sequence.Numbers(
                field::HloScheduleProto_InstructionSequence::kInstructionIds)));
  }
  // New ones, and those whose fusion is gone.
  const std::vector<bool> were_fused = FusedIn(graph->old());
  const std::vector<bool> fused = FusedIn(data);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const uint32_t before = assembled.computations[c];
    if (fused[c] || (!graph->at(before).is_new && !were_fused[before])) {
      continue;
    }
    const int64_t id = data.computations[c].id;
    entries[id] = EntryOf(id, scheduler.TextOrder(c));
  }
  std::string result;  // a FieldList sets no maps
  for (const auto& [id, entry] : entries) {
    wire_fields::AppendBytes(kSequences, entry, &result);
  }
  all.Remove(kSequences);
  return result + all.Serialize();
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
// Checks the schedule of a module (XLA: HloSchedule::CreateFromProto,
// ::Verify).

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloModuleProto::kSchedule;

class ScheduleChecker {
 public:
  explicit ScheduleChecker(Context* context)
      : context_(context), data_(context->data), ids_(context->data) {}

  void Run(absl::string_view wire) {
    absl::flat_hash_map<int64_t, uint32_t> computations;
    computations.reserve(data_.computations.size());
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      computations.emplace(data_.computations[c].id, c);
    }
    namespace of = field::HloScheduleProto_SequencesEntry;
    std::vector<bool> listed(data_.computations.size());
    FieldList schedule(WireMessage::kHloScheduleProto, wire);
    for (absl::string_view text :
         schedule.Texts(field::HloScheduleProto::kSequences)) {
      FieldList entry(WireMessage::kHloScheduleProto_SequencesEntry, text);
      const auto found = computations.find(entry.Number(of::kKey));
      if (found == computations.end()) {
        context_->Add(Code::kScheduleComputation, kNowhere, kNowhere,
                      entry.Number(of::kKey));
        continue;
      }
      listed[found->second] = true;
      FieldList sequence(WireMessage::kHloScheduleProto_InstructionSequence,
                         entry.Text(of::kValue));
      CheckSequence(
          found->second,
          sequence.Numbers(
              field::HloScheduleProto_InstructionSequence::kInstructionIds));
    }
    CheckCovered(listed);
  }

 private:
  // `sequence` must hold every instruction of `c` once, after its operands and
  // control predecessors.
  void CheckSequence(uint32_t c, const DimIndices& sequence);
  void CheckOrder(uint32_t c, const std::vector<int64_t>& at);
  void CheckControl(uint32_t c, uint32_t i, const std::vector<int64_t>& at);
  // In a thread with schedules every computation must have one, except the
  // bodies of fusions.
  void CheckCovered(const std::vector<bool>& listed);
  void ReportMissing(const std::vector<bool>& listed,
                     const std::vector<bool>& covered);

  Context* context_;
  const ModuleData& data_;
  IdLookup ids_;
};

void ScheduleChecker::CheckSequence(uint32_t c, const DimIndices& sequence) {
  // The place of each instruction in the sequence; -1: not in it.
  std::vector<int64_t> at(data_.computations[c].count, -1);
  for (size_t k = 0; k < sequence.size(); ++k) {
    const std::optional<uint32_t> i = ids_.Find(c, sequence[k]);
    if (!i) {
      context_->Add(Code::kScheduleInstruction, c, kNowhere,
                    context_->ComputationName(c), sequence[k]);
    } else if (at[*i] >= 0) {
      context_->Add(Code::kScheduleTwice, c, *i, context_->ComputationName(c));
    } else {
      at[*i] = static_cast<int64_t>(k);
    }
  }
  CheckOrder(c, at);
}

void ScheduleChecker::CheckOrder(uint32_t c, const std::vector<int64_t>& at) {
  const absl::Span<const InstructionRecord> records = data_.Instructions(c);
  for (uint32_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0) {
      context_->Add(Code::kScheduleLeavesOut, c, i,
                    context_->ComputationName(c));
      continue;
    }
    for (const uint32_t operand : data_.Operands(records[i])) {
      if (at[operand] > at[i]) {
        context_->Add(Code::kScheduleOrder, c, i, "operand",
                      context_->NameAt(c, operand));
      }
    }
    if (!data_.pools->attribute_bytes(records[i].attribute_bytes)
             .control.empty()) {
      CheckControl(c, i, at);
    }
  }
}

void ScheduleChecker::CheckControl(uint32_t c, uint32_t i,
                                   const std::vector<int64_t>& at) {
  const AttributeBytesView attribute_bytes =
      data_.pools->attribute_bytes(data_.Instructions(c)[i].attribute_bytes);
  for (const int64_t id : ControlPredecessors(attribute_bytes)) {
    const std::optional<uint32_t> predecessor = ids_.Find(c, id);
    if (predecessor && at[*predecessor] > at[i]) {
      context_->Add(Code::kScheduleOrder, c, i, "control predecessor",
                    context_->NameAt(c, *predecessor));
    }
  }
}

void ScheduleChecker::CheckCovered(const std::vector<bool>& listed) {
  std::vector<bool> covered = listed;
  for (const InstructionRecord& r : data_.instructions) {
    if (r.opcode != Opcode::kFusion) continue;
    for (const uint32_t callee : data_.Callees(r)) covered[callee] = true;
  }
  if (absl::c_linear_search(covered, false)) ReportMissing(listed, covered);
}

void ScheduleChecker::ReportMissing(const std::vector<bool>& listed,
                                    const std::vector<bool>& covered) {
  const Threads& threads = context_->threads();
  absl::flat_hash_set<absl::string_view> scheduled;
  for (uint32_t c = 0; c < listed.size(); ++c) {
    if (listed[c]) scheduled.insert(threads.Of(c));
  }
  for (uint32_t c = 0; c < listed.size(); ++c) {
    if (!covered[c] && scheduled.contains(threads.Of(c))) {
      context_->Add(Code::kScheduleMissing, c, kNowhere,
                    context_->ComputationName(c));
    }
  }
}

}  // namespace

void CheckSchedule(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto, context->data.other_fields);
  const absl::string_view schedule = fields.Text(kSchedule);
  if (schedule.empty()) return;
  if (context->data.recorded) {
    context->Add(Code::kScheduleRecorded, kNowhere, kNowhere);
  }
  ScheduleChecker(context).Run(schedule);
}

}  // namespace indim::structure

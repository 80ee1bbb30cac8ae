// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/common_module.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "indim/proto/hlo.pb.h"

namespace indim::bench {
namespace {

using Ids = absl::flat_hash_map<int64_t, int64_t>;

class Renumberer {
 public:
  explicit Renumberer(proto::HloModuleProto* module) : module_(*module) {}

  absl::Status Run() {
    computations_ = NumberInOrder(*module_.mutable_computations());
    module_.set_entry_computation_id(
        New(computations_, module_.entry_computation_id()));
    for (auto& computation : *module_.mutable_computations()) {
      Renumber(&computation);
    }
    if (module_.has_schedule()) RenumberSchedule();
    return status_;
  }

 private:
  // The new ids, by old id. They keep the order, in which XLA prints.
  template <typename Elements>
  Ids NumberInOrder(Elements& elements) {
    std::vector<int64_t> in_order;
    for (const auto& element : elements) in_order.push_back(element.id());
    std::sort(in_order.begin(), in_order.end());
    Ids ids;
    for (const int64_t id : in_order) ids[id] = next_++;
    for (auto& element : elements) element.set_id(ids[element.id()]);
    return ids;
  }
  // An instruction's id is unique in the module; references may have only its
  // lower half, which is unique in the computation.
  void Renumber(proto::HloComputationProto* computation) {
    Ids ids = NumberInOrder(*computation->mutable_instructions());
    instructions_.insert(ids.begin(), ids.end());
    for (const auto& [id, number] : Ids(ids)) ids[id & 0xffffffff] = number;
    for (auto& instruction : *computation->mutable_instructions()) {
      if (instruction.has_metadata()) {
        instruction.mutable_metadata()->clear_stack_frame_id();
      }
      Renumber(ids, instruction.mutable_operand_ids());
      Renumber(ids, instruction.mutable_control_predecessor_ids());
      Renumber(computations_, instruction.mutable_called_computation_ids());
    }
    computation->set_root_id(New(ids, computation->root_id()));
  }
  void Renumber(const Ids& ids,
                google::protobuf::RepeatedField<int64_t>* list) {
    for (int64_t& id : *list) id = New(ids, id);
  }
  void RenumberSchedule() {
    proto::HloScheduleProto schedule;
    for (const auto& [id, sequence] : module_.schedule().sequences()) {
      auto& to = (*schedule.mutable_sequences())[New(computations_, id)];
      to = sequence;
      Renumber(instructions_, to.mutable_instruction_ids());
    }
    *module_.mutable_schedule() = std::move(schedule);
  }
  int64_t New(const Ids& ids, int64_t id) {
    const auto found = ids.find(id);
    if (found != ids.end()) return found->second;
    status_.Update(
        absl::InvalidArgumentError(absl::StrCat("nothing has the id ", id)));
    return 0;
  }

  proto::HloModuleProto& module_;
  Ids computations_;
  Ids instructions_;
  int64_t next_ = 1;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::string> CommonModule(absl::string_view bytes) {
  proto::HloModuleProto module;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !module.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("no HloModuleProto");
  }
  module.clear_stack_frame_index();
  const absl::Status status = Renumberer(&module).Run();
  if (!status.ok()) return status;
  return module.SerializeAsString();
}

}  // namespace indim::bench

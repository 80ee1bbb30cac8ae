// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/passes/cosmetic_changes.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

// Numbers for those that were there, each another one, also in the low 32 bits,
// which XLA goes by.
class NewNumbers {
 public:
  NewNumbers(uint64_t bound, Random* random) : bound_(bound), random_(random) {}

  int64_t Of(int64_t old) {
    const auto known = numbers_.find(old);
    if (known != numbers_.end()) return known->second;
    int64_t number = 0;
    do {
      number = static_cast<int64_t>(1 + Below(bound_, random_));
    } while (!used_.insert(static_cast<uint32_t>(number)).second);
    return numbers_[old] = number;
  }

 private:
  uint64_t bound_;
  Random* random_;
  std::map<int64_t, int64_t> numbers_;
  std::set<uint32_t> used_;
};

// Any order in which what `before(i)` names stands before item i.
template <typename Before>
std::vector<int> AnyOrder(int count, Before before, Random* random) {
  std::vector<std::vector<int>> behind(static_cast<size_t>(count));
  std::vector<size_t> waiting(static_cast<size_t>(count));
  std::vector<int> ready, order;
  for (int i = 0; i < count; ++i) {
    const std::set<int> firsts = before(i);
    waiting[static_cast<size_t>(i)] = firsts.size();
    for (const int first : firsts) {
      behind[static_cast<size_t>(first)].push_back(i);
    }
    if (firsts.empty()) ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[Below(ready.size(), random)], ready.back());
    const int next = ready.back();
    ready.pop_back();
    order.push_back(next);
    for (const int i : behind[static_cast<size_t>(next)]) {
      if (--waiting[static_cast<size_t>(i)] == 0) ready.push_back(i);
    }
  }
  return order;
}

// Puts the items of a repeated field into this order.
template <typename Items>
void Reorder(const std::vector<int>& order, Items* items) {
  const Items old = *items;
  items->Clear();
  for (const int i : order) *items->Add() = old.Get(i);
}

std::string RandomName(Random* random) {
  return absl::StrCat("n", absl::Hex((*random)()));
}

void ReorderInstructions(Random* random,
                         proto::HloComputationProto* computation) {
  std::map<int64_t, int> at;
  for (int i = 0; i < computation->instructions_size(); ++i) {
    at[computation->instructions(i).id()] = i;
  }
  const auto before = [&](int i) {
    std::set<int> firsts;
    const proto::HloInstructionProto& node = computation->instructions(i);
    for (const auto* ids :
         {&node.operand_ids(), &node.control_predecessor_ids()}) {
      for (const int64_t id : *ids) firsts.insert(at.at(id));
    }
    return firsts;
  };
  Reorder(AnyOrder(computation->instructions_size(), before, random),
          computation->mutable_instructions());
}

void ReorderComputations(Random* random, proto::HloModuleProto* module) {
  std::map<int64_t, int> at;
  for (int c = 0; c < module->computations_size(); ++c) {
    at[module->computations(c).id()] = c;
  }
  const auto before = [&](int c) {
    std::set<int> firsts;
    for (const auto& node : module->computations(c).instructions()) {
      for (const int64_t id : node.called_computation_ids()) {
        firsts.insert(at.at(id));
      }
    }
    return firsts;
  };
  Reorder(AnyOrder(module->computations_size(), before, random),
          module->mutable_computations());
}

void Rename(Random* random, proto::ProgramShapeProto* shape) {
  for (std::string& name : *shape->mutable_parameter_names()) {
    name = RandomName(random);
  }
}

}  // namespace

void ChangeLooks(Random* random, proto::HloModuleProto* module) {
  constexpr uint64_t kIds = uint64_t{1} << 40;
  module->clear_schedule();
  ReorderComputations(random, module);
  module->set_name(RandomName(random));
  NewNumbers computations(kIds, random), channels(10000, random);
  if (module->has_host_program_shape()) {
    Rename(random, module->mutable_host_program_shape());
  }
  for (auto& computation : *module->mutable_computations()) {
    ReorderInstructions(random, &computation);
    const bool is_entry = computation.id() == module->entry_computation_id();
    computation.set_id(computations.Of(computation.id()));
    computation.set_name(RandomName(random));
    if (is_entry) {
      module->set_entry_computation_name(computation.name());
    }
    if (computation.has_program_shape()) {
      Rename(random, computation.mutable_program_shape());
    }
    NewNumbers ids(kIds, random);
    computation.set_root_id(ids.Of(computation.root_id()));
    for (auto& node : *computation.mutable_instructions()) {
      node.set_name(RandomName(random));
      node.set_id(ids.Of(node.id()));
      for (auto* list : {node.mutable_operand_ids(),
                         node.mutable_control_predecessor_ids()}) {
        for (int64_t& id : *list) id = ids.Of(id);
      }
      for (int64_t& id : *node.mutable_called_computation_ids()) {
        id = computations.Of(id);
      }
      if (node.channel_id() > 0) {
        node.set_channel_id(channels.Of(node.channel_id()));
      }
      if (OneIn(2, random)) node.clear_metadata();
      if (OneIn(2, random)) {
        node.mutable_metadata()->set_op_name(RandomName(random));
        node.mutable_metadata()->set_source_line(
            static_cast<int32_t>(Below(1000, random)));
      }
    }
  }
  module->set_entry_computation_id(
      computations.Of(module->entry_computation_id()));
}

}  // namespace indim

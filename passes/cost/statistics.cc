// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/statistics.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/passes/cost/call_sites.h"
#include "indim/passes/cost/op_costs.h"
#include "indim/passes/cost/sizes.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

// The files of the instructions, each metadata looked at once.
class SourceFiles {
 public:
  explicit SourceFiles(const ModuleData& data)
      : counts_(data.pools->metadata_count()), samples_(counts_.size()) {}

  void Add(const Instruction& node) {
    const uint32_t id = internal::RecordOf(node).metadata.value;
    if (id == 0) return;
    if (counts_[id]++ == 0) samples_[id] = node;
  }
  std::map<std::string, int64_t> Counts() const {
    std::map<std::string, int64_t> files;
    for (size_t id = 0; id < counts_.size(); ++id) {
      if (counts_[id] == 0) continue;
      std::string file = samples_[id].location().file;
      if (!file.empty()) files[std::move(file)] += counts_[id];
    }
    return files;
  }

 private:
  std::vector<int64_t> counts_;       // by MetadataId
  std::vector<Instruction> samples_;  // likewise
};

void AddHeld(const Amount& bytes, ModuleStatistics::Held* held) {
  ++held->count;
  held->bytes += bytes;
}

void AddEntry(const Computation& entry, ModuleStatistics* all) {
  for (const Instruction node : entry.instructions()) {
    if (node.opcode() == Opcode::kParameter) {
      AddHeld(internal::BytesOfLeaves(node.shape()), &all->parameters);
    }
  }
  if (entry.instruction_count() == 0) return;
  const Shape& result = entry.root().shape();
  all->results.count = result.is_tuple() ? result.tuple_size() : 1;
  all->results.bytes = internal::BytesOfLeaves(result);
}

// What single operations add beside their count.
void AddSpecial(const Instruction& node, const internal::CallSites& sites,
                ModuleStatistics* all) {
  if (node.opcode() == Opcode::kConstant) {
    AddHeld(internal::BytesOfLeaves(node.shape()), &all->constants);
  } else if (node.opcode() == Opcode::kWhile) {
    all->loops.push_back(
        {node, node.callee_count() == 2
                   ? internal::TripCount(node, sites.Of(node.computation()))
                   : std::nullopt});
  } else if (node.opcode() == Opcode::kCustomCall) {
    ++all->custom_calls[As<CustomCallAttributes>(node.attributes()).target];
  } else if (const auto groups =
                 internal::OpCostOf(node.opcode()).groups(node)) {
    ModuleStatistics::Collective c;
    c.instruction = node;
    c.groups = groups->count;
    c.group_size = groups->size;
    for (const Instruction operand : node.operands()) {
      c.bytes += internal::BytesOfLeaves(operand.shape());
    }
    all->collectives.push_back(std::move(c));
  }
}

}  // namespace

ModuleStatistics Statistics(const Module& module) {
  ModuleStatistics all;
  all.computations = module.computation_count();
  all.instructions = module.instruction_count();
  if (all.computations == 0) return all;
  const internal::CallSites sites(module);
  SourceFiles files(internal::DataOf(module));
  std::array<int64_t, 256> counts = {};
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() == Opcode::kInvalid) {
        ++all.opcodes[std::string(node.opcode_name())];
      } else {
        ++counts[static_cast<size_t>(node.opcode())];
      }
      AddSpecial(node, sites, &all);
      files.Add(node);
    }
  }
  for (const OpInfo& op : AllOps()) {
    const int64_t count = counts[static_cast<size_t>(op.opcode)];
    if (count > 0) all.opcodes[std::string(op.wire)] = count;
  }
  AddEntry(module.entry(), &all);
  all.source_files = files.Counts();
  return all;
}

}  // namespace indim

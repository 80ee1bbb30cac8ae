// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/new_names.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/final_names.h"
#include "indim/ir/storage/byte_pool.h"
#include "indim/ir/unique_names.h"

namespace indim::internal {
namespace {

// Names of the nodes of a changed module. Most new ones are made of the opcode
// and the id. Such a name is free if its number is above that of any other
// name, so that few names are compared with others.
class NodeNamer {
 public:
  NodeNamer(absl::Span<const uint32_t> nodes, EditGraph* graph,
            ModuleData* data)
      : nodes_(nodes), graph_(*graph), data_(*data) {}

  void Run() {
    Sort();
    if (made_.empty() && claimed_.empty()) return;
    // Views of names stay valid from here on.
    Pools& pools = graph_.MutablePools();
    if (!claimed_.empty()) Claim(&pools);
    std::string name;
    for (const uint32_t i : made_) {
      name.clear();  // its room is used again
      absl::StrAppend(&name, FinalNames::BaseOf(graph_.OpcodeName(nodes_[i])),
                      ".", graph_.NameNumber(nodes_[i]));
      data_.instructions[i].name = pools.AddName(name);
    }
  }

 private:
  // Finds out which names are made, and which must be claimed.
  void Sort();
  void Claim(Pools* pools);
  uint64_t NumberOf(uint32_t i) const {
    return static_cast<uint64_t>(graph_.NameNumber(nodes_[i]));
  }
  absl::string_view Given(uint32_t i) const {
    return graph_.pools().name(data_.instructions[i].name);
  }

  const absl::Span<const uint32_t> nodes_;
  EditGraph& graph_;
  ModuleData& data_;
  std::vector<uint32_t> made_, claimed_;  // positions, ascending
};

void NodeNamer::Sort() {
  uint64_t largest = 0;
  std::vector<uint32_t> made;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const bool renamed = graph_.is_renamed(nodes_[i]);
    if (data_.instructions[i].name) {
      largest = std::max(largest, NumberAtEnd(Given(i)).value_or(0));
      if (renamed) claimed_.push_back(i);
    } else if (!renamed) {
      largest = std::max(largest, NumberOf(i));
    } else if (data_.names_as_read) {
      made.push_back(i);
    }
  }
  for (const uint32_t i : made) {
    (NumberOf(i) > largest ? made_ : claimed_).push_back(i);
  }
  std::sort(claimed_.begin(), claimed_.end());
}

void NodeNamer::Claim(Pools* pools) {
  BytePool bytes;
  UniqueNames names(&bytes);
  names.Reserve(nodes_.size());
  const auto name_of = [&](uint32_t i) {
    return data_.instructions[i].name ? Given(i)
                                      : bytes.Copy(graph_.NameOf(nodes_[i]));
  };
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!graph_.is_renamed(nodes_[i])) names.Take(name_of(i));
  }
  for (const uint32_t i : made_) names.Take(name_of(i));
  for (const uint32_t i : claimed_) {
    InstructionRecord& record = data_.instructions[i];
    const absl::string_view name = name_of(i);
    const absl::string_view free = names.Claim(name);
    if (free != name || !record.name) record.name = pools->AddName(free);
  }
}

void NameComputations(absl::Span<const uint32_t> computations, EditGraph* graph,
                      ModuleData* data) {
  const auto is_new = [&](uint32_t c) { return graph->at(c).is_new; };
  if (absl::c_none_of(computations, is_new)) return;
  Pools& pools = graph->MutablePools();
  BytePool bytes;
  UniqueNames names(&bytes);
  for (const bool take_new : {false, true}) {
    for (uint32_t i = 0; i < computations.size(); ++i) {
      if (is_new(computations[i]) != take_new) continue;
      NameId& id = data->computations[i].name;
      const absl::string_view name = pools.name(id);
      if (!take_new) {
        names.Take(name);
      } else if (const absl::string_view free = names.Claim(name);
                 free != name) {
        id = pools.AddName(free);
      }
    }
  }
}

}  // namespace

void NameNew(absl::Span<const uint32_t> nodes,
             absl::Span<const uint32_t> computations, EditGraph* graph,
             ModuleData* data) {
  NodeNamer(nodes, graph, data).Run();
  NameComputations(computations, graph, data);
}

}  // namespace indim::internal

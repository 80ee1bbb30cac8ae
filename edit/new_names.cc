#include "indim/edit/new_names.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace indim::internal {
namespace {

// The names of old things that new ones may want. A name is only asked for by
// its base ("x" of "x.1.2"), so that few old names are kept.
class Taken {
 public:
  void Want(absl::string_view name) { bases_.insert(std::string(name)); }
  // `name` is an old thing's.
  void Add(absl::string_view name) {
    size_t end = name.size();
    while (end != absl::string_view::npos && end > 0) {
      if (bases_.contains(name.substr(0, end))) {
        taken_.insert(std::string(name));
        return;
      }
      end = name.rfind('.', end - 1);
    }
  }
  // `name`, or the first of name.1, name.2, ... that is free; it is taken then.
  std::string Claim(const std::string& name) {
    if (taken_.insert(name).second) return name;
    int64_t& last = last_[name];
    std::string numbered;
    do {
      numbered = absl::StrCat(name, ".", ++last);
    } while (!taken_.insert(numbered).second);
    return numbered;
  }

 private:
  absl::flat_hash_set<std::string> bases_, taken_;
  absl::flat_hash_map<std::string, int64_t> last_;
};

void NameNodes(absl::Span<const uint32_t> nodes, EditGraph* graph,
               ModuleData* data) {
  Taken taken;
  std::vector<std::pair<uint32_t, std::string>> wanted;  // by position
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!graph->is_renamed(nodes[i])) continue;
    if (!data->instructions[i].name && !data->names_as_read) continue;
    wanted.emplace_back(i, graph->NameOf(nodes[i]));
    taken.Want(wanted.back().second);
  }
  if (wanted.empty()) return;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (graph->is_renamed(nodes[i])) continue;
    const absl::string_view given =
        graph->pools().name(data->instructions[i].name);
    taken.Add(given.empty() ? graph->NameOf(nodes[i]) : std::string(given));
  }
  for (auto& [i, name] : wanted) {
    const std::string free = taken.Claim(name);
    if (free == name && data->instructions[i].name) continue;
    data->instructions[i].name = graph->MutablePools().AddName(free);
  }
}

void NameComputations(absl::Span<const uint32_t> computations, EditGraph* graph,
                      ModuleData* data) {
  Taken taken;
  bool any = false;
  for (const uint32_t c : computations) {
    if (!graph->at(c).is_new) continue;
    any = true;
    taken.Want(graph->ComputationName(c));
  }
  if (!any) return;
  for (const uint32_t c : computations) {
    if (!graph->at(c).is_new) taken.Add(graph->ComputationName(c));
  }
  for (uint32_t i = 0; i < computations.size(); ++i) {
    if (!graph->at(computations[i]).is_new) continue;
    const std::string name = graph->ComputationName(computations[i]);
    const std::string free = taken.Claim(name);
    if (free == name) continue;
    data->computations[i].name = graph->MutablePools().AddName(free);
  }
}

}  // namespace

void NameNew(absl::Span<const uint32_t> nodes,
             absl::Span<const uint32_t> computations, EditGraph* graph,
             ModuleData* data) {
  NameNodes(nodes, graph, data);
  NameComputations(computations, graph, data);
}

}  // namespace indim::internal

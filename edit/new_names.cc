#include "indim/edit/new_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/final_names.h"

namespace indim::internal {
namespace {

// The names of old things that new ones may want. A name is only asked for as
// it is and with a number (".1"), so that few old names are kept. Names must
// outlive it.
class Taken {
 public:
  void Want(absl::string_view name) { wanted_.try_emplace(name); }
  // `name` is an old thing's. Call it after all of Want().
  void Add(absl::string_view name) {
    const auto found = wanted_.find(name);
    if (found != wanted_.end()) found->second.is_taken = true;
    const size_t dot = name.rfind('.');
    if (dot != absl::string_view::npos &&
        wanted_.contains(name.substr(0, dot))) {
      numbered_.insert(name);
    }
  }
  // A wanted name, or the first of name.1, name.2, ... that is free; it is
  // taken then.
  std::string Claim(absl::string_view name) {
    Wanted& wanted = wanted_.find(name)->second;
    if (!std::exchange(wanted.is_taken, true)) return std::string(name);
    std::string numbered;
    do {
      numbered = absl::StrCat(name, ".", ++wanted.last_number);
    } while (!TakeNumbered(numbered));
    return numbered;
  }

 private:
  struct Wanted {
    bool is_taken = false;
    int64_t last_number = 0;
  };
  // Nobody else takes the name but whoever wants it as it is.
  bool TakeNumbered(absl::string_view name) {
    if (numbered_.contains(name)) return false;
    const auto found = wanted_.find(name);
    return found == wanted_.end() ||
           !std::exchange(found->second.is_taken, true);
  }

  absl::flat_hash_map<absl::string_view, Wanted> wanted_;
  absl::flat_hash_set<absl::string_view> numbered_;
};

// The number behind the last '.' of a name; 0: none.
uint64_t NumberAtEnd(absl::string_view name) {
  uint64_t number = 0, unit = 1;
  size_t end = name.size();
  while (end > 0 &&
         absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1]))) {
    if (name.size() - --end > 18) return ~uint64_t{0};  // a huge one
    number += unit * static_cast<uint64_t>(name[end] - '0');
    unit *= 10;
  }
  return end > 0 && name[end - 1] == '.' ? number : 0;
}

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
      const absl::string_view base =
          FinalNames::BaseOf(graph_.OpcodeName(nodes_[i]));
      name.resize(base.size() + 21);
      char* end = std::copy(base.begin(), base.end(), name.data());
      *end++ = '.';
      end = std::to_chars(end, name.data() + name.size(),
                          graph_.NameNumber(nodes_[i]))
                .ptr;
      data_.instructions[i].name = pools.AddName(absl::string_view(
          name.data(), static_cast<size_t>(end - name.data())));
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
      largest = std::max(largest, NumberAtEnd(Given(i)));
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
  Taken taken;
  std::deque<std::string> kept;
  const auto name_of = [&](uint32_t i) -> absl::string_view {
    if (data_.instructions[i].name) return Given(i);
    return kept.emplace_back(graph_.NameOf(nodes_[i]));
  };
  std::vector<absl::string_view> wanted;
  for (const uint32_t i : claimed_) {
    wanted.push_back(name_of(i));
    taken.Want(wanted.back());
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!graph_.is_renamed(nodes_[i])) taken.Add(name_of(i));
  }
  for (const uint32_t i : made_) taken.Add(name_of(i));
  for (size_t k = 0; k < claimed_.size(); ++k) {
    InstructionRecord& record = data_.instructions[claimed_[k]];
    const std::string free = taken.Claim(wanted[k]);
    if (free == wanted[k] && record.name) continue;
    record.name = pools->AddName(free);
  }
}

void NameComputations(absl::Span<const uint32_t> computations, EditGraph* graph,
                      ModuleData* data) {
  const auto is_new = [&](uint32_t i) {
    return graph->at(computations[i]).is_new;
  };
  std::vector<uint32_t> claimed;
  for (uint32_t i = 0; i < computations.size(); ++i) {
    if (is_new(i)) claimed.push_back(i);
  }
  if (claimed.empty()) return;
  Pools& pools = graph->MutablePools();
  const auto name_of = [&](uint32_t i) {
    return pools.name(data->computations[i].name);
  };
  Taken taken;
  for (const uint32_t i : claimed) taken.Want(name_of(i));
  for (uint32_t i = 0; i < computations.size(); ++i) {
    if (!is_new(i)) taken.Add(name_of(i));
  }
  for (const uint32_t i : claimed) {
    const std::string free = taken.Claim(name_of(i));
    if (free != name_of(i)) data->computations[i].name = pools.AddName(free);
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

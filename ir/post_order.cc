#include "indim/ir/post_order.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/ir/link.h"

namespace indim::internal {
namespace {

// Returns the predecessors of a node, in order.
using Before = absl::FunctionRef<std::vector<uint32_t>(uint32_t node)>;

// Appends `root` and its predecessors that aren't in *order yet, in post-order.
// *seen has an entry for each node.
void AppendPostOrder(uint32_t root, Before before, std::vector<bool>* seen,
                     std::vector<uint32_t>* order) {
  struct Open {
    uint32_t node;
    std::vector<uint32_t> before;
    size_t next = 0;
  };
  if ((*seen)[root]) return;
  (*seen)[root] = true;
  // Iterative, because a graph may be deeper than the call stack.
  std::vector<Open> path;
  path.push_back({root, before(root)});
  while (!path.empty()) {
    Open& open = path.back();
    if (open.next == open.before.size()) {
      order->push_back(open.node);
      path.pop_back();
      continue;
    }
    const uint32_t node = open.before[open.next++];
    if ((*seen)[node]) continue;
    (*seen)[node] = true;
    path.push_back({node, before(node)});
  }
}

class Sorter {
 public:
  explicit Sorter(ModuleData data) : from_(std::move(data)) {}

  ModuleData Run(std::vector<uint32_t>* entry_positions);

 private:
  // Control predecessors, as positions in the computation.
  std::vector<uint32_t> ControlOf(uint32_t first, const InstructionRecord& r);
  // The new order of computation `c`, as its old positions.
  std::vector<uint32_t> OrderOf(uint32_t c);
  std::vector<uint32_t> OrderOfComputations();

  const ModuleData from_;
  std::vector<std::vector<uint32_t>> orders_;  // by computation
};

std::vector<uint32_t> Sorter::ControlOf(uint32_t first,
                                        const InstructionRecord& r) {
  std::vector<uint32_t> positions;
  const AttributeBytesView attribute_bytes =
      from_.pools->attribute_bytes(r.attribute_bytes);
  if (attribute_bytes.control.empty()) return positions;
  MapControl(attribute_bytes.control, [&](uint64_t id) {
    positions.push_back(static_cast<uint32_t>(id - 1 - first));
    return id;
  });
  return positions;
}

std::vector<uint32_t> Sorter::OrderOf(uint32_t c) {
  const ComputationRecord& computation = from_.computations[c];
  std::vector<uint32_t> order;
  order.reserve(computation.count);
  std::vector<bool> seen(computation.count);
  const auto before = [&](uint32_t i) {
    const InstructionRecord& r = from_.instructions[computation.first + i];
    const absl::Span<const uint32_t> operands = from_.Operands(r);
    std::vector<uint32_t> all(operands.begin(), operands.end());
    for (const uint32_t position : ControlOf(computation.first, r)) {
      all.push_back(position);
    }
    return all;
  };
  AppendPostOrder(computation.root, before, &seen, &order);
  // The others. Their operands precede them here, or the root needs those too.
  for (uint32_t i = 0; i < computation.count; ++i) {
    if (!seen[i]) order.push_back(i);
  }
  return order;
}

std::vector<uint32_t> Sorter::OrderOfComputations() {
  std::vector<uint32_t> order;
  std::vector<bool> seen(from_.computations.size());
  const auto before = [&](uint32_t c) {
    std::vector<uint32_t> callees;
    const uint32_t first = from_.computations[c].first;
    for (const uint32_t i : orders_[c]) {
      for (const uint32_t callee :
           from_.Callees(from_.instructions[first + i])) {
        callees.push_back(callee);
      }
    }
    return callees;
  };
  AppendPostOrder(from_.entry, before, &seen, &order);
  return order;
}

ModuleData Sorter::Run(std::vector<uint32_t>* entry_positions) {
  const uint32_t count = static_cast<uint32_t>(from_.computations.size());
  for (uint32_t c = 0; c < count; ++c) orders_.push_back(OrderOf(c));
  const std::vector<uint32_t> order = OrderOfComputations();
  std::vector<uint32_t> place_of(count);  // 0 for those that nothing calls
  for (uint32_t i = 0; i < order.size(); ++i) place_of[order[i]] = i;
  ModuleData to;
  static_cast<ModuleProperties&>(to) = from_;
  to.pools = from_.pools;
  to.entry = place_of[from_.entry];
  IdMap same(to.pools, to.pools.get());
  for (const uint32_t c : order) {
    AppendComputation(
        from_, c, ControlForm::kIds, ControlForm::kIds,
        [&](uint32_t callee) { return place_of[callee]; }, &same, &to,
        orders_[c]);
  }
  const std::vector<uint32_t> place = InverseOf(orders_[from_.entry]);
  for (uint32_t& position : *entry_positions) position = place[position];
  return to;
}

}  // namespace

ModuleData InPostOrder(ModuleData data,
                       std::vector<uint32_t>* entry_positions) {
  return Sorter(std::move(data)).Run(entry_positions);
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/post_order.h"

#include "absl/types/span.h"
#include "indim/ir/link.h"
#include "indim/ir/stable_order.h"

namespace indim::internal {
namespace {

// The new order of computation `c`, as its old positions.
std::vector<uint32_t> OrderOf(const ModuleData& data, uint32_t c) {
  const ComputationRecord& computation = data.computations[c];
  const auto needs = [&](uint32_t i, std::vector<uint32_t>* all) {
    const InstructionRecord& r = data.Record(c, i);
    const absl::Span<const uint32_t> operands = data.Operands(r);
    all->assign(operands.begin(), operands.end());
    MapControl(
        data.pools->attribute_bytes(r.attribute_bytes).control,
        [&](uint64_t id) {
          all->push_back(static_cast<uint32_t>(id - 1 - computation.first));
          return id;
        });
  };
  std::vector<uint32_t> order, cycle;
  StableSorter(computation.count)
      .Append({computation.root}, needs, &order, &cycle);
  // The others. Their operands precede them here, or the root needs those too.
  std::vector<bool> is_needed(computation.count);
  for (const uint32_t i : order) is_needed[i] = true;
  for (uint32_t i = 0; i < computation.count; ++i) {
    if (!is_needed[i]) order.push_back(i);
  }
  return order;
}

}  // namespace

ModuleData InPostOrder(ModuleData data,
                       std::vector<uint32_t>* entry_positions) {
  const uint32_t count = static_cast<uint32_t>(data.computations.size());
  std::vector<std::vector<uint32_t>> orders;  // by computation
  for (uint32_t c = 0; c < count; ++c) orders.push_back(OrderOf(data, c));
  const auto callees_of = [&](uint32_t c, std::vector<uint32_t>* callees) {
    for (const uint32_t i : orders[c]) {
      for (const uint32_t callee : data.Callees(data.Record(c, i))) {
        callees->push_back(callee);
      }
    }
  };
  std::vector<uint32_t> order, cycle;
  StableSorter(count).Append({data.entry}, callees_of, &order, &cycle);
  std::vector<uint32_t> place_of(count);  // 0 for those that nothing calls
  for (uint32_t i = 0; i < order.size(); ++i) place_of[order[i]] = i;
  ModuleData to(data.pools);
  static_cast<ModuleProperties&>(to) = data;
  to.entry = place_of[data.entry];
  IdMap same(to.pools, to.pools.get());
  for (const uint32_t c : order) {
    AppendComputation(
        data, c, ControlForm::kIds, ControlForm::kIds,
        [&](uint32_t callee) { return place_of[callee]; }, &same, &to,
        orders[c]);
  }
  const std::vector<uint32_t> place = InverseOf(orders[data.entry]);
  for (uint32_t& position : *entry_positions) position = place[position];
  return to;
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
// StableSorter: puts each item behind the items that it needs, and moves as few
// as it can.

#ifndef INDIM_IR_STABLE_ORDER_H_
#define INDIM_IR_STABLE_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace indim::internal {

class StableSorter {
 public:
  // Appends the items that `item` needs, in order.
  using Needs =
      absl::FunctionRef<void(uint32_t item, std::vector<uint32_t>* needs)>;

  // Items are numbers below `limit`.
  explicit StableSorter(uint32_t limit) : state_(limit, kNew) {}

  // Appends `items` to *order, in their order, but each directly after those
  // of its needs that aren't in *order yet. False: items need each other in a
  // cycle, which *cycle has then.
  bool Append(absl::Span<const uint32_t> items, Needs needs,
              std::vector<uint32_t>* order, std::vector<uint32_t>* cycle);

 private:
  enum State : uint8_t { kNew, kOpen, kDone };
  bool AppendOne(uint32_t item, Needs needs, std::vector<uint32_t>* order,
                 std::vector<uint32_t>* cycle);

  std::vector<uint8_t> state_;
};

// The names of the items of a cycle, as an error has them: "a -> b"; of a long
// one, the first.
std::string CycleText(absl::Span<const std::string> names);

}  // namespace indim::internal

#endif  // INDIM_IR_STABLE_ORDER_H_

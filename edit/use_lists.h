// SPDX-License-Identifier: Apache-2.0
// UseLists: the users of each node, as linked lists through operand slots.

#ifndef INDIM_EDIT_USE_LISTS_H_
#define INDIM_EDIT_USE_LISTS_H_

#include <cstdint>

#include "indim/ir/storage/column.h"

namespace indim::internal {

// No node, no computation, no slot.
inline constexpr uint32_t kNone = ~uint32_t{0};

// A slot is a position in the graph's array of operands.
class UseLists {
 public:
  UseLists(uint32_t nodes, uint32_t slots) {
    first_.resize(nodes, kNone);
    AddSlots(slots);
  }

  void AddNodes(uint32_t count) { first_.resize(first_.size() + count, kNone); }
  void AddSlots(uint32_t count) {
    slots_.resize(slots_.size() + count, {kNone, kNone, kNone});
  }

  // `slot`, an operand of `user`, uses `value` from now on.
  void Link(uint32_t slot, uint32_t user, uint32_t value) {
    const uint32_t after = first_[value];
    slots_[slot] = {after, kNone, user};
    if (after != kNone) slots_[after].previous = slot;
    first_[value] = slot;
  }
  void Unlink(uint32_t slot, uint32_t value) {
    const auto [after, before, user] = slots_[slot];
    if (before == kNone) {
      first_[value] = after;
    } else {
      slots_[before].next = after;
    }
    if (after != kNone) slots_[after].previous = before;
  }

  // The first slot that uses `value`, and the one behind `slot`; kNone: none.
  uint32_t first(uint32_t value) const { return first_[value]; }
  uint32_t next(uint32_t slot) const { return slots_[slot].next; }
  uint32_t user(uint32_t slot) const { return slots_[slot].user; }

 private:
  struct Slot {
    uint32_t next, previous, user;
  };
  Column<uint32_t> first_;  // by node
  Column<Slot> slots_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_USE_LISTS_H_

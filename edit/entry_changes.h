// SPDX-License-Identifier: Apache-2.0
// EntryChanges: the new numbers of the entry's parameters and results, for the
// module's state that refers to them by number.

#ifndef INDIM_EDIT_ENTRY_CHANGES_H_
#define INDIM_EDIT_ENTRY_CHANGES_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace indim::internal {

struct EntryChanges {
  static constexpr int64_t kNew = -1;

  // Another computation is the entry: nothing of the old state fits.
  bool entry_changed = false;
  // By number: the number in the module, or kNew. nullopt: as in the module.
  std::optional<std::vector<int64_t>> parameters;
  // By element of the result: the element in the module, or kNew. nullopt: as
  // in the module.
  std::optional<std::vector<int64_t>> results;
  // The result in the module became an element of a tuple: `results` says 0.
  bool wrapped = false;
  // Another instruction is the result: nothing said of the old one fits.
  bool result_replaced = false;

  bool any() const {
    return entry_changed || parameters.has_value() || results.has_value() ||
           wrapped || result_replaced;
  }
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_ENTRY_CHANGES_H_

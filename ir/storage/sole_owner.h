// SPDX-License-Identifier: Apache-2.0
// Checks whether a shared pointer has other owners.

#ifndef INDIM_IR_STORAGE_SOLE_OWNER_H_
#define INDIM_IR_STORAGE_SOLE_OWNER_H_

#include <memory>

namespace indim {

// Whether `pointer` is the only owner, so that its holder may change the
// object. All accesses of other threads before they released it happen before
// this returns. Nobody may copy `pointer` itself meanwhile.
template <typename T>
bool IsSoleOwner(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  // use_count() doesn't synchronise, but releasing a share does: this makes it
  // safe to destroy the object after the last release.
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace indim

#endif  // INDIM_IR_STORAGE_SOLE_OWNER_H_

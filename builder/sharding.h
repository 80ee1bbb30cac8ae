// SPDX-License-Identifier: Apache-2.0
// Sharding annotations: they tell XLA's partitioner how to spread a value over
// devices.
//
//   // 8 devices, rows over 2 of them, columns over 4:
//   ScopedSharding scope(&b, TileSharding({2, 4}));
//   Op y = b.Dot(x, w);                       // annotated, until scope ends
//
// sharding/sharding.h makes shardings.

#ifndef INDIM_BUILDER_SHARDING_H_
#define INDIM_BUILDER_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "indim/builder/computation_builder.h"
#include "indim/sharding/sharding.h"  // IWYU pragma: export

namespace indim {

// Sets the sharding of the results of a builder's calls while the scope lives,
// then restores the previous one; nullopt: no sharding. What a call makes for
// itself has none: the constant of `x + 1`, the counter of a loop, the steps of
// a composite. Of several results (of a loop, a branch, a call) those have it
// that can carry it, and a tuple's sharding has a part for each. A call without
// a result that can is an error, as in XLA (IND0785, IND0786). Scopes nest. The
// builder may be destroyed or moved before the scope ends.
class ScopedSharding {
 public:
  ScopedSharding(ComputationBuilder* builder,
                 std::optional<std::string> op_sharding,
                 Caller caller = Caller::Here());
  ~ScopedSharding();
  ScopedSharding(const ScopedSharding&) = delete;
  ScopedSharding& operator=(const ScopedSharding&) = delete;

 private:
  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  std::optional<std::string> before_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_SHARDING_H_

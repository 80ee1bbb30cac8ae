// SPDX-License-Identifier: Apache-2.0
// Computations on the parts that single devices have (JAX's shard_map). XLA
// writes one as three instructions: a custom call xla.sdy.GlobalToLocalShape of
// the operands, a call, and a custom call xla.sdy.LocalToGlobalShape of what it
// returns, with shardings and axes as frontend attributes. Here they become one
// sdy.manual_computation again, with the callee as its region.

#ifndef INDIM_STABLEHLO_EXPORT_MANUAL_COMPUTATION_H_
#define INDIM_STABLEHLO_EXPORT_MANUAL_COMPUTATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/shardy.h"

namespace indim::stablehlo_export {

struct ManualComputation {
  std::vector<Instruction> operands;  // arrays of all devices
  Computation body;
  AttrId in_shardings, out_shardings, manual_axes;
};

class ManualComputations {
 public:
  explicit ManualComputations(Shardy* shardy) : shardy_(*shardy) {}

  // The computation whose results this instruction, its custom call
  // xla.sdy.LocalToGlobalShape, has. Null: it is none, or something of it has
  // further users or attributes, which the operation couldn't keep.
  const ManualComputation* EndingAt(const Instruction& instruction);
  // Whether the instruction is another one of those that become the operation.
  bool IsPart(const Instruction& instruction);

 private:
  // Finds those of a computation, once.
  void Search(const Computation& computation);
  std::optional<ManualComputation> Read(const Instruction& end,
                                        const std::vector<uint32_t>& uses,
                                        std::vector<uint32_t>* parts);

  Shardy& shardy_;
  absl::flat_hash_set<int> searched_;
  absl::flat_hash_map<uint32_t, ManualComputation> by_end_;  // by position
  absl::flat_hash_set<uint32_t> parts_;                      // positions
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_MANUAL_COMPUTATION_H_

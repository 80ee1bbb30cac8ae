// SPDX-License-Identifier: Apache-2.0
// Cost: what a module computes and moves.
//
//   absl::StatusOr<CostReport> cost = Cost(module);
//   if (!cost.ok()) ...
//   std::cout << cost->total.flops.ToString();          // "15680*n"
//   for (const InstructionCost& c : cost->instructions) {
//     std::cout << c.instruction.name() << " " << c.total.flops.ToString();
//   }
//
// One execution of an instruction costs what XLA's analysis says (docs/cost.md;
// passes/cost/op_costs.def has a row for each operation). The sums are true
// ones: a loop counts as often as it runs, a conditional as its branches are
// taken, and what nobody knows is listed, not guessed.

#ifndef INDIM_PASSES_COST_COST_H_
#define INDIM_PASSES_COST_COST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/passes/cost/amount.h"

namespace indim {

struct Costs {
  Amount flops;            // a multiplication with an addition is two
  Amount transcendentals;  // exp, sine, power ...: of each element one
  Amount bytes;            // read and written

  Amount operations() const { return flops + transcendentals; }
  Costs& operator+=(const Costs& other);
  friend Costs operator*(const Amount& times, const Costs& costs);
};

struct CostOptions {
  // How often each branch of a conditional is taken, of the times that it runs,
  // by the conditional's name. Without an entry the branch that costs the most
  // operations is taken (of equal ones the one that moves most bytes).
  std::map<std::string, std::vector<double>> branch_weights;
};

struct InstructionCost {
  Instruction instruction;
  Amount times;  // that it runs
  Costs total;   // of all of them
  // What one device has of these operations and of these bytes, of 1.
  double device_work = 1;
  double device_bytes = 1;

  Costs on_device() const;
};

// What isn't in the sums as a number.
struct UnknownCost {
  enum class Why : uint8_t {
    // A loop whose number of steps the module doesn't say: in sums it is
    // steps(NAME).
    kSteps,
    // A custom call: only its target knows. It isn't in the sums. Those that
    // say how values are sharded cost nothing.
    kCustomCall,
  };
  Instruction instruction;
  Why why;
  Amount times;
};

struct LoopSteps {
  Instruction loop;
  Amount steps;  // of one execution of the loop
};

struct CostReport {
  // Keeps alive what the instructions below are of.
  Module module;
  Costs total;
  // The sums of XLA's own analysis: each loop once, of a conditional the
  // maximum of each, of each custom call -1 operation and -1 byte. Shapes
  // without a layout count as if they had one.
  Costs xla;
  // On one of the devices that share the program (num_partitions, or as many as
  // the shardings of arguments and results name). The total, unless shardings
  // cut values that XLA has still to partition: then what docs/cost.md says of
  // those, without what XLA adds to communicate; it may cut more.
  Costs on_device;
  int64_t devices = 1;
  bool is_cut = false;
  // What the entry computation runs, in the module's order. The instructions of
  // a fusion have its operations, the fusion itself its bytes. Operations that
  // are applied to elements (by reduce, scatter, sort ...) belong to the
  // instruction that applies them.
  std::vector<InstructionCost> instructions;
  std::vector<LoopSteps> loops;
  std::vector<UnknownCost> unknown;
};

// InvalidArgument: the module has no entry, an instruction has no shape
// (InferShapes fills them in), or a name of branch_weights is no conditional or
// has another number of branches; weights below 0 too. The module needn't be
// verified; of one that isn't valid, costs are any numbers. Linear in
// instructions, operands and calls, but for named sizes.
absl::StatusOr<CostReport> Cost(const Module& module,
                                const CostOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_COST_COST_H_

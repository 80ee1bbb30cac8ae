// SPDX-License-Identifier: Apache-2.0
// Statistics: what is in a module.

#ifndef INDIM_PASSES_COST_STATISTICS_H_
#define INDIM_PASSES_COST_STATISTICS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/passes/cost/amount.h"

namespace indim {

struct ModuleStatistics {
  // A number of instructions, and the bytes that they hold, take or give.
  struct Held {
    int64_t count = 0;
    Amount bytes;
  };
  struct Loop {
    Instruction loop;
    // nullopt: the module doesn't say how often its body runs.
    std::optional<int64_t> steps;
  };

  // What devices take part in together.
  struct Collective {
    Instruction instruction;
    Amount bytes;  // of its operands, on one device
    // How many groups of devices, and how many devices the largest one has; of
    // a permutation, its pairs. 0 groups: all devices are one.
    int64_t groups = 0;
    int64_t group_size = 0;
  };

  int64_t computations = 0;
  int64_t instructions = 0;
  std::map<std::string, int64_t> opcodes;  // how many instructions of each
  Held constants;
  Held parameters;  // of the entry computation
  Held results;     // of the entry; a tuple's elements
  // In the module's order; the end of one that was started isn't there.
  std::vector<Collective> collectives;
  std::vector<Loop> loops;
  std::map<std::string, int64_t> custom_calls;  // by target
  std::map<std::string, int64_t> source_files;  // instructions of each
};

// Views of `module`, which must outlive them. Bytes as in XLA's analysis of
// costs (passes/cost/cost.h). The module needn't be verified. Linear in
// instructions, operands and calls.
ModuleStatistics Statistics(const Module& module);

}  // namespace indim

#endif  // INDIM_PASSES_COST_STATISTICS_H_

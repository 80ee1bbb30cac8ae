// SPDX-License-Identifier: Apache-2.0
// PeakMemory: the most memory that a module needs at one time, by the liveness
// of its values.

#ifndef INDIM_PASSES_COST_PEAK_MEMORY_H_
#define INDIM_PASSES_COST_PEAK_MEMORY_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// In bytes, on one device.
struct MemoryUse {
  double peak = 0;       // arguments, results that reuse none, temporaries
  double arguments = 0;  // of the entry computation
  double results = 0;
  double reused = 0;       // of the results: in the memory of donated arguments
  double temporaries = 0;  // at the time when these are most
  double constants = 0;    // not part of the peak
  bool is_scheduled = false;
  // What needs most: the temporaries are most while it runs. Nothing() where
  // there are none.
  Instruction at;
};

// Instructions run in the order of the module's schedule, or as they stand in
// the module, which is an order that XLA may take. As in XLA's assignment of
// buffers: arguments and results are there all the time, and temporaries may
// lie where a result isn't needed yet; an elementwise operation writes over an
// operand that is needed no more; dynamic-update-slice, scatter and loops work
// in place; tuples, bitcasts and their like take no memory; inside a fusion
// nothing does. Buffers lie gapless, which an allocator doesn't achieve always.
//
// InvalidArgument: the module has no entry, or the size of an array isn't
// known (InferShapes, Refine). The module needn't be verified; of one that
// isn't valid the numbers are any.
absl::StatusOr<MemoryUse> PeakMemory(const Module& module);

}  // namespace indim

#endif  // INDIM_PASSES_COST_PEAK_MEMORY_H_

// SPDX-License-Identifier: Apache-2.0
// PeakMemory: the most memory that a module needs at one time, by the liveness
// of its values.

#ifndef INDIM_PASSES_COST_PEAK_MEMORY_H_
#define INDIM_PASSES_COST_PEAK_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// In bytes, on one device.
struct MemoryUse {
  // An array that has memory of its own when the temporaries are most.
  struct Value {
    enum class Kind : uint8_t {
      kArgument,
      kResult,
      kTemporary,
      kInResult,  // a temporary that lies where a result will
    };
    Instruction instruction;  // that wrote it
    Shape shape;              // of the array: a part, if the result is a tuple
    double bytes = 0;
    Kind kind;
  };

  double peak = 0;       // arguments, results that reuse none, temporaries
  double arguments = 0;  // of the entry computation
  double results = 0;
  double reused = 0;       // of the results: in the memory of donated arguments
  double temporaries = 0;  // at the time when these are most
  double constants = 0;    // not part of the peak
  bool is_scheduled = false;
  // Without a schedule: some computation's instructions run in another order
  // than they stand in.
  bool is_own_order = false;
  int64_t devices = 1;  // that share the program
  // Shardings cut values, which XLA has still to partition: a device needs this
  // if XLA cuts no more, without copies that it makes to communicate.
  bool is_cut = false;
  // What needs most: the temporaries are most while it runs. Nothing() where
  // there are none.
  Instruction at;
  std::vector<Value> values;  // the largest first
};

// Instructions run in the order of the module's schedule. Without one they run
// as they stand in the module, or in an order that is found
// (passes/cost/memory_order.h), whichever needs less, computation by
// computation: XLA may find a better one. As in XLA's assignment of buffers:
// arguments and results are there all the time, and temporaries may lie where a
// result isn't needed yet; an elementwise operation writes over an operand that
// is needed no more; dynamic-update-slice, scatter and loops work in place;
// tuples, bitcasts and their like take no memory; inside a fusion nothing does.
// A result lies in its donated argument from when that is read last; one that
// is written before then is copied there in the end. Buffers lie gapless, which
// an allocator doesn't achieve always.
//
// Of a module with shardings that isn't partitioned yet a value takes the part
// that a device has of it (docs/cost.md).
//
// InvalidArgument: the module has no entry, or the size of an array isn't
// known (InferShapes, Refine). The module needn't be verified; of one that
// isn't valid the numbers are any.
absl::StatusOr<MemoryUse> PeakMemory(const Module& module);

}  // namespace indim

#endif  // INDIM_PASSES_COST_PEAK_MEMORY_H_

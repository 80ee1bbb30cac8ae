// SPDX-License-Identifier: Apache-2.0
// Lockstep: runs a module on several devices, instruction by instruction: each
// instruction on all devices before the next one, so that collectives find the
// operands of all members. Devices whose conditions differ go on apart: those
// that take one branch, then those that take the next.

#ifndef INDIM_EVAL_OPS_LOCKSTEP_H_
#define INDIM_EVAL_OPS_LOCKSTEP_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/eval/ops/exchange.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/values/value.h"
#include "indim/ir/module.h"

namespace indim {

// A value on the devices that run: one value where it is the same on all of
// them, else one for each of all devices, none for those that don't run.
using SpreadValue = std::vector<Value>;
inline const Value& On(const SpreadValue& value, size_t device) {
  return value.size() == 1 ? value[0] : value[device];
}

class Lockstep {
 public:
  // `machine` has the devices and the limits, which count for all of them
  // together, and gets the error.
  explicit Lockstep(Interpreter* machine) : machine_(*machine) {}

  // The value of the computation's root on the devices `running`, which
  // ascend. nullopt after an error.
  std::optional<SpreadValue> Run(const Computation& computation,
                                 absl::Span<const SpreadValue> arguments,
                                 const std::vector<size_t>& running);

 private:
  // One instruction on the devices that run it.
  struct Step;

  std::optional<SpreadValue> RunInstruction(const Step& step);
  std::optional<SpreadValue> RunParameter(
      const Step& step, absl::Span<const SpreadValue> arguments);
  // On each device by itself, or once where that is the same.
  std::optional<SpreadValue> RunOnEach(const Step& step);
  std::optional<SpreadValue> RunExchange(const Step& step,
                                         ExchangeFunction function);
  std::optional<SpreadValue> RunCall(const Step& step);
  std::optional<SpreadValue> RunAsyncStart(const Step& step);
  std::optional<SpreadValue> RunWhile(const Step& step);
  std::optional<SpreadValue> RunConditional(const Step& step);

  // Whether what the instruction computes depends on the device besides its
  // operands, in a computation that it calls too.
  bool IsOfDevice(const Instruction& instruction);
  bool IsOfDevice(const Computation& computation);

  Interpreter& machine_;
  absl::flat_hash_map<int, bool> is_of_device_;  // by computation
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_LOCKSTEP_H_

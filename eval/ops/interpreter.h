// SPDX-License-Identifier: Apache-2.0
// Interpreter: runs computations, instruction by instruction, within limits.

#ifndef INDIM_EVAL_OPS_INTERPRETER_H_
#define INDIM_EVAL_OPS_INTERPRETER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/eval/ops/eval_options.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/value.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

class Interpreter {
 public:
  explicit Interpreter(const EvalOptions& options,
                       const EvalDevices& devices = {})
      : options_(options), devices_(devices) {}

  const EvalDevices& devices() const { return devices_; }
  // The device that runs the next instruction.
  size_t device() const { return device_; }
  void set_device(size_t device) { device_ = device; }

  // The value of instruction `target` of `computation`; it runs only
  // instructions that `target` depends on. arguments[n] is parameter n; a
  // missing argument is an error only if the parameter is needed. nullopt after
  // an error.
  std::optional<Value> Run(const Computation& computation,
                           absl::Span<const Value> arguments,
                           const Instruction& target);
  std::optional<Value> Run(const Computation& computation,
                           absl::Span<const Value> arguments) {
    return Run(computation, arguments, computation.root());
  }
  // Runs one instruction on the values of its operands, a parameter on the
  // arguments. nullopt after an error that names the instruction.
  std::optional<Value> RunInstruction(const Instruction& instruction,
                                      absl::Span<const Value> operands,
                                      absl::Span<const Value> arguments);
  // A parameter; null: it has no argument.
  std::optional<Value> RunParameter(const Instruction& instruction,
                                    const Value* argument);
  // Runs one operation. `e` must have been made for this interpreter.
  std::optional<Value> RunOp(Evaluation& e);

  // The plan of a run of a computation.
  struct Plan {
    std::vector<int> order;  // the instructions to run, ascending
    // last_use[i]: the last instruction that needs the value of instruction i.
    std::vector<int> last_use;
  };
  const Plan& PlanFor(const Computation& computation,
                      const Instruction& target);

  // Around the run of a computation. False after an error: it is too deep.
  bool Enter();
  void Leave() { --depth_; }

  // While it lives, errors are about `instruction`.
  class Scope {
   public:
    Scope(Interpreter* machine, const Instruction& instruction)
        : machine_(*machine),
          caller_(machine->current_),
          has_caller_(machine->has_current_) {
      machine_.current_ = instruction;
      machine_.has_current_ = true;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      machine_.current_ = caller_;
      machine_.has_current_ = has_caller_;
    }

   private:
    Interpreter& machine_;
    const Instruction caller_;
    const bool has_caller_;
  };

  // Whether `value` has the recorded shape of the instruction. Adds an error
  // where it hasn't.
  bool CheckResult(const Instruction& instruction, const Value& value);

  bool Charge(int64_t steps);
  // Keeps only the first error, because later ones are consequences.
  void AddError(Diagnostic diagnostic);
  const std::shared_ptr<int64_t>& live_bytes() const { return live_bytes_; }
  bool HasRoomFor(int64_t bytes) const {
    return bytes <= options_.max_bytes - *live_bytes_;
  }
  const EvalOptions& options() const { return options_; }

  // The value of the constant under evaluation.
  std::optional<Value> CurrentConstant();

  const std::optional<Diagnostic>& error() const { return error_; }
  // The instruction of the error; Instruction() for an error outside any.
  const Instruction& error_instruction() const { return error_instruction_; }
  bool error_has_place() const { return error_has_place_; }
  size_t error_device() const { return error_device_; }

 private:
  EvalOptions options_;
  EvalDevices devices_;
  size_t device_ = 0;
  int64_t steps_ = 0;
  int depth_ = 0;
  std::shared_ptr<int64_t> live_bytes_ = std::make_shared<int64_t>(0);
  absl::flat_hash_map<uint32_t, std::unique_ptr<Plan>> plans_;
  absl::flat_hash_map<uint32_t, Value> constants_;
  Instruction current_;
  bool has_current_ = false;
  std::optional<Diagnostic> error_;
  Instruction error_instruction_;
  bool error_has_place_ = false;
  size_t error_device_ = 0;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_INTERPRETER_H_

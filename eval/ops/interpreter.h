// Interpreter: runs computations, instruction by instruction, within the
// limits.

#ifndef INDIM_EVAL_OPS_INTERPRETER_H_
#define INDIM_EVAL_OPS_INTERPRETER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "indim/eval/ops/eval_options.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/value.h"
#include "indim/ir/module.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

class Interpreter {
 public:
  explicit Interpreter(const EvalOptions& options) : options_(options) {}

  // The value of instruction `target` of `computation`, of which only what it
  // depends on is run. arguments[n] is parameter n; a missing one or no value
  // is an error only where the parameter is needed. nullopt with an error.
  std::optional<Value> Run(const Computation& computation,
                           absl::Span<const Value> arguments,
                           const Instruction& target);
  std::optional<Value> Run(const Computation& computation,
                           absl::Span<const Value> arguments) {
    return Run(computation, arguments, computation.root());
  }
  // One instruction on the values of its operands, or, a parameter, on the
  // arguments; nullopt with an error that names it.
  std::optional<Value> RunInstruction(const Instruction& instruction,
                                      absl::Span<const Value> operands,
                                      absl::Span<const Value> arguments);
  // One operation. `e` must have been made for this machine.
  std::optional<Value> RunOp(Evaluation& e);

  bool Charge(int64_t steps);
  // The first one only: what comes after it is its consequence.
  void AddError(Diagnostic diagnostic);
  const std::shared_ptr<int64_t>& live_bytes() const { return live_bytes_; }
  bool HasRoomFor(int64_t bytes) const {
    return bytes <= options_.max_bytes - *live_bytes_;
  }
  const EvalOptions& options() const { return options_; }

  // The constant that is being evaluated.
  std::optional<Value> CurrentConstant();

  const std::optional<Diagnostic>& error() const { return error_; }
  // Where it was found; Instruction() when it was outside of any.
  const Instruction& error_instruction() const { return error_instruction_; }
  bool error_has_place() const { return error_has_place_; }

 private:
  // What a run of a computation needs to know beforehand.
  struct Plan {
    std::vector<int> order;  // instructions to run, ascending
    // last_use[i]: the instruction after which the value of i is not needed.
    std::vector<int> last_use;
  };
  const Plan& PlanFor(const Computation& computation,
                      const Instruction& target);
  std::optional<Value> Parameter(const Instruction& instruction,
                                 absl::Span<const Value> arguments);
  bool CheckResult(const Instruction& instruction, const Value& value);

  EvalOptions options_;
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
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_INTERPRETER_H_

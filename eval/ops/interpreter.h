// Interpreter: runs computations, instruction by instruction, within limits.

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
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

class Interpreter {
 public:
  explicit Interpreter(const EvalOptions& options) : options_(options) {}

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
  // Runs one operation. `e` must have been made for this interpreter.
  std::optional<Value> RunOp(Evaluation& e);

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

 private:
  // The plan of a run of a computation.
  struct Plan {
    std::vector<int> order;  // the instructions to run, ascending
    // last_use[i]: the last instruction that needs the value of instruction i.
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

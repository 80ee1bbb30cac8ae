// SPDX-License-Identifier: Apache-2.0
// Evaluation: one operation with its operands, attributes and callees, and ways
// to fail. It is the argument of the functions that evaluations.def names.
//
// An evaluation function must not assume anything: operands may have any shape
// (a verified graph with `?` or `<=n` says little about it), and values that
// don't fit are errors. It computes its result's sizes itself, without
// inference, so that each can check the other.

#ifndef INDIM_EVAL_OPS_EVALUATION_H_
#define INDIM_EVAL_OPS_EVALUATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/eval/ops/eval_devices.h"
#include "indim/eval/values/value.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

class Exchange;
class Interpreter;

// Builds an array.
class ArrayMaker {
 public:
  ArrayMaker() = default;
  ArrayMaker(ElementType type, Sizes sizes, int64_t count,
             std::shared_ptr<int64_t> live_bytes);

  ElementType type() const { return type_; }
  const Sizes& sizes() const { return sizes_; }
  int64_t count() const { return count_; }
  // 0 <= i < count().
  void Set(int64_t i, const Scalar& value) {
    StoreScalar(type_, value, &bytes_[static_cast<size_t>(i) * width_]);
  }
  Scalar At(int64_t i) const {
    return LoadScalar(type_, &bytes_[static_cast<size_t>(i) * width_]);
  }
  // Copies element `j` of an array of this type to element `i`.
  void Copy(int64_t i, const Value& from, int64_t j);
  void CopyAll(const Value& from);
  Value Finish() &&;

 private:
  ElementType type_ = ElementType::kInvalid;
  Sizes sizes_;
  int64_t count_ = 0;
  size_t width_ = 0;
  std::string bytes_;
  std::shared_ptr<int64_t> live_bytes_;
};

class Evaluation {
 public:
  Evaluation(Interpreter* machine, Opcode opcode, const Attributes* attributes,
             absl::Span<const Value> operands,
             absl::Span<const Computation> callees, const Shape* declared,
             const Instruction* instruction = nullptr)
      : interpreter_(machine),
        opcode_(opcode),
        attributes_(attributes),
        operands_(operands),
        callees_(callees),
        declared_(declared),
        instruction_(instruction) {}

  Opcode opcode() const { return opcode_; }
  const Attributes& attributes() const { return *attributes_; }
  template <typename T>
  const T& attributes_as() const {
    return As<T>(*attributes_);
  }
  absl::Span<const Value> operands() const { return operands_; }
  int operand_count() const { return static_cast<int>(operands_.size()); }
  // 0 <= i < operand_count(); Evaluate has checked that count against the op's
  // row.
  const Value& operand(int i) const {
    return operands_[static_cast<size_t>(i)];
  }
  int callee_count() const { return static_cast<int>(callees_.size()); }
  const Computation& callee(int i) const {
    return callees_[static_cast<size_t>(i)];
  }
  // The recorded result, for ops whose result the operands don't determine
  // (ResultSource); null: there is none.
  const Shape* declared() const { return declared_; }
  // The shape of operand `i` in the graph, for its layout; null: none.
  const Shape* recorded_operand(int i) const {
    return instruction_ != nullptr ? &instruction_->operand(i).shape()
                                   : nullptr;
  }
  // Null: no graph.
  const Instruction* instruction() const { return instruction_; }
  // The devices, and which of them this is.
  const EvalDevices& devices() const;
  size_t device() const;

  // The value of the constant under evaluation; nullopt after an error.
  std::optional<Value> Constant();
  // Calls callee `i` with `arguments`; nullopt after an error.
  std::optional<Value> Run(int i, absl::Span<const Value> arguments);

  // Evaluates the same operation on other operands, without a graph, with
  // `declared` (null: none) as its recorded result; nullopt after an error.
  std::optional<Value> Again(absl::Span<const Value> operands,
                             const Shape* declared);

  // --- Limits ----------------------------------------------------------------
  // Counts `steps` more elementary steps. Returns false after an error when
  // that exceeds the limit.
  bool Charge(int64_t steps);
  // Checks that `bytes` more bytes are allowed. Returns false after an error.
  bool ExpectRoom(int64_t bytes);
  // Makes an array of zeros, with a step for each element. Returns false after
  // an error.
  bool NewArray(ElementType type, const Sizes& sizes, ArrayMaker* array);

  // --- Failing ---------------------------------------------------------------
  // Adds the error "{op} can't be evaluated: why".
  std::nullopt_t Fail(std::string why);
  // Adds the error that dim `dim` must have more elements than are known.
  std::nullopt_t FailMemory(int dim, int64_t wanted, int64_t known);
  // Adds the error that the op is undefined for operand `i`'s element type.
  std::nullopt_t FailType(int i);
  std::nullopt_t Error(Diagnostic diagnostic);
  // Operands first..last (-1: the last one) must be arrays. Returns false after
  // an error.
  bool ExpectArrays(int first = 0, int last = -1);
  // Operand `i` must be an array with this dim. Returns false after an error.
  bool ExpectDim(int i, int64_t dim);
  // The recorded result, which must be an array; null after an error.
  const Shape* DeclaredArray();

  // The diagnostic's message for these operands.
  std::string Message(const Diagnostic& diagnostic) const;

 private:
  Interpreter* interpreter_;
  Opcode opcode_;
  const Attributes* attributes_;
  absl::Span<const Value> operands_;
  absl::Span<const Computation> callees_;
  const Shape* declared_;
  const Instruction* instruction_;  // null: no graph
};

using EvaluationFunction = std::optional<Value> (*)(Evaluation& e);
using ExchangeFunction = bool (*)(Exchange* x);

// The row of an op in evaluations.def.
struct EvaluationInfo {
  EvaluationFunction function = nullptr;  // null: see `reason`
  ScalarFunction scalar = nullptr;        // for elementwise ops
  TypeMask types = TypeMask::kNone;       // the types that `scalar` accepts
  ExchangeFunction exchange = nullptr;    // for collectives (exchange.h)
  const char* reason = nullptr;  // the reason why it can't be evaluated
};
// The row of `opcode`; an empty row for kInvalid and values outside the table.
const EvaluationInfo& GetEvaluation(Opcode opcode);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVALUATION_H_

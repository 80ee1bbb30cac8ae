// SPDX-License-Identifier: Apache-2.0
// Shape inference of one operation. It takes the operands' shapes, the
// attributes and the callees' signatures, and returns the result's shape or
// diagnostics. It needs no graph:
//
//   Shape x = *ParseShape("f32[2,1]"), y = *ParseShape("f32[2,3]");
//   std::vector<const Shape*> operands = {&x, &y};
//   InferContext context;
//   std::optional<Shape> sum =
//       InferShape(&context, {Opcode::kAdd, operands});        // f32[2,3]
//   if (!sum) ... context.diagnostics() ...
//
// The builder uses it at every call, the passes on every node, `indim query` on
// every line, so each rule exists once.

#ifndef INDIM_SHAPE_INFER_INFER_H_
#define INDIM_SHAPE_INFER_INFER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/broadcast/condition.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/signature.h"  // IWYU pragma: export
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Everything that a shape function may look at.
struct OpInputs {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Shape* const> operands;
  const Attributes* attributes = nullptr;  // null: a default struct
  absl::Span<const Signature* const> callees;
  // The recorded result, or the result that the caller asks for; null: none.
  // Ops whose result isn't a function of their operands (ResultSource::kGiven)
  // need it, ops of kTypeGiven take its element type, ops of kSizesGiven take
  // its sizes where no attribute gives them. Other ops ignore it.
  const Shape* declared = nullptr;

  template <typename T>
  const T& attributes_as() const {
    static const Attributes* const kNothing = new Attributes();
    return As<T>(attributes != nullptr ? *attributes : *kNothing);
  }
};

enum class InferPolicy : uint8_t {
  // As XLA's builder: implicit broadcasting, scalar operands of select and
  // clamp, and mixed float types are allowed.
  kBuilder,
  // As XLA's HLO verifier, for modules without the mark of a recorded module:
  // implicit broadcasting and mixed float types are errors.
  kVerifier,
};

class InferContext;

// Fills in one diagnostic with chained calls. It converts to a failed result,
// so that it can stand in a return statement:
//   return context->Diagnose(Code::kDimsDiffer, 1, 0).Other(0, 1);
class DiagnosticBuilder {
 public:
  explicit DiagnosticBuilder(Diagnostic* diagnostic)
      : diagnostic_(diagnostic) {}
  DiagnosticBuilder& Other(int operand, int dim = -1) {
    diagnostic_->other_operand = operand;
    diagnostic_->other_dim = dim;
    return *this;
  }
  // Argument {0}, {1}, ... of the code's message, in the order of the calls.
  DiagnosticBuilder& Arg(DiagnosticArg arg);
  DiagnosticBuilder& Fix(DimIndices broadcast_dimensions) {
    diagnostic_->fix_broadcast_dimensions = std::move(broadcast_dimensions);
    return *this;
  }
  // NOLINTNEXTLINE(google-explicit-constructor): for return statements.
  operator std::optional<Shape>() const { return std::nullopt; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::optional<Dim>() const { return std::nullopt; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator bool() const { return false; }

 private:
  Diagnostic* diagnostic_;  // valid until the next diagnostic is added
};

// The settings of one inference, and the diagnostics and conditions that it
// finds.
class InferContext {
 public:
  explicit InferContext(InferPolicy policy = InferPolicy::kBuilder,
                        BroadcastableMode mode = BroadcastableMode::kLenient)
      : policy_(policy), mode_(mode) {}

  InferPolicy policy() const { return policy_; }
  BroadcastableMode mode() const { return mode_; }
  bool is_builder() const { return policy_ == InferPolicy::kBuilder; }

  // Adds a diagnostic about dim `dim` of operand `operand` (-1: about the node,
  // or about no dim). The code gives the severity: a warning doesn't make
  // inference fail.
  DiagnosticBuilder Diagnose(Code code, int operand = -1, int dim = -1);

  std::vector<Diagnostic>* mutable_diagnostics() { return &diagnostics_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool has_error() const;

  // Run-time conditions that the answer depends on: those on dims, by their
  // place, then those on named sizes.
  const std::vector<Condition>& conditions() const { return conditions_; }
  // Adds conditions on dims.
  void AddConditions(absl::Span<const Condition> conditions);
  // Adds a condition on named sizes, unless the symbols' facts prove it.
  // Returns false, and adds nothing, when it can't hold. Dims without an exact
  // size (?, 2..5) are left out.
  bool Require(const Condition& condition);

  // Prepares the context for another operation; policy and mode stay.
  void Clear() {
    diagnostics_.clear();
    conditions_.clear();
    on_dims_ = 0;
  }

 private:
  InferPolicy policy_;
  BroadcastableMode mode_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<Condition> conditions_;
  int on_dims_ = 0;  // the first of them
};

// True when the op table has a row for `opcode`, and so a shape function.
bool IsInferable(Opcode opcode);

// Returns the result's shape, without a layout; layouts of operands are
// ignored. First it checks what the op's row declares: operand count (IND0100),
// callee count, the class of operand 0 (IND0101, IND0102), then the row's other
// constraints in their order (constraint.h). Then it calls the shape function,
// or evaluates the declared result form. Last it adds the warnings of
// warnings.def. nullopt: an error was added to the context; or the op is not
// inferable (IsInferable), and no diagnostic was added.
std::optional<Shape> InferShape(InferContext* context, const OpInputs& inputs);

// How a node was checked.
enum class CheckKind : uint8_t {
  kInferred,   // inferred from the operands and compared with the record
  kRelated,    // a relation between operands and result was checked
  kUnchecked,  // not an op of the table, or no record
};

// One byte, because the checks return it by value for every node.
struct NodeCheck {
  NodeCheck()
      : kind(CheckKind::kUnchecked),
        broadcastable(Broadcastability::kUnknown),
        ok(true) {}

  CheckKind kind : 2;
  // kYes: the Broadcastable verifier checked it too; else why not.
  Broadcastability broadcastable : 4;
  bool ok : 1;  // no error was added
};

// Whether MLIR's trait Broadcastable holds of a node with these operands and
// this recorded result (null: any array), or the first precondition that isn't
// met.
Broadcastability BroadcastabilityOf(const OpInputs& inputs);

// Infers the shape (InferShape) and compares it with inputs.declared, which
// must not be null. Where the trait Broadcastable holds, VerifyBroadcastable
// compares in the context's mode, with each operand of an op that broadcasts
// placed as the plan of its rule says; under InferPolicy::kVerifier an implicit
// broadcast or mixed float types are errors too. Unless the op broadcasts, both
// shapes must be Compatible. NodeCheck::ok is false exactly if the context then
// has an error.
NodeCheck VerifyNode(InferContext* context, const OpInputs& inputs);

// As VerifyNode, but without inference: `inferred` must be what InferShape
// returned for `inputs` under the context's policy, without a diagnostic.
NodeCheck VerifyInferred(InferContext* context, const OpInputs& inputs,
                         const Shape& inferred);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_H_

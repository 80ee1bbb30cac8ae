// Shape inference of one operation: operand shapes, attributes and callees'
// signatures in, the result's shape or diagnostics out. No graph is needed:
//
//   Shape x = *ParseShape("f32[2,1]"), y = *ParseShape("f32[2,3]");
//   std::vector<const Shape*> operands = {&x, &y};
//   InferContext context;
//   std::optional<Shape> sum =
//       InferShape(&context, {Opcode::kAdd, operands});        // f32[2,3]
//   if (!sum) ... context.diagnostics() ...
//
// The builder calls this at every call, the passes on every node, `indim query`
// on every line: there is no second copy of a rule.

#ifndef INDIM_SHAPE_INFER_INFER_H_
#define INDIM_SHAPE_INFER_INFER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Parameters and result of a called computation.
struct Signature {
  std::vector<Shape> parameters;
  Shape result;

  // "(f32[], f32[]) -> f32[]"
  std::string ToString() const;
};

// Everything that a shape function may look at.
struct OpInputs {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Shape* const> operands;
  const Attributes* attributes = nullptr;  // null: a default struct
  absl::Span<const Signature* const> callees;
  // The recorded result, or the one asked for. Ops whose result isn't a
  // function of their operands (ResultSource::kGiven) need it, those of
  // kTypeGiven take its element type, those of kSizesGiven its sizes where
  // attributes don't tell; the rest never look. Null: none.
  const Shape* declared = nullptr;

  template <typename T>
  const T& attributes_as() const {
    static const Attributes* const kNothing = new Attributes();
    return As<T>(attributes != nullptr ? *attributes : *kNothing);
  }
};

enum class InferPolicy : uint8_t {
  // XLA's builder: implicit broadcasting, scalars of select and clamp, mixed
  // float types are fine.
  kBuilder,
  // XLA's HLO verifier, for modules without the mark of a recorded one:
  // implicit broadcasting and mixed float types are errors.
  kVerifier,
};

class InferContext;

// Something about sizes that have names, and must hold: what an op demands of
// its operands where no single dim of one is at issue.
struct DimCondition {
  enum class Kind : uint8_t {
    kEqual,             // a == b
    kOneOrEqual,        // a == 1 or a == b
    kEitherOneOrEqual,  // a == 1, b == 1 or a == b
    kAtMost,            // a <= b
    kDivisible,         // a % b == 0; b is static
  };
  Kind kind = Kind::kEqual;
  Dim a;
  Dim b;

  friend bool operator==(const DimCondition& x, const DimCondition& y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b;
  }
  template <typename H>
  friend H AbslHashValue(H h, const DimCondition& c) {
    return H::combine(std::move(h), c.kind, c.a, c.b);
  }
};

// Makes one diagnostic with chained calls and, at the end of a return
// statement, the failure itself:
//   return context->Error(Rule::kDimsDiffer, 1, 0).Other(0, 1);
class DiagnosticBuilder {
 public:
  explicit DiagnosticBuilder(Diagnostic* diagnostic)
      : diagnostic_(diagnostic) {}
  DiagnosticBuilder& Other(int operand, int dim = -1) {
    diagnostic_->other_operand = operand;
    diagnostic_->other_dim = dim;
    return *this;
  }
  // {0}, {1}, ... of the rule's message.
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

// What one inference is told and what it finds.
class InferContext {
 public:
  explicit InferContext(InferPolicy policy = InferPolicy::kBuilder,
                        BroadcastableMode mode = BroadcastableMode::kLenient)
      : policy_(policy), mode_(mode) {}

  InferPolicy policy() const { return policy_; }
  BroadcastableMode mode() const { return mode_; }
  bool is_builder() const { return policy_ == InferPolicy::kBuilder; }

  // Adds a diagnostic about dim `dim` of operand `operand` (-1: the node, no
  // dim). Severity is the rule's: warnings don't make inference fail.
  DiagnosticBuilder Error(Rule rule, int operand = -1, int dim = -1);

  std::vector<Diagnostic>* mutable_diagnostics() { return &diagnostics_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool has_error() const;

  // Run-time conditions that the answer depends on.
  std::vector<SizeCondition>* mutable_conditions() { return &conditions_; }
  const std::vector<SizeCondition>& conditions() const { return conditions_; }

  // The same, of sizes by name. Only what symbols' facts neither prove nor
  // refute is kept; dims that have no one size (?, 2..5) are left out.
  const std::vector<DimCondition>& dim_conditions() const {
    return dim_conditions_;
  }
  // False: `condition` can't hold; nothing is added then.
  bool Require(const DimCondition& condition);

  // Ready for another operation, policy kept.
  void Clear() {
    diagnostics_.clear();
    conditions_.clear();
    dim_conditions_.clear();
  }

 private:
  InferPolicy policy_;
  BroadcastableMode mode_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<SizeCondition> conditions_;
  std::vector<DimCondition> dim_conditions_;
};

// True when `opcode` has a row, and so a shape function.
bool IsInferable(Opcode opcode);

// The result's shape. First what the row declares is checked: operand count
// (IND0100), callee count, operand 0's class (IND0101, IND0102) and its other
// constraints in their order (constraint.h); then the shape function runs, or
// the declared form; then what XLA accepts without sense gets its warnings
// (warnings.def). nullopt: an error was added to the context, or the op is not
// inferable (IsInferable), then without a diagnostic. Layouts of operands are
// ignored; the result has none.
std::optional<Shape> InferShape(InferContext* context, const OpInputs& inputs);

// How a node was checked.
enum class CheckKind : uint8_t {
  kInferred,   // inferred from operands, compared with what is recorded
  kRelated,    // the relation that must hold between operands and result
  kUnchecked,  // no op of the table, or nothing recorded
};

// One byte: it is handed from one to the next for every node.
struct NodeCheck {
  NodeCheck() : kind(CheckKind::kUnchecked), broadcastable(false), ok(true) {}

  CheckKind kind : 6;
  bool broadcastable : 1;  // went through the Broadcastable verifier
  bool ok : 1;             // no error was added
};

// Verifies inputs.declared (must not be null) against inference: InferShape,
// then compare. Ops with the broadcastable trait go through
// VerifyBroadcastable, in the context's mode, with operands placed by their
// rule's plan; under InferPolicy::kVerifier an implicit broadcast or mixed
// float types are errors of their own. Other results must be Compatible.
NodeCheck VerifyNode(InferContext* context, const OpInputs& inputs);

// The same where InferShape was asked about `inputs` under the same policy,
// said `inferred` and added no diagnostic.
NodeCheck VerifyInferred(InferContext* context, const OpInputs& inputs,
                         const Shape& inferred);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_INFER_H_

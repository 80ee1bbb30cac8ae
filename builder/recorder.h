// SPDX-License-Identifier: Apache-2.0
// Recorder: records the computation of a ComputationBuilder. It checks the
// operands of each call, infers the result's shape, and appends instructions.
// ComputationBuilder and the operators make its requests. What it holds are
// classes of their own: the open computations, the log of diagnostics, the
// settings, and what a family shares, with the memo of calls. What only some
// callers ask of a recorder has headers too: regions.h, op_settings.h,
// op_queries.h, scalars.h, inline.h and build.h.

#ifndef INDIM_BUILDER_RECORDER_H_
#define INDIM_BUILDER_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/call_memo.h"
#include "indim/builder/diagnostic_log.h"
#include "indim/builder/op.h"
#include "indim/builder/open_computations.h"
#include "indim/builder/settings.h"
#include "indim/builder/shared_state.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/layout.h"

namespace indim::internal {

// An operation whose operands and callees are checked.
struct PendingCall {
  Opcode opcode;
  absl::Span<const uint32_t> operands;
  absl::Span<const uint32_t> callees;
  AttributeBytesId attribute_bytes;  // without sharding
  const Attributes* attributes = nullptr;
  ShapeId declared = {};
  const Layout* layout = nullptr;
};

using Nodes = absl::InlinedVector<uint32_t, 6>;

class Recorder {
 public:
  Recorder(absl::string_view name, std::shared_ptr<SharedState> family);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The recorder of a builder that was moved away, of none, or of one that is
  // gone. It never changes: its calls do nothing and return default Ops, and
  // its builds fail. All builders share it.
  static Recorder& None();
  bool is_none() const { return open_.is_none(); }

  // The recorder of `op`'s builder, also for an Op of a region that has ended;
  // None() for a default Op and when the builder is gone.
  static Recorder* Of(Op op) {
    return Of(OpAccess::Control(op), OpAccess::Generation(op));
  }
  static Recorder* Of(const BuilderControl* control, uint32_t generation) {
    Recorder* const recorder = Follow(control, generation);
    return recorder != nullptr ? recorder : &None();
  }

  // --- Recording -------------------------------------------------------------

  struct Request {
    Opcode opcode = Opcode::kInvalid;
    absl::Span<const Op> operands;
    const Attributes* attributes = nullptr;  // null: a default struct
    const Shape* declared = nullptr;
    absl::Span<const Callee> callees = {};
    // Replaces the bytes that the attributes alone would give.
    std::optional<AttributeBytesId> attribute_bytes = std::nullopt;
    // The required layout of the inferred result, or of each of its elements.
    const Layout* layout = nullptr;
    // Not 0: the result, of an instruction of a verified module; nothing is
    // inferred or checked again.
    ShapeId result = {};
  };
  // Infers and records. Errors: misuse of an operand, the error of a callee,
  // errors of InferShape, IND0104 for a missing `declared` shape, IND0105 for
  // one that disagrees with the inferred shape.
  Op Record(const Request& request, Caller caller);
  // The result of `record`, which records `call` with `operands` as one op. A
  // call that repeats an earlier one is recorded from the memo without calling
  // `record`.
  Op Repeat(const KnownCall& call, absl::Span<const Op> operands, Caller caller,
            absl::FunctionRef<Op()> record);
  // Records `request` with `attributes`, from the memo if it is repeated. Where
  // it has operands, a declared shape is a scalar.
  template <typename T>
  Op RecordAgain(Request request, const T& attributes, Caller caller) {
    const AttributeBytesId bytes = BytesOf(request.opcode, attributes);
    KnownCall call{request.opcode, bytes};
    if (!request.callees.empty()) call.callee = &request.callees[0];
    if (request.declared != nullptr && !request.operands.empty()) {
      call.type = request.declared->element_type();
    } else if (request.declared != nullptr && !built_) {
      call.declared =
          InternGiven(*request.declared, &shared_->pools().shapes());
    }
    return Repeat(call, request.operands, caller, [&] {
      const Attributes held = attributes;
      request.attributes = &held;
      request.attribute_bytes = bytes;
      return Record(request, caller);
    });
  }
  // The id of the bytes of attributes; after a build none.
  template <typename T>
  AttributeBytesId BytesOf(Opcode opcode, const T& attributes) {
    return built_ ? AttributeBytesId()
                  : shared_->attribute_ids().Of(opcode, attributes);
  }

  Op Unary(Opcode opcode, Op operand, Caller caller);
  Op Binary(Opcode opcode, const Operand& lhs, const Operand& rhs,
            const BroadcastSpec& broadcast, Caller caller);
  Op Compare(const Operand& lhs, const Operand& rhs,
             CompareAttributes attributes, Caller caller);
  Op Parameter(int64_t number, const Shape& shape, absl::string_view name,
               Caller caller);
  Op Constant(const Literal& literal, Caller caller);

  // Records a wrong call; the result is poisoned. Misuse of operands is
  // reported instead, if there is any.
  Op Reject(Opcode opcode, absl::Span<const Op> operands,
            std::vector<Diagnostic> diagnostics, Caller caller);
  // Rejects a call with one code, without an operand or a dim.
  Op Reject(Opcode opcode, absl::Span<const Op> operands, Code code,
            std::vector<DiagnosticArg> args, Caller caller);

  // The op's shape, also of an op of an enclosing computation; null for a
  // poisoned op or an op of another builder.
  const Shape* ShapeOf(Op op) const;

  // --- Composites (composite.h) ----------------------------------------------

  // Begins a composite op `name`. Until LeaveComposite all ops get its caller's
  // line, messages name it, and there is no sharding. False: a composite is
  // open already, and this is a part of it.
  bool EnterComposite(const char* name, Caller caller);
  // Gives `result` the sharding in scope, if it was recorded in the composite.
  void LeaveComposite(Op result);

  // --- Parts -----------------------------------------------------------------

  const std::string& name() const { return name_; }
  // Null after a successful build.
  const std::shared_ptr<SharedState>& family() const { return shared_; }
  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  OpenComputations& open() { return open_; }
  const OpenComputations& open() const { return open_; }
  DiagnosticLog& log() { return log_; }
  const DiagnosticLog& log() const { return log_; }
  // Whether a build succeeded.
  bool built() const { return built_; }

  // Sets *nodes to the operands' nodes. False: an operand is misused or
  // poisoned; misuse is recorded and *result is the result of the call.
  bool Resolve(Opcode opcode, absl::Span<const Op> operands, Caller caller,
               Nodes* nodes, Op* result);
  // Adds a diagnostic about the call `what`, or about a node of the computation
  // that is recorded.
  void AddDiagnostic(absl::string_view what, Diagnostic diagnostic,
                     Caller caller);
  void AddDiagnostic(uint32_t node, Diagnostic diagnostic, Caller caller);
  // The metadata of a call in force: its composite's line, if one is open.
  MetadataId MetadataOf(Caller caller);
  Snapshots snapshots() const { return Snapshots(open_, shared_.get(), name_); }

  // --- Results ---------------------------------------------------------------

  absl::Status status() const;
  // The error of a build or a region that can't be had, with at most `limit`
  // errors.
  absl::Status Failure(size_t limit) const;
  std::string DiagnosticsText() const;
  std::vector<CallDiagnostic> Diagnostics() const;
  // A successful build: first texts of diagnostics are made, then the
  // instructions are dropped.
  void SettleDiagnostics();
  void Close();

  // For callers that report errors themselves, call by call: where the recorder
  // is before a call, and the errors of the call, which are forgotten with the
  // ops that they poisoned. A build then doesn't know of the call any more. (If
  // an op that isn't the last is poisoned, the errors stay known too.)
  struct Mark {
    uint32_t generation = 0;
    size_t nodes = 0;
    DiagnosticLog::Mark log;
  };
  Mark Here() const {
    return {open_.current().generation, open_.current().instructions.size(),
            log_.Here()};
  }
  bool FailedSince(const Mark& mark) const {
    return log_.error_count() > mark.log.errors;
  }
  std::vector<CallDiagnostic> TakeErrors(const Mark& mark);

 private:
  Recorder() : settings_(/*fixed=*/true), built_(true) {}  // None()

  // Resolve for callees.
  bool ResolveCallees(const Request& request, absl::Span<const uint32_t> nodes,
                      Caller caller, Nodes* callees, Op* result);
  // Infers the shape and appends the instruction.
  Op Finish(const PendingCall& pending, Caller caller);
  absl::InlinedVector<const Shape*, 6> OperandShapes(
      const PendingCall& pending) const;
  // The inferred or declared shape; nullopt: *context has an error.
  std::optional<Shape> Infer(const PendingCall& pending,
                             InferContext* context) const;
  // DimsFromEnd for the error in `context`.
  std::optional<Attributes> FromEnd(const PendingCall& pending,
                                    const InferContext& context) const;
  // Without `locate` the place is missing.
  MetadataId MetadataOf(Caller caller, bool locate);
  Op Append(const PendingCall& pending, ShapeId shape, Caller caller);
  Op Fail(const PendingCall& pending, std::vector<Diagnostic> diagnostics,
          Caller caller);
  // `op`, if no sharding is in scope or it fits the op's shape; else a poisoned
  // op, with the errors of ShardingErrors.
  Op CheckSharded(Op op, Caller caller);

  const std::string name_;
  std::shared_ptr<SharedState> shared_;
  OpenComputations open_;
  DiagnosticLog log_;
  Settings settings_;
  bool built_ = false;
};

// The misuse of operand number `operand`, `op`, which isn't the recorder's.
Diagnostic MisuseOf(const Recorder& recorder, Op op, int64_t operand);
// The text and place of an op of the recorder, for messages.
std::string Describe(const Recorder& recorder, Op op);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_RECORDER_H_

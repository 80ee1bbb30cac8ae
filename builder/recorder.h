// Recorder: the computation behind a ComputationBuilder. It checks the operands
// of each call, infers the result's shape, and keeps records, diagnostics and
// settings. ComputationBuilder and the operators say what to record.

#ifndef INDIM_BUILDER_RECORDER_H_
#define INDIM_BUILDER_RECORDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/build_options.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/control_block.h"
#include "indim/builder/op.h"
#include "indim/builder/shared_state.h"
#include "indim/codec/literal.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/layout.h"
#include "indim/wire/field_list.h"

namespace indim::internal {

class Recorder {
 public:
  Recorder(absl::string_view name, std::shared_ptr<SharedState> family);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The recorder of `op`'s builder; null when it is gone, or `op` has none.
  static Recorder* Of(Op op) { return Follow(op.control_, op.generation_); }

  // --- Recording
  // --------------------------------------------------------------

  struct Request {
    Opcode opcode = Opcode::kInvalid;
    absl::Span<const Op> operands;
    const Attributes* attributes = nullptr;  // null: a default struct
    const Shape* declared = nullptr;
    absl::Span<const Callee> callees = {};
    // The attributes' bytes, where they aren't what the attributes alone
    // give.
    std::optional<AttributeBytesId> attribute_bytes = std::nullopt;
    // What the inferred result, or each of its elements, is laid out as.
    const Layout* layout = nullptr;
  };
  // Infers and records. Errors: misuse of an operand, a callee's own, those of
  // InferShape, IND0104 where a shape must be given, IND0105 where the one
  // that is given doesn't go with the inferred one.
  Op Record(const Request& request, Caller caller);
  // What `record` returns, which records one op of `opcode` with `operands` and
  // `callee` (null: none). A call as one before, with the same `words` for all
  // else that it says, is recorded as that was, and `record` isn't called.
  Op Repeat(Opcode opcode, absl::Span<const Op> operands, const Callee* callee,
            const CallWords& words, Caller caller,
            absl::FunctionRef<Op()> record);
  Op Unary(Opcode opcode, Op operand, Caller caller);
  Op Binary(Opcode opcode, Op lhs, Op rhs, const BroadcastSpec& broadcast,
            Caller caller);
  Op Compare(Op lhs, Op rhs, CompareAttributes attributes, Caller caller);
  Op Parameter(int64_t number, const Shape& shape, absl::string_view name,
               Caller caller);
  Op Constant(const Literal& literal, Caller caller);

  // Records a call that is wrong; the result is poisoned. Misuse of operands is
  // reported first, and instead.
  Op Reject(Opcode opcode, absl::Span<const Op> operands,
            std::vector<Diagnostic> diagnostics, Caller caller);
  // The same for one rule without a position.
  Op Reject(Opcode opcode, absl::Span<const Op> operands, Rule rule,
            std::vector<DiagnosticArg> args, Caller caller);

  // The op's shape; null when it is poisoned or not of this builder.
  const Shape* ShapeOf(Op op) const;
  // The attributes of an op that has a shape; null of another.
  const Attributes* AttributesOf(Op op) const;
  // The parameters and result of a computation; null when it wasn't built, or
  // this one was built before. Valid while this recorder lives.
  const Signature* SignatureOf(const Callee& callee);
  // For Request::attribute_bytes. Must not be called after a build.
  AttributeBytesId AddAttributeBytes(const FieldList& fields);

  // --- Composites (composite.h)
  // -----------------------------------------------------------------

  // What is recorded until LeaveComposite is a part of the composite op `name`:
  // of its line, whatever line a call says, named in messages, and without
  // sharding. False: a part already, of the composite that was entered first.
  bool EnterComposite(const char* name, Caller caller);
  // Gives `result` the sharding in scope, if it was recorded in between.
  void LeaveComposite(Op result);
  // The computation that is kept under `name` for `type`, or, the first time,
  // what `make` builds.
  Callee Shared(const std::string& name, ElementType type,
                absl::FunctionRef<Callee()> make);

  // --- Settings
  // ---------------------------------------------------------------

  const std::string& name() const { return name_; }
  void set_record_locations(bool on) { record_locations_ = on; }
  void set_strict_types(bool on) { strict_types_ = on; }
  bool strict_types() const { return strict_types_; }
  void set_op_name(absl::string_view op_name, Caller caller);
  // The bytes of an OpSharding, made canonical; IND0640 where they are none.
  void CheckAndSetSharding(std::optional<std::string> sharding, Caller caller);
  void set_sharding(std::optional<std::string> sharding) {
    sharding_ = std::move(sharding);
    fits_sharding_ = 0;
  }
  const std::optional<std::string>& sharding() const { return sharding_; }
  void SetName(Op op, absl::string_view name, Caller caller);
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value, Caller caller);
  void SetBackendConfig(Op op, absl::string_view config, Caller caller);
  void SetResultAccuracy(Op op, const ResultAccuracy& accuracy, Caller caller);
  void AddControlDependency(Op from, Op to, Caller caller);
  void SetComposite(Op call, Caller caller);
  void SetReplication(Op parameter, const std::vector<bool>& replicated,
                      Caller caller);

  // --- Results
  // ----------------------------------------------------------------

  // Null after a build that succeeded.
  const std::shared_ptr<SharedState>& family() const { return shared_; }
  // nullopt: the last op recorded.
  BuildResult Build(std::optional<Op> root, const BuildOptions& options,
                    Caller caller);
  Callee BuildCallee(std::optional<Op> root, Caller caller);

  absl::Status status() const;
  std::string DiagnosticsText() const;
  std::vector<CallDiagnostic> Diagnostics() const;
  absl::StatusOr<Shape> shape(Op op) const;

  uint32_t generation() const { return generation_; }
  BuilderControl* control() const { return control_; }

 private:
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  // More errors are counted, but not kept.
  static constexpr size_t kMaxKept = 100;
  // Calls of more operands are not remembered.
  static constexpr size_t kMostKeyed = 3;
  using Nodes = absl::InlinedVector<uint32_t, 6>;

  enum class OpState { kGood, kPoisoned, kDefault, kGone, kOther };
  OpState StandingOf(Op op) const;

  // One operation whose operands and callees are known to be good.
  struct Pending {
    Opcode opcode;
    absl::Span<const uint32_t> operands;
    absl::Span<const uint32_t> callees;
    AttributeBytesId attribute_bytes;  // without sharding
    const Attributes* attributes = nullptr;
    ShapeId declared = {};
    const Layout* layout = nullptr;
  };

  // Attributes that no file can hold (text that isn't UTF-8), or a shape whose
  // layout or element type is none: an error.
  bool CheckAttributeBytes(const Pending& pending, InferContext* context) const;
  static bool CheckShape(const Shape& shape, InferContext* context);
  // What only XLA's verifier asks of the op, and so only its export would find:
  // a comparator's signature. Its errors stand instead of any warning.
  static void CheckForVerifier(const OpInputs& inputs, InferContext* context);
  // `op`, which was recorded with the sharding in scope, if there is one and it
  // is of the op's shape; else one that is poisoned, with the errors of
  // ShardingErrors.
  Op CheckSharded(Op op, Caller caller);
  // Makes errors of what strict types don't take.
  void CheckStrictTypes(const Pending& pending, InferContext* context) const;

  // Fills *nodes with those of good operands. False: *result is what the call
  // returns, misuse is recorded.
  bool Resolve(Opcode opcode, absl::Span<const Op> operands, Caller caller,
               Nodes* nodes, Op* result);
  // The same for callees.
  bool ResolveCallees(const Request& request, absl::Span<const uint32_t> nodes,
                      Caller caller, Nodes* callees, Op* result);
  // False: a call that can't be remembered. Fills *key, and *nodes as Resolve.
  bool CallKey(Opcode opcode, absl::Span<const Op> operands,
               const Callee* callee, const CallWords& words, CallMemo::Key* key,
               std::array<uint32_t, kMostKeyed>* nodes) const;
  // Infers and appends it.
  Op Finish(const Pending& pending, Caller caller);
  // nullopt: an error in *context, or what was declared.
  std::optional<Shape> Infer(const Pending& pending,
                             InferContext* context) const;
  Op Append(const Pending& pending, ShapeId shape, Caller caller);
  // The record of the new last node, still without a shape.
  InstructionRecord& AddRecord(const Pending& pending, bool locate,
                               Caller caller);
  Op Fail(const Pending& pending, std::vector<Diagnostic> diagnostics,
          Caller caller);
  Op OpOf(uint32_t node) const { return Op(control_, generation_, node); }

  // A diagnostic that no instruction stands for; `what` is the call.
  void Complain(absl::string_view what, Diagnostic diagnostic, Caller caller);
  static Diagnostic Make(Rule rule, std::vector<DiagnosticArg> args = {});
  // Of operand `operand`, `op`, which isn't of this builder.
  Diagnostic MisuseOf(Op op, OpState op_state, int64_t operand) const;
  // What an op of this builder is, for messages of others: its instruction and
  // its place.
  std::string Describe(Op op) const;
  void SetNameOf(uint32_t node, absl::string_view name);
  // The record of an op to be changed; null: recorded as misuse, or poisoned.
  InstructionRecord* Changeable(absl::string_view what, Op op, Caller caller);
  // Changes the fields of an op as `change` says, which gets them.
  void ChangeFields(absl::string_view what, Op op, Caller caller,
                    absl::FunctionRef<void(FieldList*)> change);
  bool CheckUtf8(absl::string_view what, absl::string_view role,
                 absl::string_view text, Caller caller);

  // Checks what a finished computation needs. False: an error was recorded.
  bool Complete(absl::string_view what, std::optional<Op> root, Caller caller);
  void CheckParameters(absl::string_view what, Caller caller);
  // Drops the errors of the last Build() itself: it may go well the next time.
  void ForgetFailedBuild();
  // The records, with the entry of this computation; they are gone from here.
  ModuleData TakeOwn();
  std::vector<uint32_t> Called() const;
  // Of this computation, and of those of its family that it calls.
  std::vector<CallDiagnostic> Warnings() const;
  ModuleData Assemble(BuildOptions::Order order);
  // As SharedState::Adopt takes it.
  absl::InlinedVector<ShapeId, 6> OwnSignature() const;
  void Close();

  // A diagnostic and what it is about: an instruction (of the composite `what`,
  // if any), or a call's name.
  struct PendingDiagnostic {
    Diagnostic diagnostic;
    uint32_t node = kNoNode;
    std::string what;
    Caller caller;
  };
  void Keep(PendingDiagnostic complaint);
  // Everything recorded so far as a module, this computation last.
  Module Snapshot() const;
  CallDiagnostic Tell(const Module& snapshot,
                      const PendingDiagnostic& complaint) const;
  std::string Render(const Module& snapshot,
                     const PendingDiagnostic& complaint) const;
  // At most `limit` errors, then how many more there are.
  std::string RenderErrors(size_t limit) const;

  BuilderControl* const control_;
  const uint32_t generation_;
  const std::string name_;
  std::shared_ptr<SharedState> shared_;

  // One computation; its callees are those of shared_->store().
  Column<InstructionRecord> instructions_;
  Column<uint32_t> operands_;
  absl::flat_hash_map<int64_t, uint32_t> parameters_;  // node by number
  int64_t free_parameter_ = 0;  // lower numbers are taken, for errors
  // Those that were given names, some perhaps twice, in any order.
  std::vector<uint32_t> named_;
  bool calls_ = false;  // a node has callees
  uint32_t root_ = 0;

  bool built_ = false;
  bool record_locations_ = true;
  bool strict_types_ = false;
  NameId op_name_;
  std::optional<std::string> sharding_;
  // The StructureId of the last shape that sharding_ was found to be of; 0:
  // none.
  uint32_t fits_sharding_ = 0;

  // The composite that is being recorded.
  struct CompositeScope {
    const char* name;
    Caller caller;
    size_t first_node;
    std::optional<std::string> sharding;  // for its result
  };
  std::optional<CompositeScope> composite_;

  std::vector<PendingDiagnostic> complaints_;
  size_t error_count_ = 0;
  // What the last failed Build() itself added to complaints_, from `first` on,
  // and to error_count_.
  struct FailedBuild {
    size_t first = 0;
    size_t kept = 0;
    size_t errors = 0;
  };
  FailedBuild failed_build_;
  // What was said about nodes that a successful build took away.
  std::vector<CallDiagnostic> settled_;
};

// What every builder method does when its builder was moved away: nothing.
inline Op OrNothing(Recorder* recorder, const Recorder::Request& request,
                    Caller caller) {
  return recorder == nullptr ? Op() : recorder->Record(request, caller);
}

}  // namespace indim::internal

#endif  // INDIM_BUILDER_RECORDER_H_

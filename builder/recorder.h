// Recorder: records the computation of a ComputationBuilder. It checks the
// operands of each call, infers the result's shape, and keeps instructions,
// diagnostics and settings. ComputationBuilder and the operators make its
// requests.

#ifndef INDIM_BUILDER_RECORDER_H_
#define INDIM_BUILDER_RECORDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
#include "indim/builder/frame.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/builder/shared_state.h"
#include "indim/codec/literal.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/layout.h"
#include "indim/wire/field_list.h"

namespace indim::internal {

class Recorder {
 public:
  Recorder(absl::string_view name, std::shared_ptr<SharedState> family);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The recorder of a builder that was moved away, of none, or of one that is
  // gone. It never changes: its calls do nothing and return default Ops, and
  // its builds fail. All builders share it.
  static Recorder& None();
  bool is_none() const { return frame_.control == nullptr; }

  // The recorder of `op`'s builder, also for an Op of a region that has ended;
  // None() for a default Op and when the builder is gone.
  static Recorder* Of(Op op) { return Of(op.control_, op.generation_); }
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
  };
  // Infers and records. Errors: misuse of an operand, the error of a callee,
  // errors of InferShape, IND0104 for a missing `declared` shape, IND0105 for
  // one that disagrees with the inferred shape.
  Op Record(const Request& request, Caller caller);
  // All that a call says beside its operands.
  struct Known {
    Opcode opcode;
    AttributeBytesId attributes;
    const Callee* callee = nullptr;
    ElementType type = ElementType::kInvalid;  // the result's, if it is given
  };
  // The result of `record`, which records `call` with `operands` as one op. A
  // call that repeats an earlier one is recorded from the memo without calling
  // `record`.
  Op Repeat(const Known& call, absl::Span<const Op> operands, Caller caller,
            absl::FunctionRef<Op()> record);
  // Records `request`, whose declared shape, if any, is a scalar, with
  // `attributes`, from the memo if it is repeated.
  template <typename T>
  Op RecordAgain(Request request, const T& attributes, Caller caller) {
    const AttributeBytesId bytes = BytesOf(request.opcode, attributes);
    Known call{request.opcode, bytes};
    if (!request.callees.empty()) call.callee = &request.callees[0];
    if (request.declared != nullptr) {
      call.type = request.declared->element_type();
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
  // Records the operands that are numbers as constants of the element type of
  // operand `typed`, or of the first one that is an Op if that is a number too.
  // Returns false after an error (IND0636, IND0637), with the call's result.
  bool MakeScalars(Opcode opcode, absl::Span<const Operand> operands,
                   size_t typed, Caller caller, Op* ops, Op* result);
  // Records a number, operand `operand` of a call, as a constant of `type`.
  // Returns false after an error (IND0636). *op is the result.
  bool MakeScalar(Opcode opcode, const Number& number, int operand,
                  ElementType type, Caller caller, Op* op);
  // Appends the starts of a dynamic slice to *operands, numbers as constants of
  // the type of the first one that is an Op, or s32. Returns false after an
  // error (IND0636), with the call's result.
  bool AddStarts(Opcode opcode, const StartsArg& starts, Caller caller,
                 std::vector<Op>* operands, Op* result);
  Op Parameter(int64_t number, const Shape& shape, absl::string_view name,
               Caller caller);
  // The lowest number that no parameter has.
  int64_t NextParameter();
  Op Constant(const Literal& literal, Caller caller);
  // A constant that a call makes for itself: without the sharding in scope.
  Op OwnConstant(const Literal& literal, Caller caller);
  // Records the instructions of a module's entry (ComputationBuilder::Inline).
  Op Inline(const Module& module, absl::Span<const Op> arguments,
            Caller caller);

  // Records a wrong call; the result is poisoned. Misuse of operands is
  // reported instead, if there is any.
  Op Reject(Opcode opcode, absl::Span<const Op> operands,
            std::vector<Diagnostic> diagnostics, Caller caller);
  // Rejects a call with one code, without an operand or a dim.
  Op Reject(Opcode opcode, absl::Span<const Op> operands, Code code,
            std::vector<DiagnosticArg> args, Caller caller);

  // The op's shape; null for a poisoned op or an op of another builder. This
  // and AttributesOf know ops of the enclosing computations too.
  const Shape* ShapeOf(Op op) const;
  // The attributes of an op that has a shape; null for others.
  const Attributes* AttributesOf(Op op) const;
  // The parameters and result of a computation; null when its Build() failed,
  // or this recorder was built. Valid while this recorder lives.
  const Signature* SignatureOf(const Callee& callee);
  // For Request::attribute_bytes. Not after a build.
  AttributeBytesId AddAttributeBytes(const FieldList& fields);

  // --- Composites (composite.h) ----------------------------------------------

  // Begins a composite op `name`. Until LeaveComposite all ops get its caller's
  // line, messages name it, and there is no sharding. False: a composite is
  // open already, and this is a part of it.
  bool EnterComposite(const char* name, Caller caller);
  // Gives `result` the sharding in scope, if it was recorded in the composite.
  void LeaveComposite(Op result);
  // The shared computation for `name` and `type`; `make` builds it the first
  // time.
  Callee Shared(const std::string& name, ElementType type,
                absl::FunctionRef<Callee()> make);

  // --- Regions (region.h) ----------------------------------------------------

  // Begins a region whose arguments have these shapes. After a build the region
  // is none, and the call an error.
  Region BeginRegion(absl::string_view name, absl::Span<const Shape> arguments,
                     CaptureForm form, Caller caller);
  // Gives an open region of form kTuple one more argument.
  Op AddArgument(Region* region, const Shape& shape, Caller caller);
  void EndRegion(Region* region, absl::Span<const Op> results, Caller caller);
  // Whether the region is open here, and no other one is open inside it.
  bool IsInnermost(const Region& region) const {
    return !outer_.empty() && DepthOf(region) == outer_.size();
  }
  // Drops an open region, and all regions that are open inside it: IND0626.
  void DropRegion(Region* region);

  // The calls of regions; each returns one Op for each result of the region.
  // They take the regions over.
  // The first `own` values of a loop are the call's own: the sharding in scope
  // isn't for them.
  std::vector<Op> While(absl::Span<const Op> init, size_t own, Region condition,
                        Region body, Caller caller);
  // `type` is the selector's: pred for two branches, or s32.
  std::vector<Op> Conditional(Op selector, ElementType type,
                              absl::Span<Region> branches, Caller caller);
  std::vector<Op> Call(Region body, absl::Span<const Op> operands,
                       Caller caller);
  Op Map(Region body, absl::Span<const Op> operands,
         absl::Span<const int64_t> dimensions, Caller caller);
  // A region that captured nothing, as the computation of any op. `once`: a
  // region like an earlier one is the same computation, which ops that apply it
  // to elements may share.
  Callee CalleeOf(Region region, Caller caller, bool once = false);

  // The first `count` elements of `tuple`, which a call made without the
  // sharding in scope. Its results, all but the first `own`, have that sharding
  // if they can carry it, or its parts; IND0786 if none can.
  std::vector<Op> Elements(Op tuple, size_t own, size_t count, Caller caller);
  // Whether all operands are good. Else records their misuse as a call of
  // `opcode`, and sets *failed to its result.
  bool CheckOperands(Opcode opcode, absl::Span<const Op> operands,
                     Caller caller, Op* failed);
  // The tokens that the next Infeed and Outfeed without a token follow.
  Op infeed_token() const { return frame_.infeed_token; }
  Op outfeed_token() const { return frame_.outfeed_token; }
  void set_infeed_token(Op token) {
    if (!is_none()) frame_.infeed_token = token;
  }
  void set_outfeed_token(Op token) {
    if (!is_none()) frame_.outfeed_token = token;
  }

  // --- Settings --------------------------------------------------------------

  const std::string& name() const { return name_; }
  void set_record_locations(bool on) {
    if (!is_none()) record_locations_ = on;
  }
  void set_strict_types(bool on) {
    if (!is_none()) strict_types_ = on;
  }
  bool strict_types() const { return strict_types_; }
  void set_op_name(absl::string_view op_name, Caller caller);
  void set_op_type(absl::string_view op_type, Caller caller);
  NameId op_name() const { return op_name_; }
  // Of this recorder, so that it needs no check.
  void RestoreOpName(NameId op_name) {
    if (!is_none()) op_name_ = op_name;
  }
  // `scope` after the op_name in force and a '/'.
  void EnterOpName(absl::string_view scope, Caller caller);
  // `sharding` is bytes of an OpSharding, which become canonical; IND0640 for
  // other bytes.
  void CheckAndSetSharding(std::optional<std::string> sharding, Caller caller);
  void set_sharding(std::optional<std::string> sharding) {
    if (is_none()) return;
    sharding_ = std::move(sharding);
    fits_sharding_ = 0;
  }
  const std::optional<std::string>& sharding() const { return sharding_; }
  // The sharding in scope, if a value of `shape` can carry it.
  std::optional<std::string> ShardingFor(const Shape& shape) const;
  void SetName(Op op, absl::string_view name, Caller caller);
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value, Caller caller);
  void SetBackendConfig(Op op, absl::string_view config, Caller caller);
  void SetResultAccuracy(Op op, const ResultAccuracy& accuracy, Caller caller);
  void AddControlDependency(Op from, Op to, Caller caller);
  void SetComposite(Op call, Caller caller);
  void SetReplication(Op parameter, const std::vector<bool>& replicated,
                      Caller caller);

  // --- Results ---------------------------------------------------------------

  // Null after a successful build.
  const std::shared_ptr<SharedState>& family() const { return shared_; }
  // A nullopt root: the last op recorded.
  BuildResult Build(std::optional<Op> root, const BuildOptions& options,
                    Caller caller);
  Callee BuildCallee(std::optional<Op> root, Caller caller);

  absl::Status status() const;
  std::string DiagnosticsText() const;
  std::vector<CallDiagnostic> Diagnostics() const;

  // For callers that report errors themselves, call by call: where the recorder
  // is before a call, and the errors of the call, which are forgotten with the
  // ops that they poisoned. A build then doesn't know of the call any more. (If
  // an op that isn't the last is poisoned, the errors stay known too.)
  struct Mark {
    uint32_t generation = 0;
    size_t nodes = 0;
    size_t diagnostics = 0;
    size_t errors = 0;
  };
  Mark Here() const {
    return {frame_.generation, frame_.instructions.size(), diagnostics_.size(),
            error_count_};
  }
  bool FailedSince(const Mark& mark) const {
    return error_count_ > mark.errors;
  }
  std::vector<CallDiagnostic> TakeErrors(const Mark& mark);
  absl::StatusOr<Shape> shape(Op op) const;
  absl::StatusOr<Opcode> opcode(Op op) const;
  absl::StatusOr<std::vector<Op>> operands(Op op) const;
  absl::StatusOr<Literal> literal(Op op) const;

  // Of the builder's own computation.
  uint32_t generation() const { return Outermost().generation; }
  BuilderControl* control() const { return Outermost().control; }

 private:
  Recorder() : built_(true) {}  // None()

  class Inliner;
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  // The depth of an instruction in its file: in a computation, in a module.
  static constexpr int kInstructionDepth = 2;
  // Most diagnostics that are kept; further errors are only counted.
  static constexpr size_t kMaxKept = 100;
  // Most operands of a call that the memo remembers.
  static constexpr size_t kMaxKeyedOperands = 3;
  using Nodes = absl::InlinedVector<uint32_t, 6>;

  // kOuter: a good op of an enclosing computation. kGone: of a builder that is
  // gone, or of a region that has ended.
  enum class OpState { kGood, kPoisoned, kOuter, kDefault, kGone, kOther };
  OpState StateOf(Op op) const;
  // The open computation that the op is of; null: none.
  const Frame* FrameOf(Op op) const;
  Frame* FrameOf(Op op) {
    return const_cast<Frame*>(std::as_const(*this).FrameOf(op));
  }
  const Frame& Outermost() const {
    return outer_.empty() ? frame_ : outer_.front();
  }

  // An operation whose operands and callees are checked.
  struct Pending {
    Opcode opcode;
    absl::Span<const uint32_t> operands;
    absl::Span<const uint32_t> callees;
    AttributeBytesId attribute_bytes;  // without sharding
    const Attributes* attributes = nullptr;
    ShapeId declared = {};
    const Layout* layout = nullptr;
  };

  // Records an error for attributes that no file can hold (text that isn't
  // UTF-8) and for a shape with an invalid layout or element type. False: it
  // did.
  bool CheckAttributeBytes(const Pending& pending, InferContext* context) const;
  static bool CheckShape(const Shape& shape, InferContext* context);
  // The attributes without what says nothing of the op, for which no text has a
  // place; nullopt: all of them do.
  static std::optional<Attributes> WithoutIdle(Opcode opcode,
                                               const Attributes& attributes);
  // The id of `shape`. The usual layout of a scalar says nothing, and no text
  // has a place for it.
  ShapeId Intern(const Shape& shape);
  // Checks that only XLA's verifier makes, which a user would otherwise see at
  // export: a comparator's signature. Its errors replace any warnings.
  static void CheckForVerifier(const OpInputs& inputs, InferContext* context);
  // `op`, if no sharding is in scope or it fits the op's shape; else a poisoned
  // op, with the errors of ShardingErrors.
  Op CheckSharded(Op op, Caller caller);
  // Makes the warnings that strict types forbid errors.
  void CheckStrictTypes(const Pending& pending, InferContext* context) const;

  // Sets *nodes to the operands' nodes. False: an operand is misused; the
  // misuse is recorded and *result is the result of the call.
  bool Resolve(Opcode opcode, absl::Span<const Op> operands, Caller caller,
               Nodes* nodes, Op* result);
  // Resolve for callees.
  bool ResolveCallees(const Request& request, absl::Span<const uint32_t> nodes,
                      Caller caller, Nodes* callees, Op* result);
  // Makes the memo's key of a call, and sets *nodes as Resolve does. False: the
  // call can't be remembered.
  bool KeyOf(const Known& call, absl::Span<const Op> operands,
             CallMemo::Key* key,
             std::array<uint32_t, kMaxKeyedOperands>* nodes) const;
  // Infers the shape and appends the instruction.
  Op Finish(const Pending& pending, Caller caller);
  // The inferred or declared shape; nullopt: *context has an error.
  std::optional<Shape> Infer(const Pending& pending,
                             InferContext* context) const;
  Op Append(const Pending& pending, ShapeId shape, Caller caller);
  // Appends an instruction, still without a shape.
  InstructionRecord& AddRecord(const Pending& pending, bool locate,
                               Caller caller);
  Op Fail(const Pending& pending, std::vector<Diagnostic> diagnostics,
          Caller caller);
  Op OpOf(uint32_t node) const { return OpIn(frame_, node); }
  // The result of a call that records nothing.
  Op NoOp() const { return is_none() ? Op() : OpOf(kNoNode); }
  static Op OpIn(const Frame& frame, uint32_t node) {
    return Op(frame.control, frame.generation, node);
  }

  // Adds a diagnostic about the call `what`, without an instruction.
  void AddDiagnostic(absl::string_view what, Diagnostic diagnostic,
                     Caller caller);
  static Diagnostic Make(Code code, std::vector<DiagnosticArg> args = {});
  // The misuse of operand number `operand`, `op`, which isn't this builder's.
  Diagnostic MisuseOf(Op op, OpState op_state, int64_t operand) const;
  // The text and place of an op of this builder, for messages of other
  // builders.
  std::string Describe(Op op) const;
  void SetNameOf(Frame* frame, uint32_t node, absl::string_view name);
  // The record of an op that may be changed; null: it is poisoned, or misused,
  // which is recorded.
  InstructionRecord* Changeable(absl::string_view what, Op op, Caller caller);
  // Passes the op's fields to `change` and stores the result.
  void ChangeFields(absl::string_view what, Op op, Caller caller,
                    absl::FunctionRef<void(FieldList*)> change);
  bool CheckUtf8(absl::string_view what, absl::string_view role,
                 absl::string_view text, Caller caller);

  // --- Regions ---------------------------------------------------------------

  // The computation at a depth: 0 is the builder's own.
  const Frame& At(size_t depth) const {
    return depth == outer_.size() ? frame_ : outer_[depth];
  }
  Frame& At(size_t depth) {
    return depth == outer_.size() ? frame_ : outer_[depth];
  }
  // Makes `frame` the computation that is recorded.
  void Enter(Frame frame);
  // Goes back to the enclosing computation; the text of diagnostics is made
  // now, since their nodes go. Returns the frame.
  Frame Leave();
  // Leave() all computations deeper than `depth`, and drop them.
  void LeaveTo(size_t depth);
  // The depth of an open region; nullopt: it isn't open in this recorder.
  std::optional<size_t> DepthOf(const Region& region) const;
  // The node here for an op of an enclosing computation. False: a computation
  // between can't capture it; *refusal says so.
  bool Local(Op outer, Caller caller, uint32_t* node, Diagnostic* refusal);
  uint32_t CopyConstant(const InstructionRecord& constant, Caller caller);
  uint32_t AddCaptured(Frame* frame, Op outer, Caller caller);
  // Appends an instruction of known shape to any open computation.
  static uint32_t AppendTo(Frame* frame, Opcode opcode,
                           absl::Span<const uint32_t> operands, ShapeId shape,
                           AttributeBytesId attributes, MetadataId metadata);
  MetadataId MetadataOf(Caller caller);
  AttributeBytesId ElementBytes(size_t index);
  AttributeBytesId ParameterBytes(size_t number);
  Op AppendArgument(const Shape& shape, Caller caller);
  // The sharding of each of a call's results, elements of `tuple` (Elements).
  std::vector<std::optional<std::string>> ShardingsOf(Op tuple, size_t own,
                                                      size_t count) const;
  // Whether the region ended well, was begun in this computation and captured
  // in `form`; else IND0627, *failed is set.
  bool CheckEnded(Opcode opcode, const Region& region, CaptureForm form,
                  Caller caller, Op* failed);
  // CheckEnded, and `count` results; else IND0628.
  bool CheckResults(Opcode opcode, const Region& region, size_t count,
                    Caller caller, Op* failed);
  // The captured values as ops of this computation.
  static std::vector<Op> CapturedOps(const Region& region);
  // Gives the tuple that a region of form kTuple takes the elements of
  // `captured`, which has all that it captured, and more.
  void SetTuple(Region* region, absl::Span<const Op> captured);
  // Makes the region a computation that ops can call; nullopt: its tuple nests
  // too deeply, which is recorded. Its root is its only result or (as_tuple, or
  // not one result) the tuple of its results and of `captured`. `once` as in
  // CalleeOf.
  std::optional<Callee> Adopt(Region* region, bool as_tuple,
                              absl::Span<const Op> captured, Caller caller,
                              bool once = false);
  // The op here for `outer`, element `place` of what is captured. A body hands
  // on what only the condition captured, too.
  Op CapturedHere(Op outer, size_t place, Caller caller);
  // Checks a finished computation. False: an error was recorded.
  bool Complete(absl::string_view what, std::optional<Op> root, Caller caller);
  // Checks a finished computation and, of a module, its `options` (null: it is
  // a callee). False: an error was recorded.
  bool Complete(absl::string_view what, std::optional<Op> root,
                const BuildOptions* options, Caller caller);
  void CheckParameters(absl::string_view what, Caller caller);
  // Adds the errors of what `options` say of the whole module.
  void CheckModuleOptions(absl::string_view what, const BuildOptions& options,
                          Caller caller);
  // Drops the errors that the last failed Build() itself added.
  void ForgetFailedBuild();
  // Moves the instructions out, with the entry of this computation.
  ModuleData TakeOwn();
  std::vector<uint32_t> Called() const;
  // Warnings of this computation, and of the computations of its family that it
  // calls.
  std::vector<CallDiagnostic> Warnings() const;
  ModuleData Assemble(const BuildOptions& options);
  // The signature in the form of SharedState::Adopt.
  absl::InlinedVector<ShapeId, 6> OwnSignature() const;
  void Close();

  // A diagnostic about a node (of the composite `what`, if any) or, with
  // kNoNode, about the call `what`.
  struct PendingDiagnostic {
    Diagnostic diagnostic;
    uint32_t node = kNoNode;
    std::string what;
    Caller caller;
    size_t depth = 0;  // of the node's computation
    // Set when the node's computation went.
    std::shared_ptr<const CallDiagnostic> rendered = nullptr;
  };
  void Keep(PendingDiagnostic pending);
  // Everything recorded so far as a module, with the computation at this depth
  // last.
  Module Snapshot(size_t depth) const;
  ModuleData SnapshotData(size_t depth) const;
  // Snapshots by depth, each made when it is needed: it is a copy of
  // everything.
  class Snapshots {
   public:
    explicit Snapshots(const Recorder& recorder) : recorder_(recorder) {}
    const Module& At(size_t depth);

   private:
    const Recorder& recorder_;
    std::vector<std::optional<Module>> modules_;
  };
  CallDiagnostic ToCallDiagnostic(Snapshots* snapshots,
                                  const PendingDiagnostic& pending) const;
  // At most `limit` errors, then the number of the others.
  absl::Status Failure(size_t limit) const;

  const std::string name_;
  std::shared_ptr<SharedState> shared_;

  // The computation that is recorded: the builder's own, or the innermost open
  // region. Its callees are in shared_->store().
  Frame frame_;
  // The computations that enclose it, outermost first.
  std::vector<Frame> outer_;
  // Of regions that have ended. Their Ops still lead here, so that operators
  // can report them.
  std::vector<BuilderControl*> ended_;

  bool built_ = false;
  bool record_locations_ = true;
  bool strict_types_ = false;
  NameId op_name_, op_type_;
  std::optional<std::string> sharding_;
  // The StructureId of the last shape that sharding_ was found to fit; 0: none.
  uint32_t fits_sharding_ = 0;

  // The composite that is open.
  struct CompositeScope {
    const char* name;
    Caller caller;
    size_t first_node;
    std::optional<std::string> sharding;  // for its result
  };
  std::optional<CompositeScope> composite_;

  std::vector<PendingDiagnostic> diagnostics_;
  size_t error_count_ = 0;
  // The errors that the last failed Build() itself added to diagnostics_, from
  // `first` on, and to error_count_.
  struct FailedBuild {
    size_t first = 0;
    size_t kept = 0;
    size_t errors = 0;
  };
  FailedBuild failed_build_;
  // The diagnostics of a successful build, whose nodes are gone.
  std::vector<CallDiagnostic> built_diagnostics_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_RECORDER_H_

// The diagnostics of calls: how they are kept, and as texts and structs.

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module_access.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::internal {
namespace {

// `diagnostic` at node `node` of the last computation.
ModuleDiagnostic AtNode(const Module& snapshot, const Diagnostic& diagnostic,
                        uint32_t node) {
  return {diagnostic, static_cast<uint32_t>(snapshot.computation_count() - 1),
          node};
}

void AppendHiddenCount(size_t count, std::string* text) {
  if (count > 0) absl::StrAppend(text, "and ", count, " more errors\n");
}

}  // namespace

const Module& Recorder::Snapshots::At(size_t depth) {
  if (modules_.size() <= depth) modules_.resize(depth + 1);
  std::optional<Module>& module = modules_[depth];
  if (!module) module = recorder_.Snapshot(depth);
  return *module;
}

Module Recorder::Snapshot(size_t depth) const {
  if (shared_ == nullptr) return Module();
  return ModuleOf(std::make_shared<const ModuleData>(SnapshotData(depth)));
}

ModuleData Recorder::SnapshotData(size_t depth) const {
  ModuleData data;
  data = shared_->store();  // its pools are shared; the snapshot adds nothing
  const Frame& frame = At(depth);
  ComputationRecord own;
  own.first = static_cast<uint32_t>(data.instructions.size());
  own.count = static_cast<uint32_t>(frame.instructions.size());
  own.root = frame.root;
  AppendRecords(Column<InstructionRecord>(frame.instructions),
                Column<uint32_t>(frame.operands), &data.operands,
                &data.instructions);
  data.computations.push_back(own);
  data.entry = static_cast<uint32_t>(data.computations.size() - 1);
  data.name = name_;
  data.recorded = true;
  return data;
}

Diagnostic Recorder::MisuseOf(Op op, OpState op_state, int64_t operand) const {
  if (op_state == OpState::kDefault) return Make(Code::kOpDefault, {operand});
  if (op_state == OpState::kGone) {
    return Make(Code::kOpOfGoneBuilder, {operand});
  }
  const Recorder* other = Of(op);
  // Describes the other op only if the diagnostic will be kept.
  return Make(
      Code::kOpOfOtherBuilder,
      {operand, diagnostics_.size() < kMaxKept ? other->Describe(op) : "",
       other->name(), name()});
}

std::string Recorder::Describe(Op op) const {
  const Frame* const frame = FrameOf(op);
  if (frame == nullptr || op.node_ >= frame->instructions.size()) {
    return "an op";  // built, and gone
  }
  size_t depth = 0;
  while (&At(depth) != frame) ++depth;
  const Module snapshot = Snapshot(depth);
  const Instruction instruction =
      *InstructionAt(snapshot, AtNode(snapshot, Diagnostic(), op.node_));
  const std::string place = PlaceText(instruction);
  return absl::StrCat(InstructionText(instruction),
                      place.empty() ? "" : absl::StrCat(" (", place, ")"));
}

CallDiagnostic Recorder::ToCallDiagnostic(
    Snapshots* snapshots, const PendingDiagnostic& pending) const {
  if (pending.rendered != nullptr) return *pending.rendered;
  const char* const file =
      pending.caller.file == nullptr ? "" : pending.caller.file;
  const int line = *file == '\0' ? 0 : pending.caller.line;
  if (pending.node == kNoNode) {
    DiagnosticSubject subject;
    subject.op = pending.what;
    return Rendered(pending.diagnostic, subject, file, line);
  }
  const Module& snapshot = snapshots->At(pending.depth);
  CallDiagnostic result =
      Rendered(snapshot, AtNode(snapshot, pending.diagnostic, pending.node),
               pending.what);
  // The snapshot is no module that anybody has.
  result.computation = result.instruction = -1;
  result.file = file;
  result.line = line;
  return result;
}

std::vector<CallDiagnostic> Recorder::TakeErrors(const Mark& mark) {
  std::vector<CallDiagnostic> errors;
  if (!FailedSince(mark)) return errors;
  std::vector<PendingDiagnostic> others;
  {
    Snapshots snapshots(*this);
    for (size_t i = mark.diagnostics; i < diagnostics_.size(); ++i) {
      PendingDiagnostic& pending = diagnostics_[i];
      if (pending.diagnostic.severity() == Severity::kError) {
        errors.push_back(ToCallDiagnostic(&snapshots, pending));
      } else {
        others.push_back(pending);
      }
    }
  }
  if (frame_.generation == mark.generation) {
    Column<InstructionRecord>& nodes = frame_.instructions;
    while (nodes.size() > mark.nodes && !nodes.back().shape) {
      frame_.operands.resize(nodes.back().first_operand);
      nodes.pop_back();
    }
    for (size_t i = mark.nodes; i < nodes.size(); ++i) {
      if (!nodes[i].shape) return errors;
    }
  }
  // Warnings about nodes that went would have nothing to name.
  diagnostics_.resize(mark.diagnostics);
  for (PendingDiagnostic& pending : others) {
    if (pending.node == kNoNode || pending.rendered != nullptr ||
        pending.node < At(pending.depth).instructions.size()) {
      diagnostics_.push_back(std::move(pending));
    }
  }
  error_count_ = mark.errors;
  if (failed_build_.first >= mark.diagnostics) failed_build_ = {};
  return errors;
}

absl::Status Recorder::Failure(size_t limit) const {
  if (is_none()) {
    return absl::FailedPreconditionError("the builder was moved away");
  }
  Snapshots snapshots(*this);
  std::string text;
  size_t shown = 0;
  Code first = Code::kNone;
  for (const PendingDiagnostic& pending : diagnostics_) {
    if (pending.diagnostic.severity() != Severity::kError) continue;
    if (shown == limit) break;
    if (shown++ == 0) first = pending.diagnostic.code;
    text += ToCallDiagnostic(&snapshots, pending).text;
  }
  AppendHiddenCount(error_count_ - shown, &text);
  // A Status is one message, without a newline at its end.
  if (!text.empty()) text.pop_back();
  return ReportError(absl::StatusCode::kInvalidArgument, first, text);
}

absl::Status Recorder::status() const {
  if (error_count_ == 0 && !is_none()) return absl::OkStatus();
  return Failure(1);
}

std::string Recorder::DiagnosticsText() const {
  Snapshots snapshots(*this);
  std::string text;
  size_t shown = 0;
  for (const CallDiagnostic& built : built_diagnostics_) text += built.text;
  for (const PendingDiagnostic& pending : diagnostics_) {
    if (pending.diagnostic.severity() == Severity::kError) ++shown;
    text += ToCallDiagnostic(&snapshots, pending).text;
  }
  AppendHiddenCount(error_count_ - shown, &text);
  return text;
}

std::vector<CallDiagnostic> Recorder::Diagnostics() const {
  Snapshots snapshots(*this);
  std::vector<CallDiagnostic> diagnostics = built_diagnostics_;
  for (const PendingDiagnostic& pending : diagnostics_) {
    diagnostics.push_back(ToCallDiagnostic(&snapshots, pending));
  }
  return diagnostics;
}

absl::StatusOr<Shape> Recorder::shape(Op op) const {
  if (const Shape* shape = ShapeOf(op)) return *shape;
  if (is_none()) return Failure(1);
  const OpState op_state = StateOf(op);
  if (built_ && shared_ == nullptr &&
      (op_state == OpState::kGood || op_state == OpState::kPoisoned)) {
    return ErrorWithCode(
        absl::StatusCode::kInvalidArgument, Code::kUsedAfterBuild,
        "shape: the computation was built before; its module has the shape");
  }
  if (op_state == OpState::kPoisoned || op_state == OpState::kGood) {
    for (const PendingDiagnostic& pending : diagnostics_) {
      if (pending.node == op.node_ && pending.rendered == nullptr &&
          &At(pending.depth) == FrameOf(op)) {
        Snapshots snapshots(*this);
        const CallDiagnostic d = ToCallDiagnostic(&snapshots, pending);
        return ErrorOf(absl::StatusCode::kInvalidArgument, d, d.text);
      }
    }
    return absl::InvalidArgumentError("shape: the op is of a failed call");
  }
  DiagnosticSubject subject;
  subject.op = "shape";
  const Diagnostic misuse = MisuseOf(op, op_state, 0);
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, misuse.code,
                       FormatMessage(misuse, subject));
}

Op Recorder::Fail(const Pending& pending, std::vector<Diagnostic> diagnostics,
                  Caller caller) {
  // The call stays in the graph without a shape: that poisons it, and the
  // message shows it.
  const Op op = Append(pending, ShapeId{}, caller);
  for (Diagnostic& diagnostic : diagnostics) {
    Keep({std::move(diagnostic), op.node_, "", caller});
  }
  return op;
}

Op Recorder::Reject(Opcode opcode, absl::Span<const Op> operands,
                    std::vector<Diagnostic> diagnostics, Caller caller) {
  Nodes nodes;
  Op result;
  if (!Resolve(opcode, operands, caller, &nodes, &result)) return result;
  return Fail({opcode, nodes, {}, AttributeBytesId{}}, std::move(diagnostics),
              caller);
}

Op Recorder::Reject(Opcode opcode, absl::Span<const Op> operands, Code code,
                    std::vector<DiagnosticArg> args, Caller caller) {
  std::vector<Diagnostic> diagnostics;
  diagnostics.push_back(Make(code, std::move(args)));
  return Reject(opcode, operands, std::move(diagnostics), caller);
}

void Recorder::AddDiagnostic(absl::string_view what, Diagnostic diagnostic,
                             Caller caller) {
  Keep({std::move(diagnostic), kNoNode, std::string(what), caller});
}

void Recorder::Keep(PendingDiagnostic pending) {
  if (is_none()) return;
  if (composite_) {
    pending.what = composite_->name;
    pending.caller = composite_->caller;
  }
  pending.depth = outer_.size();
  const bool is_error = pending.diagnostic.severity() == Severity::kError;
  if (is_error) ++error_count_;
  if (diagnostics_.size() < kMaxKept || (is_error && error_count_ == 1)) {
    diagnostics_.push_back(std::move(pending));
  }
}

}  // namespace indim::internal

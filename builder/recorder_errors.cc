// How a recorder's diagnostics are told.

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"

namespace indim::internal {
namespace {

// Of the last computation.
ModuleDiagnostic AtNode(const Module& snapshot, const Diagnostic& diagnostic,
                        uint32_t node) {
  return {diagnostic, static_cast<uint32_t>(snapshot.computation_count() - 1),
          node};
}

void AppendUntold(size_t count, std::string* text) {
  if (count > 0) absl::StrAppend(text, "and ", count, " more errors\n");
}

}  // namespace

Module Recorder::Snapshot() const {
  ModuleData data;
  if (shared_ == nullptr) return Module();
  data = shared_->store();  // its pools are shared; the snapshot adds nothing
  ComputationRecord own;
  own.first = static_cast<uint32_t>(data.instructions.size());
  own.count = static_cast<uint32_t>(instructions_.size());
  const uint32_t first_operand = static_cast<uint32_t>(data.operands.size());
  for (InstructionRecord record : instructions_) {
    record.first_operand += first_operand;
    data.instructions.push_back(record);
  }
  data.operands.insert(data.operands.end(), operands_.begin(), operands_.end());
  data.computations.push_back(own);
  data.entry = static_cast<uint32_t>(data.computations.size() - 1);
  data.name = name_;
  data.recorded = true;
  return ModuleOf(std::make_shared<const ModuleData>(std::move(data)));
}

Diagnostic Recorder::MisuseOf(Op op, OpState op_state, int64_t operand) const {
  if (op_state == OpState::kDefault) return Make(Rule::kOpDefault, {operand});
  const Recorder* other = Of(op);
  if (other == nullptr) return Make(Rule::kOpOfGoneBuilder, {operand});
  // What isn't kept isn't told.
  return Make(
      Rule::kOpOfOtherBuilder,
      {operand, complaints_.size() < kMaxKept ? other->Describe(op) : "",
       other->name(), name()});
}

std::string Recorder::Describe(Op op) const {
  if (op.node_ >= instructions_.size()) return "an op";  // built, and gone
  const Module snapshot = Snapshot();
  const Instruction instruction =
      *InstructionAt(snapshot, AtNode(snapshot, Diagnostic(), op.node_));
  const std::string place = PlaceText(instruction);
  return absl::StrCat(InstructionText(instruction),
                      place.empty() ? "" : absl::StrCat(" (", place, ")"));
}

std::string Recorder::Render(const Module& snapshot,
                             const PendingDiagnostic& complaint) const {
  if (complaint.node != kNoNode) {
    return RenderDiagnostic(
        snapshot, AtNode(snapshot, complaint.diagnostic, complaint.node),
        complaint.what);
  }
  DiagnosticSubject subject;
  subject.op = complaint.what;
  const char* const file = complaint.caller.file;
  return absl::StrCat(
      file == nullptr || *file == '\0'
          ? ""
          : absl::StrCat(file, ":", complaint.caller.line, ": "),
      "error: ", FormatMessage(complaint.diagnostic, subject), "  [",
      RuleId(complaint.diagnostic.rule), "]\n");
}

CallDiagnostic Recorder::Tell(const Module& snapshot,
                              const PendingDiagnostic& complaint) const {
  CallDiagnostic told;
  told.diagnostic = complaint.diagnostic;
  if (complaint.caller.file != nullptr && *complaint.caller.file != '\0') {
    told.file = complaint.caller.file;
    told.line = complaint.caller.line;
  }
  if (complaint.node != kNoNode) {
    const ModuleDiagnostic diagnostic =
        AtNode(snapshot, complaint.diagnostic, complaint.node);
    told.message = MessageText(snapshot, diagnostic, complaint.what);
    told.fix = FixText(snapshot, diagnostic);
  } else {
    DiagnosticSubject subject;
    subject.op = complaint.what;
    told.message = FormatMessage(complaint.diagnostic, subject);
  }
  told.text = Render(snapshot, complaint);
  return told;
}

std::string Recorder::RenderErrors(size_t limit) const {
  const Module snapshot = Snapshot();
  std::string text;
  size_t told = 0;
  for (const PendingDiagnostic& complaint : complaints_) {
    if (complaint.diagnostic.severity() != Severity::kError) continue;
    if (told == limit) break;
    ++told;
    text += Render(snapshot, complaint);
  }
  AppendUntold(error_count_ - told, &text);
  // A status is one message: the last line's end is the caller's business.
  if (!text.empty()) text.pop_back();
  return text;
}

absl::Status Recorder::status() const {
  if (error_count_ == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(RenderErrors(1));
}

std::string Recorder::DiagnosticsText() const {
  const Module snapshot = Snapshot();
  std::string text;
  size_t told = 0;
  for (const CallDiagnostic& settled : settled_) text += settled.text;
  for (const PendingDiagnostic& complaint : complaints_) {
    if (complaint.diagnostic.severity() == Severity::kError) ++told;
    text += Render(snapshot, complaint);
  }
  AppendUntold(error_count_ - told, &text);
  return text;
}

std::vector<CallDiagnostic> Recorder::Diagnostics() const {
  const Module snapshot = Snapshot();
  std::vector<CallDiagnostic> diagnostics = settled_;
  for (const PendingDiagnostic& complaint : complaints_) {
    diagnostics.push_back(Tell(snapshot, complaint));
  }
  return diagnostics;
}

absl::StatusOr<Shape> Recorder::shape(Op op) const {
  if (const Shape* shape = ShapeOf(op)) return *shape;
  const OpState op_state = StandingOf(op);
  if (built_ && shared_ == nullptr &&
      (op_state == OpState::kGood || op_state == OpState::kPoisoned)) {
    return absl::InvalidArgumentError(
        "shape: the computation was built before; its module has the shape");
  }
  if (op_state == OpState::kPoisoned || op_state == OpState::kGood) {
    for (const PendingDiagnostic& complaint : complaints_) {
      if (complaint.node == op.node_) {
        return absl::InvalidArgumentError(Render(Snapshot(), complaint));
      }
    }
    return absl::InvalidArgumentError("shape: the op is of a failed call");
  }
  DiagnosticSubject subject;
  subject.op = "shape";
  return absl::InvalidArgumentError(
      FormatMessage(MisuseOf(op, op_state, 0), subject));
}

}  // namespace indim::internal

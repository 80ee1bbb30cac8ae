// SPDX-License-Identifier: Apache-2.0
// What a recorder says of its errors.

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/ir/report.h"

namespace indim::internal {

void Recorder::AddDiagnostic(absl::string_view what, Diagnostic diagnostic,
                             Caller caller) {
  if (is_none()) return;
  const CompositeScope* const composite = settings_.composite();
  PendingDiagnostic pending;
  pending.diagnostic = std::move(diagnostic);
  pending.what = std::string(composite != nullptr ? composite->name : what);
  pending.caller = settings_.CallerInForce(caller);
  pending.depth = open_.depth();
  log_.Keep(std::move(pending));
}

void Recorder::AddDiagnostic(uint32_t node, Diagnostic diagnostic,
                             Caller caller) {
  const CompositeScope* const composite = settings_.composite();
  PendingDiagnostic pending;
  pending.diagnostic = std::move(diagnostic);
  pending.node = node;
  if (composite != nullptr) pending.what = composite->name;
  pending.caller = settings_.CallerInForce(caller);
  pending.depth = open_.depth();
  log_.Keep(std::move(pending));
}

absl::Status Recorder::Failure(size_t limit) const {
  if (is_none()) {
    return absl::FailedPreconditionError("the builder was moved away");
  }
  Snapshots shown = snapshots();
  return log_.Error(limit, &shown);
}

absl::Status Recorder::status() const {
  if (log_.error_count() == 0 && !is_none()) return absl::OkStatus();
  return Failure(1);
}

std::string Recorder::DiagnosticsText() const {
  Snapshots shown = snapshots();
  return log_.Text(&shown);
}

std::vector<CallDiagnostic> Recorder::Diagnostics() const {
  Snapshots shown = snapshots();
  return log_.All(&shown);
}

std::vector<CallDiagnostic> Recorder::TakeErrors(const Mark& mark) {
  if (!FailedSince(mark)) return {};
  Snapshots shown = snapshots();
  std::vector<CallDiagnostic> errors = log_.ErrorsSince(mark.log, &shown);
  Frame& frame = open_.current();
  if (frame.generation == mark.generation) {
    Column<InstructionRecord>& nodes = frame.instructions;
    while (nodes.size() > mark.nodes && !nodes.back().shape) {
      frame.operands.resize(nodes.back().first_operand);
      nodes.pop_back();
    }
    for (size_t i = mark.nodes; i < nodes.size(); ++i) {
      if (!nodes[i].shape) return errors;
    }
  }
  log_.ForgetErrorsSince(mark.log, open_);
  return errors;
}

void Recorder::SettleDiagnostics() {
  Snapshots shown = snapshots();
  log_.SettleAll(&shown);
}

void Recorder::Close() {
  built_ = true;
  Frame& frame = open_.current();
  frame.parameters.clear();
  frame.instructions = {};
  frame.operands = {};
  frame.named = {};
  shared_.reset();
}

Diagnostic MisuseOf(const Recorder& recorder, Op op, int64_t operand) {
  const OpState op_state = recorder.open().StateOf(op);
  if (op_state == OpState::kDefault) {
    return MakeDiagnostic(Code::kOpDefault, {operand});
  }
  if (op_state == OpState::kGone) {
    return MakeDiagnostic(Code::kOpOfGoneBuilder, {operand});
  }
  const Recorder& other = *Recorder::Of(op);
  // Describes the other op only if the diagnostic will be kept.
  return MakeDiagnostic(
      Code::kOpOfOtherBuilder,
      {operand, recorder.log().is_full() ? "" : Describe(other, op),
       other.name(), recorder.name()});
}

std::string Describe(const Recorder& recorder, Op op) {
  const OpenComputations& open = recorder.open();
  const Frame* const frame = open.FrameOf(op);
  if (frame == nullptr || OpAccess::Node(op) >= frame->instructions.size()) {
    return "an op";  // built, and gone
  }
  Snapshots snapshots = recorder.snapshots();
  const Module& snapshot = snapshots.At(open.DepthOf(*frame));
  const Instruction instruction = *InstructionAt(
      snapshot,
      {Diagnostic(), static_cast<uint32_t>(snapshot.computation_count() - 1),
       OpAccess::Node(op)});
  const std::string place = PlaceText(instruction);
  return absl::StrCat(InstructionText(instruction),
                      place.empty() ? "" : absl::StrCat(" (", place, ")"));
}

}  // namespace indim::internal

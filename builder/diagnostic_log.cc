// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/diagnostic_log.h"

#include "absl/strings/str_cat.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module_access.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/ir/storage/column.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::internal {
namespace {

// `diagnostic` at node `node` of the last computation.
ModuleDiagnostic AtNode(const Module& snapshot, const Diagnostic& diagnostic,
                        uint32_t node) {
  return {diagnostic, static_cast<uint32_t>(snapshot.computation_count() - 1),
          node};
}

bool IsError(const PendingDiagnostic& pending) {
  return pending.diagnostic.severity() == Severity::kError;
}

bool IsAboutNode(const PendingDiagnostic& pending) {
  return pending.node != OpenComputations::kNoNode &&
         pending.rendered == nullptr;
}

void AppendHiddenCount(size_t count, std::string* text) {
  if (count > 0) absl::StrAppend(text, "and ", count, " more errors\n");
}

CallDiagnostic ToCallDiagnostic(Snapshots* snapshots,
                                const PendingDiagnostic& pending) {
  if (pending.rendered != nullptr) return *pending.rendered;
  const char* const file =
      pending.caller.file == nullptr ? "" : pending.caller.file;
  const int line = *file == '\0' ? 0 : pending.caller.line;
  if (!IsAboutNode(pending)) {
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
  if (*file != '\0') {  // else those of the node
    result.file = file;
    result.line = line;
  }
  return result;
}

}  // namespace

// --- Snapshots ---------------------------------------------------------------

const Module& Snapshots::At(size_t depth) {
  if (modules_.size() <= depth) modules_.resize(depth + 1);
  std::optional<Module>& module = modules_[depth];
  if (!module) {
    module = shared_ == nullptr
                 ? Module()
                 : ModuleOf(std::make_shared<const ModuleData>(DataAt(depth)));
  }
  return *module;
}

ModuleData Snapshots::DataAt(size_t depth) const {
  // Its pools are shared; the snapshot adds nothing.
  ModuleData data = shared_->store();
  const Frame& frame = open_.At(depth);
  ComputationRecord own;
  own.first = static_cast<uint32_t>(data.instructions.size());
  own.count = static_cast<uint32_t>(frame.instructions.size());
  own.root = frame.root;
  AppendRecords(Column<InstructionRecord>(frame.instructions),
                Column<uint32_t>(frame.operands), &data.operands,
                &data.instructions);
  data.computations.push_back(own);
  data.entry = static_cast<uint32_t>(data.computations.size() - 1);
  data.name = std::string(name_);
  data.recorded = true;
  return data;
}

Diagnostic MakeDiagnostic(Code code, std::vector<DiagnosticArg> args) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  for (DiagnosticArg& arg : args) diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

// --- The log -----------------------------------------------------------------

void DiagnosticLog::Keep(PendingDiagnostic pending) {
  const bool is_error = IsError(pending);
  if (is_error) ++error_count_;
  if (!is_full() || (is_error && error_count_ == 1)) {
    diagnostics_.push_back(std::move(pending));
  }
}

absl::Status DiagnosticLog::Error(size_t limit, Snapshots* snapshots) const {
  std::string text;
  size_t shown = 0;
  Code first = Code::kNone;
  for (const PendingDiagnostic& pending : diagnostics_) {
    if (!IsError(pending)) continue;
    if (shown == limit) break;
    if (shown++ == 0) first = pending.diagnostic.code;
    text += ToCallDiagnostic(snapshots, pending).text;
  }
  AppendHiddenCount(error_count_ - shown, &text);
  // A Status is one message, without a newline at its end.
  if (!text.empty()) text.pop_back();
  return ReportError(absl::StatusCode::kInvalidArgument, first, text);
}

std::string DiagnosticLog::Text(Snapshots* snapshots) const {
  std::string text;
  size_t shown = 0;
  for (const CallDiagnostic& built : built_) text += built.text;
  for (const PendingDiagnostic& pending : diagnostics_) {
    if (IsError(pending)) ++shown;
    text += ToCallDiagnostic(snapshots, pending).text;
  }
  AppendHiddenCount(error_count_ - shown, &text);
  return text;
}

std::vector<CallDiagnostic> DiagnosticLog::All(Snapshots* snapshots) const {
  std::vector<CallDiagnostic> all = built_;
  for (const PendingDiagnostic& pending : diagnostics_) {
    all.push_back(ToCallDiagnostic(snapshots, pending));
  }
  return all;
}

std::optional<CallDiagnostic> DiagnosticLog::About(size_t depth, uint32_t node,
                                                   Snapshots* snapshots) const {
  for (const PendingDiagnostic& pending : diagnostics_) {
    if (pending.node == node && pending.rendered == nullptr &&
        pending.depth == depth) {
      return ToCallDiagnostic(snapshots, pending);
    }
  }
  return std::nullopt;
}

void DiagnosticLog::Settle(size_t depth, Snapshots* snapshots) {
  for (PendingDiagnostic& pending : diagnostics_) {
    if (pending.depth != depth || !IsAboutNode(pending)) continue;
    pending.rendered = std::make_shared<const CallDiagnostic>(
        ToCallDiagnostic(snapshots, pending));
  }
}

void DiagnosticLog::SettleAll(Snapshots* snapshots) {
  if (diagnostics_.empty()) return;
  built_ = All(snapshots);
  diagnostics_.clear();
}

void DiagnosticLog::BeginBuild() {
  const auto first =
      diagnostics_.begin() + static_cast<ptrdiff_t>(build_.first);
  diagnostics_.erase(first, first + static_cast<ptrdiff_t>(build_.kept));
  error_count_ -= build_.errors;
  build_ = {diagnostics_.size(), 0, error_count_};
}

void DiagnosticLog::EndBuild() {
  build_.kept = diagnostics_.size() - build_.first;
  build_.errors = error_count_ - build_.errors;
}

std::vector<CallDiagnostic> DiagnosticLog::ErrorsSince(
    const Mark& mark, Snapshots* snapshots) const {
  std::vector<CallDiagnostic> errors;
  for (size_t i = mark.diagnostics; i < diagnostics_.size(); ++i) {
    if (IsError(diagnostics_[i])) {
      errors.push_back(ToCallDiagnostic(snapshots, diagnostics_[i]));
    }
  }
  return errors;
}

void DiagnosticLog::ForgetErrorsSince(const Mark& mark,
                                      const OpenComputations& open) {
  size_t kept = mark.diagnostics;
  for (size_t i = kept; i < diagnostics_.size(); ++i) {
    PendingDiagnostic& pending = diagnostics_[i];
    // Warnings about nodes that went would have nothing to name.
    if (IsError(pending) ||
        (IsAboutNode(pending) &&
         pending.node >= open.At(pending.depth).instructions.size())) {
      continue;
    }
    if (kept != i) diagnostics_[kept] = std::move(pending);
    ++kept;
  }
  diagnostics_.resize(kept);
  error_count_ = mark.errors;
  if (build_.first >= mark.diagnostics) build_ = {};
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/edit_session.h"

#include <atomic>
#include <utility>

#include "indim/edit/insertion_state.h"

namespace indim::internal {
namespace {

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

EditSession::EditSession(Module module)
    : EditGraph(std::move(module)), serial_(NextSerial()) {}

EditSession::~EditSession() {
  for (InsertionState* insertion : insertions()) insertion->Abandon();
}

bool EditSession::CheckOpen(absl::string_view what, Caller caller) {
  if (finished_) Report(what, Code::kEditAfterFinish, {}, caller);
  return !finished_;
}

uint32_t EditSession::Check(absl::string_view what, InstructionRef ref,
                            Caller caller) {
  if (!CheckOpen(what, caller)) return kNone;
  if (!IsOurs(ref)) {
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "no Editor"},
           caller);
    return kNone;
  }
  const uint32_t node = NodeOf(ref);
  if (node == kNone) {
    Report(what, Code::kEditErased, {NameOf(ref.number_)}, caller);
  }
  return node;
}

uint32_t EditSession::Check(absl::string_view what, ComputationRef ref,
                            Caller caller) {
  if (!CheckOpen(what, caller)) return kNone;
  if (!IsOurs(ref)) {
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "no Editor"},
           caller);
    return kNone;
  }
  const uint32_t c = ComputationOf(ref);
  if (c == kNone) {
    Report(what, Code::kEditErased, {ComputationName(ref.number_)}, caller);
  }
  return c;
}

EditDiagnostic EditSession::Make(absl::string_view what, Code code,
                                 std::vector<DiagnosticArg> args,
                                 Caller caller) const {
  Diagnostic d;
  d.code = code;
  for (DiagnosticArg& arg : args) d.args.push_back(std::move(arg));
  DiagnosticSubject subject;
  subject.op = what;
  return Rendered(std::move(d), subject, caller.file, caller.line);
}

void EditSession::Report(absl::string_view what, Code code,
                         std::vector<DiagnosticArg> args, Caller caller) {
  Keep(Make(what, code, std::move(args), caller));
}

}  // namespace indim::internal

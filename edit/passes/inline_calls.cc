// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/inline_calls.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "indim/edit/edit_session.h"
#include "indim/ir/gradient_mark.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

using internal::EditSession;

namespace {

// Whether it is more than its computation: a composite, or how it is
// differentiated.
bool IsMarked(const EditSession& graph, uint32_t node) {
  const AttributeBytesView bytes =
      graph.pools().attribute_bytes(graph.record(node).attribute_bytes);
  return internal::GradientMarkOf(bytes) != internal::GradientMark::kNone ||
         FieldList::Of(bytes).Number(
             field::HloInstructionProto::kIsComposite) != 0;
}

// An asynchronous start runs a computation that may hold its root alone.
bool IsStarted(const Editor& editor, ComputationRef computation) {
  return absl::c_any_of(
      editor.callers(computation), [&](InstructionRef caller) {
        return Info(editor.opcode(caller)).callee_form == CalleeForm::kStarted;
      });
}

}  // namespace

int64_t InlineCalls(Editor* editor, const InlineOptions& options,
                    Caller caller) {
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("InlineCalls", caller)) return 0;
  int64_t total = 0;
  for (const uint32_t c : graph.computation_order()) total += graph.at(c).count;
  int64_t inlined = 0;
  std::vector<ComputationRef> called;
  for (const ComputationRef computation : editor->computations()) {
    if (IsStarted(*editor, computation)) continue;
    for (const InstructionRef call : editor->instructions(computation)) {
      if (editor->opcode(call) != Opcode::kCall) continue;
      const uint32_t node = graph.NodeOf(call);
      if (graph.Callees(node).size() != 1) continue;
      const int64_t size = graph.at(graph.Callees(node)[0]).count;
      if (graph.control().Any(node) || IsMarked(graph, node) ||
          total + size > options.max_total ||
          (options.max_instructions >= 0 && size > options.max_instructions)) {
        continue;
      }
      called.push_back(editor->callees(call)[0]);
      if (!editor->InlineCall(call, caller)) return inlined;
      total += size;
      ++inlined;
    }
  }
  // Callers come after what they call.
  for (auto c = called.rbegin(); c != called.rend(); ++c) {
    if (editor->exists(*c) && *c != editor->entry() &&
        editor->callers(*c).empty()) {
      editor->Erase(*c, caller);
    }
  }
  return inlined;
}

}  // namespace indim

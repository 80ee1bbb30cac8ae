// The editor behind a handle, and what all of its calls share.

#ifndef INDIM_CAPI_EDITORS_H_
#define INDIM_CAPI_EDITORS_H_

#include <indim.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/capi/diagnostics.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/editor.h"
#include "indim/edit/refs.h"

struct indim_editor {
  explicit indim_editor(const indim_module& module)
      : editor(module.module), devices(module.devices) {}

  indim::internal::EditSession& session() {
    return indim::internal::EditSession::Of(&editor);
  }
  indim::Editor editor;
  const indim::DeviceCounts devices;
};

namespace indim::capi {

// An ordinary reference with that number, which the editor's own checks refuse
// if it means nothing; nullopt: no reference has such a number.
inline std::optional<InstructionRef> RefOf(indim_editor& editor,
                                           indim_ref number) {
  if (number < 0 || number >= internal::kNone) return std::nullopt;
  return editor.session().Ref(static_cast<uint32_t>(number));
}
inline std::optional<ComputationRef> ComputationOf(indim_editor& editor,
                                                   indim_ref number) {
  if (number < 0 || number >= internal::kNone) return std::nullopt;
  return editor.session().RefOfComputation(static_cast<uint32_t>(number));
}
inline indim_ref RefNumber(indim_editor& editor, InstructionRef ref) {
  const uint32_t node = editor.session().NodeOf(ref);
  return node == internal::kNone ? INDIM_NO_REF
                                            : static_cast<indim_ref>(node);
}

inline indim_ref RefNumber(indim_editor& editor, ComputationRef ref) {
  const uint32_t number = editor.session().ComputationOf(ref);
  return number == internal::kNone ? INDIM_NO_REF
                                              : static_cast<indim_ref>(number);
}

inline indim_error* NoSuchRef(indim_ref number) {
  return Misuse(absl::StrCat("the editor has no reference ", number));
}

// Writes at most `capacity` of the references of instructions or computations.
template <typename Ref>
indim_error* GiveRefs(indim_editor& editor, const std::vector<Ref>& refs,
                      indim_ref* to, size_t capacity, size_t* count) {
  for (size_t i = 0; i < refs.size() && i < capacity; ++i) {
    to[i] = RefNumber(editor, refs[i]);
  }
  *count = refs.size();
  return nullptr;
}
// The references of instructions, appended to *refs.
indim_error* RefsOf(indim_editor& editor, absl::Span<const indim_ref> numbers,
                    std::vector<InstructionRef>* refs);

// The errors of `edit`, which are the call's and not the editor's.
template <typename Edit>
indim_error* Change(indim_editor* editor, Edit edit) {
  const size_t before = editor->session().diagnostics().size();
  edit();
  DiagnosticList found = FromEdits(
      absl::MakeConstSpan(editor->session().diagnostics()).subspan(before));
  if (!HasError(found)) return nullptr;
  editor->session().TakeDiagnostics(before);
  return ErrorOf(std::move(found));
}

// Calls `edit` with the reference of an instruction.
template <typename Edit>
indim_error* ChangeAt(indim_editor* editor, indim_ref instruction, Edit edit) {
  const std::optional<InstructionRef> ref = RefOf(*editor, instruction);
  if (!ref) return NoSuchRef(instruction);
  return Change(editor, [&] { edit(*ref); });
}

// ChangeAt, where `edit` returns the reference of an instruction.
template <typename Edit>
indim_error* MakeAt(indim_editor* editor, indim_ref instruction,
                    indim_ref* made, Edit edit) {
  InstructionRef result;
  indim_error* const error = ChangeAt(
      editor, instruction, [&](InstructionRef ref) { result = edit(ref); });
  if (error == nullptr) *made = RefNumber(*editor, result);
  return error;
}

// The same at a computation.
template <typename Edit>
indim_error* ChangeIn(indim_editor* editor, indim_ref computation, Edit edit) {
  const std::optional<ComputationRef> ref = ComputationOf(*editor, computation);
  if (!ref) return NoSuchRef(computation);
  return Change(editor, [&] { edit(*ref); });
}

// An instruction that must be there.
inline indim_error* Existing(indim_editor* editor, indim_ref number,
                             InstructionRef* ref) {
  const std::optional<InstructionRef> found = RefOf(*editor, number);
  if (!found || !editor->editor.exists(*found)) return NoSuchRef(number);
  *ref = *found;
  return nullptr;
}

}  // namespace indim::capi

#endif  // INDIM_CAPI_EDITORS_H_

// SPDX-License-Identifier: Apache-2.0
// The editor behind a handle, and what all of its calls share.

#ifndef INDIM_BINDINGS_C_EDITORS_H_
#define INDIM_BINDINGS_C_EDITORS_H_

#include <indim.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/bindings/c/diagnostics.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
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
  return node == internal::kNone ? INDIM_NO_REF : static_cast<indim_ref>(node);
}

inline indim_ref RefNumber(indim_editor& editor, ComputationRef ref) {
  const uint32_t number = editor.session().ComputationOf(ref);
  return number == internal::kNone ? INDIM_NO_REF
                                   : static_cast<indim_ref>(number);
}

inline indim_error* NoSuchRef(indim_ref number) {
  return Misuse(absl::StrCat("the editor has no reference ", number));
}

// The references of instructions, appended to *refs.
indim_error* RefsOf(indim_editor& editor, absl::Span<const indim_ref> numbers,
                    std::vector<InstructionRef>* refs);

// --- Arguments of edits, as a caller numbers them ----------------------------

struct InstructionNumber {
  indim_ref number;
};
struct InstructionNumbers {
  absl::Span<const indim_ref> numbers;
};
struct ComputationNumber {
  indim_ref number;
};
// Of an operand or a callee.
struct IndexNumber {
  const char* what;
  int64_t number;
  int least;
};

// What each means; where it means nothing, *error is set unless it was.
InstructionRef Find(indim_editor& editor, InstructionNumber argument,
                    indim_error** error);
std::vector<InstructionRef> Find(indim_editor& editor,
                                 InstructionNumbers argument,
                                 indim_error** error);
ComputationRef Find(indim_editor& editor, ComputationNumber argument,
                    indim_error** error);
int Find(indim_editor& editor, IndexNumber argument, indim_error** error);

// --- Calls -------------------------------------------------------------------

// The errors of `edit`, which are the call's and not the editor's.
template <typename Edit>
indim_error* Change(indim_editor* editor, Edit edit) {
  const size_t before = editor->session().diagnostics().size();
  edit();
  DiagnosticList found = FromEdits(
      absl::MakeConstSpan(editor->session().diagnostics()).subspan(before));
  if (!HasError(found)) return kOk;
  editor->session().TakeDiagnostics(before);
  return ErrorOf(std::move(found));
}

// A call that changes something: calls `edit` with what the arguments mean. Of
// several that mean nothing, the error names the first.
template <typename Edit, typename... Arguments>
indim_error* ChangeWith(std::initializer_list<Argument> pointers,
                        indim_editor* editor, Edit edit,
                        Arguments... arguments) {
  return Guard(pointers, [&] {
    indim_error* error = kOk;
    const std::tuple found{Find(*editor, arguments, &error)...};
    return error != kOk ? error
                        : Change(editor, [&] { std::apply(edit, found); });
  });
}

// The same, where `edit` returns a reference, whose number is given.
template <typename Edit, typename... Arguments>
indim_error* MakeWith(std::initializer_list<Argument> pointers,
                      indim_editor* editor, indim_ref* made, Edit edit,
                      Arguments... arguments) {
  indim_ref number = INDIM_NO_REF;
  indim_error* const error = ChangeWith(
      pointers, editor,
      [&](const auto&... found) {
        number = RefNumber(*editor, edit(found...));
      },
      arguments...);
  if (error == kOk) *made = number;
  return error;
}

// A call that looks at an instruction, which must be there.
template <typename Look>
indim_error* LookAt(std::initializer_list<Argument> pointers,
                    indim_editor* editor, indim_ref instruction, Look look) {
  return Guard(pointers, [&] {
    const std::optional<InstructionRef> ref = RefOf(*editor, instruction);
    if (!ref || !editor->editor.exists(*ref)) return NoSuchRef(instruction);
    return look(*ref);
  });
}

// Writes at most `capacity` of the references of instructions or computations.
template <typename Ref>
indim_error* GiveRefs(indim_editor& editor, const std::vector<Ref>& refs,
                      indim_ref* to, size_t capacity, size_t* count) {
  for (size_t i = 0; i < refs.size() && i < capacity; ++i) {
    to[i] = RefNumber(editor, refs[i]);
  }
  *count = refs.size();
  return kOk;
}

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_EDITORS_H_

// SPDX-License-Identifier: Apache-2.0
// Editors: changes.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/bindings/c/attributes.h"
#include "indim/bindings/c/editors.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/fold_constants.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/shape/types/suggest.h"

namespace indim::capi {

indim_error* RefsOf(indim_editor& editor, absl::Span<const indim_ref> numbers,
                    std::vector<InstructionRef>* refs) {
  for (const indim_ref number : numbers) {
    const std::optional<InstructionRef> ref = RefOf(editor, number);
    if (!ref) return NoSuchRef(number);
    refs->push_back(*ref);
  }
  return kOk;
}

InstructionRef Find(indim_editor& editor, InstructionNumber argument,
                    indim_error** error) {
  const std::optional<InstructionRef> ref = RefOf(editor, argument.number);
  if (!ref && *error == kOk) *error = NoSuchRef(argument.number);
  return ref.value_or(InstructionRef());
}

std::vector<InstructionRef> Find(indim_editor& editor,
                                 InstructionNumbers argument,
                                 indim_error** error) {
  std::vector<InstructionRef> refs;
  if (*error == kOk) *error = RefsOf(editor, argument.numbers, &refs);
  return refs;
}

ComputationRef Find(indim_editor& editor, ComputationNumber argument,
                    indim_error** error) {
  const auto ref = ComputationOf(editor, argument.number);
  if (!ref && *error == kOk) *error = NoSuchRef(argument.number);
  return ref.value_or(ComputationRef());
}

int Find(indim_editor&, IndexNumber argument, indim_error** error) {
  if (*error == kOk && (argument.number < argument.least ||
                        argument.number > std::numeric_limits<int>::max())) {
    *error = Misuse(
        absl::StrCat("there is no ", argument.what, " ", argument.number));
  }
  return static_cast<int>(argument.number);
}

namespace {

// Bytes that may be absent.
std::optional<std::string> BytesOf(const void* data, size_t size) {
  if (size == 0) return std::nullopt;
  return std::string(static_cast<const char*>(data), size);
}

indim_error* SetAttributes(indim_editor* editor, InstructionRef ref,
                           const indim_attributes& given) {
  const Opcode opcode = editor->editor.opcode(ref);
  const absl::StatusOr<GivenAttributes> read = ReadAttributesOf(opcode, given);
  if (!read.ok()) return ErrorOf(read.status());
  if (!IsPlain(opcode, *read)) {
    return Misuse(
        "only an operation's own attributes can be set so; the sharding and "
        "frontend attributes have calls of their own");
  }
  return Change(editor, [&] {
    editor->editor.SetAttributes(ref, read->attributes, Caller{});
  });
}

// --- Passes ------------------------------------------------------------------

struct Pass {
  absl::string_view name;
  int64_t (*run)(Editor* editor);
};
constexpr Pass kPasses[] = {
    {"common-subexpressions",
     [](Editor* e) { return MergeCommonSubexpressions(e, Caller{}); }},
    {"dead-code", [](Editor* e) { return RemoveDeadCode(e, Caller{}); }},
    {"fold-constants",
     [](Editor* e) { return FoldConstants(e, {}, Caller{}); }},
    {"inline-calls", [](Editor* e) { return InlineCalls(e, {}, Caller{}); }},
};

indim_error* RunPass(indim_editor* editor, absl::string_view name,
                     int64_t* changes) {
  std::vector<absl::string_view> names;
  for (const Pass& pass : kPasses) {
    names.push_back(pass.name);
    if (pass.name != name) continue;
    int64_t count = 0;
    indim_error* const error =
        Change(editor, [&] { count = pass.run(&editor->editor); });
    if (error == nullptr && changes != nullptr) *changes = count;
    return error;
  }
  const absl::string_view near = NearestName(name, names);
  return ErrorOf(absl::NotFoundError(absl::StrCat(
      "no pass is named \"", name, "\"",
      near.empty() ? absl::StrCat("; these are: ", absl::StrJoin(names, ", "))
                   : absl::StrCat(", did you mean \"", near, "\"?"))));
}

}  // namespace
extern "C" {

// --- Changing ----------------------------------------------------------------

indim_error* indim_editor_set_operand(indim_editor* editor,
                                      indim_ref instruction, int64_t index,
                                      indim_ref operand) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](InstructionRef value, int at, InstructionRef ref) {
        editor->editor.SetOperand(ref, at, value, Caller{});
      },
      InstructionNumber{operand},
      IndexNumber{"operand", index, std::numeric_limits<int>::min()},
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_operands(indim_editor* editor,
                                       indim_ref instruction,
                                       const indim_ref* operands,
                                       size_t count) {
  return ChangeWith(
      {{"editor", editor}, {"operands", operands, count}}, editor,
      [&](const std::vector<InstructionRef>& refs, InstructionRef ref) {
        editor->editor.SetOperands(ref, refs, Caller{});
      },
      InstructionNumbers{List(operands, count)},
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_attributes(indim_editor* editor,
                                         indim_ref instruction,
                                         const indim_attributes* attributes) {
  return GuardOptions(
      {{"editor", editor}, {"attributes", attributes}}, "indim_attributes",
      attributes, [&](const indim_attributes& given) {
        return LookAt({}, editor, instruction, [&](InstructionRef ref) {
          return SetAttributes(editor, ref, given);
        });
      });
}

indim_error* indim_editor_set_shape(indim_editor* editor, indim_ref instruction,
                                    const indim_shape* shape) {
  return ChangeWith(
      {{"editor", editor}, {"shape", shape}}, editor,
      [&](InstructionRef ref) {
        editor->editor.SetShape(ref, shape->shape, Caller{});
      },
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_name(indim_editor* editor, indim_ref instruction,
                                   const char* name, size_t name_size) {
  return ChangeWith(
      {{"editor", editor}, {"name", name, name_size}}, editor,
      [&](InstructionRef ref) {
        editor->editor.SetName(ref, Text(name, name_size), Caller{});
      },
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_sharding(indim_editor* editor,
                                       indim_ref instruction,
                                       const void* sharding, size_t size) {
  return ChangeWith(
      {{"editor", editor}, {"sharding", sharding, size}}, editor,
      [&](InstructionRef ref) {
        editor->editor.SetSharding(ref, BytesOf(sharding, size), Caller{});
      },
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_metadata(indim_editor* editor,
                                       indim_ref instruction,
                                       const void* metadata, size_t size) {
  return ChangeWith(
      {{"editor", editor}, {"metadata", metadata, size}}, editor,
      [&](InstructionRef ref) {
        editor->editor.SetMetadata(ref, BytesOf(metadata, size), Caller{});
      },
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_frontend_attribute(
    indim_editor* editor, indim_ref instruction, const char* key,
    size_t key_size, const char* text, size_t text_size) {
  return ChangeWith(
      {{"editor", editor}, {"key", key, key_size}, {"text", text, text_size}},
      editor,
      [&](InstructionRef ref) {
        editor->editor.SetFrontendAttribute(ref, Text(key, key_size),
                                            Text(text, text_size), Caller{});
      },
      InstructionNumber{instruction});
}

indim_error* indim_editor_replace_all_uses(indim_editor* editor,
                                           indim_ref instruction,
                                           indim_ref replacement) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](InstructionRef other, InstructionRef ref) {
        editor->editor.ReplaceAllUses(ref, other, Caller{});
      },
      InstructionNumber{replacement}, InstructionNumber{instruction});
}

indim_error* indim_editor_set_root(indim_editor* editor, indim_ref computation,
                                   indim_ref instruction) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](InstructionRef root, ComputationRef ref) {
        editor->editor.SetRoot(ref, root, Caller{});
      },
      InstructionNumber{instruction}, ComputationNumber{computation});
}

indim_error* indim_editor_erase(indim_editor* editor, indim_ref instruction) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](InstructionRef ref) { editor->editor.Erase(ref, Caller{}); },
      InstructionNumber{instruction});
}

indim_error* indim_editor_add_parameter(indim_editor* editor,
                                        indim_ref computation,
                                        const indim_shape* shape,
                                        const char* name, size_t name_size,
                                        indim_ref* instruction) {
  return MakeWith(
      {{"editor", editor},
       {"shape", shape},
       {"name", name, name_size},
       {"instruction", instruction}},
      editor, instruction,
      [&](ComputationRef ref) {
        return editor->editor.AddParameter(ref, shape->shape,
                                           Text(name, name_size), Caller{});
      },
      ComputationNumber{computation});
}

indim_error* indim_editor_remove_parameter(indim_editor* editor,
                                           indim_ref computation,
                                           int64_t number) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](ComputationRef ref) {
        editor->editor.RemoveParameter(ref, number, Caller{});
      },
      ComputationNumber{computation});
}

indim_error* indim_editor_add_result(indim_editor* editor,
                                     indim_ref computation,
                                     indim_ref instruction, indim_ref* root) {
  return MakeWith(
      {{"editor", editor}, {"root", root}}, editor, root,
      [&](ComputationRef in, InstructionRef ref) {
        return editor->editor.AddResult(in, ref, Caller{});
      },
      ComputationNumber{computation}, InstructionNumber{instruction});
}

indim_error* indim_editor_remove_result(indim_editor* editor,
                                        indim_ref computation, int64_t index) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](ComputationRef ref) {
        editor->editor.RemoveResult(ref, index, Caller{});
      },
      ComputationNumber{computation});
}

indim_error* indim_editor_inline_call(indim_editor* editor, indim_ref call,
                                      indim_ref* result) {
  return MakeWith(
      {{"editor", editor}, {"result", result}}, editor, result,
      [&](InstructionRef ref) {
        return editor->editor.InlineCall(ref, Caller{});
      },
      InstructionNumber{call});
}

indim_error* indim_editor_outline(indim_editor* editor,
                                  const indim_ref* instructions, size_t count,
                                  const char* name, size_t name_size,
                                  indim_ref* call) {
  return MakeWith(
      {{"editor", editor},
       {"instructions", instructions, count},
       {"name", name, name_size},
       {"call", call}},
      editor, call,
      [&](const std::vector<InstructionRef>& refs) {
        return editor->editor.Outline(refs, Text(name, name_size), Caller{});
      },
      InstructionNumbers{List(instructions, count)});
}

indim_error* indim_editor_pass(indim_editor* editor, const char* pass,
                               size_t pass_size, int64_t* changes) {
  return Guard({{"editor", editor}, {"pass", pass, pass_size}},
               [&] { return RunPass(editor, Text(pass, pass_size), changes); });
}

}  // extern "C"
}  // namespace indim::capi

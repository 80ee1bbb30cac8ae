// Editors: changes.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/capi/attributes.h"
#include "indim/capi/editors.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
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
  return nullptr;
}

namespace {

indim_error* SetAttributes(indim_editor* editor, indim_ref instruction,
                           const indim_attributes& given) {
  InstructionRef ref;
  if (indim_error* error = Existing(editor, instruction, &ref)) return error;
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
}  // namespace indim::capi

using indim::Caller;
using indim::ComputationRef;
using indim::InstructionRef;
using indim::capi::Change;
using indim::capi::ChangeAt;
using indim::capi::ChangeIn;
using indim::capi::Guard;
using indim::capi::List;
using indim::capi::MakeAt;
using indim::capi::Misuse;
using indim::capi::NoSuchRef;
using indim::capi::RefNumber;
using indim::capi::RefOf;
using indim::capi::Text;

// --- Changing ----------------------------------------------------------------

indim_error* indim_editor_set_operand(indim_editor* editor,
                                      indim_ref instruction, int64_t index,
                                      indim_ref operand) {
  return Guard({{"editor", editor}}, [&]() -> indim_error* {
    const auto value = RefOf(*editor, operand);
    if (!value) return NoSuchRef(operand);
    if (index < std::numeric_limits<int>::min() ||
        index > std::numeric_limits<int>::max()) {
      return Misuse(absl::StrCat("there is no operand ", index));
    }
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.SetOperand(ref, static_cast<int>(index), *value, Caller{});
    });
  });
}

indim_error* indim_editor_set_operands(indim_editor* editor,
                                       indim_ref instruction,
                                       const indim_ref* operands,
                                       size_t count) {
  return Guard({{"editor", editor}, {"operands", operands, count}},
               [&]() -> indim_error* {
                 std::vector<InstructionRef> refs;
                 if (indim_error* error = indim::capi::RefsOf(
                         *editor, List(operands, count), &refs)) {
                   return error;
                 }
                 return ChangeAt(editor, instruction, [&](InstructionRef ref) {
                   editor->editor.SetOperands(ref, refs, Caller{});
                 });
               });
}

indim_error* indim_editor_set_attributes(indim_editor* editor,
                                         indim_ref instruction,
                                         const indim_attributes* attributes) {
  return Guard({{"editor", editor}, {"attributes", attributes}},
               [&]() -> indim_error* {
                 indim_attributes given;
                 if (!indim::capi::ReadOptions(attributes, &given)) {
                   return Misuse("indim_attributes' struct_size isn't set");
                 }
                 return indim::capi::SetAttributes(editor, instruction, given);
               });
}

indim_error* indim_editor_set_shape(indim_editor* editor, indim_ref instruction,
                                    const indim_shape* shape) {
  return Guard({{"editor", editor}, {"shape", shape}}, [&] {
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.SetShape(ref, shape->shape, Caller{});
    });
  });
}

indim_error* indim_editor_set_name(indim_editor* editor, indim_ref instruction,
                                   const char* name, size_t name_size) {
  return Guard({{"editor", editor}, {"name", name, name_size}}, [&] {
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.SetName(ref, Text(name, name_size), Caller{});
    });
  });
}

namespace {

// Bytes that may be absent.
std::optional<std::string> BytesOf(const void* data, size_t size) {
  if (size == 0) return std::nullopt;
  return std::string(static_cast<const char*>(data), size);
}

}  // namespace

indim_error* indim_editor_set_sharding(indim_editor* editor,
                                       indim_ref instruction,
                                       const void* sharding, size_t size) {
  return Guard({{"editor", editor}, {"sharding", sharding, size}}, [&] {
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.SetSharding(ref, BytesOf(sharding, size), Caller{});
    });
  });
}

indim_error* indim_editor_set_metadata(indim_editor* editor,
                                       indim_ref instruction,
                                       const void* metadata, size_t size) {
  return Guard({{"editor", editor}, {"metadata", metadata, size}}, [&] {
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.SetMetadata(ref, BytesOf(metadata, size), Caller{});
    });
  });
}

indim_error* indim_editor_set_frontend_attribute(
    indim_editor* editor, indim_ref instruction, const char* key,
    size_t key_size, const char* text, size_t text_size) {
  return Guard(
      {{"editor", editor}, {"key", key, key_size}, {"text", text, text_size}},
      [&] {
        return ChangeAt(editor, instruction, [&](InstructionRef ref) {
          editor->editor.SetFrontendAttribute(ref, Text(key, key_size),
                                              Text(text, text_size), Caller{});
        });
      });
}

indim_error* indim_editor_replace_all_uses(indim_editor* editor,
                                           indim_ref instruction,
                                           indim_ref replacement) {
  return Guard({{"editor", editor}}, [&]() -> indim_error* {
    const auto other = RefOf(*editor, replacement);
    if (!other) return NoSuchRef(replacement);
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.ReplaceAllUses(ref, *other, Caller{});
    });
  });
}

indim_error* indim_editor_set_root(indim_editor* editor, indim_ref computation,
                                   indim_ref instruction) {
  return Guard({{"editor", editor}}, [&]() -> indim_error* {
    const auto root = RefOf(*editor, instruction);
    if (!root) return NoSuchRef(instruction);
    return ChangeIn(editor, computation, [&](ComputationRef ref) {
      editor->editor.SetRoot(ref, *root, Caller{});
    });
  });
}

indim_error* indim_editor_erase(indim_editor* editor, indim_ref instruction) {
  return Guard({{"editor", editor}}, [&] {
    return ChangeAt(editor, instruction, [&](InstructionRef ref) {
      editor->editor.Erase(ref, Caller{});
    });
  });
}

indim_error* indim_editor_add_parameter(indim_editor* editor,
                                        indim_ref computation,
                                        const indim_shape* shape,
                                        const char* name, size_t name_size,
                                        indim_ref* instruction) {
  return Guard({{"editor", editor},
                {"shape", shape},
                {"name", name, name_size},
                {"instruction", instruction}},
               [&]() -> indim_error* {
                 InstructionRef made;
                 indim_error* const error =
                     ChangeIn(editor, computation, [&](ComputationRef ref) {
                       made = editor->editor.AddParameter(
                           ref, shape->shape, Text(name, name_size), Caller{});
                     });
                 if (error == nullptr) *instruction = RefNumber(*editor, made);
                 return error;
               });
}

indim_error* indim_editor_remove_parameter(indim_editor* editor,
                                           indim_ref computation,
                                           int64_t number) {
  return Guard({{"editor", editor}}, [&] {
    return ChangeIn(editor, computation, [&](ComputationRef ref) {
      editor->editor.RemoveParameter(ref, number, Caller{});
    });
  });
}

indim_error* indim_editor_add_result(indim_editor* editor,
                                     indim_ref computation,
                                     indim_ref instruction, indim_ref* root) {
  return Guard({{"editor", editor}, {"root", root}}, [&]() -> indim_error* {
    const auto in = indim::capi::ComputationOf(*editor, computation);
    if (!in) return NoSuchRef(computation);
    return MakeAt(editor, instruction, root, [&](InstructionRef ref) {
      return editor->editor.AddResult(*in, ref, Caller{});
    });
  });
}

indim_error* indim_editor_remove_result(indim_editor* editor,
                                        indim_ref computation, int64_t index) {
  return Guard({{"editor", editor}}, [&] {
    return ChangeIn(editor, computation, [&](ComputationRef ref) {
      editor->editor.RemoveResult(ref, index, Caller{});
    });
  });
}

indim_error* indim_editor_inline_call(indim_editor* editor, indim_ref call,
                                      indim_ref* result) {
  return Guard({{"editor", editor}, {"result", result}}, [&] {
    return MakeAt(editor, call, result, [&](InstructionRef ref) {
      return editor->editor.InlineCall(ref, Caller{});
    });
  });
}

indim_error* indim_editor_outline(indim_editor* editor,
                                  const indim_ref* instructions, size_t count,
                                  const char* name, size_t name_size,
                                  indim_ref* call) {
  return Guard({{"editor", editor},
                {"instructions", instructions, count},
                {"name", name, name_size},
                {"call", call}},
               [&]() -> indim_error* {
                 std::vector<InstructionRef> refs;
                 if (indim_error* error = indim::capi::RefsOf(
                         *editor, List(instructions, count), &refs)) {
                   return error;
                 }
                 InstructionRef made;
                 indim_error* const error = Change(editor, [&] {
                   made = editor->editor.Outline(refs, Text(name, name_size),
                                                 Caller{});
                 });
                 if (error == nullptr) *call = RefNumber(*editor, made);
                 return error;
               });
}

indim_error* indim_editor_pass(indim_editor* editor, const char* pass,
                               size_t pass_size, int64_t* changes) {
  return Guard({{"editor", editor}, {"pass", pass, pass_size}}, [&] {
    return indim::capi::RunPass(editor, Text(pass, pass_size), changes);
  });
}

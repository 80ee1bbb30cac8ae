// SPDX-License-Identifier: Apache-2.0
// Editors: looking, adding, and the result.

#include "indim/edit/editor.h"

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/editors.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"
#include "indim/edit/pattern.h"

namespace indim::capi {
namespace {

indim_error* NotInsertion() {
  return Misuse("the builder doesn't add to an editor's module");
}
indim_error* OtherEditor() {
  return Misuse("the builder isn't this editor's, or was inserted");
}

indim_error* OpenInsertion(indim_editor* editor, indim_ref instruction,
                           bool after, indim_builder** builder) {
  std::optional<Insertion> insertion;
  indim_error* const error = ChangeWith(
      {{"editor", editor}, {"builder", builder}}, editor,
      [&](InstructionRef ref) {
        insertion.emplace(after ? editor->editor.After(ref, Caller{})
                                : editor->editor.Before(ref, Caller{}));
      },
      InstructionNumber{instruction});
  if (error != kOk) return error;
  return Guard({}, [&] {
    auto made = std::make_unique<indim_builder>();
    made->insertion = std::move(insertion);
    made->files = std::make_shared<FileTable>();
    *builder = made.release();
    return kOk;
  });
}

// Gives the instructions that find(pattern) gives.
template <typename Find>
indim_error* FindByPattern(const indim_editor* editor, const char* pattern,
                           size_t pattern_size, indim_ref* instructions,
                           size_t capacity, size_t* count, Find find) {
  return Guard({{"editor", editor},
                {"pattern", pattern, pattern_size},
                {"instructions", instructions, capacity},
                {"count", count}},
               [&] {
                 const absl::StatusOr<Pattern> parsed =
                     Pattern::Parse(Text(pattern, pattern_size));
                 if (!parsed.ok()) return ErrorOf(parsed.status());
                 const std::vector<InstructionRef> found = find(*parsed);
                 return GiveRefs(*const_cast<indim_editor*>(editor), found,
                                 instructions, capacity, count);
               });
}

}  // namespace

extern "C" {

indim_error* indim_editor_create(const indim_module* module,
                                 indim_editor** editor) {
  return Guard({{"module", module}, {"editor", editor}}, [&] {
    *editor = new indim_editor(*module);
    return kOk;
  });
}

void indim_editor_release(indim_editor* editor) { delete editor; }

// --- Looking -----------------------------------------------------------------

indim_error* indim_editor_find(const indim_editor* editor, const char* name,
                               size_t name_size, indim_ref* instruction) {
  return Guard(
      {{"editor", editor},
       {"name", name, name_size},
       {"instruction", instruction}},
      [&] {
        const InstructionRef found = editor->editor.Find(Text(name, name_size));
        if (!found) {
          return ErrorOf(absl::NotFoundError(absl::StrCat(
              "no instruction is named \"", Text(name, name_size), "\"")));
        }
        *instruction = RefNumber(*const_cast<indim_editor*>(editor), found);
        return kOk;
      });
}

indim_error* indim_editor_find_all(const indim_editor* editor,
                                   const char* pattern, size_t pattern_size,
                                   indim_ref* instructions, size_t capacity,
                                   size_t* count) {
  return FindByPattern(
      editor, pattern, pattern_size, instructions, capacity, count,
      [&](const Pattern& parsed) {
        std::vector<InstructionRef> found;
        for (const PatternMatch& match : FindAll(editor->editor, parsed)) {
          found.push_back(match.root);
        }
        return found;
      });
}

indim_error* indim_editor_find_near(const indim_editor* editor,
                                    const char* pattern, size_t pattern_size,
                                    indim_ref* instructions, size_t capacity,
                                    size_t* count) {
  return FindByPattern(
      editor, pattern, pattern_size, instructions, capacity, count,
      [&](const Pattern& parsed) { return FindNear(editor->editor, parsed); });
}

indim_error* indim_editor_misfit(indim_editor* editor, const char* pattern,
                                 size_t pattern_size, indim_ref instruction,
                                 indim_bytes** text) {
  return LookAt(
      {{"editor", editor}, {"pattern", pattern, pattern_size}, {"text", text}},
      editor, instruction, [&](InstructionRef ref) {
        const absl::StatusOr<Pattern> parsed =
            Pattern::Parse(Text(pattern, pattern_size));
        if (!parsed.ok()) return ErrorOf(parsed.status());
        return GiveNew(parsed->Misfit(editor->editor, ref), text);
      });
}

indim_error* indim_editor_root(indim_editor* editor, indim_ref computation,
                               indim_ref* instruction) {
  return Guard({{"editor", editor}, {"instruction", instruction}}, [&] {
    const auto ref = ComputationOf(*editor, computation);
    if (!ref || !editor->editor.exists(*ref)) return NoSuchRef(computation);
    *instruction = RefNumber(*editor, editor->editor.root(*ref));
    return kOk;
  });
}

indim_error* indim_editor_operands(indim_editor* editor, indim_ref instruction,
                                   indim_ref* operands, size_t capacity,
                                   size_t* count) {
  return LookAt(
      {{"editor", editor}, {"operands", operands, capacity}, {"count", count}},
      editor, instruction, [&](InstructionRef ref) {
        return GiveRefs(*editor, editor->editor.operands(ref), operands,
                        capacity, count);
      });
}

indim_error* indim_editor_users(indim_editor* editor, indim_ref instruction,
                                indim_ref* users, size_t capacity,
                                size_t* count) {
  return LookAt(
      {{"editor", editor}, {"users", users, capacity}, {"count", count}},
      editor, instruction, [&](InstructionRef ref) {
        return GiveRefs(*editor, editor->editor.users(ref), users, capacity,
                        count);
      });
}

indim_error* indim_editor_shape(const indim_editor* editor,
                                indim_ref instruction, indim_shape** shape) {
  return LookAt({{"editor", editor}, {"shape", shape}},
                const_cast<indim_editor*>(editor), instruction,
                [&](InstructionRef ref) {
                  return GiveNew(editor->editor.shape(ref), shape);
                });
}

int32_t indim_editor_exists(const indim_editor* editor, indim_ref instruction) {
  if (editor == nullptr) return 0;
  const auto ref = RefOf(*const_cast<indim_editor*>(editor), instruction);
  return ref && editor->editor.exists(*ref) ? 1 : 0;
}

// --- Adding ------------------------------------------------------------------

indim_error* indim_editor_insert_before(indim_editor* editor,
                                        indim_ref instruction,
                                        indim_builder** builder) {
  return OpenInsertion(editor, instruction, /*after=*/false, builder);
}

indim_error* indim_editor_insert_after(indim_editor* editor,
                                       indim_ref instruction,
                                       indim_builder** builder) {
  return OpenInsertion(editor, instruction, /*after=*/true, builder);
}

indim_error* indim_editor_use(indim_editor* editor, indim_builder* builder,
                              indim_ref instruction, indim_value* value) {
  return Guard({{"editor", editor}, {"builder", builder}, {"value", value}},
               [&] {
                 if (!builder->insertion) return NotInsertion();
                 Op op;
                 indim_error* const error = ChangeWith(
                     {}, editor,
                     [&](InstructionRef ref) {
                       op = builder->insertion->Use(ref, Caller{});
                     },
                     InstructionNumber{instruction});
                 if (error != kOk) return error;
                 if (!IsGood(*builder, op)) return OtherEditor();
                 builder->values.push_back(op);
                 *value = static_cast<indim_value>(builder->values.size() - 1);
                 return kOk;
               });
}

indim_error* indim_editor_insert(indim_editor* editor, indim_builder* builder,
                                 indim_value value, indim_ref* instruction) {
  return Guard(
      {{"editor", editor}, {"builder", builder}, {"instruction", instruction}},
      [&] {
        if (!builder->insertion) return NotInsertion();
        const Op* const op = FindOp(*builder, value);
        if (op == nullptr) return NoSuchValue(*builder, value);
        indim_ref made = INDIM_NO_REF;
        indim_error* const error = MakeWith({}, editor, &made, [&] {
          return builder->insertion->Insert(*op, Caller{});
        });
        if (error != kOk) return error;
        if (made == INDIM_NO_REF) return OtherEditor();
        *instruction = made;
        return kOk;
      });
}

indim_error* indim_editor_clone(indim_editor* editor, indim_ref instruction,
                                indim_ref* clone) {
  return MakeWith(
      {{"editor", editor}, {"clone", clone}}, editor, clone,
      [&](InstructionRef ref) { return editor->editor.Clone(ref, Caller{}); },
      InstructionNumber{instruction});
}

// --- Result ------------------------------------------------------------------

indim_error* indim_editor_finish(indim_editor* editor, indim_module** module,
                                 indim_diagnostics** warnings) {
  return Guard({{"editor", editor}, {"module", module}}, [&] {
    EditResult result = editor->editor.Finish(Caller{});
    DiagnosticList list = FromEdits(result.diagnostics);
    if (!result.ok()) return ErrorOf(std::move(list));
    auto made = std::make_unique<indim_module>(std::move(result.module),
                                               editor->devices);
    if (warnings != nullptr) {
      *warnings = new indim_diagnostics{std::move(list)};
    }
    *module = made.release();
    return kOk;
  });
}

}  // extern "C"
}  // namespace indim::capi

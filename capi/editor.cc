// Editors: looking, adding, and the result.

#include "indim/edit/editor.h"

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/capi/editors.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
#include "indim/capi/recording.h"

namespace indim::capi {
namespace {

indim_error* OpenInsertion(indim_editor* editor, indim_ref instruction,
                           bool after, indim_builder** builder) {
  std::optional<Insertion> insertion;
  if (indim_error* error =
          ChangeAt(editor, instruction, [&](InstructionRef ref) {
            insertion.emplace(after ? editor->editor.After(ref, Caller{})
                                    : editor->editor.Before(ref, Caller{}));
          })) {
    return error;
  }
  auto made = std::make_unique<indim_builder>();
  made->insertion = std::move(insertion);
  made->files = std::make_shared<FileTable>();
  *builder = made.release();
  return nullptr;
}

}  // namespace
}  // namespace indim::capi

using indim::Caller;
using indim::InstructionRef;
using indim::capi::Change;
using indim::capi::ChangeAt;
using indim::capi::ErrorOf;
using indim::capi::Guard;
using indim::capi::MakeAt;
using indim::capi::Misuse;
using indim::capi::NoSuchRef;
using indim::capi::RefNumber;
using indim::capi::RefOf;
using indim::capi::Text;

indim_error* indim_editor_create(const indim_module* module,
                                 indim_editor** editor) {
  return Guard({{"module", module}, {"editor", editor}}, [&]() -> indim_error* {
    *editor = new indim_editor(*module);
    return nullptr;
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
      [&]() -> indim_error* {
        const InstructionRef found = editor->editor.Find(Text(name, name_size));
        if (!found) {
          return ErrorOf(absl::NotFoundError(absl::StrCat(
              "no instruction is named \"", Text(name, name_size), "\"")));
        }
        *instruction = RefNumber(*const_cast<indim_editor*>(editor), found);
        return nullptr;
      });
}

indim_error* indim_editor_root(indim_editor* editor, indim_ref computation,
                               indim_ref* instruction) {
  return Guard({{"editor", editor}, {"instruction", instruction}},
               [&]() -> indim_error* {
                 const auto ref =
                     indim::capi::ComputationOf(*editor, computation);
                 if (!ref || !editor->editor.exists(*ref))
                   return NoSuchRef(computation);
                 *instruction = RefNumber(*editor, editor->editor.root(*ref));
                 return nullptr;
               });
}

indim_error* indim_editor_operands(indim_editor* editor, indim_ref instruction,
                                   indim_ref* operands, size_t capacity,
                                   size_t* count) {
  return Guard(
      {{"editor", editor}, {"operands", operands, capacity}, {"count", count}},
      [&]() -> indim_error* {
        InstructionRef ref;
        if (indim_error* error =
                indim::capi::Existing(editor, instruction, &ref)) {
          return error;
        }
        return indim::capi::GiveRefs(*editor, editor->editor.operands(ref),
                                     operands, capacity, count);
      });
}

indim_error* indim_editor_users(indim_editor* editor, indim_ref instruction,
                                indim_ref* users, size_t capacity,
                                size_t* count) {
  return Guard(
      {{"editor", editor}, {"users", users, capacity}, {"count", count}},
      [&]() -> indim_error* {
        InstructionRef ref;
        if (indim_error* error =
                indim::capi::Existing(editor, instruction, &ref)) {
          return error;
        }
        return indim::capi::GiveRefs(*editor, editor->editor.users(ref), users,
                                     capacity, count);
      });
}

indim_error* indim_editor_shape(const indim_editor* editor,
                                indim_ref instruction, indim_shape** shape) {
  return Guard({{"editor", editor}, {"shape", shape}}, [&]() -> indim_error* {
    InstructionRef ref;
    if (indim_error* error = indim::capi::Existing(
            const_cast<indim_editor*>(editor), instruction, &ref)) {
      return error;
    }
    *shape = new indim_shape(editor->editor.shape(ref));
    return nullptr;
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
  return Guard({{"editor", editor}, {"builder", builder}}, [&] {
    return indim::capi::OpenInsertion(editor, instruction, /*after=*/false,
                                      builder);
  });
}

indim_error* indim_editor_insert_after(indim_editor* editor,
                                       indim_ref instruction,
                                       indim_builder** builder) {
  return Guard({{"editor", editor}, {"builder", builder}}, [&] {
    return indim::capi::OpenInsertion(editor, instruction, /*after=*/true,
                                      builder);
  });
}

indim_error* indim_editor_use(indim_editor* editor, indim_builder* builder,
                              indim_ref instruction, indim_value* value) {
  return Guard(
      {{"editor", editor}, {"builder", builder}, {"value", value}},
      [&]() -> indim_error* {
        if (!builder->insertion) {
          return Misuse("the builder doesn't add to an editor's module");
        }
        indim::Op op;
        if (indim_error* error =
                ChangeAt(editor, instruction, [&](InstructionRef ref) {
                  op = builder->insertion->Use(ref, Caller{});
                })) {
          return error;
        }
        if (!indim::capi::IsGood(*builder, op)) {
          return Misuse("the builder isn't this editor's, or was inserted");
        }
        builder->values.push_back(op);
        *value = static_cast<indim_value>(builder->values.size() - 1);
        return nullptr;
      });
}

indim_error* indim_editor_insert(indim_editor* editor, indim_builder* builder,
                                 indim_value value, indim_ref* instruction) {
  return Guard(
      {{"editor", editor}, {"builder", builder}, {"instruction", instruction}},
      [&]() -> indim_error* {
        if (!builder->insertion) {
          return Misuse("the builder doesn't add to an editor's module");
        }
        const indim::Op* const op = indim::capi::FindOp(*builder, value);
        if (op == nullptr) return indim::capi::NoSuchValue(*builder, value);
        InstructionRef ref;
        if (indim_error* error = Change(editor, [&] {
              ref = builder->insertion->Insert(*op, Caller{});
            })) {
          return error;
        }
        const indim_ref number = RefNumber(*editor, ref);
        if (number == INDIM_NO_REF) {
          return Misuse("the builder isn't this editor's, or was inserted");
        }
        *instruction = number;
        return nullptr;
      });
}

indim_error* indim_editor_clone(indim_editor* editor, indim_ref instruction,
                                indim_ref* clone) {
  return Guard({{"editor", editor}, {"clone", clone}}, [&] {
    return MakeAt(editor, instruction, clone, [&](InstructionRef ref) {
      return editor->editor.Clone(ref, Caller{});
    });
  });
}

// --- Result ------------------------------------------------------------------

indim_error* indim_editor_finish(indim_editor* editor, indim_module** module,
                                 indim_diagnostics** warnings) {
  return Guard({{"editor", editor}, {"module", module}}, [&]() -> indim_error* {
    indim::EditResult result = editor->editor.Finish(Caller{});
    indim::capi::DiagnosticList list =
        indim::capi::FromEdits(result.diagnostics);
    if (!result.ok()) return ErrorOf(std::move(list));
    auto made = std::make_unique<indim_module>(std::move(result.module),
                                               editor->devices);
    if (warnings != nullptr) {
      *warnings = new indim_diagnostics{std::move(list)};
    }
    *module = made.release();
    return nullptr;
  });
}

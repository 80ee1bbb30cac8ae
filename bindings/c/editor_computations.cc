// SPDX-License-Identifier: Apache-2.0
// Editors: computations, and parts of a module.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/bindings/c/editors.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/reduce.h"

namespace indim::capi {
namespace {

indim_error* Extract(indim_editor* editor, absl::Span<const indim_ref> results,
                     const indim_extract_options& given) {
  if (!IsList(given.inputs, given.input_count)) return NullArgument("inputs");
  ExtractOptions extract;
  extract.keep_parameters = given.keep_parameters != 0;
  std::vector<InstructionRef> refs;
  if (indim_error* error = RefsOf(*editor, results, &refs)) return error;
  if (indim_error* error = RefsOf(
          *editor, List(given.inputs, given.input_count), &extract.inputs)) {
    return error;
  }
  return Change(editor,
                [&] { ExtractCone(&editor->editor, refs, extract, Caller{}); });
}

indim_error* Reduce(const indim_module& module,
                    const indim_reduce_options& given, indim_module** smallest,
                    int64_t* tests, int32_t* done) {
  if (given.fails == nullptr) return NullArgument("fails");
  if (given.max_tests < 0) {
    return Misuse(absl::StrCat("max_tests is ", given.max_tests));
  }
  if (given.fails(given.context, &module) == 0) {
    return ErrorOf(absl::FailedPreconditionError(
        "the test doesn't fail on the module that is to be reduced"));
  }
  ReduceOptions reduce;
  if (given.max_tests != 0) reduce.max_tests = given.max_tests;
  --reduce.max_tests;  // the first
  const ReduceResult result = ReduceModule(
      module.module,
      [&](const Module& smaller) {
        const indim_module handle(smaller, module.devices);
        return given.fails(given.context, &handle) != 0;
      },
      reduce);
  auto made = std::make_unique<indim_module>(result.module, module.devices);
  if (tests != nullptr) *tests = result.tests + 1;
  if (done != nullptr) *done = result.done ? 1 : 0;
  *smallest = made.release();
  return nullptr;
}

}  // namespace
extern "C" {

indim_error* indim_editor_callees(indim_editor* editor, indim_ref instruction,
                                  indim_ref* computations, size_t capacity,
                                  size_t* count) {
  return LookAt({{"editor", editor},
                 {"computations", computations, capacity},
                 {"count", count}},
                editor, instruction, [&](InstructionRef ref) {
                  return GiveRefs(*editor, editor->editor.callees(ref),
                                  computations, capacity, count);
                });
}

indim_error* indim_editor_find_computation(const indim_editor* editor,
                                           const char* name, size_t name_size,
                                           indim_ref* computation) {
  return Guard(
      {{"editor", editor},
       {"name", name, name_size},
       {"computation", computation}},
      [&] {
        const ComputationRef found =
            editor->editor.FindComputation(Text(name, name_size));
        if (!found) {
          return ErrorOf(absl::NotFoundError(absl::StrCat(
              "no computation is named \"", Text(name, name_size), "\"")));
        }
        *computation = RefNumber(*const_cast<indim_editor*>(editor), found);
        return kOk;
      });
}

indim_error* indim_editor_clone_computation(indim_editor* editor,
                                            indim_ref computation,
                                            const char* name, size_t name_size,
                                            indim_ref* clone) {
  return MakeWith(
      {{"editor", editor}, {"name", name, name_size}, {"clone", clone}}, editor,
      clone,
      [&](ComputationRef ref) {
        return editor->editor.CloneComputation(ref, Text(name, name_size),
                                               Caller{});
      },
      ComputationNumber{computation});
}

indim_error* indim_editor_set_callee(indim_editor* editor,
                                     indim_ref instruction, int64_t index,
                                     indim_ref computation) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](ComputationRef callee, int at, InstructionRef ref) {
        editor->editor.SetCallee(ref, at, callee, Caller{});
      },
      ComputationNumber{computation}, IndexNumber{"callee", index, 0},
      InstructionNumber{instruction});
}

indim_error* indim_editor_set_entry(indim_editor* editor,
                                    indim_ref computation) {
  return ChangeWith(
      {{"editor", editor}}, editor,
      [&](ComputationRef ref) { editor->editor.SetEntry(ref, Caller{}); },
      ComputationNumber{computation});
}

indim_error* indim_editor_extract(indim_editor* editor,
                                  const indim_ref* results, size_t count,
                                  const indim_extract_options* options) {
  return GuardOptions({{"editor", editor}, {"results", results, count}},
                      "indim_extract_options", options,
                      [&](const indim_extract_options& given) {
                        return Extract(editor, List(results, count), given);
                      });
}

indim_error* indim_reduce(const indim_module* module,
                          const indim_reduce_options* options,
                          indim_module** smallest, int64_t* tests,
                          int32_t* done) {
  return GuardOptions(
      {{"module", module}, {"options", options}, {"smallest", smallest}},
      "indim_reduce_options", options, [&](const indim_reduce_options& given) {
        return Reduce(*module, given, smallest, tests, done);
      });
}

}  // extern "C"
}  // namespace indim::capi

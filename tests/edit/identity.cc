// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/edit/identity.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/io/write.h"

namespace indim {
namespace {

// Changes that are undone: of operands and roots, and an instruction that comes
// and goes.
void EditAndUndo(Editor* editor) {
  for (const ComputationRef computation : editor->computations()) {
    const InstructionRef root = editor->root(computation);
    const std::vector<InstructionRef> all = editor->instructions(computation);
    for (const InstructionRef instruction : all) {
      const std::vector<InstructionRef> operands =
          editor->operands(instruction);
      for (int k = 0; k < static_cast<int>(operands.size()); ++k) {
        editor->SetOperand(instruction, k, all[0]);
        editor->SetOperand(instruction, k, operands[k]);
      }
    }
    editor->SetRoot(computation, all[0]);
    editor->SetRoot(computation, root);
    Insertion at = editor->Before(root);
    editor->Erase(at.Insert(at->ConstantR0(1.0f)));
  }
}

std::string Compare(const Module& module, const EditResult& result,
                    const char* what) {
  if (!result.ok()) return absl::StrCat(what, ": ", result.text());
  const auto before = WriteModuleBytes(module, ModuleForm::kRecorded);
  const auto after = WriteModuleBytes(result.module, ModuleForm::kRecorded);
  if (!before.ok()) return std::string(before.status().message());
  if (!after.ok()) return std::string(after.status().message());
  return *before == *after ? "" : absl::StrCat(what, ": the bytes differ");
}

}  // namespace

std::string IdentityFault(const Module& module) {
  Editor nothing(module);
  std::string fault = Compare(module, nothing.Finish(), "no edit");
  if (!fault.empty()) return fault;
  Editor editor(module);
  EditAndUndo(&editor);
  return Compare(module, editor.Finish(), "edits that are undone");
}

}  // namespace indim

// Rewrites log(exponential(x)) as x, and clamps every tanh:
//
//   bazel-bin/examples/edit_module IN OUT

#include <iostream>
#include <utility>

#include "indim/edit/editor.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/pattern.h"
#include "indim/io/read.h"
#include "indim/io/write.h"

namespace {

absl::StatusOr<indim::Module> Edit(indim::Module module) {
  indim::Editor editor(std::move(module));
  absl::StatusOr<indim::Pattern> log_exp =
      indim::Pattern::Parse("log(exponential(?x))");
  if (!log_exp.ok()) return log_exp.status();
  for (const indim::PatternMatch& match : FindAll(editor, *log_exp)) {
    editor.ReplaceAllUses(match.root, match["x"]);
  }
  for (indim::InstructionRef tanh : editor.FindAll(indim::Opcode::kTanh)) {
    indim::Insertion at = editor.After(tanh);
    indim::Op y = at.Use(tanh);
    indim::Op low = at->ConstantR0(-0.5f);
    indim::Op high = at->ConstantR0(0.5f);
    editor.ReplaceAllUses(tanh, at.Insert(at->Clamp(low, y, high)));
  }
  RemoveDeadCode(&editor);
  indim::EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return result.module;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: edit_module IN OUT\n";
    return 2;
  }
  absl::StatusOr<indim::Module> module = indim::ReadModuleFile(argv[1]);
  if (module.ok()) module = Edit(*std::move(module));
  absl::Status status = module.status();
  if (module.ok()) {
    status =
        indim::WriteModuleFile(*module, argv[2], indim::ModuleForm::kRecorded);
  }
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// indim expect: whether a module has what a pattern describes.

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/edit/pattern.h"
#include "indim/text/base/print_options.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"

namespace indim {
namespace {

// How many instructions a failure shows.
constexpr size_t kMostShown = 10;

std::vector<Instruction> Matches(const Module& module, const Editor& editor,
                                 const Pattern& pattern) {
  std::vector<Instruction> found;
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (pattern.Match(editor, editor.Of(node))) found.push_back(node);
    }
  }
  return found;
}

void Show(const Module& module, const std::vector<Instruction>& instructions) {
  PrintOptions options;
  options.metadata = false;
  HloPrinter printer(module, options);
  for (size_t i = 0; i < instructions.size() && i < kMostShown; ++i) {
    const Instruction& node = instructions[i];
    std::cout << "  " << node.computation().name() << ": "
              << printer.InstructionText(
                     static_cast<uint32_t>(node.computation().index()),
                     static_cast<uint32_t>(node.index()));
    const SourceLocation place = node.location();
    if (!place.file.empty()) {
      std::cout << "  " << place.file << ":" << place.line;
    }
    std::cout << "\n";
  }
  if (instructions.size() > kMostShown) {
    std::cout << "  and " << instructions.size() - kMostShown << " more\n";
  }
}

}  // namespace

int RunExpect(absl::Span<const std::string> arguments) {
  const std::string& file = arguments[0];
  const std::string& text = arguments[1];
  const absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  const Module& module = read->module;
  const absl::StatusOr<Pattern> pattern = Pattern::Parse(text);
  if (!pattern.ok()) return Fail(pattern.status());
  const Editor editor(module);
  const std::vector<Instruction> found = Matches(module, editor, *pattern);
  const int64_t wanted = absl::GetFlag(FLAGS_count);
  const auto count = static_cast<int64_t>(found.size());
  if (wanted < 0 ? count > 0 : count == wanted) return kExitOk;
  std::cout << file << ": error: " << count
            << (count == 1 ? " instruction matches " : " instructions match ")
            << text << ", expected "
            << (wanted < 0 ? std::string("some") : absl::StrCat(wanted))
            << "\n";
  if (count > 0) {
    Show(module, found);
    return kExitErrors;
  }
  // The nearest ones: those of its operation.
  const absl::StatusOr<Pattern> operation =
      Pattern::Parse(text.substr(0, text.find_first_of("(,: ")));
  if (!operation.ok()) return kExitErrors;
  const std::vector<Instruction> near = Matches(module, editor, *operation);
  if (near.empty()) return kExitErrors;
  std::cout << "these are of the same operation:\n";
  Show(module, near);
  return kExitErrors;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// indim expect, indim list: what of a module a pattern describes.

#include <cstdint>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/flags/flag.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/edit/pattern.h"
#include "indim/edit/refs.h"
#include "indim/text/base/print_options.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/progress.h"

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

// One a line; `why`, of each, on the line below, "" shows none.
void Show(
    const Module& module, const std::vector<Instruction>& instructions,
    size_t most = kMostShown, std::ostream& out = std::cout,
    absl::FunctionRef<std::string(const Instruction&)> why =
        [](const Instruction&) { return std::string(); }) {
  PrintOptions options;
  options.metadata = false;
  HloPrinter printer(module, options);
  for (size_t i = 0; i < instructions.size() && i < most; ++i) {
    const Instruction& node = instructions[i];
    out << "  " << node.computation().name() << ": "
        << printer.InstructionText(
               static_cast<uint32_t>(node.computation().index()),
               static_cast<uint32_t>(node.index()));
    const SourceLocation place = node.location();
    if (!place.file.empty()) {
      out << "  " << place.file << ":" << place.line;
    }
    out << "\n";
    const std::string reason = why(node);
    if (!reason.empty()) out << "    " << reason << "\n";
  }
  if (instructions.size() > most) {
    out << "  and " << instructions.size() - most << " more\n";
  }
}

// Where a pattern matches nothing: what is of its operation, and what of it
// differs.
void ShowNearest(const Module& module, const Editor& editor,
                 const Pattern& pattern, std::ostream& out) {
  const std::vector<InstructionRef> refs = FindNear(editor, pattern);
  if (refs.empty()) return;
  const absl::flat_hash_set<InstructionRef> is_near(refs.begin(), refs.end());
  std::vector<Instruction> near;
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (is_near.contains(editor.Of(node))) near.push_back(node);
    }
  }
  out << "these are of the same operation:\n";
  Show(module, near, kMostShown, out, [&](const Instruction& node) {
    return pattern.Misfit(editor, editor.Of(node));
  });
}

std::string MatchJson(const Editor& editor, const Instruction& node,
                      const PatternMatch& match) {
  JsonWriter named;
  for (const auto& [name, ref] : match.named) {
    named.Add(name, editor.name(ref));
  }
  JsonWriter json;
  json.Add("instruction", node.text_name())
      .Add("computation", node.computation().name())
      .Add("opcode", node.opcode_name())
      .Add("shape", node.shape().ToString());
  const SourceLocation place = node.location();
  if (place.file.empty()) {
    json.AddNull("file").AddNull("line");
  } else {
    json.Add("file", place.file).Add("line", int64_t{place.line});
  }
  return json.AddRaw("named", named.text()).text();
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
  ShowNearest(module, editor, *pattern, std::cout);
  return kExitErrors;
}

int RunList(absl::Span<const std::string> arguments) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const std::string& text = arguments.back();
  const absl::StatusOr<Pattern> pattern = Pattern::Parse(text);
  if (!pattern.ok()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        pattern.status().message(), "; the pattern is the last argument")));
  }
  const std::vector<PathInFolder> files =
      ModuleFiles(arguments.first(arguments.size() - 1));
  ProgressStage stage("");
  FilesDone done{0, files.size()};
  bool is_any = false;
  int exit = kExitOk;
  for (const PathInFolder& file : files) {
    stage.Next(done.Text(ReadingText(file.path)));
    ++done.done;
    const absl::StatusOr<WrappedModule> read =
        file.status.ok() ? ReadModuleAndWarn(file.path)
                         : absl::StatusOr<WrappedModule>(file.status);
    stage.Done();
    if (!read.ok()) {
      exit = Fail(WithFileName(file.path, read.status()));
      continue;
    }
    const Module& module = read->module;
    const Editor editor(module);
    const std::vector<Instruction> found = Matches(module, editor, *pattern);
    is_any = is_any || !found.empty();
    if (absl::GetFlag(FLAGS_json)) {
      for (const Instruction& node : found) {
        std::cout << MatchJson(editor, node,
                               *pattern->Match(editor, editor.Of(node)))
                  << "\n";
      }
    } else if (!found.empty()) {
      if (files.size() > 1) std::cout << file.path << ":\n";
      Show(module, found, found.size());
    } else if (files.size() == 1) {
      std::cerr << file.path << ": no instruction matches " << text << "\n";
      ShowNearest(module, editor, *pattern, std::cerr);
    }
  }
  return exit == kExitOk && !is_any ? kExitErrors : exit;
}

}  // namespace indim

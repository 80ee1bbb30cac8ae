// SPDX-License-Identifier: Apache-2.0
// The table of commands. Help, the parser's errors, the completion and the man
// page are made of it and of flags.def.

#include <string>
#include <utility>
#include <vector>

#include "indim/shape/types/version.h"
#include "indim/tools/arguments.h"
#include "indim/tools/command_rows.h"
#include "indim/tools/commands.h"
#include "indim/tools/help/program.h"

namespace indim {
namespace {

constexpr char kFormats[] =
    "pb is a serialized HloModuleProto, XLA's or a recorded one, or a message "
    "that wraps one (HloProto, HloSnapshot ...); pbtxt is protobuf's text of "
    "them; hlo is HLO text; mlir is StableHLO, as text (.mlir) or as a "
    "portable artifact (.mlirbc). The content of a file tells which of them "
    "it reads, unless --from does; the extension of a file tells which of "
    "them it writes, unless --to does. - is standard input or output. Behind "
    "-- everything is a file.";

CommandInfo CheckRow() {
  return {"check",
          "FILE|FOLDER...",
          "infer and verify every instruction",
          "Tells every diagnostic, and a summary of each file. A result that "
          "the file records is compared with the one that its operands give; "
          "a result that it lacks is inferred first. A folder stands for "
          "the .pb, .pbtxt, .textproto, .hlo, .mlir and .mlirbc files in it "
          "and below, and for HLO text by another name. Everything that is "
          "wrong with a file is on standard output, also why nobody can read "
          "it; everything that is wrong with the command line is on standard "
          "error.",
          {"format",
           {"json", "short for --format=json"},
           {"quiet", "no summaries and no progress: only what is wrong"},
           "verbose",
           "werror",
           "disable",
           "mode",
           "from",
           "allow_elided_constants",
           "symbols",
           "facts"},
          "0 no error, 1 errors found, 2 a file could not be read.",
          1,
          -1,
          Words::kFiles,
          RunCheck};
}

CommandInfo InferRow() {
  return {"infer",
          "IN (-o OUT | --check)",
          "fill in and correct result shapes",
          "Lists each shape that it fills in or changes, and why; on standard "
          "error where the module goes to standard output.",
          {"output",
           "from",
           "to",
           "check",
           {"json",
            "the list as one JSON object: file, filled, changed (counts), "
            "shapes (instruction, computation, line, column, from, to, why: "
            "filled, operand, callee, given, operands), errors as check has "
            "them"},
           {"quiet", "no list and no progress"},
           "drop",
           "set",
           {"symbols", "HLO text may name sizes, as with --set: f32[n,2*n+1]"},
           "facts",
           "checks",
           "conditions",
           "external_constants",
           "allow_over_2gib"},
          "0 fine, 1 errors found or, with --check, a shape would change, 2 a "
          "file could not be read or written.",
          1,
          1,
          Words::kFiles,
          RunInfer};
}

CommandInfo ConvertRow() {
  return {"convert",
          "IN -o OUT",
          "write a module in another format",
          "",
          {"output", "from", "to", "expand", "unwrap", "checks", "note_symbols",
           "restore_symbols", "symbols", "facts", "external_constants",
           "allow_over_2gib", "generic", "locations", "release", "quiet"},
          "",
          1,
          1,
          Words::kFiles,
          RunConvert};
}

CommandInfo ExtractRow() {
  return {"extract",
          "IN INSTRUCTION... -o OUT",
          "write the part of a module that computes some instructions",
          "The instructions, by name (main/add.3 where several computations "
          "have the name), become the result: one of them itself, several as "
          "a tuple. What they need stays, everything else goes; where they "
          "are in a computation that another one calls, it becomes the entry. "
          "Standard error tells what of the module's state was dropped.",
          {"output", "inputs", "keep_parameters", "from", "to",
           "external_constants", "allow_over_2gib", "unwrap", "quiet"},
          "0 fine, 1 what is left isn't valid, 2 there is no such instruction, "
          "or a file could not be read or written.",
          2,
          -1,
          Words::kFiles,
          RunExtract};
}

CommandInfo GradRow() {
  return {
      "grad",
      "IN [--wrt=NAME,...] [--forward] -o OUT",
      "write the module of a module's derivative",
      "Reverse: OUT takes IN's parameters and a cotangent of each result, "
      "and gives the gradients of the parameters --wrt names. --forward: "
      "it takes a tangent of each of these, and gives the tangents of the "
      "results. Results and parameters that aren't floats or complex have "
      "none. Complex numbers as in JAX, or with --complex=conjugate as in "
      "PyTorch. Warnings tell gradients that are zero.",
      {"wrt", "forward", "complex", "loops", "loop_bound", "explain", "output",
       "from", "to", "external_constants", "allow_over_2gib", "unwrap",
       "quiet"},
      "0 fine, 1 there is no such derivative, 2 there is no such parameter, "
      "or a file could not be read or written.",
      1,
      1,
      Words::kFiles,
      RunGrad};
}

CommandInfo ReduceRow() {
  return {"reduce",
          "IN --test=COMMAND -o OUT",
          "make a module small while a command fails on it",
          "Runs COMMAND FILE with smaller and smaller modules, in files of "
          "OUT's format. A module is taken if the command ends as it did on "
          "the whole module: with the same exit status, which must not be 0, "
          "or by the same signal. Every module that is tried is valid, as far "
          "as IN is. Results, instructions, parameters, computations, "
          "metadata, attributes that say nothing about values, and the "
          "module's state go; constants become zeros; sizes of dims become "
          "smaller. "
          "OUT is the smallest so far from the first one on, so that the "
          "command can be interrupted.\n\n"
          "  indim reduce m.hlo --test=./crashes.sh -o small.hlo\n\n"
          "where crashes.sh exits with 1 if its argument shows the fault.",
          {"output", "test", "max_tests", "from", "to", "external_constants",
           "allow_over_2gib", "unwrap", "quiet"},
          "0 fine, 1 the command doesn't fail on IN, 2 there is no such "
          "command, or a file could not be read or written.",
          1,
          1,
          Words::kFiles,
          RunReduce};
}

std::vector<CommandInfo> ChangeRows() {
  return {CheckRow(),   InferRow(), ConvertRow(),
          ExtractRow(), GradRow(),  ReduceRow()};
}

// What tells about the program itself.
std::vector<CommandInfo> OwnRows() {
  return {
      {"completion",
       "bash|zsh",
       "print the completion for a shell",
       "Try it with `source <(indim completion bash)`, or with zsh for bash; "
       "an installation has it where the shells look.",
       {},
       "",
       1,
       1,
       Words::kChoices,
       RunCompletion},
      {"man",
       "",
       "print the man page",
       "`indim man | man -l -` shows it; an installation has it as indim(1).",
       {},
       "",
       0,
       0,
       Words::kNone,
       RunMan},
      {"help",
       "[COMMAND|pattern]",
       "tell about the commands, or more about one, or about patterns",
       "`indim COMMAND --help` tells that too.",
       {},
       "",
       0,
       1,
       Words::kCommands,
       RunHelp},
      {"version",
       "",
       "print which indim this is",
       "",
       {},
       "",
       0,
       0,
       Words::kNone,
       RunVersion}};
}

CommandProgram MakeProgram() {
  CommandProgram program;
  program.name = "indim";
  program.summary = "checks, infers, converts and explains XLA graphs";
  program.formats = kFormats;
  program.exit_status =
      "0 fine, 1 errors found, 2 something could not be read, written or "
      "understood.";
  program.version = Version();
  for (std::vector<CommandInfo> rows :
       {ChangeRows(), ViewRows(), RunRows(), OwnRows()}) {
    for (CommandInfo& row : rows) program.commands.push_back(std::move(row));
  }
  return program;
}

}  // namespace

const CommandProgram& IndimProgram() {
  static const auto* const program = new CommandProgram(MakeProgram());
  return *program;
}

}  // namespace indim

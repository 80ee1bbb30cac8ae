// SPDX-License-Identifier: Apache-2.0
// The table of commands. Help, the parser's errors, the completion and the man
// page are made of it and of flags.def.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/version.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"
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
          "0 fine, 1 there is no such instruction, or what is left isn't "
          "valid, 2 a file could not be read or written.",
          2,
          -1,
          Words::kFiles,
          RunExtract};
}

CommandInfo GradRow() {
  return {"grad",
          "IN [--wrt=N,...] [--forward] -o OUT",
          "write the module of a module's derivative",
          "Reverse: OUT takes IN's parameters and a cotangent of each result, "
          "and gives the gradients of the parameters --wrt names. --forward: "
          "it takes a tangent of each of these, and gives the tangents of the "
          "results. Results and parameters that aren't floats or complex have "
          "none. Complex numbers as in JAX, or with --complex=conjugate as in "
          "PyTorch. Warnings tell gradients that are zero.",
          {"wrt", "forward", "complex", "loops", "loop_bound", "explain",
           "output", "from", "to", "external_constants", "allow_over_2gib",
           "unwrap", "quiet"},
          "0 fine, 1 there is no such derivative, 2 a file could not be read "
          "or written.",
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
          "0 fine, 1 the command doesn't fail on IN, 2 a file could not be "
          "read or written.",
          1,
          1,
          Words::kFiles,
          RunReduce};
}

CommandInfo PrintRow() {
  return {"print",
          "FILE|FOLDER...",
          "print modules as HLO text, as XLA does",
          "A folder stands for the files that indim check reads of it. "
          "Constants of more than ten elements are printed as {...}, as XLA "
          "does. What `indim convert IN -o OUT.hlo` writes is whole and has no "
          "colours.",
          {"large_constants", "short", "canonical", "max_body_mib", "ids",
           "metadata", "operand_shapes", "layouts", "color", "stablehlo",
           "generic", "locations", "from", "allow_elided_constants", "symbols",
           "facts", "quiet"},
          "",
          1,
          -1,
          Words::kFiles,
          RunPrint};
}

CommandInfo DiffRow() {
  return {"diff",
          "A B",
          "what two modules differ in, names and ids aside",
          "Instructions are matched by what they compute and how they are "
          "used. An instruction that differs is shown as - and +; one that "
          "only uses it isn't shown. The order of instructions doesn't count.",
          {"first", "compare_metadata", "layouts", "color", "from",
           "allow_elided_constants", "symbols", "facts", "quiet"},
          "0 equal, 1 they differ, 2 a file could not be read.",
          2,
          2,
          Words::kFiles,
          RunDiff};
}

CommandInfo FingerprintRow() {
  return {"fingerprint",
          "FILE...",
          "one value for all modules that differ in names, ids and order alone",
          "A line for each file: the value and the file. Names, ids, the order "
          "of instructions and metadata don't count; a file of StableHLO has "
          "the value of the module that it is read as. Equal values: but for "
          "chance, each instruction of one has its counterpart in the other, "
          "with the same operands, users and callers. `indim diff` says what "
          "differs.",
          {"from", "allow_elided_constants", "symbols", "facts", "quiet"},
          "0 fine, 2 a file could not be read.",
          1,
          -1,
          Words::kFiles,
          RunFingerprint};
}

CommandInfo ExpectRow() {
  return {
      "expect",
      "FILE PATTERN",
      "whether a module has instructions of a pattern, for tests",
      "For example 'add(multiply(?a, ?b), ?c)' or 'all-gather: "
      "f32[1024,*]'; docs/editing.md tells what a pattern is. Without "
      "--count at least one instruction must match; --count=0: none. A "
      "failure shows what matches, or what is nearest, with the source "
      "lines.",
      {"count", "from", "allow_elided_constants", "symbols", "facts", "quiet"},
      "0 as expected, 1 not, 2 the file could not be read, or that is no "
      "pattern.",
      2,
      2,
      Words::kFiles,
      RunExpect};
}

CommandInfo StatsRow() {
  return {
      "stats",
      "FILE|FOLDER...",
      "what modules hold",
      "Of one module: operations with their counts, the bytes of parameters, "
      "results and constants, loops with their steps, collectives with the "
      "bytes of their operands, custom calls, source files. Of several: a "
      "table with a row for each. A folder stands for the files that indim "
      "check reads of it.",
      {{"json", "one JSON object a line, for each file"},
       "from",
       "allow_elided_constants",
       "symbols",
       "facts",
       "quiet"},
      "0 fine, 2 a file could not be read.",
      1,
      -1,
      Words::kFiles,
      RunStats};
}

CommandInfo ListRow() {
  return {"list",
          "FILE PATTERN",
          "the instructions that a pattern matches",
          "One instruction a line, with its computation and source line; for "
          "example 'dot: bf16[*,1024]' or 'add(multiply(?a, ?b), ?c)'. "
          "docs/editing.md tells what a pattern is; * matches everything.",
          {{"json",
            "one JSON object a line: instruction, computation, opcode, shape, "
            "file, line, named (what each ?name stands for)"},
           "from",
           "allow_elided_constants",
           "symbols",
           "facts",
           "quiet"},
          "0 fine, 1 nothing matches, 2 the file could not be read, or that is "
          "no pattern.",
          2,
          2,
          Words::kFiles,
          RunList};
}

CommandInfo CostRow() {
  return {
      "cost",
      "FILE",
      "what a module computes and moves",
      "FLOPs, transcendental operations, bytes and peak memory, by the "
      "definitions of "
      "XLA's analysis of costs, but true sums: a loop counts as often as it "
      "runs, a conditional as its dearest branch, and what isn't known is "
      "said. The table has what dominates first. docs/cost.md has the "
      "rules.",
      {"by",
       "rows",
       "budget",
       "branches",
       {"json",
        "one JSON object: flops, transcendentals, bytes (numbers, or "
        "expressions as strings), xla (XLA's sums), memory, loops, unknown, "
        "rows"},
       "from",
       "allow_elided_constants",
       "symbols",
       "facts",
       "quiet"},
      "0 fine, 1 more than the budget, or shapes can't be inferred, 2 the "
      "file could not be read.",
      1,
      1,
      Words::kFiles,
      RunCost};
}

CommandInfo DotRow() {
  return {"dot",
          "FILE [COMPUTATION]",
          "draw a computation, for Graphviz",
          "The entry computation, or the one of that name: instructions with "
          "their shapes, operands numbered where there are several, the result "
          "with a thick edge. `indim dot m.hlo | dot -Tsvg > m.svg` makes a "
          "picture.",
          {"max_nodes", "from", "allow_elided_constants", "symbols", "facts",
           "quiet"},
          "0 fine, 1 there is no such computation, or it is too large, 2 the "
          "file could not be read.",
          1,
          2,
          Words::kFiles,
          RunDot};
}

CommandInfo EvalRow() {
  return {"eval",
          "FILE [INPUT.npy...]",
          "compute what a module computes, on one device or several",
          "The inputs are the entry computation's parameters by number, .npy "
          "files each; bf16, f8 ... as ml_dtypes writes them. The result is "
          "printed as HLO text writes literals, or written as .npy files: "
          "OUT.npy, of a tuple OUT.0.npy, OUT.1.npy, ... A snapshot "
          "(HloSnapshot) brings its inputs; where none are given these are "
          "taken, and standard error says whether the result is the recorded "
          "one.",
          {"input",
           "random_inputs",
           "zeros",
           {"output", "the .npy file to write"},
           {"devices",
            "compute what N devices compute together: the partitions of a "
            "module with shardings, of another one replicas; without it as "
            "many as the module says"},
           "per_device",
           "max_steps",
           "max_bytes",
           {"large_constants", "results of any size in full"},
           "from",
           "allow_elided_constants",
           {"symbols",
            "HLO text may name sizes: f32[n,2*n+1]; the inputs say what they "
            "are"},
           "facts",
           "quiet"},
          "0 fine, 1 it can't be evaluated or a snapshot's result differs by "
          "more than rounding, 2 a file could not be read.",
          1,
          -1,
          Words::kFiles,
          RunEval};
}

CommandInfo RunRow() {
  return {"run",
          "FILE [INPUT.npy...]",
          "run a module on XLA, through a PJRT plugin",
          "Takes inputs and gives the result as `indim eval` does, but XLA "
          "compiles the module and runs it, on a device of the plugin. "
          "Without --plugin that is the CPU. A plugin is a shared library, "
          "found by INDIM_PJRT_CPU_PLUGIN=PATH (or CUDA, ROCM, TPU), by JAX's "
          "PJRT_NAMES_AND_LIBRARY_PATHS, in Python's site-packages, in "
          "/usr/local/lib or /usr/lib; `indim devices` lists those that are "
          "there. Nothing is fetched.",
          {"plugin",
           "input",
           "random_inputs",
           "zeros",
           {"output", "the .npy file to write"},
           "devices",
           "repeat",
           "compare",
           "pass",
           "preflight",
           {"large_constants", "results of any size in full"},
           "from",
           "allow_elided_constants",
           {"symbols",
            "HLO text may name sizes: f32[n,2*n+1]; the inputs say what they "
            "are"},
           "facts",
           "quiet"},
          "0 fine, 1 XLA refuses the module or fails to run it, or a result "
          "differs by more than rounding, 2 a file or the plugin could not be "
          "read.",
          1,
          -1,
          Words::kFiles,
          RunRun};
}

CommandInfo DevicesRow() {
  return {"devices",
          "",
          "list the PJRT plugins that are there, and their devices",
          "Says of each kind of device where its plugin is, its version, "
          "what it says of itself, and its devices; or why there is none.",
          {{"plugin", "only this one: of a kind of device, or at a path"}},
          "0 fine, 1 there is no device.",
          0,
          0,
          Words::kNone,
          RunDevices};
}

CommandInfo TestReturnTypesRow() {
  return {"test-return-types",
          "FILE",
          "compare inference with evaluation, for all of a module's values",
          "The recorded result of every instruction is compared with the "
          "inferred one. Then each binary op is created again from all pairs "
          "of a computation's values, and the result of inference is compared "
          "with that of evaluation on made-up values.",
          {"from", "allow_elided_constants", "symbols", "facts", "quiet"},
          "0 all agree, 1 something differs, 2 the file could not be read.",
          1,
          1,
          Words::kFiles,
          RunTestReturnTypes};
}

CommandInfo QueryRow() {
  return {"query",
          "[FILE]",
          "answer questions about single operations",
          "One JSON object a line in, one a line out, in the same order:\n"
          "  {\"id\":\"a\",\"op\":\"add\",\"operands\":[\"f32[2,1]\","
          "\"f32[2,3]\"]}\n"
          "  {\"id\":\"a\",\"shape\":\"f32[2,3]\"}\n\n"
          "Fields of all questions: id, rule (xla where it is left out), query "
          "(infer), op, operands, facts. Of rule xla: attributes, result; "
          "onnx, algebraic: attributes; broadcastable: result, mode; pdpd: "
          "axis; none, numpy, pdpd, bidirectional and explicit with query "
          "broadcast: target_shape, and axes_mapping of explicit. Any other "
          "is an error, with the one that was meant; but names that begin "
          "with _ and those of recorded answers (expect, note, source, ...) "
          "are the asker's own.",
          {"quiet"},
          "0 fine, 2 the file could not be read; wrong questions have answers "
          "that say so.",
          0,
          1,
          Words::kFiles,
          RunQuery};
}

CommandInfo ExplainRow() {
  return {
      "explain",
      "QUESTION",
      "draw how operands are matched, or tell a code, an operation or a word",
      absl::StrCat(
          "Shapes around an operator (+ - * / % & | ^, or a name such as "
          "maximum), or with commas between, or add(...); then "
          "broadcast_dimensions in braces, axis=N, rule=NAME, and perhaps a "
          "result to verify:\n\n"
          R"(  f32[2,3] + f32[3] {1}                            XLA
  (2,1) + (1,3)                                    NumPy
  tensor<?x4xf32> + tensor<4xf32> -> tensor<2x4xf32>   MLIR
  "any.op"(%a, %b) : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
  Shape(2, 3, 4, 5), Shape(3, 4) axis=1            OpenVINO

)"
          "Any operation, with its attributes as HLO text has them; a result "
          "that it can't infer, or that is to be verified, behind ->. A "
          "computation is an operation, a signature or a body:\n\n"
          R"(  f32[8,784] . f32[784,10]
  transpose(f32[2,3]), dimensions={1,0} -> f32[3,2]
  reduce(f32[2,3], f32[]), dimensions={1}, to_apply=add
  call(f32[2]), to_apply=(f32[2]) -> f32[3]

)"
          "Of these a0 is the size of dim 0 of operand 0, b1 that of dim 1 of "
          "operand 1. An instruction of a file, with its computation before it "
          "where several have the name:\n\n"
          "  m.hlo:%y    m.pb:main/%y\n\n"
          "A code is a number or its name: IND0007, ranks-differ; codes for "
          "all. Of an operation (add, or ops for all) it tells what its "
          "operands "
          "must be and what the result is. Words are those of the "
          "documents:\n\n",
          KnownWords()),
      {{"json",
        "one JSON object a line: operation, result, conditions (at run time), "
        "ok, diagnostics (code, name, severity, message, operand, dimension, "
        "fix); of a broadcast rule, steps, verified, drawing; of other "
        "operations operands, dims (inferred, formula, recorded), must_hold; "
        "where nothing can be answered: error"},
       {"mode",
        "which mode of Broadcastable decides whether a result behind -> "
        "passes"},
       "rule",
       "axis",
       "values",
       "svg",
       {"from", "format of the file, whatever it looks like"},
       {"symbols",
        "the file's HLO text may name sizes: f32[n,2*n+1] (questions always "
        "may)"},
       "facts"},
      "0 it is accepted, 1 it is refused, 2 it can't be answered.",
      1,
      1,
      Words::kSubjects,
      RunExplain};
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
       "[COMMAND]",
       "tell about the commands, or more about one",
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
  program.commands = {CheckRow(),   InferRow(),   ConvertRow(),
                      ExtractRow(), GradRow(),    ReduceRow(),
                      PrintRow(),   DiffRow(),    FingerprintRow(),
                      ExpectRow(),  StatsRow(),   ListRow(),
                      CostRow(),    DotRow(),     EvalRow(),
                      RunRow(),     DevicesRow(), TestReturnTypesRow(),
                      QueryRow(),   ExplainRow()};
  for (CommandInfo& row : OwnRows()) program.commands.push_back(std::move(row));
  return program;
}

}  // namespace

const CommandProgram& IndimProgram() {
  static const auto* const program = new CommandProgram(MakeProgram());
  return *program;
}

}  // namespace indim

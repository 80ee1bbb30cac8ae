// SPDX-License-Identifier: Apache-2.0
// Rows of commands that compute, and answer questions.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tools/command_rows.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"

namespace indim {
namespace {

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

}  // namespace

std::vector<CommandInfo> RunRows() {
  return {EvalRow(),  RunRow(),    DevicesRow(), TestReturnTypesRow(),
          QueryRow(), ExplainRow()};
}

}  // namespace indim

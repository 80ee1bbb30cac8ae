// SPDX-License-Identifier: Apache-2.0
// Rows of commands that show what is in modules.

#include <string>
#include <vector>

#include "indim/tools/command_rows.h"
#include "indim/tools/commands.h"

namespace indim {
namespace {

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
      "f32[1024,*]'; `indim help pattern` tells what a pattern is. Without "
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
          "FILE|FOLDER... PATTERN",
          "the instructions that a pattern matches",
          "One instruction a line, with its computation and source line; for "
          "example 'dot: bf16[*,1024]' or 'add(multiply(?a, ?b), ?c)'. "
          "`indim help pattern` tells what a pattern is; * matches everything.",
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
          -1,
          Words::kFiles,
          RunList};
}

CommandInfo CostRow() {
  return {
      "cost",
      "FILE|FOLDER...",
      "what modules compute and move",
      "FLOPs, transcendental operations, bytes and peak memory, by the "
      "definitions of "
      "XLA's analysis of costs, but true sums: a loop counts as often as it "
      "runs, a conditional as its dearest branch, and what isn't known is "
      "said. The table has what dominates first; of several files, a row for "
      "each. docs/cost.md has the rules.",
      {"by",
       "depth",
       "rows",
       "budget",
       "branches",
       {"json",
        "one JSON object a line, for each file: flops, transcendentals, bytes "
        "(numbers, or "
        "expressions as strings), xla (XLA's sums), memory, loops, unknown, "
        "rows"},
       "from",
       "allow_elided_constants",
       "symbols",
       "facts",
       {"quiet", "nothing but what is over the budget"}},
      "0 fine, 1 more than the budget, or shapes can't be inferred, 2 the "
      "file could not be read.",
      1,
      -1,
      Words::kFiles,
      RunCost};
}

CommandInfo DotRow() {
  return {"dot",
          "FILE [COMPUTATION]",
          "draw a computation, for Graphviz",
          "The entry computation, or the one of that name: instructions with "
          "their shapes, operands numbered where there are several, the result "
          "with a thick edge. Into FILE.svg, Graphviz's dot draws it.",
          {"max_nodes",
           {"output", "the file to write; .svg is drawn"},
           "from",
           "allow_elided_constants",
           "symbols",
           "facts",
           "quiet"},
          "0 fine, 1 the computation is too large, 2 there is no such "
          "computation, or the file could not be read, written or drawn.",
          1,
          2,
          Words::kFiles,
          RunDot};
}

CommandInfo ExportRow() {
  return {"export",
          "FILE --model-explorer [-o OUT.json]",
          "write a module for a viewer of graphs",
          "A graph for each computation, layers by op_name: JSON that "
          "`model-explorer OUT.json` shows in a browser.",
          {"model_explorer", "output", "from", "allow_elided_constants",
           "symbols", "facts", "quiet"},
          "0 fine, 2 a file could not be read or written.",
          1,
          1,
          Words::kFiles,
          RunExport};
}

}  // namespace

std::vector<CommandInfo> ViewRows() {
  return {PrintRow(), DiffRow(), FingerprintRow(), ExpectRow(), StatsRow(),
          ListRow(),  CostRow(), DotRow(),         ExportRow()};
}

}  // namespace indim

// indim: checks, infers, converts and explains XLA graphs.

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/types/suggest.h"
#include "indim/shape/types/version.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain_command.h"

namespace indim {
namespace {

const std::vector<CommandInfo>& Commands() {
  static const auto* const kCommands = new std::vector<CommandInfo>{
      {"check",
       "check FILE|FOLDER... [--mode=lenient|strict|mlir] [--json]",
       "infer and verify every instruction",
       "One line a file, and every diagnostic. A result that the file records "
       "is compared\nwith what its operands give; one that it lacks is "
       "inferred "
       "first.\nA folder stands for all modules in it and below.\n\n"
       "--json  one object a line for each file: file, instructions, inferred, "
       "related,\n        unchecked (each instruction is in one of these "
       "three), broadcastable,\n        errors and warnings: lists of rule, "
       "name, severity, instruction, message;\n        where they are known "
       "computation, source_file and source_line, line and\n        column of "
       "HLO text, operand, dimension, other_operand and other_dimension\n"
       "        (numbers from 0), and fix: what would have worked\n"
       "--mode  how an inferred ? against a "
       "recorded static size is taken\n--allow-elided-constants=false\n        "
       "HLO text must not say {...} instead of a constant's values\n"
       "--symbols\n        HLO text may name sizes: f32[n,2*n+1]; "
       "--facts=n>=1 says more\n\nExit status: "
       "0 no error, 1 errors "
       "found, 2 a file could not be read. What is wrong with a file is on "
       "standard output,\nalso why it can't be read; with the command line, on "
       "standard error.",
       {"mode", "from", "json", "allow_elided_constants", "symbols", "facts"},
       1,
       -1,
       RunCheck},
      {"infer",
       "infer IN -o OUT [--drop] [--set NAME=VALUE]... [--checks=assert|pred] "
       "| "
       "infer IN --check",
       "fill in and correct result shapes",
       "Lists each shape that it fills in or changes, and why; on standard "
       "error where the\nmodule goes to standard output.\n\n"
       "--check       writes nothing: exit status 1 where a shape would "
       "change\n"
       "--json        the list as one JSON object: file, filled, changed "
       "(counts), shapes\n              (instruction, computation, line, "
       "column, from, to, why: filled, operand,\n              callee, given, "
       "operands), errors as of check\n"
       "--quiet       no list\n"
       "--drop        forget every shape that can be inferred, then infer it\n"
       "--set         n=8: the symbol's value; x=f32[8,128]: the parameter's "
       "shape; n>=1,\n              n%8==0: facts. The whole graph is inferred "
       "again; what contradicts\n              is told with the ops that lead "
       "there\n"
       "--symbols     HLO text may name sizes, as with --set: f32[n,2*n+1]; "
       "--facts=n>=1\n              says more\n"
       "--checks      assert or pred: adds what sizes must meet at run time to "
       "the graph\n"
       "--conditions  print what symbolic sizes must meet (on standard error)\n"
       "--external-constants[=BYTES], --allow-over-2gib  as for convert",
       {"output", "from", "to", "check", "json", "quiet", "drop", "set",
        "checks", "conditions", "symbols", "facts", "external_constants",
        "allow_over_2gib"},
       1,
       1,
       RunInfer},
      {"convert",
       "convert IN -o OUT [--expand] [--unwrap] [--external-constants[=BYTES]]",
       "write a module in another format",
       "--expand  infer, verify and make implicit broadcasts explicit, as XLA "
       "wants them\n"
       "--unwrap  write the module alone, without the HloProto, configuration "
       "or snapshot that it came in\n          (HLO text has no place for "
       "them: what is lost is said)\n"
       "--checks  assert or pred: adds what sizes must meet at run time to the "
       "graph\n"
       "--note-symbols     sizes that have names become ?, their names a "
       "frontend attribute,\n                   so that XLA reads the file\n"
       "--restore-symbols  the reverse\n"
       "--symbols          HLO text may name sizes: f32[n,2*n+1]; "
       "--facts=n>=1 says more\n"
       "--external-constants[=BYTES]  constants of 1024 (or so many) bytes or "
       "more go into a file\n          beside OUT (OUT.<checksum>.data), or, "
       "where all elements are the same,\n          are written once; reading "
       "OUT finds the file, converting OUT without\n          the flag brings "
       "all back. XLA can't read it\n"
       "--allow-over-2gib  also a module that XLA's protobuf can't read",
       {"output", "from", "to", "expand", "unwrap", "note_symbols",
        "restore_symbols", "checks", "symbols", "facts", "external_constants",
        "allow_over_2gib"},
       1,
       1,
       RunConvert},
      {"print",
       "print FILE|FOLDER... [--large-constants] [--short] [--color=WHEN]",
       "print modules as HLO text, as XLA does",
       "Constants of more than ten elements are printed as {...}, as XLA "
       "does.\n"
       "What `convert -o X.hlo` writes is whole and has no colours.\n\n"
       "--large-constants  constants of any size in full\n"
       "--short            no metadata, percent signs, signatures, index "
       "comments, control\n                   predecessors; as_hlo_text() of "
       "XLA\n"
       "--canonical        bodies inline, made-up names: equal for equal "
       "graphs\n"
       "--max-body-mib     how much text bodies inline may take: 64 MiB\n"
       "--noids            names without their numbers (not to be read again)\n"
       "--nometadata       without metadata and tables of stack frames\n"
       "--operand-shapes   the shape before each operand\n"
       "--nolayouts        shapes without layouts\n"
       "--color            always, never, or auto: on a terminal\n"
       "--allow-elided-constants=false  refuse text that leaves values out\n"
       "--symbols          HLO text may name sizes: f32[n,2*n+1]; "
       "--facts=n>=1 says more",
       {"from", "allow_elided_constants", "color", "large_constants", "short",
        "canonical", "max_body_mib", "ids", "metadata", "operand_shapes",
        "layouts", "symbols", "facts"},
       1,
       -1,
       RunPrint},
      {"diff",
       "diff A B [--compare-metadata] [--color=WHEN]",
       "what two modules differ in, names and ids aside",
       "Instructions are matched by what they compute and how they are used; "
       "one that\ndiffers is shown as - and +, what only uses it isn't shown. "
       "The order of\ninstructions doesn't count.\n\n"
       "--compare-metadata  counts too\n"
       "--color             always, never, or auto: on a terminal\n"
       "--allow-elided-constants=false  refuse text that leaves values out\n"
       "--symbols           HLO text may name sizes: f32[n,2*n+1]; "
       "--facts=n>=1 says more\n\n"
       "Exit status: 0 equal, 1 they differ, 2 a file could not be read.",
       {"from", "allow_elided_constants", "color", "compare_metadata",
        "symbols", "facts"},
       2,
       2,
       RunDiff},
      {"eval",
       "eval FILE [INPUT.npy...] [--random-inputs=SEED] [-o OUT.npy]",
       "compute what a module computes, on one device",
       "The inputs are the entry computation's parameters by number, .npy "
       "files "
       "each; bf16,\nf8 ... as ml_dtypes writes them. --input=A.npy,B.npy and "
       "--input A.npy B.npy do too.\nThe result is printed as HLO text writes "
       "literals, or written as .npy files: OUT.npy,\nof a tuple OUT.0.npy, "
       "OUT.1.npy, ... A snapshot (HloSnapshot) brings its inputs; where "
       "none\nare given these are taken, and standard error says whether the "
       "result is the recorded one.\n\n"
       "--random-inputs  inputs are made up from this number\n"
       "--max-steps      how much work may be done: elements, products, "
       "instructions\n"
       "--max-bytes      how much memory values may take\n"
       "--large-constants  results of any size in full\n"
       "--symbols          HLO text may name sizes: f32[n,2*n+1]; the inputs "
       "say what\n                   they are\n\n"
       "Exit status: 0 fine, 1 it can't be evaluated or a snapshot's result "
       "differs by more than\nrounding, 2 a file could not be "
       "read.",
       {"input", "random_inputs", "output", "from", "max_steps", "max_bytes",
        "large_constants", "allow_elided_constants", "symbols", "facts"},
       1,
       -1,
       RunEval},
      {"test-return-types",
       "test-return-types FILE",
       "compare inference with evaluation, for all of a module's values",
       "The recorded result of every instruction is compared with the inferred "
       "one. Then each\nbinary op is created again from all pairs of a "
       "computation's values, and what inference\nsays is compared with what "
       "evaluation on made-up values gives.\n\n"
       "--symbols  HLO text may name sizes: f32[n,2*n+1]; --facts=n>=1 says "
       "more\n\nExit status: 0 all agree, 1 "
       "something differs, 2 the file could not be read.",
       {"from", "allow_elided_constants", "symbols", "facts"},
       1,
       1,
       RunTestReturnTypes},
      {"query",
       "query [FILE]",
       "answer questions about single operations",
       "One JSON object a line in, one a line out, in the same order:\n"
       "  "
       "{\"id\":\"a\",\"op\":\"add\",\"operands\":[\"f32[2,1]\",\"f32[2,3]\"]}"
       "\n"
       "  {\"id\":\"a\",\"shape\":\"f32[2,3]\"}\n\n"
       "Fields of all questions: id, rule (xla where it is left out), query "
       "(infer), op,\noperands, facts. Of rule xla: attributes, result; onnx, "
       "algebraic: attributes;\nbroadcastable: result, mode; pdpd: axis; none, "
       "numpy, pdpd, bidirectional and\nexplicit with query broadcast: "
       "target_shape, and axes_mapping of explicit. Any other\nis an error, "
       "with the one that was meant; but names that begin with _ and those of\n"
       "recorded answers (expect, note, source, ...) are the asker's own.",
       {},
       0,
       1,
       RunQuery},
      ExplainCommand(),
  };
  return *kCommands;
}

void PrintHelp(std::ostream& os) {
  os << "indim: checks, infers, converts and explains XLA graphs.\n\n"
        "usage: indim COMMAND ...\n\n";
  for (const CommandInfo& c : Commands()) {
    os << "  " << c.name
       << std::string(c.name.size() < 10 ? 10 - c.name.size() : 1, ' ')
       << c.summary << "\n            indim " << c.usage << "\n";
  }
  os << "\n  help COMMAND    more about one\n  --version       which indim "
        "this "
        "is\n\nFormats: pb is a serialized HloModuleProto, XLA's or a recorded "
        "one, or what wraps one\n(HloProto, HloSnapshot ...), pbtxt their "
        "text format, hlo HLO text. What is read is told\nby its content, or "
        "by --from=; what is written by its extension, or by --to=. - is\n"
        "standard input or output.\nExit status: 0 fine, 1 errors "
        "found, "
        "2 something could not be read or understood.\n";
}

const CommandInfo* FindCommand(absl::string_view name) {
  for (const CommandInfo& c : Commands()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

int UnknownCommand(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const CommandInfo& c : Commands()) names.push_back(c.name);
  const absl::string_view near = NearestName(name, names);
  std::cerr << "indim: no command is called '" << name << "'; "
            << (near.empty() ? "" : absl::StrCat("did you mean ", near, "? "))
            << "expected " << absl::StrJoin(names, ", ") << " or help\n";
  return kExitUsage;
}

// The flags that the command's own help doesn't mention, a line each.
std::string OtherFlags(const CommandInfo& command) {
  std::string text;
  for (absl::string_view flag : command.flags) {
    const std::string spelled = FlagSpelling(flag);
    if (absl::StrContains(command.help, spelled) ||
        absl::StrContains(command.usage, spelled) || flag == "output") {
      continue;
    }
    absl::StrAppend(&text, text.empty() ? "\nAlso:\n" : "", spelled, "  ",
                    FlagHelp(flag), "\n");
  }
  return text;
}

int Help(absl::Span<char* const> arguments) {
  if (arguments.empty()) {
    PrintHelp(std::cout);
    return kExitOk;
  }
  const CommandInfo* command = FindCommand(arguments[0]);
  if (command == nullptr) return UnknownCommand(arguments[0]);
  std::cout << "usage: indim " << command->usage << "\n\n"
            << command->summary << "\n\n"
            << command->help << "\n"
            << OtherFlags(*command);
  return kExitOk;
}

int Main(int argc, char** argv) {
  const auto arguments = absl::MakeConstSpan(argv, argc).subspan(1);
  if (arguments.empty()) {
    PrintHelp(std::cerr);
    return kExitUsage;
  }
  const absl::string_view name = arguments[0];
  if (name == "--version" || name == "version") {
    std::cout << "indim " << Version() << "\n";
    return kExitOk;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    return Help(arguments.subspan(1));
  }
  const CommandInfo* command = FindCommand(name);
  if (command == nullptr) return UnknownCommand(name);
  for (const char* argument : arguments.subspan(1)) {
    if (std::strcmp(argument, "--") == 0) break;
    if (std::strcmp(argument, "--help") == 0 ||
        std::strcmp(argument, "-h") == 0) {
      return Help({argv + 1, 1});
    }
  }
  const auto files = ParseArguments(*command, arguments.subspan(1));
  if (!files.ok()) return Fail(files.status());
  return command->run(*files);
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  // A module that takes more memory than there is ends in words.
  std::set_new_handler([] {
    constexpr char kMessage[] = "indim: there is not enough memory for this\n";
    if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(3);
    _exit(indim::kExitUsage);
  });
#ifdef SIGXFSZ  // Windows has none
  // A file that may not grow any more is an error that is told.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  const int exit = indim::Main(argc, argv);
  // What nobody got was not said.
  std::cout.flush();
  return std::cout.good() ? exit
                          : indim::Fail(absl::UnknownError(
                                "can't write to standard output"));
}

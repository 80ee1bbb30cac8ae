// SPDX-License-Identifier: Apache-2.0
// indim help, version, completion and man: the program about itself.

#include <iostream>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/version.h"
#include "indim/tools/commands.h"
#include "indim/tools/help/completion.h"
#include "indim/tools/help/help_text.h"
#include "indim/tools/help/man_page.h"
#include "indim/tools/help/program.h"

namespace indim {
namespace {

constexpr char kPatternHelp[] =
    R"(A pattern of `indim list` and `indim expect` is an instruction as HLO text has
it, of operations, without names of instructions:

  dot                      every dot
  add(multiply(?a, ?b), ?c)  with operands of these patterns; ?a is anything,
                           and the same instruction wherever it stands
  concatenate(?a, ...)     and any further operands
  *                        any instruction
  parameter(0)             the parameter of that number
  constant(2.5)            a constant whose elements all equal that
  dot, lhs_contracting_dims={1}   with that attribute
  dot: bf16[*,1024]        whose result has two dims, the second of 1024
  dot: f32                 whose result is of f32, with any dims
  *: (f32[2], *)           whose result is such a tuple

Commutative operations match in either order.
)";

}  // namespace

int RunHelp(absl::Span<const std::string> arguments) {
  const CommandProgram& program = IndimProgram();
  if (arguments.empty()) {
    std::cout << ProgramHelp(program);
    return kExitOk;
  }
  if (arguments[0] == "pattern") {
    std::cout << kPatternHelp;
    return kExitOk;
  }
  const CommandInfo* command = FindCommand(program, arguments[0]);
  if (command == nullptr) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        UnknownCommandText(program, arguments[0]), ", or pattern")));
  }
  std::cout << CommandHelp(program, *command);
  return kExitOk;
}

int RunVersion(absl::Span<const std::string> /*arguments*/) {
  std::cout << "indim " << Version() << "\n";
  return kExitOk;
}

int RunCompletion(absl::Span<const std::string> arguments) {
  const CommandProgram& program = IndimProgram();
  std::cout << (arguments[0] == "zsh" ? ZshCompletion(program)
                                      : BashCompletion(program));
  return kExitOk;
}

int RunMan(absl::Span<const std::string> /*arguments*/) {
  std::cout << ManPage(IndimProgram());
  return kExitOk;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/help/completion.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace indim {
namespace {

// Whether the arguments or the value may be files.
bool TakesFiles(Words words) {
  return words == Words::kFiles || words == Words::kSubjects;
}

bool IsOutput(const FlagInfo& flag) { return flag.name == "output"; }

// In single quotes, for a shell.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// --- bash -------------------------------------------------------------------

// The flag as completion writes it: "--mode=" goes on with the value.
std::string BashWord(const FlagInfo& flag) {
  const std::string usage = FlagUsage(flag);
  const std::string name = usage.substr(0, usage.find_first_of("[="));
  return absl::StrCat(name,
                      flag.value.empty() || !flag.bare.empty() ? "" : "=");
}

// The flags whose values can be listed, a case each: sets words and files.
std::string BashValues(const CommandProgram& program) {
  std::string text;
  for (const FlagInfo& flag : AllFlags()) {
    if (flag.words == Words::kNone) continue;
    absl::StrAppend(
        &text, "    ", FlagSpelling(flag.name), IsOutput(flag) ? " | -o" : "",
        ") words=",
        Quoted(absl::StrJoin(WordsOf(program, flag.words, flag.value), " ")),
        TakesFiles(flag.words) ? " files=yes" : "",
        flag.separator == "," ? " list=yes" : "", " ;;\n");
  }
  return text;
}

// Flags that need a value, which may be the next word.
std::string BashFlagsWithValue() {
  std::vector<std::string> names = {"-o"};
  for (const FlagInfo& flag : AllFlags()) {
    if (!flag.value.empty() && flag.bare.empty()) {
      names.push_back(FlagSpelling(flag.name));
    }
  }
  return absl::StrJoin(names, " | ");
}

std::string BashCommands(const CommandProgram& program) {
  std::string text;
  for (const CommandInfo& command : program.commands) {
    std::vector<std::string> flags;
    for (const CommandFlag& flag : command.flags) {
      const FlagInfo* row = FindFlag(flag.name);
      if (row == nullptr) continue;
      if (IsOutput(*row)) flags.push_back("-o");
      flags.push_back(BashWord(*row));
    }
    flags.push_back("--help");
    absl::StrAppend(
        &text, "    ", command.name,
        ")\n      flags=", Quoted(absl::StrJoin(flags, " ")), "\n      words=",
        Quoted(absl::StrJoin(WordsOf(program, command.words, command.arguments),
                             " ")),
        "\n", TakesFiles(command.words) ? "      files=yes\n" : "",
        "      ;;\n");
  }
  return text;
}

// What follows the tables. bash takes --mode=lenient for three words where = is
// in COMP_WORDBREAKS, which it is unless somebody took it out.
constexpr absl::string_view kBashFunctions = R"(
_indim_propose() {
  local cur=$1 before= reply
  if [[ -n $list && $cur == *,* ]]; then
    before=${cur%,*},
    cur=${cur##*,}
  fi
  COMPREPLY=()
  while IFS= read -r reply; do
    COMPREPLY+=("$2$before$reply")
  done < <(
    compgen -W "$words" -- "$cur"
    [[ -z $files ]] || compgen -f -- "$cur"
  )
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
}

_indim() {
  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  local flag= prefix= flags= words= files= list=
  local last=
  ((COMP_CWORD < 2)) || last=${COMP_WORDS[COMP_CWORD - 1]}
  if ((COMP_CWORD <= 1)); then
    _indim_command help
    words+=' --help --version'
    _indim_propose "$cur" ''
    return
  fi
  if [[ $cur == = ]]; then
    flag=$last cur=
  elif [[ $last == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $cur == --*=* ]]; then
    flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
  elif _indim_has_value "$last"; then
    flag=$last
  fi
  if [[ -n $flag ]]; then
    _indim_value "$flag"
    _indim_propose "$cur" "$prefix"
    return
  fi
  _indim_command "$command"
  if [[ $cur == -* ]]; then
    words=$flags files=
  fi
  _indim_propose "$cur" ''
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == --*= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

complete -F _indim indim
)";

// --- zsh --------------------------------------------------------------------

// Inside the brackets or behind the colon of a specification of _arguments.
std::string ZshText(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// What completes the value or the argument: "(a b c)", "_files".
std::string ZshAction(const CommandProgram& program, Words words,
                      absl::string_view shown) {
  const std::vector<std::string> all = WordsOf(program, words, shown);
  const std::string list =
      all.empty() ? "" : absl::StrCat("(", absl::StrJoin(all, " "), ")");
  if (words == Words::kFiles) return "_files";
  if (words != Words::kSubjects) return list;
  // Behind a single function, which zsh calls with the words.
  return "_indim_subjects";
}

std::string ZshFlag(const CommandProgram& program, const CommandFlag& flag) {
  const FlagInfo* row = FindFlag(flag.name);
  if (row == nullptr) return "";
  const std::string usage = FlagUsage(*row);
  const std::string name = usage.substr(0, usage.find_first_of("[="));
  const std::string help = absl::StrCat("[", ZshText(flag.help()), "]");
  const std::string many = row->separator.empty() ? "" : "*";
  if (row->value.empty()) {
    return absl::StrCat("        ", Quoted(absl::StrCat(name, help)), " \\\n");
  }
  std::string action = ZshAction(program, row->words, row->value);
  if (row->words == Words::kCodes) {
    action = absl::StrCat("_sequence compadd - ",
                          action.substr(1, action.size() - 2));
  }
  const std::string value =
      absl::StrCat(row->bare.empty() ? ":" : "::", ZshText(row->name), ":",
                   action.empty() ? " " : action);
  std::string text = absl::StrCat(
      "        ",
      Quoted(absl::StrCat(many, name, row->bare.empty() ? "=" : "=-", help,
                          value)),
      " \\\n");
  if (IsOutput(*row)) {
    absl::StrAppend(&text, "        ", Quoted(absl::StrCat("-o", help, value)),
                    " \\\n");
  }
  return text;
}

std::string ZshCommand(const CommandProgram& program,
                       const CommandInfo& command) {
  std::string text =
      absl::StrCat("    ", command.name, ")\n      _arguments \\\n");
  for (const CommandFlag& flag : command.flags) {
    text += ZshFlag(program, flag);
  }
  absl::StrAppend(&text, "        '(- *)'{-h,--help}'[show help]' \\\n");
  const std::string action =
      ZshAction(program, command.words, command.arguments);
  absl::StrAppend(
      &text, "        ",
      Quoted(absl::StrCat(command.max_files == 1 ? "1" : "*",
                          ":argument:", action.empty() ? " " : action)),
      "\n      ;;\n");
  return text;
}

constexpr absl::string_view kZshEnd = R"(  esac
}

# On the fpath the file is the function; sourced it defines it.
if [[ ${funcstack[1]} == _indim ]]; then
  _indim "$@"
else
  compdef _indim indim
fi
)";

}  // namespace

std::string BashCompletion(const CommandProgram& program) {
  return absl::StrCat(
      "# bash completion for indim; `indim completion bash` wrote it.\n\n",
      "# The words, and whether files go, of an argument of a command.\n",
      "_indim_command() {\n  case $1 in\n", BashCommands(program),
      "  esac\n}\n\n", "# Those of a flag's value.\n",
      "_indim_value() {\n  case $1 in\n", BashValues(program), "  esac\n}\n\n",
      "_indim_has_value() {\n  case $1 in\n    ", BashFlagsWithValue(),
      ") return 0 ;;\n  esac\n  return 1\n}\n", kBashFunctions);
}

std::string ZshCompletion(const CommandProgram& program) {
  std::vector<std::string> commands;
  for (const CommandInfo& command : program.commands) {
    commands.push_back(absl::StrCat(
        "    ",
        Quoted(absl::StrCat(command.name, ":", ZshText(command.summary)))));
  }
  std::string text = absl::StrCat(
      "#compdef indim\n# `indim completion zsh` wrote it.\n\n"
      "_indim_subjects() {\n  compadd -- ",
      absl::StrJoin(WordsOf(program, Words::kSubjects, ""), " "),
      "\n  _files\n}\n\n_indim() {\n  local -a commands=(\n",
      absl::StrJoin(commands, "\n"),
      "\n  )\n  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n    compadd -- --help --version\n"
      "    return\n  fi\n  shift words\n  ((CURRENT--))\n"
      "  case ${words[1]} in\n");
  for (const CommandInfo& command : program.commands) {
    text += ZshCommand(program, command);
  }
  return absl::StrCat(text, kZshEnd);
}

}  // namespace indim

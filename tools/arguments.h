// SPDX-License-Identifier: Apache-2.0
// Arguments of the `indim` command: a command, flags and files. The rows of
// flags.def say which flags there are, a CommandInfo says which of them a
// command takes. A flag that the command doesn't take, a value that the flag
// doesn't take, a missing file: errors that say what was expected.

#ifndef INDIM_TOOLS_ARGUMENTS_H_
#define INDIM_TOOLS_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#define INDIM_FLAG(type, name, ...) ABSL_DECLARE_FLAG(type, name);
#include "indim/tools/flags.def"
#undef INDIM_FLAG

namespace indim {

// Which words an argument or the value of a flag may be; completion proposes
// them.
enum class Words : uint8_t {
  kNone,      // numbers, shapes: nobody can list them
  kFiles,     // files and folders
  kChoices,   // those between the | of the text that shows the argument
  kCodes,     // the codes' names
  kSubjects,  // what `indim explain` knows: operations, codes; files too
  kCommands,  // the commands
};

// A row of flags.def.
struct FlagInfo {
  absl::string_view name;  // "large_constants"
  absl::string_view value;
  Words words;
  absl::string_view bare;
  absl::string_view separator;
  absl::string_view help;
};

// All rows, in their order.
absl::Span<const FlagInfo> AllFlags();
// The row of that name; null: there is none.
const FlagInfo* FindFlag(absl::string_view name);

// "--large-constants" of large_constants.
std::string FlagSpelling(absl::string_view flag);
// As it is given: "--large-constants", "--noids", "--mode=lenient|strict|mlir",
// "--values[=LITERALS]".
std::string FlagUsage(const FlagInfo& flag);
// "a", "b" and "c" of "a|b|c".
std::vector<absl::string_view> Choices(absl::string_view text);

// A flag of a command.
struct CommandFlag {
  // NOLINTNEXTLINE: a name alone is a flag.
  CommandFlag(const char* flag) : name(flag) {}
  CommandFlag(const char* flag, const char* text)
      : name(flag), own_help(text) {}

  // What it does there: its own text, or the row's.
  absl::string_view help() const;

  absl::string_view name;
  absl::string_view own_help;  // where it means something else in this command
};

// A command of the tool. In texts a line that begins with a blank is shown as
// it is, others are filled.
struct CommandInfo {
  absl::string_view name;
  absl::string_view arguments;  // "FILE|FOLDER...", "IN -o OUT"
  absl::string_view summary;    // one line
  std::string description;      // the rest, for `indim help check`
  std::vector<CommandFlag> flags;
  absl::string_view exit_status;  // "0 ..., 1 ..., 2 ..."; "": as of all
  int min_files;
  int max_files;  // -1: any number
  Words words;    // the arguments'; with kChoices there is one
  int (*run)(absl::Span<const std::string> files);
};

// "indim check FILE|FOLDER... [FLAG...]".
std::string CommandUsage(const CommandInfo& command);

// Sets the flags among `arguments` (after the command's name) and returns the
// rest. `-o X` and `-oX` are `--output=X`, "-" is a file, after "--" all are
// files. InvalidArgument: an unknown flag (with the nearest), one that the
// command doesn't take, a bad or missing value (with the nearest choice), too
// few or too many files.
absl::StatusOr<std::vector<std::string>> ParseArguments(
    const CommandInfo& command, absl::Span<char* const> arguments);

}  // namespace indim

#endif  // INDIM_TOOLS_ARGUMENTS_H_

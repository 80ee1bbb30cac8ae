// Arguments of the `indim` command: Abseil flags (arguments.cc), a command, and
// files. A flag that the command doesn't take, a value that the flag doesn't
// take, a missing file: errors that say what was expected.

#ifndef INDIM_TOOLS_ARGUMENTS_H_
#define INDIM_TOOLS_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

ABSL_DECLARE_FLAG(std::string, mode);
ABSL_DECLARE_FLAG(std::string, from);
ABSL_DECLARE_FLAG(std::string, to);
ABSL_DECLARE_FLAG(std::string, output);
ABSL_DECLARE_FLAG(std::string, rule);
ABSL_DECLARE_FLAG(std::string, axis);
ABSL_DECLARE_FLAG(std::string, values);
ABSL_DECLARE_FLAG(bool, svg);
ABSL_DECLARE_FLAG(bool, allow_elided_constants);
ABSL_DECLARE_FLAG(bool, json);
ABSL_DECLARE_FLAG(std::string, format);
ABSL_DECLARE_FLAG(bool, werror);
ABSL_DECLARE_FLAG(std::vector<std::string>, disable);
ABSL_DECLARE_FLAG(bool, check);
ABSL_DECLARE_FLAG(bool, quiet);
ABSL_DECLARE_FLAG(bool, drop);
ABSL_DECLARE_FLAG(bool, symbols);
ABSL_DECLARE_FLAG(std::string, facts);
ABSL_DECLARE_FLAG(bool, note_symbols);
ABSL_DECLARE_FLAG(bool, restore_symbols);
ABSL_DECLARE_FLAG(std::string, checks);
ABSL_DECLARE_FLAG(std::string, set);
ABSL_DECLARE_FLAG(bool, conditions);
ABSL_DECLARE_FLAG(bool, expand);
ABSL_DECLARE_FLAG(std::string, color);
ABSL_DECLARE_FLAG(bool, large_constants);
ABSL_DECLARE_FLAG(bool, short);
ABSL_DECLARE_FLAG(bool, canonical);
ABSL_DECLARE_FLAG(int32_t, max_body_mib);
ABSL_DECLARE_FLAG(bool, ids);
ABSL_DECLARE_FLAG(bool, metadata);
ABSL_DECLARE_FLAG(bool, compare_metadata);
ABSL_DECLARE_FLAG(bool, operand_shapes);
ABSL_DECLARE_FLAG(bool, layouts);
ABSL_DECLARE_FLAG(bool, unwrap);
ABSL_DECLARE_FLAG(std::vector<std::string>, input);
ABSL_DECLARE_FLAG(std::string, random_inputs);
ABSL_DECLARE_FLAG(int64_t, max_steps);
ABSL_DECLARE_FLAG(int64_t, max_bytes);
ABSL_DECLARE_FLAG(std::string, external_constants);
ABSL_DECLARE_FLAG(bool, allow_over_2gib);

namespace indim {

// A command of the tool, one row of its table.
struct CommandInfo {
  absl::string_view name;
  absl::string_view usage;    // "check FILE..."
  absl::string_view summary;  // one line
  absl::string_view help;     // the rest, for `indim help check`
  // The flags it takes, by name.
  std::vector<absl::string_view> flags;
  int min_files;
  int max_files;  // -1: any number
  int (*run)(absl::Span<const std::string> files);
};

// "--large-constants" of large_constants.
std::string FlagSpelling(absl::string_view flag);
// What it does; "" of one that isn't there.
std::string FlagHelp(absl::string_view flag);

// Sets the flags among `arguments` (after the command's name) and returns the
// rest. `-o X` and `-oX` are `--output=X`, "-" is a file, after "--" all are
// files. InvalidArgument: an unknown flag (with the nearest), one that the
// command doesn't take, a bad or missing value, too few or too many files.
absl::StatusOr<std::vector<std::string>> ParseArguments(
    const CommandInfo& command, absl::Span<char* const> arguments);

}  // namespace indim

#endif  // INDIM_TOOLS_ARGUMENTS_H_

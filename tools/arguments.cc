#include "indim/tools/arguments.h"

#include <algorithm>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"

ABSL_FLAG(std::string, mode, "lenient",
          "how an inferred ? against a recorded static size is taken: lenient "
          "(fine), strict (an error) or mlir (as MLIR 19 does)");
ABSL_FLAG(std::string, from, "",
          "format of the input, whatever it looks like: pb, pbtxt or hlo");
ABSL_FLAG(std::string, to, "",
          "format of the output where its name doesn't tell: pb, pbtxt or "
          "hlo");
ABSL_FLAG(std::string, output, "", "the file to write, - for standard output");
ABSL_FLAG(std::string, rule, "",
          "broadcasting rule: xla, none, numpy, pdpd, bidirectional or all; "
          "without it the one that the question's notation means");
ABSL_FLAG(std::string, axis, "",
          "where pdpd lays the second operand; without it as the question "
          "says, or -1");
ABSL_FLAG(std::string, values, "",
          "draw elements: literals between semicolons, '{1,2,3,4};{{5,6}}'; "
          "without any 1, 2, 3, ...");
ABSL_FLAG(bool, svg, false, "the drawing as SVG");
ABSL_FLAG(bool, allow_elided_constants, true,
          "HLO text may leave values out: {...} is read without them");
ABSL_FLAG(bool, json, false, "one JSON object a line for each file");
ABSL_FLAG(std::string, format, "text",
          "what is written: text, json, sarif or github (docs/check.md)");
ABSL_FLAG(bool, werror, false, "warnings count as errors");
ABSL_FLAG(std::vector<std::string>, disable, {},
          "rules that are not reported, by number or by name");
ABSL_FLAG(bool, check, false,
          "write nothing; exit status 1 where a shape would change");
ABSL_FLAG(bool, quiet, false, "don't list the shapes that change");
ABSL_FLAG(bool, drop, false, "forget every inferable shape first");
ABSL_FLAG(bool, symbols, false, "HLO text may name sizes: f32[n,2*n+1]");
ABSL_FLAG(std::string, facts, "",
          "what is known of the symbols of HLO text: n>=1, n%8==0");
ABSL_FLAG(
    bool, note_symbols, false,
    "sizes that have names become ? with a frontend attribute, as XLA can "
    "read them");
ABSL_FLAG(bool, restore_symbols, false, "the reverse of --note-symbols");
ABSL_FLAG(std::string, checks, "none",
          "what sizes must meet at run time, as checks in the graph: none, "
          "assert (shape_assertion custom-calls) or pred (the entry returns a "
          "pred too)");
ABSL_FLAG(std::string, set, "",
          "a symbol's value (n=8), a parameter's shape (x=f32[8,128]) or a "
          "fact (n>=1); may be given often");
ABSL_FLAG(bool, conditions, false,
          "print what symbolic sizes must meet, and at which instruction");
ABSL_FLAG(bool, expand, false,
          "make implicit broadcasts explicit, as XLA wants them");
ABSL_FLAG(std::string, color, "auto",
          "colours: always, never, or auto (on a terminal)");
ABSL_FLAG(bool, large_constants, false, "constants of any size in full");
ABSL_FLAG(bool, short, false,
          "without metadata, percent signs, signatures (as_hlo_text of XLA)");
ABSL_FLAG(bool, canonical, false,
          "bodies inline, names made up: equal for equal graphs");
ABSL_FLAG(int32_t, max_body_mib, 64,
          "MiB of text that bodies inside bodies may take");
ABSL_FLAG(bool, ids, true, "names with the numbers after their dot");
ABSL_FLAG(bool, metadata, true, "metadata and the tables of stack frames");
ABSL_FLAG(bool, compare_metadata, false, "metadata counts too");
ABSL_FLAG(bool, operand_shapes, false, "the shape before each operand");
ABSL_FLAG(bool, layouts, true, "layouts of shapes");
ABSL_FLAG(bool, unwrap, false,
          "write the module alone, without what it came wrapped in");
ABSL_FLAG(std::vector<std::string>, input, {},
          "the .npy files of the parameters, by number");
ABSL_FLAG(std::string, random_inputs, "", "a number that inputs are made from");
ABSL_FLAG(int64_t, max_steps, int64_t{2} * 1000 * 1000 * 1000,
          "how much work an evaluation may do");
ABSL_FLAG(int64_t, max_bytes, int64_t{4} << 30,
          "how much memory an evaluation's values may take");
ABSL_FLAG(std::string, external_constants, "",
          "keep constants of so many bytes or more in a file beside the "
          "module's (1024 where no number is given)");
ABSL_FLAG(bool, allow_over_2gib, false,
          "write modules over 2 GiB, which XLA's protobuf can't read");

namespace indim {
namespace {

// What stands between the values of a flag that may be given often; "": the
// last one counts.
absl::string_view SeparatorOf(absl::string_view name) {
  if (name == "set") return "\n";
  if (name == "facts") return ";";
  return name == "input" || name == "disable" ? "," : "";
}

bool IsBool(absl::string_view name) {
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  return flag != nullptr && flag->IsOfType<bool>();
}

// `given` is what stands on the command line.
absl::Status UnknownFlag(const CommandInfo& command, absl::string_view given,
                         absl::string_view name) {
  const absl::string_view near = NearestName(name, command.flags);
  std::vector<std::string> spelled;
  for (absl::string_view flag : command.flags) {
    spelled.push_back(FlagSpelling(flag));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'indim ", command.name, "' takes no flag ", given,
      near.empty() ? ""
                   : absl::StrCat("; did you mean ", FlagSpelling(near), "?"),
      near.empty() ? "; " : " ",
      spelled.empty()
          ? "it takes none"
          : absl::StrCat("it takes ", absl::StrJoin(spelled, ", "))));
}

absl::Status SetFlag(absl::string_view name, absl::string_view value) {
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  std::string error;
  std::string all;
  const absl::string_view separator = SeparatorOf(name);
  if (!separator.empty() && !flag->CurrentValue().empty()) {
    all = absl::StrCat(flag->CurrentValue(), separator, value);
    value = all;
  }
  if (!flag->ParseFrom(value, &error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        FlagSpelling(name), "=", value, " can't be read: expected ",
        IsBool(name)                ? "true or false"
        : flag->IsOfType<int64_t>() ? "a whole number"
                                    : flag->Help()));
  }
  return absl::OkStatus();
}

// What the flag's name alone, without a value, means; null: a value must
// follow.
const char* ValueOfName(absl::string_view name) {
  if (name == "external_constants") return "1024";
  if (name == "values") return "counted";
  return IsBool(name) ? "true" : nullptr;
}

}  // namespace

std::string FlagSpelling(absl::string_view flag) {
  return absl::StrCat("--", absl::StrReplaceAll(flag, {{"_", "-"}}));
}

std::string FlagHelp(absl::string_view flag) {
  absl::CommandLineFlag* known = absl::FindCommandLineFlag(flag);
  return known == nullptr ? "" : known->Help();
}

absl::StatusOr<std::vector<std::string>> ParseArguments(
    const CommandInfo& command, absl::Span<char* const> arguments) {
  std::vector<std::string> files;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (argument == "--") {
      files.insert(files.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (argument == "-" || !absl::StartsWith(argument, "-")) {
      files.emplace_back(argument);
      continue;
    }
    const absl::string_view given = argument.substr(0, argument.find('='));
    std::string name, value;
    bool has_value = false;
    if (absl::StartsWith(argument, "-o") && !absl::StartsWith(argument, "--")) {
      name = "output";
      value = std::string(absl::StripPrefix(argument.substr(2), "="));
      has_value = !value.empty();
    } else {
      argument = absl::StripPrefix(absl::StripPrefix(argument, "-"), "-");
      const size_t equals = argument.find('=');
      name = std::string(argument.substr(0, equals));
      // --large-constants is --large_constants.
      std::replace(name.begin(), name.end(), '-', '_');
      has_value = equals != absl::string_view::npos;
      if (has_value) value = std::string(argument.substr(equals + 1));
    }
    const auto takes = [&command](absl::string_view flag) {
      return std::find(command.flags.begin(), command.flags.end(), flag) !=
             command.flags.end();
    };
    if (!has_value && absl::StartsWith(name, "no") && IsBool(name.substr(2))) {
      name = name.substr(2);
      value = "false";
    } else if (!has_value && ValueOfName(name) != nullptr) {
      value = ValueOfName(name);
    } else if (!has_value && takes(name)) {
      if (i + 1 == arguments.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            FlagSpelling(name), " needs a value: ", FlagHelp(name)));
      }
      value = arguments[++i];
    }
    if (!takes(name)) return UnknownFlag(command, given, name);
    const absl::Status set = SetFlag(name, value);
    if (!set.ok()) return set;
  }
  if (std::count(files.begin(), files.end(), "-") > 1) {
    return absl::InvalidArgumentError(
        "standard input (-) can be read once, but stands here twice");
  }
  const int count = static_cast<int>(files.size());
  if (count < command.min_files ||
      (command.max_files >= 0 && count > command.max_files)) {
    return absl::InvalidArgumentError(absl::StrCat(
        count == 0
            ? "no argument given"
            : absl::StrCat(count, count == 1 ? " argument" : " arguments",
                           " given"),
        "; usage: indim ", command.usage));
  }
  return files;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/arguments.h"

#include <cstdint>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"

#define INDIM_FLAG(type, name, default_value, value, words, bare, separator, \
                   help)                                                     \
  ABSL_FLAG(type, name, default_value, help);
#include "indim/tools/flags.def"
#undef INDIM_FLAG

namespace indim {
namespace {

constexpr FlagInfo kFlags[] = {
#define INDIM_FLAG(type, name, default_value, value, words, bare, separator, \
                   help)                                                     \
  {#name, value, Words::words, bare, separator, help},
#include "indim/tools/flags.def"
#undef INDIM_FLAG
};

bool IsBool(const FlagInfo& flag) { return flag.value.empty(); }

bool IsTrueByDefault(const FlagInfo& flag) {
  const absl::CommandLineFlag* known = absl::FindCommandLineFlag(flag.name);
  return IsBool(flag) && known != nullptr && known->DefaultValue() == "true";
}

bool Takes(const CommandInfo& command, absl::string_view name) {
  return absl::c_any_of(command.flags, [name](const CommandFlag& flag) {
    return flag.name == name;
  });
}

// `given` is what stands on the command line.
absl::Status UnknownFlag(const CommandInfo& command, absl::string_view given,
                         absl::string_view name) {
  std::vector<absl::string_view> names;
  std::vector<std::string> spelled;
  for (const CommandFlag& flag : command.flags) {
    names.push_back(flag.name);
    spelled.push_back(FlagSpelling(flag.name));
  }
  absl::string_view near = NearestName(name, names);
  if (name.size() == 1) {  // -v
    const auto longer = absl::c_find_if(names, [name](absl::string_view known) {
      return absl::StartsWith(known, name);
    });
    if (longer != names.end()) near = *longer;
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

// "lenient, strict or mlir".
std::string ListOf(std::vector<absl::string_view> words) {
  const absl::string_view last = words.back();
  words.pop_back();
  return absl::StrCat(absl::StrJoin(words, ", "), words.empty() ? "" : " or ",
                      last);
}

// Whether `value` is among the words of `shown`, "a|b|c". `given` is what
// stands on the command line.
absl::Status CheckChoice(absl::string_view given, absl::string_view value,
                         absl::string_view shown) {
  const std::vector<absl::string_view> choices = Choices(shown);
  if (absl::c_linear_search(choices, value)) return absl::OkStatus();
  const absl::string_view near = NearestName(value, choices);
  return absl::InvalidArgumentError(absl::StrCat(
      given, ": ",
      near.empty() ? "" : absl::StrCat("did you mean ", near, "? "),
      "expected ", ListOf(choices)));
}

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

absl::Status SetFlag(const FlagInfo& info, absl::string_view value) {
  if (info.words == Words::kChoices) {
    const absl::Status known = CheckChoice(
        absl::StrCat(FlagSpelling(info.name), "=", value), value, info.value);
    if (!known.ok()) return known;
  }
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(info.name);
  std::string error;
  std::string all;
  if (!info.separator.empty() && !flag->CurrentValue().empty()) {
    all = absl::StrCat(flag->CurrentValue(), info.separator, value);
    value = all;
  }
  // Of a flag that is a number, the greatest one.
  const int64_t most = flag->IsOfType<int64_t>()   ? kInt64Max
                       : flag->IsOfType<int32_t>() ? kInt32Max
                                                   : 0;
  if (!(most > 0 && absl::StartsWith(value, "-")) &&
      flag->ParseFrom(value, &error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      FlagSpelling(info.name), "=", value, " can't be read: expected ",
      most == 0 ? "true or false"
                : absl::StrCat("a whole number in 0..", most)));
}

// A flag as it stands on the command line.
struct GivenFlag {
  std::string given;  // without the value
  std::string name;
  std::string value;
  bool has_value = false;
};

GivenFlag ReadFlag(absl::string_view argument) {
  GivenFlag flag;
  flag.given = std::string(argument.substr(0, argument.find('=')));
  if (absl::StartsWith(argument, "-o") && !absl::StartsWith(argument, "--")) {
    flag.name = "output";
    flag.value = std::string(absl::StripPrefix(argument.substr(2), "="));
    flag.has_value = !flag.value.empty();
    return flag;
  }
  argument = absl::StripPrefix(absl::StripPrefix(argument, "-"), "-");
  const size_t equals = argument.find('=');
  // --large-constants is --large_constants.
  flag.name = absl::StrReplaceAll(argument.substr(0, equals), {{"-", "_"}});
  flag.has_value = equals != absl::string_view::npos;
  if (flag.has_value) flag.value = std::string(argument.substr(equals + 1));
  const FlagInfo* known = FindFlag(flag.name);
  if (flag.has_value) return flag;
  absl::string_view positive = flag.name;
  if (known == nullptr && absl::ConsumePrefix(&positive, "no")) {
    // --nolayouts, --no-layouts
    absl::ConsumePrefix(&positive, "_");
    const FlagInfo* opposite = FindFlag(positive);
    if (opposite == nullptr || !IsBool(*opposite)) return flag;
    flag.name = std::string(opposite->name);
    flag.value = "false";
    flag.has_value = true;
  } else if (known != nullptr && (IsBool(*known) || !known->bare.empty())) {
    flag.value = IsBool(*known) ? "true" : std::string(known->bare);
    flag.has_value = true;
  }
  return flag;
}

// Whether the word is a flag of the command, and so no value of another one.
bool IsFlagOf(const CommandInfo& command, absl::string_view argument) {
  return argument != "-" && argument != "--" &&
         absl::StartsWith(argument, "-") &&
         Takes(command, ReadFlag(argument).name);
}

// `taken`: words that are the values of flags, "x.pb is the value of --output".
absl::Status CheckFiles(const CommandInfo& command,
                        const std::vector<std::string>& files,
                        const std::vector<std::string>& taken) {
  if (absl::c_count(files, "-") > 1) {
    return absl::InvalidArgumentError(
        "standard input (-) can be read once, but stands here twice");
  }
  const int count = static_cast<int>(files.size());
  if (count >= command.min_files &&
      (command.max_files < 0 || count <= command.max_files)) {
    return command.words == Words::kChoices
               ? CheckChoice(files[0], files[0], command.arguments)
               : absl::OkStatus();
  }
  const bool has_one_more = command.max_files >= 0 && taken.empty() &&
                            count == command.max_files + 1 &&
                            Takes(command, "output");
  return absl::InvalidArgumentError(absl::StrCat(
      count == 0 ? "no argument given"
                 : absl::StrCat(count, count == 1 ? " argument" : " arguments",
                                " given"),
      taken.empty() ? "" : absl::StrCat(" (", absl::StrJoin(taken, ", "), ")"),
      has_one_more ? absl::StrCat("; did you mean -o ", files.back(), "? ")
                   : "; ",
      "usage: ", CommandUsage(command)));
}

}  // namespace

absl::Span<const FlagInfo> AllFlags() { return kFlags; }

const FlagInfo* FindFlag(absl::string_view name) {
  for (const FlagInfo& flag : kFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::string FlagSpelling(absl::string_view flag) {
  return absl::StrCat("--", absl::StrReplaceAll(flag, {{"_", "-"}}));
}

std::string FlagUsage(const FlagInfo& flag) {
  if (IsTrueByDefault(flag)) {
    return absl::StrCat("--no", absl::StrReplaceAll(flag.name, {{"_", "-"}}));
  }
  const std::string name = FlagSpelling(flag.name);
  if (IsBool(flag)) return name;
  return flag.bare.empty() ? absl::StrCat(name, "=", flag.value)
                           : absl::StrCat(name, "[=", flag.value, "]");
}

std::vector<absl::string_view> Choices(absl::string_view text) {
  return absl::StrSplit(text, '|');
}

absl::string_view CommandFlag::help() const {
  if (!own_help.empty()) return own_help;
  const FlagInfo* flag = FindFlag(name);
  return flag == nullptr ? "" : flag->help;
}

std::string CommandUsage(const CommandInfo& command) {
  return absl::StrCat("indim ", command.name,
                      command.arguments.empty() ? "" : " ", command.arguments,
                      command.flags.empty() ? "" : " [FLAG...]");
}

absl::StatusOr<std::vector<std::string>> ParseArguments(
    const CommandInfo& command, absl::Span<char* const> arguments) {
  std::vector<std::string> files, taken;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--") {
      files.insert(files.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (argument == "-" || !absl::StartsWith(argument, "-")) {
      files.emplace_back(argument);
      continue;
    }
    GivenFlag flag = ReadFlag(argument);
    const FlagInfo* info = FindFlag(flag.name);
    if (info == nullptr || !Takes(command, flag.name)) {
      return UnknownFlag(command, flag.given, flag.name);
    }
    if (!flag.has_value) {
      const bool is_last = i + 1 == arguments.size();
      if (is_last || IsFlagOf(command, arguments[i + 1])) {
        return absl::InvalidArgumentError(absl::StrCat(
            FlagSpelling(info->name), " needs a value",
            is_last ? "" : absl::StrCat(", but ", arguments[i + 1], " follows"),
            ": ", info->help));
      }
      flag.value = arguments[++i];
      taken.push_back(absl::StrCat(flag.value, " is the value of ",
                                   FlagSpelling(info->name)));
    }
    const absl::Status set = SetFlag(*info, flag.value);
    if (!set.ok()) return set;
  }
  const absl::Status fits = CheckFiles(command, files, taken);
  if (!fits.ok()) return fits;
  return files;
}

}  // namespace indim

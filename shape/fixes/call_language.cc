// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/call_language.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/shape/ops/call_names.h"

namespace indim {
namespace {

std::atomic<CallLanguage> language_of_process{CallLanguage::kCpp};

// A call in each language.
using Forms = std::array<absl::string_view, 4>;
constexpr Forms kForms[] = {
#define INDIM_FIX_CALL(name, cpp, python, c, hlo) {cpp, python, c, hlo},
#include "indim/shape/fixes/fix_calls.def"
};

// A setting in each language, and its flag.
constexpr Forms kSettings[] = {
#define INDIM_SETTING(name, flag, cpp, python, c) {cpp, python, c, flag},
#include "indim/shape/fixes/settings.def"
#undef INDIM_SETTING
};

// "AllGather" is all_gather.
std::string SmallLetters(absl::string_view name) {
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && absl::ascii_isupper(name[i]) &&
        !absl::ascii_isupper(name[i - 1])) {
      snake.push_back('_');
    }
    snake.push_back(absl::ascii_tolower(name[i]));
  }
  return snake;
}

}  // namespace

bool HasHloNames(CallLanguage language) {
  return language == CallLanguage::kC || language == CallLanguage::kHlo ||
         language == CallLanguage::kStablehlo;
}

void SetCallLanguage(CallLanguage language) {
  language_of_process.store(language, std::memory_order_relaxed);
}

CallLanguage GetCallLanguage() {
  return language_of_process.load(std::memory_order_relaxed);
}

std::string CallText(FixCall call, absl::Span<const absl::string_view> args) {
  // What messages name has no form of StableHLO's.
  const CallLanguage language = std::min(GetCallLanguage(), CallLanguage::kHlo);
  const absl::string_view form =
      kForms[static_cast<size_t>(call)][static_cast<size_t>(language)];
  std::string text;
  for (size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '$' || i + 1 == form.size()) {
      text.push_back(form[i]);
      continue;
    }
    const auto arg = static_cast<size_t>(form[++i] - '0');
    if (arg < args.size()) text.append(args[arg].data(), args[arg].size());
  }
  return text;
}

std::string CallName(CallLanguage language, Opcode opcode,
                     const Attributes& attributes) {
  static constexpr absl::string_view kDirections[] = {"Eq", "Ne", "Ge",
                                                      "Gt", "Le", "Lt"};
  if (HasHloNames(language)) return std::string(Name(opcode));
  if (language == CallLanguage::kCpp && opcode == Opcode::kCompare) {
    return std::string(kDirections[static_cast<size_t>(
        As<CompareAttributes>(attributes).direction)]);
  }
  const CallNames names = CallNamesOf(opcode);
  if (language == CallLanguage::kCpp) return std::string(names.cpp);
  return names.python.empty() ? SmallLetters(names.cpp)
                              : std::string(names.python);
}

std::string SettingText(Setting setting, absl::string_view size) {
  const CallLanguage language = std::min(GetCallLanguage(), CallLanguage::kHlo);
  const absl::string_view text =
      kSettings[static_cast<size_t>(setting)][static_cast<size_t>(language)];
  return absl::StrReplaceAll(text, {{"n=8", absl::StrCat(size, "=8")}});
}

std::string CompositeName(absl::string_view cpp) {
  return GetCallLanguage() == CallLanguage::kC ? SmallLetters(cpp)
                                               : std::string(cpp);
}

}  // namespace indim

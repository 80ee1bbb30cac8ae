// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/call_language.h"

#include <atomic>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace indim {
namespace {

std::atomic<CallLanguage> language_of_process{CallLanguage::kCpp};

struct CallForms {
  absl::string_view cpp;
  absl::string_view python;
};
constexpr CallForms kForms[] = {
#define INDIM_FIX_CALL(name, cpp, python) {cpp, python},
#include "indim/shape/fixes/fix_calls.def"
#undef INDIM_FIX_CALL
};

// As bindings/python/make_ops.py has it: "AllGather" is all_gather, and "And"
// and_, since Python has words of these names.
std::string PythonName(absl::string_view name) {
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && absl::ascii_isupper(name[i]) &&
        !absl::ascii_isupper(name[i - 1])) {
      snake.push_back('_');
    }
    snake.push_back(absl::ascii_tolower(name[i]));
  }
  if (snake == "and" || snake == "or" || snake == "not") snake.push_back('_');
  return snake;
}

// The C++ builder's name of an op that takes two lists of dims, or two
// operands.
absl::string_view CppName(Opcode opcode, const Attributes& attributes) {
  static constexpr absl::string_view kDirections[] = {"Eq", "Ne", "Ge",
                                                      "Gt", "Le", "Lt"};
  switch (opcode) {
    case Opcode::kMaximum:
      return "Max";
    case Opcode::kMinimum:
      return "Min";
    case Opcode::kMultiply:
      return "Mul";
    case Opcode::kSubtract:
      return "Sub";
    case Opcode::kDivide:
      return "Div";
    case Opcode::kRemainder:
      return "Rem";
    case Opcode::kPower:
      return "Pow";
    case Opcode::kDot:
      return "DotGeneral";
    case Opcode::kCompare:
      return kDirections[static_cast<size_t>(
          As<CompareAttributes>(attributes).direction)];
    default:
      return Info(opcode).name;
  }
}

}  // namespace

void SetCallLanguage(CallLanguage language) {
  language_of_process.store(language, std::memory_order_relaxed);
}

CallLanguage GetCallLanguage() {
  return language_of_process.load(std::memory_order_relaxed);
}

std::string CallText(FixCall call, absl::Span<const absl::string_view> args) {
  const CallForms& forms = kForms[static_cast<size_t>(call)];
  const absl::string_view form =
      GetCallLanguage() == CallLanguage::kPython ? forms.python : forms.cpp;
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

std::string CallName(Opcode opcode, const Attributes& attributes) {
  if (GetCallLanguage() == CallLanguage::kPython) {
    return PythonName(Info(opcode).name);
  }
  return std::string(CppName(opcode, attributes));
}

}  // namespace indim

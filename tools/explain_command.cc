// indim explain.

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain.h"

namespace indim {
namespace {

absl::Status ReadExplainFlags(ExplainOptions* options) {
  const std::string rule = absl::GetFlag(FLAGS_rule);
  options->all_rules = rule == "all";
  options->rule = BroadcastRuleFromName(rule);
  if (!rule.empty() && !options->all_rules && !options->rule) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--rule=", rule,
        ": expected xla, none, numpy, pdpd, bidirectional or all"));
  }
  const std::string axis = absl::GetFlag(FLAGS_axis);
  int64_t number;
  if (!axis.empty()) {
    if (!absl::SimpleAtoi(axis, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--axis=", axis, ": expected a number"));
    }
    options->axis = number;
  }
  const auto mode = BroadcastableModeFromName(absl::GetFlag(FLAGS_mode));
  if (!mode) {
    return absl::InvalidArgumentError(
        absl::StrCat("--mode=", absl::GetFlag(FLAGS_mode),
                     ": expected lenient, strict or mlir"));
  }
  options->mode = *mode;
  return absl::OkStatus();
}

}  // namespace

int RunExplain(absl::Span<const std::string> arguments) {
  if (const auto rule = FindRule(arguments[0])) {
    std::cout << ExplainRule(*rule);
    return kExitOk;
  }
  const bool json = absl::GetFlag(FLAGS_json);
  for (const OpInfo& op : AllOps()) {
    if (arguments[0] != op.wire && arguments[0] != "ops") continue;
    std::cout << (json ? OpJson(op.opcode) + "\n" : ExplainOp(op.opcode));
    if (arguments[0] == op.wire) return kExitOk;
  }
  if (arguments[0] == "ops") return kExitOk;
  const std::string word = ExplainWord(arguments[0]);
  if (!word.empty()) {
    std::cout << word;
    return kExitOk;
  }
  ExplainOptions options;
  options.json = json;
  const absl::Status status = ReadExplainFlags(&options);
  if (!status.ok()) return Fail(status);
  const auto explanation = ExplainBroadcast(arguments[0], options);
  if (!explanation.ok()) return Fail(explanation.status());
  std::cout << explanation->text;
  return explanation->ok ? kExitOk : kExitErrors;
}

}  // namespace indim

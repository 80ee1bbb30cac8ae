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
  const std::string rule_name = absl::GetFlag(FLAGS_rule);
  const auto rule = BroadcastRuleFromName(rule_name);
  if (!rule) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("--rule=", rule_name,
                     ": expected xla, none, numpy, pdpd or bidirectional")));
  }
  int64_t axis;
  if (!absl::SimpleAtoi(absl::GetFlag(FLAGS_axis), &axis)) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        "--axis=", absl::GetFlag(FLAGS_axis), ": expected a number")));
  }
  const auto explanation = ExplainBroadcast(arguments[0], *rule, axis);
  if (!explanation.ok()) return Fail(explanation.status());
  std::cout << explanation->text;
  return explanation->ok ? kExitOk : kExitErrors;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// verify_cases FILE...: reads and verifies the programs of .jsonl and .mlir
// files. Prints each case on which we and the file disagree, then counts.
// --evaluate: evaluates them too. --messages: prints what we say of each.

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "indim/tests/stablehlo/import/cases.h"

namespace indim {
namespace {

int Run(const std::vector<std::string>& arguments) {
  bool evaluate = false, messages = false;
  std::map<std::string, int> counts;
  for (const std::string& argument : arguments) {
    if (argument == "--evaluate") evaluate = true;
    if (argument == "--messages") messages = true;
    if (argument.rfind("--", 0) == 0) continue;
    for (const ShloCase& c : ReadShloCases(argument)) {
      const absl::Status status =
          evaluate ? EvaluateShlo(c) : VerifyShlo(c.text);
      const std::string ours = status.ok() ? "accept" : "reject";
      const std::string wanted = c.expect.empty() ? "accept" : c.expect;
      ++counts["expected " + wanted + ", found " + ours];
      if (ours == wanted && !messages) continue;
      std::cout << "=== " << c.id << ": expected " << wanted << ", found "
                << ours << "\n";
      for (const std::string& m : c.messages)
        std::cout << "  want: " << m << "\n";
      if (!status.ok()) std::cout << status.message() << "\n";
    }
  }
  for (const auto& [what, count] : counts) {
    std::cout << count << " " << what << "\n";
  }
  return 0;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  return indim::Run(std::vector<std::string>(argv + 1, argv + argc));
}

// SPDX-License-Identifier: Apache-2.0
// Programs of StableHLO as cases: read, verified, evaluated.

#ifndef INDIM_TESTS_STABLEHLO_IMPORT_CASES_H_
#define INDIM_TESTS_STABLEHLO_IMPORT_CASES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"

namespace indim {

// A line of verify_dev.jsonl or interpret_dev.jsonl.
struct ShloCase {
  std::string id;
  std::string text;
  std::string expect;                 // "accept", "reject"; "": not said
  std::vector<std::string> messages;  // wanted parts of messages
  std::vector<std::string> kinds;     // of pairs of results
};

// The cases of a file: one a line, or, unless it ends with .jsonl, the file
// itself as one.
std::vector<ShloCase> ReadShloCases(const std::string& path);

absl::StatusOr<Module> ReadShlo(absl::string_view text);

// OK: the text can be read and verified. Else all messages.
absl::Status VerifyShlo(absl::string_view text);

// How two values must agree: "eq_const", "almost_eq_const", "close". "": they
// do; else how they don't.
std::string Compare(const Literal& actual, const Literal& expected,
                    absl::string_view kind);

// Evaluates the entry, which returns pairs of actual and expected values (with
// kinds), or has custom calls check.expect_*. OK: all agree.
absl::Status EvaluateShlo(const ShloCase& c);

}  // namespace indim

#endif  // INDIM_TESTS_STABLEHLO_IMPORT_CASES_H_

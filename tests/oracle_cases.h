// SPDX-License-Identifier: Apache-2.0
// The recorded answers of real systems, tests/data/oracle/*.jsonl: one case a
// line, asked of the system itself. See tests/data/oracle/README.md.
//
//   for (const OracleCase& c : LoadOracleCases("numpy_dev.jsonl")) {
//     if (c.rule != "numpy") continue;
//     ... c.operands ... c.Answer("expect") ...
//   }

#ifndef INDIM_TESTS_ORACLE_CASES_H_
#define INDIM_TESTS_ORACLE_CASES_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim {

// What a system answered: a shape, or ok (queries that verify), or neither: it
// refused.
struct OracleAnswer {
  std::optional<std::string> shape;
  std::optional<bool> ok;

  // Refused, or verified as wrong.
  bool refused() const { return !shape && !ok.value_or(false); }
};

struct OracleCase {
  std::string id;
  std::string rule;                     // "xla" where the line has none
  std::string query;                    // "infer" where the line has none
  std::string op;                       // may be empty
  std::vector<std::string> operands;    // shapes as text
  std::optional<std::string> result;    // verify: the recorded shape
  google::protobuf::Struct attributes;  // empty where the line has none
  google::protobuf::Struct line;        // the whole line

  // The answer in the field `name` ("expect", "hull", "formal", "table",
  // "mlir19"); nullopt where the line has no such field.
  std::optional<OracleAnswer> Answer(absl::string_view name) const;
  // A text of the line ("mode", "cause"); "" where it has none.
  std::string Text(absl::string_view name) const;
  // True where the line's field `name` is there.
  bool Has(absl::string_view name) const;
  // A number, or a list of numbers, of the line itself ("axis",
  // "target_shape"); nullopt where it has none.
  std::optional<int64_t> Int(absl::string_view name) const;
  std::optional<std::vector<int64_t>> Ints(absl::string_view name) const;
  // The same of the attributes ("broadcast_dimensions").
  std::optional<int64_t> IntAttribute(absl::string_view name) const;
  std::optional<std::vector<int64_t>> IntsAttribute(
      absl::string_view name) const;
};

// Readers for whoever walks a Struct itself: the field of `object`, nullopt
// where it is absent or of another kind. JSON numbers are doubles: exact up to
// 2^53.
std::optional<int64_t> IntField(const google::protobuf::Struct& object,
                                absl::string_view name);
std::optional<std::vector<int64_t>> IntsField(
    const google::protobuf::Struct& object, absl::string_view name);
std::optional<std::string> TextField(const google::protobuf::Struct& object,
                                     absl::string_view name);
std::optional<bool> BoolField(const google::protobuf::Struct& object,
                              absl::string_view name);
const google::protobuf::Struct* StructField(
    const google::protobuf::Struct& object, absl::string_view name);

// Lines on which Indim differs; docs/disagreements.md says why.
bool IsKnownDisagreement(absl::string_view id);

// Every line of tests/data/oracle/`file`. A file that can't be read, or a line
// that is not JSON, fails the running test and ends the list there.
std::vector<OracleCase> LoadOracleCases(absl::string_view file);

}  // namespace indim

#endif  // INDIM_TESTS_ORACLE_CASES_H_

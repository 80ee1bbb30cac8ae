// SPDX-License-Identifier: Apache-2.0
// Operations that can't be read: what is said of them.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/ops/foreign_ops.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/mlir_parser.h"

namespace indim::mlir {
namespace {

// Of `names` those that begin as `name` does, with three letters behind the
// dialect; none where that says little. "stablehlo.exponential" for
// "stablehlo.expp".
std::vector<absl::string_view> BeginningAlike(
    absl::string_view name, absl::Span<const absl::string_view> names) {
  constexpr size_t kLetters = 3, kMost = 3;
  const size_t beginning = name.find('.') + 1 + kLetters;
  std::vector<absl::string_view> alike;
  if (beginning > name.size()) return alike;
  for (const absl::string_view known : names) {
    if (absl::StartsWith(known, name.substr(0, beginning))) {
      alike.push_back(known);
    }
  }
  if (alike.size() > kMost) alike.clear();
  return alike;
}

}  // namespace

// Why programs of a dialect that MLIR's users know aren't read, and what to do;
// "": it is none of these.
absl::string_view MlirParser::WhyUnread(absl::string_view dialect) {
  if (dialect == "mhlo") {
    return "Indim doesn't read mhlo, which changes with XLA; write the program "
           "in StableHLO (mhlo-opt --hlo-legalize-to-stablehlo), or read the "
           "HLO that XLA writes beside it";
  }
  if (dialect == "vhlo") {
    return "Indim doesn't read the text of vhlo, in which portable artifacts "
           "are; read the artifact (.mlirbc), or write the program in "
           "StableHLO (stablehlo-opt --vhlo-to-version=target=current "
           "--vhlo-legalize-to-stablehlo)";
  }
  return "";
}

bool MlirParser::NoForm(const OpFrame& frame) {
  const absl::string_view name = ir_.text(frame.name);
  return lexer_.ErrorAt(
      frame.name_offset, frame.name_length,
      absl::StrCat(name,
                   " has no form of its own; expected the generic form, \"",
                   name, "\"(...)"));
}

bool MlirParser::UnknownOp(const OpFrame& frame) {
  const absl::string_view name = ir_.text(frame.name);
  const absl::string_view why = WhyUnread(DialectOf(name));
  if (!why.empty()) {
    return lexer_.ErrorAt(
        frame.name_offset, frame.name_length,
        absl::StrCat("unknown operation \"", name, "\": ", why),
        Code::kMlirDialect);
  }
  std::vector<absl::string_view> names;
  std::set<absl::string_view> dialects;
  for (const OpRow& row : Ops()) {
    names.push_back(row.name);
    dialects.insert(DialectOf(row.name));
  }
  const std::string foreign = WhyForeign(name);
  const absl::string_view near =
      InStablehlo(name).empty() ? NearestName(name, names) : "";
  const bool known = dialects.count(DialectOf(name)) > 0;
  std::string message = absl::StrCat("unknown operation \"", name, "\"");
  const std::vector<absl::string_view> alike = BeginningAlike(name, names);
  if (!near.empty()) {
    absl::StrAppend(&message, ", did you mean \"", near, "\"?");
  } else if (!foreign.empty()) {
    absl::StrAppend(&message, ": it ", foreign);
  } else if (!alike.empty()) {
    absl::StrAppend(&message, ", did you mean \"",
                    absl::StrJoin(alike, "\" or \""), "\"?");
  } else if (known) {
    // Of some dialects only what exported programs hold is read.
    std::vector<absl::string_view> siblings;
    for (const absl::string_view other : names) {
      if (DialectOf(other) == DialectOf(name)) siblings.push_back(other);
    }
    constexpr size_t kFew = 10;
    if (siblings.size() <= kFew) {
      absl::StrAppend(&message, "; of ", DialectOf(name), " Indim reads ",
                      absl::StrJoin(siblings, ", "));
    }
  } else {
    absl::StrAppend(&message, "; known are those of the dialects ",
                    absl::StrJoin(dialects, ", "));
  }
  return lexer_.ErrorAt(frame.name_offset, frame.name_length,
                        std::move(message),
                        known ? Code::kMlirOperation : Code::kMlirDialect);
}

}  // namespace indim::mlir

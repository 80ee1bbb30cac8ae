// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/question_fields.h"

#include <set>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

using google::protobuf::Value;

// Who reads which fields: lists of words between blanks; "": any.
struct ReadFields {
  const char* rules;
  const char* query;
  const char* op;
  const char* fields;
};
constexpr ReadFields kReadFields[] = {
    {"", "", "", "id rule query op operands facts constraint"},
    {"xla onnx algebraic", "", "", "attributes"},
    {"xla broadcastable", "", "", "result"},
    {"broadcastable", "", "", "mode"},
    {"xla", "", "broadcast-in-dim", "target"},
    {"pdpd", "", "", "axis"},
    {"none numpy pdpd bidirectional explicit", "broadcast", "", "target_shape"},
    {"explicit", "broadcast", "", "axes_mapping"}};

// What askers keep with their questions: the answers that they expect, where a
// question comes from. Nobody reads them, nor what begins with '_'.
constexpr char kOfAskers[] =
    "cause class contradiction expect expect_2024 formal hand hull instance "
    "kind layer lenient message mlir19 note reference_message returncode "
    "second source spec spec_expect symbolic table then today values";

std::vector<absl::string_view> Words(absl::string_view list) {
  return absl::StrSplit(list, ' ', absl::SkipEmpty());
}

bool Lists(absl::string_view list, absl::string_view word) {
  return absl::c_linear_search(Words(list), word);
}

bool Matches(absl::string_view list, absl::string_view word) {
  return list.empty() || Lists(list, word);
}

std::vector<absl::string_view> FieldsOf(const Case& c) {
  std::vector<absl::string_view> fields;
  for (const ReadFields& row : kReadFields) {
    if (!Matches(row.rules, c.rule) || !Matches(row.query, c.query) ||
        !Matches(row.op, c.op)) {
      continue;
    }
    const std::vector<absl::string_view> more = Words(row.fields);
    fields.insert(fields.end(), more.begin(), more.end());
  }
  return fields;
}

bool IsRule(absl::string_view rule) {
  return absl::c_any_of(kReadFields, [rule](const ReadFields& row) {
    return Lists(row.rules, rule);
  });
}

// Says nothing, whoever reads it.
bool IsEmpty(absl::string_view name, const Value& value) {
  return value.kind_case() == Value::kNullValue ||
         (name == "attributes" && value.kind_case() == Value::kStructValue &&
          value.struct_value().fields().empty());
}

// The attribute that `name` stands for; "": none. Of a name of one word only
// the same one.
absl::string_view MeantAttribute(
    absl::string_view name, absl::Span<const absl::string_view> attributes) {
  if (absl::c_linear_search(attributes, name)) return name;
  if (!absl::StrContains(name, '_')) return "";
  const absl::string_view near = NearestName(name, attributes);
  if (!near.empty()) return near;
  // The other way round: lhs_contracting_dims is short for what is written.
  for (const absl::string_view attribute : attributes) {
    if (!NearestName(attribute, {name}).empty()) return attribute;
  }
  return "";
}

// "of rule pdpd", "of rule explicit where query is broadcast": who reads it.
std::string ReaderOf(absl::string_view field) {
  for (const ReadFields& row : kReadFields) {
    if (!Lists(row.fields, field)) continue;
    const std::vector<absl::string_view> rules = Words(row.rules);
    return absl::StrCat("of ", rules.size() == 1 ? "rule " : "the rules ",
                        absl::StrJoin(rules, ", "),
                        *row.query == '\0' ? "" : ", query ", row.query,
                        *row.op == '\0' ? "" : ", op ", row.op);
  }
  return "";
}

std::string FaultOf(absl::string_view name, const Case& c,
                    absl::Span<const absl::string_view> attributes,
                    absl::Span<const absl::string_view> fields) {
  const std::string start = absl::StrCat("\"", name, "\" isn't read here: ");
  const absl::string_view attribute = MeantAttribute(name, attributes);
  if (!attribute.empty()) {
    return absl::StrCat(start, c.op, " has the attribute \"", attribute,
                        "\"; to fix: put it into attributes, as in "
                        "\"attributes\":{\"",
                        attribute, "\":...}");
  }
  const std::string reader = ReaderOf(name);
  if (!reader.empty()) {
    return absl::StrCat(start, "it is a field ", reader,
                        "; this question is of rule ", c.rule, ", query ",
                        c.query);
  }
  const absl::string_view near = NearestName(name, fields);
  if (!near.empty()) {
    return absl::StrCat(start, "did you mean \"", near, "\"?");
  }
  return absl::StrCat(start, "a question of rule ", c.rule, " has ",
                      absl::StrJoin(fields, ", "),
                      "; fields that begin with _ are ignored");
}

}  // namespace

std::string FaultOfFields(const google::protobuf::Struct& line, const Case& c,
                          absl::Span<const absl::string_view> attributes) {
  if (!IsRule(c.rule)) return "";
  const std::vector<absl::string_view> fields = FieldsOf(c);
  std::set<std::string> faults;  // the order of a map's fields is none
  for (const auto& [name, value] : line.fields()) {
    if (IsEmpty(name, value) || absl::StartsWith(name, "_") ||
        absl::c_linear_search(fields, name) || Lists(kOfAskers, name)) {
      continue;
    }
    faults.insert(FaultOf(name, c, attributes, fields));
  }
  return absl::StrJoin(faults, "; ");
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/oracle_cases.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace indim {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const Value* Field(const Struct& object, absl::string_view name) {
  const auto it = object.fields().find(std::string(name));
  return it == object.fields().end() ? nullptr : &it->second;
}

OracleCase FromLine(Struct line) {
  OracleCase c;
  c.id = TextField(line, "id").value_or("");
  c.rule = TextField(line, "rule").value_or("xla");
  c.query = TextField(line, "query").value_or("infer");
  c.op = TextField(line, "op").value_or("");
  if (const Value* operands = Field(line, "operands")) {
    for (const Value& operand : operands->list_value().values()) {
      c.operands.push_back(operand.string_value());
    }
  }
  c.result = TextField(line, "result");
  if (const Struct* a = StructField(line, "attributes")) c.attributes = *a;
  c.line = std::move(line);
  return c;
}

}  // namespace

std::optional<int64_t> IntField(const Struct& object, absl::string_view name) {
  const Value* v = Field(object, name);
  if (v == nullptr || v->kind_case() != Value::kNumberValue) {
    return std::nullopt;
  }
  return static_cast<int64_t>(v->number_value());
}

std::optional<std::vector<int64_t>> IntsField(const Struct& object,
                                              absl::string_view name) {
  const Value* v = Field(object, name);
  if (v == nullptr || v->kind_case() != Value::kListValue) return std::nullopt;
  std::vector<int64_t> result;
  for (const Value& item : v->list_value().values()) {
    if (item.kind_case() != Value::kNumberValue) return std::nullopt;
    result.push_back(static_cast<int64_t>(item.number_value()));
  }
  return result;
}

std::optional<std::string> TextField(const Struct& object,
                                     absl::string_view name) {
  const Value* v = Field(object, name);
  if (v == nullptr || v->kind_case() != Value::kStringValue) {
    return std::nullopt;
  }
  return v->string_value();
}

std::optional<bool> BoolField(const Struct& object, absl::string_view name) {
  const Value* v = Field(object, name);
  if (v == nullptr || v->kind_case() != Value::kBoolValue) return std::nullopt;
  return v->bool_value();
}

const Struct* StructField(const Struct& object, absl::string_view name) {
  const Value* v = Field(object, name);
  if (v == nullptr || v->kind_case() != Value::kStructValue) return nullptr;
  return &v->struct_value();
}

std::optional<OracleAnswer> OracleCase::Answer(absl::string_view name) const {
  const Struct* answer = StructField(line, name);
  if (answer == nullptr) return std::nullopt;
  return OracleAnswer{TextField(*answer, "shape"), BoolField(*answer, "ok")};
}

std::string OracleCase::Text(absl::string_view name) const {
  return TextField(line, name).value_or("");
}

bool OracleCase::Has(absl::string_view name) const {
  return Field(line, name) != nullptr;
}

std::optional<int64_t> OracleCase::Int(absl::string_view name) const {
  return IntField(line, name);
}

std::optional<std::vector<int64_t>> OracleCase::Ints(
    absl::string_view name) const {
  return IntsField(line, name);
}

std::optional<int64_t> OracleCase::IntAttribute(absl::string_view name) const {
  return IntField(attributes, name);
}

std::optional<std::vector<int64_t>> OracleCase::IntsAttribute(
    absl::string_view name) const {
  return IntsField(attributes, name);
}

bool IsKnownDisagreement(absl::string_view id) {
  // atan2 of integers; reshapes that split a bounded dim.
  constexpr absl::string_view kIds[] = {
      "xla-002274", "xla-004876", "xla-004903", "xla-004940", "xla-004957"};
  return absl::c_linear_search(kIds, id);
}

std::vector<OracleCase> LoadOracleCases(absl::string_view file) {
  const std::string path = absl::StrCat("tests/data/oracle/", file);
  std::vector<OracleCase> cases;
  std::ifstream in(path);
  EXPECT_TRUE(in.is_open()) << path << " (is //tests/data:oracle in data?)";
  std::string text;
  while (std::getline(in, text)) {
    Struct line;
    if (!google::protobuf::util::JsonStringToMessage(text, &line).ok()) {
      ADD_FAILURE() << path << ": not JSON: " << text;
      break;
    }
    cases.push_back(FromLine(std::move(line)));
  }
  EXPECT_FALSE(cases.empty()) << path;
  return cases;
}

}  // namespace indim

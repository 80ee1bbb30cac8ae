// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/case_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

// A JSON number that is an integer; nullopt for anything else. JSON numbers are
// doubles here: integers are exact up to 2^53, others within int64_t rounded.
std::optional<int64_t> IntValue(const Value& value) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value.kind_case() != Value::kNumberValue) return std::nullopt;
  const double number = value.number_value();
  if (!(number >= -kTwoTo63 && number < kTwoTo63)) return std::nullopt;
  if (std::trunc(number) != number) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace

const Value* CaseFields::Find(absl::string_view name) const {
  asked_.emplace(name);
  const auto it = object_.fields().find(std::string(name));
  if (it == object_.fields().end() ||
      it->second.kind_case() == Value::kNullValue) {
    return nullptr;
  }
  return &it->second;
}

std::vector<absl::string_view> CaseFields::Asked() const {
  return {asked_.begin(), asked_.end()};
}

std::vector<std::pair<std::string, std::string>> CaseFields::Unknown() const {
  const std::vector<absl::string_view> known = Asked();
  std::vector<std::pair<std::string, std::string>> unknown;
  for (const auto& [name, value] : object_.fields()) {
    if (asked_.find(name) == asked_.end()) {
      unknown.emplace_back(name, NearestName(name, known));
    }
  }
  std::sort(unknown.begin(), unknown.end());  // the order of a map's is none
  return unknown;
}

void CaseFields::Fail(absl::string_view name, absl::string_view what) {
  status_.Update(absl::InvalidArgumentError(absl::StrCat(name, ": ", what)));
}

const Value* CaseFields::Expect(absl::string_view name, Value::KindCase kind,
                                absl::string_view what) {
  const Value* const field = Find(name);
  if (field == nullptr || field->kind_case() == kind) return field;
  Fail(name, what);
  return nullptr;
}

template <typename List, typename ReadItem>
void CaseFields::ReadList(absl::string_view name, absl::string_view what,
                          List* value, ReadItem read) {
  const Value* const field = Expect(name, Value::kListValue, what);
  if (field == nullptr) return;
  List items;
  for (const Value& item : field->list_value().values()) {
    auto one = read(item);
    if (!one) return Fail(name, what);
    items.push_back(*std::move(one));
  }
  *value = std::move(items);
}

void CaseFields::Read(absl::string_view name, int64_t* value) {
  constexpr absl::string_view kWhat = "must be an integer";
  const Value* const field = Expect(name, Value::kNumberValue, kWhat);
  if (field == nullptr) return;
  const std::optional<int64_t> number = IntValue(*field);
  if (!number) return Fail(name, kWhat);
  *value = *number;
}

void CaseFields::Read(absl::string_view name, float* value) {
  const Value* const field =
      Expect(name, Value::kNumberValue, "must be a number");
  if (field != nullptr) *value = static_cast<float>(field->number_value());
}

void CaseFields::Read(absl::string_view name, bool* value) {
  const Value* const field =
      Expect(name, Value::kBoolValue, "must be true or false");
  if (field != nullptr) *value = field->bool_value();
}

void CaseFields::Read(absl::string_view name, std::string* value) {
  const Value* const field =
      Expect(name, Value::kStringValue, "must be a text");
  if (field != nullptr) *value = field->string_value();
}

void CaseFields::Read(absl::string_view name, DimIndices* value) {
  ReadList(name, "must be a list of integers", value, IntValue);
}

void CaseFields::Read(absl::string_view name, std::vector<bool>* value) {
  ReadList(name, "must be a list of true and false", value,
           [](const Value& item) -> std::optional<bool> {
             if (item.kind_case() != Value::kBoolValue) return std::nullopt;
             return item.bool_value();
           });
}

void CaseFields::Read(absl::string_view name, ElementType* value) {
  ReadWith(
      name,
      [](absl::string_view text) -> absl::StatusOr<ElementType> {
        std::optional<ElementType> type = ElementTypeFromName(text);
        if (type) return *type;
        const absl::string_view near = NearestElementTypeName(text);
        return absl::InvalidArgumentError(absl::StrCat(
            "unknown element type \"", text, "\"",
            near.empty() ? "" : absl::StrCat("; did you mean '", near, "'?")));
      },
      value);
}

void CaseFields::Read(absl::string_view name, Shape* value) {
  ReadWith(
      name, [](absl::string_view text) { return ParseShape(text); }, value);
}

void CaseFields::Read(absl::string_view name, std::vector<Shape>* value) {
  ReadList(name, "must be a list of shapes", value,
           [&](const Value& item) -> std::optional<Shape> {
             if (item.kind_case() != Value::kStringValue) return std::nullopt;
             absl::StatusOr<Shape> shape = ParseShape(item.string_value());
             if (shape.ok()) return *std::move(shape);
             Fail(name, shape.status().message());  // the first error stays
             return std::nullopt;
           });
}

void CaseFields::ReadWord(absl::string_view name, const AttributeWords& words,
                          int64_t* number) {
  std::string text;
  if (!Has(name)) return;
  Read(name, &text);
  std::vector<absl::string_view> all;
  for (const AttributeWord& known : words.words) {
    if (known.word == text) {
      *number = known.number;
      return;
    }
    all.push_back(known.word);
  }
  Fail(name, absl::StrCat("unknown name \"", text, "\"; expected ",
                          absl::StrJoin(all, ", ")));
}

void CaseFields::ReadSizes(absl::string_view name, int64_t unknown,
                           std::vector<int64_t>* value) {
  ReadList(name, "must be a list of integers or \"?\"", value,
           [unknown](const Value& item) {
             const bool is_unknown = item.kind_case() == Value::kStringValue &&
                                     item.string_value() == "?";
             return is_unknown ? unknown : IntValue(item);
           });
}

bool CaseFields::ReadSignatureValue(absl::string_view name, const Value& value,
                                    std::vector<Signature>* callees) {
  if (value.kind_case() != Value::kStructValue) {
    Fail(name, "must have parameters and a result");
    return false;
  }
  CaseFields fields(value.struct_value());
  Signature signature;
  fields.Read("parameters", &signature.parameters);
  fields.Read("result", &signature.result);
  if (fields.status().ok() && signature.result.is_none()) {
    fields.Fail("result", "is missing");
  }
  if (!fields.status().ok()) {
    Fail(name, fields.status().message());
    return false;
  }
  callees->push_back(std::move(signature));
  return true;
}

void CaseFields::ReadSignature(absl::string_view name,
                               std::vector<Signature>* callees) {
  const Value* field = Find(name);
  if (field != nullptr) ReadSignatureValue(name, *field, callees);
}

void CaseFields::ReadSignatures(absl::string_view name,
                                std::vector<Signature>* callees) {
  const Value* const field =
      Expect(name, Value::kListValue, "must be a list of computations");
  if (field == nullptr) return;
  for (const Value& item : field->list_value().values()) {
    if (!ReadSignatureValue(name, item, callees)) return;
  }
}

}  // namespace indim

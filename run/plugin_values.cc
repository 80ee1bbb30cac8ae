// SPDX-License-Identifier: Apache-2.0
#include "indim/run/plugin_values.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "indim/run/abi/plugin_api.h"

namespace indim::pjrt {
namespace {

std::optional<Value> ValueOf(const abi::NamedValue& from) {
  switch (from.type) {
    case abi::kString:
      return PluginText(from.value.text, from.value_size);
    case abi::kInt64:
      return from.value.integer;
    case abi::kInt64List:
      return std::vector<int64_t>(from.value.integers,
                                  from.value.integers + from.value_size);
    case abi::kFloat:
      return from.value.real;
    case abi::kBool:
      return from.value.boolean;
    default:
      return std::nullopt;
  }
}

// Fills in what depends on the kind.
struct Fill {
  abi::NamedValue* to;
  void operator()(const std::string& text) const {
    to->type = abi::kString;
    to->value.text = text.data();
    to->value_size = text.size();
  }
  void operator()(int64_t number) const {
    to->type = abi::kInt64;
    to->value.integer = number;
    to->value_size = 1;
  }
  void operator()(const std::vector<int64_t>& numbers) const {
    to->type = abi::kInt64List;
    to->value.integers = numbers.data();
    to->value_size = numbers.size();
  }
  void operator()(float number) const {
    to->type = abi::kFloat;
    to->value.real = number;
    to->value_size = 1;
  }
  void operator()(bool boolean) const {
    to->type = abi::kBool;
    to->value.boolean = boolean;
    to->value_size = 1;
  }
};

}  // namespace

std::vector<NamedValue> FromPlugin(const abi::NamedValue* values,
                                   size_t count) {
  std::vector<NamedValue> result;
  if (values == nullptr) return result;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Value> value = ValueOf(values[i]);
    if (!value) continue;
    result.push_back(
        {PluginText(values[i].name, values[i].name_size), *std::move(value)});
  }
  return result;
}

std::vector<abi::NamedValue> ToPlugin(absl::Span<const NamedValue> values) {
  std::vector<abi::NamedValue> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i].name = values[i].name.data();
    result[i].name_size = values[i].name.size();
    std::visit(Fill{&result[i]}, values[i].value);
  }
  return result;
}

}  // namespace indim::pjrt

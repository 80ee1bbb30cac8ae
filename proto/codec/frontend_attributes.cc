// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/frontend_attributes.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using field::FrontendAttributes::kMap;
using field::FrontendAttributes_MapEntry::kKey;
using field::FrontendAttributes_MapEntry::kValue;
using wire_fields::AllRecords;
using wire_fields::AppendBytes;
using wire_fields::Bytes;
using wire_fields::Record;
using Entries = std::map<std::string, std::string, std::less<>>;

Entries Read(absl::string_view wire) {
  Entries entries;
  AllRecords(wire, [&entries](const Record& entry) {
    if (entry.tag != Bytes(kMap)) return true;  // an unknown field
    absl::string_view key, value;
    AllRecords(entry.value, [&](const Record& field) {
      if (field.tag == Bytes(kKey)) key = field.value;
      if (field.tag == Bytes(kValue)) value = field.value;
      return true;
    });
    entries[std::string(key)] = std::string(value);
    return true;
  });
  return entries;
}

}  // namespace

std::string FrontendAttributesBytes(const Entries& entries) {
  std::string result;
  // An entry of a map has both fields, also empty ones.
  for (const auto& [key, value] : entries) {
    std::string bytes;
    AppendBytes(kKey, key, &bytes);
    AppendBytes(kValue, value, &bytes);
    AppendBytes(kMap, bytes, &result);
  }
  return result;
}

std::string WithFrontendAttribute(absl::string_view wire, absl::string_view key,
                                  absl::string_view value) {
  Entries entries = Read(wire);
  entries[std::string(key)] = std::string(value);
  return FrontendAttributesBytes(entries);
}

std::optional<std::string> FrontendAttribute(absl::string_view wire,
                                             absl::string_view key) {
  Entries entries = Read(wire);
  const auto found = entries.find(key);
  if (found == entries.end()) return std::nullopt;
  return std::move(found->second);
}

std::string WithoutFrontendAttribute(absl::string_view wire,
                                     absl::string_view key) {
  Entries entries = Read(wire);
  const auto found = entries.find(key);
  if (found != entries.end()) entries.erase(found);
  return FrontendAttributesBytes(entries);
}

std::vector<std::pair<std::string, std::string>> FrontendAttributesWithPrefix(
    absl::string_view wire, absl::string_view prefix) {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto& [key, value] : Read(wire)) {
    if (absl::StartsWith(key, prefix)) found.emplace_back(key, value);
  }
  return found;
}

}  // namespace indim

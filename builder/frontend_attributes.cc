#include "indim/builder/frontend_attributes.h"

#include <cstdint>
#include <map>

#include "indim/ir/wire.h"

namespace indim::internal {
namespace {

constexpr uint32_t kMap = 1;  // of FrontendAttributes
constexpr uint32_t kKey = 1;  // of an entry
constexpr uint32_t kValue = 2;

}  // namespace

std::string WithFrontendAttribute(absl::string_view wire, absl::string_view key,
                                  absl::string_view value) {
  std::map<std::string, std::string> entries;
  WireReader reader(wire);
  uint32_t tag;
  absl::string_view entry;
  while (!reader.done() && reader.ReadTag(&tag) &&
         reader.ReadLengthDelimited(&entry)) {
    WireReader fields(entry);
    absl::string_view text, entry_key, entry_value;
    while (!fields.done() && fields.ReadTag(&tag) &&
           fields.ReadLengthDelimited(&text)) {
      (TagNumber(tag) == kKey ? entry_key : entry_value) = text;
    }
    entries[std::string(entry_key)] = std::string(entry_value);
  }
  entries[std::string(key)] = std::string(value);

  std::string result;
  for (const auto& [entry_key, entry_value] : entries) {
    std::string bytes;
    AppendTag(kKey, WireType::kLengthDelimited, &bytes);
    AppendLengthDelimited(entry_key, &bytes);
    AppendTag(kValue, WireType::kLengthDelimited, &bytes);
    AppendLengthDelimited(entry_value, &bytes);
    AppendTag(kMap, WireType::kLengthDelimited, &result);
    AppendLengthDelimited(bytes, &result);
  }
  return result;
}

}  // namespace indim::internal

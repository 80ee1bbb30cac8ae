// SPDX-License-Identifier: Apache-2.0
// JsonWriter: one JSON object on one line, fields in the order they are added.
//
//   JsonWriter json;
//   json.Add("id", "a1").Add("ok", true);
//   json.text() == R"({"id":"a1","ok":true})"

#ifndef INDIM_TOOLS_OUTPUT_JSON_WRITER_H_
#define INDIM_TOOLS_OUTPUT_JSON_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

// `text` in quotes, escaped; bytes that aren't UTF-8 become U+FFFD.
std::string JsonString(absl::string_view text);

class JsonWriter {
 public:
  JsonWriter& Add(absl::string_view key, absl::string_view value);
  JsonWriter& Add(absl::string_view key, const char* value) {
    return Add(key, absl::string_view(value));
  }
  JsonWriter& Add(absl::string_view key, int64_t value);
  JsonWriter& Add(absl::string_view key, bool value);
  JsonWriter& AddNull(absl::string_view key);
  // Already JSON.
  JsonWriter& AddRaw(absl::string_view key, absl::string_view json);
  JsonWriter& AddList(absl::string_view key,
                      absl::Span<const std::string> json_values);
  JsonWriter& AddTexts(absl::string_view key,
                       absl::Span<const std::string> texts);
  JsonWriter& AddNumbers(absl::string_view key,
                         absl::Span<const int64_t> numbers);

  std::string text() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  void Key(absl::string_view key);
  std::string body_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_JSON_WRITER_H_

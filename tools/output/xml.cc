// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/xml.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "indim/proto/wire/wire.h"

namespace indim {

std::string EscapedXml(absl::string_view text) {
  std::string escaped =
      absl::StrReplaceAll(ToUtf8(text), {{"&", "&amp;"},
                                         {"<", "&lt;"},
                                         {">", "&gt;"},
                                         {"\"", "&quot;"},
                                         {"'", "&#39;"},
                                         {"\xEF\xBF\xBE", "?"},
                                         {"\xEF\xBF\xBF", "?"}});
  for (char& c : escaped) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (is_control && c != '\t' && c != '\n' && c != '\r') c = '?';
  }
  return escaped;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Text in XML: SVG, JUnit's reports.

#ifndef INDIM_TOOLS_OUTPUT_XML_H_
#define INDIM_TOOLS_OUTPUT_XML_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// `text` as the content of an element or of an attribute in quotes. What XML
// 1.0 can't hold (control characters but for tab and line ends, U+FFFE, U+FFFF,
// bytes of a path that is no UTF-8) becomes "?".
std::string EscapedXml(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_XML_H_

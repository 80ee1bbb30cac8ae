// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/printed_shape.h"

#include "absl/strings/str_cat.h"
#include "indim/shape/types/print_shape.h"

namespace indim {

void AppendListSeparator(int64_t i, int64_t interval, std::string* out) {
  if (i == 0) return;
  if (interval != 0 && i % interval == 0) {
    absl::StrAppend(out, ", /*index=", i, "*/");
  } else {
    out->append(", ");
  }
}

void AppendListSeparator(int64_t i, int64_t interval, TextBuffer* out) {
  if (i == 0) return;
  if (interval == 0 || i % interval != 0) {
    out->Append(", ");
  } else {
    out->AppendWith(
        [=](std::string* to) { AppendListSeparator(i, interval, to); });
  }
}

// Shape limits the nesting of tuples to a small depth.
void AppendPrintedShape(const Shape& shape, bool layouts, std::string* out) {
  if (!shape.is_tuple()) {
    AppendShapeText(shape, layouts, out);
    return;
  }
  out->push_back('(');
  int64_t i = 0;
  for (const Shape& element : shape.elements()) {
    AppendListSeparator(i++, kShapeInterval, out);
    AppendPrintedShape(element, layouts, out);
  }
  out->push_back(')');
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// docs/pictures.md and the pictures in it, made by `indim explain --svg`.
//
//   bazel run //tools/docs:make_docs        writes them; a test compares them

#ifndef INDIM_TOOLS_DOCS_DOC_PICTURES_H_
#define INDIM_TOOLS_DOCS_DOC_PICTURES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace indim {

struct Picture {
  const char* name;  // docs/pictures/NAME.svg
  const char* title;
  const char* words;
  const char* question;  // of `indim explain`
  const char* values;    // --values; "": counted
};

// In the page's order.
absl::Span<const Picture> Pictures();

// The picture. The status of ExplainQuestion.
absl::StatusOr<std::string> PictureSvg(const Picture& picture);

// Markdown.
std::string PicturesDocument();

}  // namespace indim

#endif  // INDIM_TOOLS_DOCS_DOC_PICTURES_H_

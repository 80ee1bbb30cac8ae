// SPDX-License-Identifier: Apache-2.0
// Documentation of codes and operations: the reason for a code, an example that
// is right and one that is wrong; what an operation does. code_docs.def and
// op_docs.def hold the texts; tools/docs/doc_tables.h makes docs/codes.md and
// docs/ops.md of them.

#ifndef INDIM_SHAPE_OPS_DOCS_H_
#define INDIM_SHAPE_OPS_DOCS_H_

#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

struct CodeDoc {
  absl::string_view why;    // one sentence
  absl::string_view right;  // an example in which nothing is wrong
  absl::string_view wrong;  // an example that has this code
};

// The code's row of code_docs.def; a row of empty texts where there is none.
const CodeDoc& DocOf(Code code);

// A line about the op; "" where op_docs.def has none.
absl::string_view DocOf(Opcode opcode);
// The result in words, for an op whose shape function determines it; else "".
absl::string_view ResultDocOf(Opcode opcode);
// A question about the op that `indim explain` answers.
absl::string_view ExampleOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_DOCS_H_

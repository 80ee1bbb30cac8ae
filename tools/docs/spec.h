// SPDX-License-Identifier: Apache-2.0
// docs/spec.md: the four documents that Indim implements, statement by
// statement, with the answer of `indim explain` to each.
//
//   bazel run //tools/docs:make_docs        writes it; spec_test compares it

#ifndef INDIM_TOOLS_DOCS_SPEC_H_
#define INDIM_TOOLS_DOCS_SPEC_H_

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace indim {

enum class SpecDocument { kTrait, kShapeInference, kOpenVino, kXla };

enum class SpecKind {
  kRule,
  kInferenceRow,     // of the trait's first table
  kVerificationRow,  // of its second
  kPseudoCode,
  kExample,
  kNumbered,  // XLA's list of examples
  kValues,    // XLA's drawings
  kLiving,    // what the document doesn't say and a living system does
};

// The columns of spec_mlir.def.
struct SpecRow {
  SpecDocument document;
  const char* section;
  SpecKind kind;
  const char* says;
  const char* question;
  const char* flags;
  const char* answer;
  const char* ours;
  const char* note;
  const char* test;
};

// In the documents' order.
absl::Span<const SpecRow> SpecRows();

// What `indim explain` is given.
std::vector<std::string> SpecArguments(const SpecRow& row);

// Its answer in short:
//   [2,3]            the result; behind it elements, if --values asked for them
//   refused: CODE    a document says "refused", without a code
//   [2,3], ok        with a recorded result: ok, error, or how each mode judges
//   [4] if CONDITION and CONDITION     what is left to run time
//   no answer: WHY   it is no question
std::string SpecAnswer(const SpecRow& row);

// Markdown.
std::string SpecPage();

}  // namespace indim

#endif  // INDIM_TOOLS_DOCS_SPEC_H_

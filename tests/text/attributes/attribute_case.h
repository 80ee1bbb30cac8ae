// SPDX-License-Identifier: Apache-2.0
// The cases of attribute_cases.txt: one instruction's attributes each, read and
// printed the way the parser and the printer of whole modules do it.

#ifndef INDIM_TESTS_TEXT_ATTRIBUTES_ATTRIBUTE_CASE_H_
#define INDIM_TESTS_TEXT_ATTRIBUTES_ATTRIBUTE_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/text/attributes/attribute_text.h"

namespace indim {

struct AttributeCase {
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  Shape result;
  std::string text;       // without the comma before it
  std::string printed;    // how XLA prints it
  bool old_xla = true;    // jaxlib's XLA knows it
  bool recorded = false;  // of a recorded module
};

// The cases of such a file; a line that isn't one is InvalidArgument.
absl::StatusOr<std::vector<AttributeCase>> ParseAttributeCases(
    absl::string_view file);

// The fields that `text` says on such an instruction, with those that it
// implies; InvalidArgument with all errors.
absl::StatusOr<AttributesRead> ReadCase(const AttributeCase& c,
                                        absl::string_view text);

// A module whose entry's root is such an instruction, called "zz"; the
// computations that the cases name are there.
std::string ModuleOfCase(const AttributeCase& c);

// How an instruction with these fields prints its attributes, without the
// comma before them: all but computations, control predecessors and metadata.
std::string PrintCase(const AttributeCase& c, const FieldList& fields,
                      const PrintOptions& options = {});

}  // namespace indim

#endif  // INDIM_TESTS_TEXT_ATTRIBUTES_ATTRIBUTE_CASE_H_

// SPDX-License-Identifier: Apache-2.0
// Questions about operations with attributes, as they are written, and the
// modules that they become. For tools/explain_call*.cc alone.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_MODULE_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_MODULE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/question_shape.h"

namespace indim {

struct WrittenAttribute {
  std::string name;
  std::string value;  // as it is written
};

// A call as it is written.
struct WrittenCall {
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  std::string raw_operands;  // of an op that has none: a constant's value
  std::vector<WrittenAttribute> attributes;
  std::optional<Shape> recorded;
  NotationsSeen seen;
};

// A module whose entry computation's root is the call, read from its HLO text.
// InvalidArgument: what its reader says, in the question's words.
absl::StatusOr<Module> AsModule(const WrittenCall& call);

// Whether `name` is an attribute of `opcode` that names a computation;
// *several: in braces.
bool IsCallee(Opcode opcode, absl::string_view name, bool* several);

// Reads "(f32[], f32[]) -> f32[]" at the start of *text.
absl::StatusOr<Signature> ConsumeSignature(absl::string_view* text);

// "'REST' isn't EXPECTED; a question looks like ...".
absl::Status NoCall(absl::string_view rest, absl::string_view expected);

// How much of `text` there is before one of `ends`, outside of brackets and
// quotes.
size_t LengthUntil(absl::string_view text, absl::string_view ends);
void SkipBlanks(absl::string_view* text);
// Removes `prefix`, and blanks before it, from the start.
bool Accept(absl::string_view prefix, absl::string_view* text);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_MODULE_H_

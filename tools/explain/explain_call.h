// SPDX-License-Identifier: Apache-2.0
// Questions of `indim explain` about operations with attributes.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_H_

#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/tools/explain/explain_node.h"
#include "indim/tools/explain/explain_question.h"

namespace indim {

// Whether `text` is one of those below and nothing that ReadBroadcastQuestion
// reads.
bool IsCall(absl::string_view text);

// Reads
//
//   dot(f32[2,3], f32[3,4]), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   f32[8,784] . f32[784,10]        a dot as Dot(x, y) makes it; so is
//   dot(f32[8,784], f32[784,10])    one without attributes
//   %y = f32[3,2]{1,0} transpose(f32[2,3]{1,0} %x), dimensions={1,0}
//   reduce(f32[2,3], f32[]), dimensions={1}, to_apply=add
//   while((s32[], f32[2])), condition=((s32[], f32[2])) -> pred[], body=...
//
// operands in any notation of question_shape.h, attributes as HLO text spells
// them (its reader reads them). A computation is the name of an elementwise
// operation, a signature, or a body in braces. A recorded result stands before
// the operation or behind "->". InvalidArgument: what is wrong, in the words of
// that reader.
//
// Of an op that broadcasts the answer is a BroadcastQuestion, which may have
// broadcast_dimensions, axis and rule too.
absl::StatusOr<std::variant<NodeQuestion, BroadcastQuestion>> ReadCall(
    absl::string_view text);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_CALL_H_

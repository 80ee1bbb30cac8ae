// SPDX-License-Identifier: Apache-2.0
// Patterns: forms of instructions as text, found in an Editor's graph.
//
//   absl::StatusOr<Pattern> fma = Pattern::Parse("add(multiply(?a, ?b), ?c)");
//   for (const PatternMatch& match : FindAll(editor, *fma)) {
//     ... match.root, match["a"], match["b"], match["c"] ...
//   }
//
// A pattern is
//
//   opcode                    an instruction of that opcode, any operands
//   opcode(P, Q)              with operands of the patterns P and Q, no others
//   opcode(P, ...)            and any further ones
//   *                         any instruction
//   ?name                     any instruction, which the match calls `name`;
//                             at its second place it must be the same one
//   ?name=opcode(...)         an instruction of that form, with a name
//   parameter(0)              a parameter of that number
//   constant(2.5)             a constant whose elements all equal the number
//
// and behind it, in this order,
//
//   , key=value               an attribute as HLO text has it, with any spaces:
//                             dot(?x, ?w), lhs_contracting_dims={1}. Inside
//                             parentheses it belongs to the operand before it.
//                             to_apply=, body= and the like name computations
//   : shape                   an element type or *, and dims: bf16[*,1024],
//   *[8],
//                             f32[], f32 (of any rank). A size is a number or
//                             *. A tuple is (f32[2], *). Layouts don't count
//
// Operations that are commutative by ops.def (add, multiply, maximum, and, ...)
// match with their operands in either order; the given order is tried first.
// Opcodes are those of HLO text.

#ifndef INDIM_EDIT_PATTERN_H_
#define INDIM_EDIT_PATTERN_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/edit/refs.h"

namespace indim {
namespace internal {
struct PatternNode;
}  // namespace internal

struct PatternMatch {
  InstructionRef root;  // of the whole pattern
  // The named instructions, in the order of the text.
  std::vector<std::pair<std::string, InstructionRef>> named;

  // A default reference: the pattern has no such name.
  InstructionRef operator[](absl::string_view name) const;
};

class Pattern {
 public:
  // InvalidArgument: no pattern. The message has the column (from 1) and what
  // was expected there; an unknown opcode's has the nearest one.
  static absl::StatusOr<Pattern> Parse(absl::string_view text);

  // How the pattern matches `root`; nullopt: it doesn't. Takes time in
  // proportion to the pattern, but for commutative operations inside each other
  // up to twice as long for each.
  std::optional<PatternMatch> Match(const Editor& editor,
                                    InstructionRef root) const;

  // Why it doesn't match `root`: "%p.1 is no multiply", "%dot.2 is f32[8,4],
  // not f32[8,*]", said of the first operand that doesn't fit, in the order in
  // which more of them do. "": it matches, or `root` is of no instruction.
  std::string Misfit(const Editor& editor, InstructionRef root) const;

 private:
  friend std::vector<InstructionRef> FindNear(const Editor& editor,
                                              const Pattern& pattern);

  explicit Pattern(std::shared_ptr<const internal::PatternNode> root)
      : root_(std::move(root)) {}
  std::shared_ptr<const internal::PatternNode> root_;
};

// All matches, by their roots: computations in order, instructions in order.
// Matches may share instructions.
std::vector<PatternMatch> FindAll(const Editor& editor, const Pattern& pattern);

// The instructions of the pattern's opcode that it doesn't match, in order:
// what to show where it was expected to. None where it names no opcode.
std::vector<InstructionRef> FindNear(const Editor& editor,
                                     const Pattern& pattern);

}  // namespace indim

#endif  // INDIM_EDIT_PATTERN_H_

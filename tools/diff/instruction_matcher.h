// SPDX-License-Identifier: Apache-2.0
// Which instructions of two computations are the same, whatever their names.
//
// Each instruction comes with numbers that are equal for equal things: its own
// text (signature), what it computes (deep: its signature and that of all it is
// computed from), and a hash of how it is used. Matched are, in this order:
// what computes the same and is used in the same way; what computes the same;
// what says the same and is used in the same way; operands and users of what is
// matched; what says the same; at last what stands at the same place of what is
// matched or has the same opcode, as the old and the new form of a line. Each
// step is linear in operands.

#ifndef INDIM_TOOLS_DIFF_INSTRUCTION_MATCHER_H_
#define INDIM_TOOLS_DIFF_INSTRUCTION_MATCHER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace indim {

// One computation as the matcher sees it. Vectors are by position in the
// computation, except operands: those of instruction i are
// operands[first_operand[i] .. first_operand[i + 1]).
struct MatchSide {
  std::vector<uint32_t> signature;
  std::vector<uint32_t> deep;
  std::vector<uint64_t> use;
  std::vector<uint32_t> opcode;
  std::vector<uint32_t> first_operand;
  std::vector<uint32_t> operands;
  std::vector<uint32_t> order;  // positions as they are printed
  uint32_t root = 0;

  size_t size() const { return signature.size(); }
  absl::Span<const uint32_t> Operands(uint32_t i) const {
    return absl::MakeConstSpan(operands).subspan(
        first_operand[i], first_operand[i + 1] - first_operand[i]);
  }
  // Fills `use` from signatures and operands.
  void HashUses();
};

constexpr uint32_t kUnmatched = ~uint32_t{0};

// The position in `b` of each instruction of `a`, or kUnmatched. No two are
// matched with one.
std::vector<uint32_t> MatchInstructions(const MatchSide& a, const MatchSide& b);

}  // namespace indim

#endif  // INDIM_TOOLS_DIFF_INSTRUCTION_MATCHER_H_

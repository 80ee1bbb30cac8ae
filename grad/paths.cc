// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/paths.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim::internal {
namespace {

bool IsActive(const ActiveLeaves& leaves) {
  return absl::c_linear_search(leaves, true);
}

// What depends on one parameter of a computation, and has tangents.
class Reach {
 public:
  Reach(const Computation& computation,
        const std::vector<ActiveLeaves>& parameters, const Instruction* by)
      : computation_(computation),
        active_(ActiveInstructions(computation, parameters, by)),
        depends_(active_.size()),
        is_used_(NeededByRoot(computation)) {
    for (const Instruction node : computation.instructions()) {
      depends_[Index(node)] =
          node.operand_count() == 0 || (by != nullptr && node == *by)
              ? IsActive(active_[Index(node)])
              : AnyOperand(node, [&](size_t i) { return depends_[i]; });
    }
  }

  bool root_depends() const { return depends_[Index(computation_.root())]; }
  bool root_is_active() const {
    return IsActive(active_[Index(computation_.root())]);
  }
  const ActiveLeaves& active(const Instruction& node) const {
    return active_[Index(node)];
  }

  // The first instruction that the root needs, and that has no tangents though
  // an operand does. Elements of tuples are the last choice.
  std::optional<Instruction> Cut() const {
    std::optional<Instruction> element;
    for (const Instruction node : computation_.instructions()) {
      if (!is_used_[Index(node)] || IsActive(active_[Index(node)]) ||
          !AnyOperand(node, [&](size_t i) { return IsActive(active_[i]); })) {
        continue;
      }
      if (node.opcode() != Opcode::kGetTupleElement) return node;
      if (!element) element = node;
    }
    return element;
  }

 private:
  static size_t Index(const Instruction& node) {
    return static_cast<size_t>(node.index());
  }
  template <typename F>
  static bool AnyOperand(const Instruction& node, F f) {
    for (const Instruction operand : node.operands()) {
      if (f(Index(operand))) return true;
    }
    return false;
  }

  Computation computation_;
  std::vector<ActiveLeaves> active_;
  std::vector<bool> depends_, is_used_;
};

// The cut in a computation that `node` calls; nullopt: none is found there.
std::optional<std::pair<Reach, Instruction>> CutInside(
    const Reach& reach, const Instruction& node) {
  for (int k = 0; k < node.callee_count(); ++k) {
    const Computation callee = node.callee(k);
    std::vector<ActiveLeaves> parameters;
    // The operands are the arguments, but for those of a branch.
    if (node.opcode() == Opcode::kConditional) {
      parameters.push_back(reach.active(node.operand(k + 1)));
    } else {
      for (const Instruction operand : node.operands()) {
        parameters.push_back(reach.active(operand));
      }
    }
    if (callee.signature().parameters.size() != parameters.size()) continue;
    Reach inner(callee, parameters, /*by=*/nullptr);
    const std::optional<Instruction> cut = inner.Cut();
    if (cut) return std::make_pair(std::move(inner), *cut);
  }
  return std::nullopt;
}

}  // namespace

std::string PathThrough(const Instruction& node,
                        absl::FunctionRef<bool(const Instruction&)> is_needed,
                        absl::FunctionRef<bool(const Instruction&)> is_active) {
  constexpr size_t kMost = 7, kEnds = 3;
  const Computation computation = node.computation();
  // An operand of each that the node reaches, on the way there.
  std::vector<int> from(static_cast<size_t>(computation.instruction_count()),
                        -1);
  for (int i = node.index() + 1; i < computation.instruction_count(); ++i) {
    if (!is_needed(computation.instruction(i))) continue;
    for (const Instruction operand : computation.instruction(i).operands()) {
      const int k = operand.index();
      if (k == node.index() || from[static_cast<size_t>(k)] >= 0) {
        from[static_cast<size_t>(i)] = k;
      }
    }
  }
  std::vector<std::string> names;
  const auto add = [&](const Instruction& at) {
    names.push_back(absl::StrCat("%", at.text_name()));
  };
  for (int i = computation.root().index(); i != node.index();
       i = from[static_cast<size_t>(i)]) {
    if (i < 0) return "";
    add(computation.instruction(i));
  }
  add(node);
  std::optional<Instruction> at = node;
  while (at && at->opcode() != Opcode::kParameter) {
    std::optional<Instruction> next;
    for (const Instruction operand : at->operands()) {
      if (!next && is_active(operand)) next = operand;
    }
    at = next;
    if (at) add(*at);
  }
  if (names.size() > kMost) {
    const size_t left_out = names.size() - 2 * kEnds;
    names.erase(names.begin() + kEnds,
                names.end() - static_cast<ptrdiff_t>(kEnds));
    names.insert(names.begin() + kEnds, absl::StrCat(left_out, " others"));
  }
  return absl::StrJoin(names, ", ");
}

std::optional<ZeroGradient> WhyZero(const Instruction& by) {
  constexpr int kMaxDepth = 200;
  Reach reach(by.computation(), {}, &by);
  if (reach.root_is_active()) return std::nullopt;
  ZeroGradient zero;
  if (!reach.root_depends()) return zero;
  zero.cut = zero.inside = reach.Cut();
  if (!zero.cut) return std::nullopt;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    auto inside = CutInside(reach, *zero.inside);
    if (!inside) break;
    reach = std::move(inside->first);
    zero.inside = inside->second;
  }
  return zero;
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/pattern.h"

#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/instruction_text.h"
#include "indim/edit/pattern_node.h"

namespace indim {

using internal::EditSession;
using internal::PatternNode;
using internal::ShapePattern;

namespace {

bool Fits(const ShapePattern& pattern, const Shape& shape) {
  if (pattern.any) return true;
  if (pattern.is_tuple) {
    if (!shape.is_tuple() ||
        shape.tuple_size() != static_cast<int>(pattern.elements.size())) {
      return false;
    }
    for (size_t k = 0; k < pattern.elements.size(); ++k) {
      if (!Fits(pattern.elements[k], shape.elements()[k])) return false;
    }
    return true;
  }
  if (shape.is_tuple() || shape.is_none()) return false;
  if (pattern.type && *pattern.type != shape.element_type()) return false;
  if (pattern.any_rank) return true;
  if (!shape.has_rank() ||
      shape.rank() != static_cast<int>(pattern.dims.size())) {
    return false;
  }
  for (size_t k = 0; k < pattern.dims.size(); ++k) {
    const Dim dim = shape.dim(static_cast<int>(k));
    if (pattern.dims[k] &&
        !(dim.is_static() && dim.size() == *pattern.dims[k])) {
      return false;
    }
  }
  return true;
}

// What of an instruction isn't as a pattern asks, its operands apart.
enum class MisfitPart {
  kNone,
  kOpcode,
  kOperandCount,
  kShape,
  kParameter,
  kValue,
  kAttributes,
};

class PatternMatcher {
 public:
  explicit PatternMatcher(const EditSession& graph) : graph_(graph) {}

  // Calls then() with the names bound; true if that is.
  using Then = absl::FunctionRef<bool()>;
  bool Match(const PatternNode& pattern, uint32_t node, Then then);
  bool Matches(const PatternNode& pattern, uint32_t node) {
    return Match(pattern, node, [] { return true; });
  }
  // See Pattern::Misfit.
  std::string Misfit(const PatternNode& pattern, uint32_t node) const;
  std::vector<std::pair<std::string, InstructionRef>> TakeNames() {
    return std::move(names_);
  }

 private:
  // Whether the operands of the pattern are also tried the other way round.
  bool IsTriedSwapped(const PatternNode& pattern, uint32_t node) const;
  bool Bind(const PatternNode& pattern, uint32_t node, Then then);
  MisfitPart FirstMisfit(const PatternNode& pattern, uint32_t node) const;
  // The operands in the order in which more of them match alone.
  std::vector<uint32_t> BestOrder(const PatternNode& pattern,
                                  uint32_t node) const;
  bool HasValue(uint32_t node, double value) const;
  // Operands from `k` on.
  bool MatchOperands(const PatternNode& pattern,
                     absl::Span<const uint32_t> operands, size_t k, Then then);

  const EditSession& graph_;
  std::vector<std::pair<std::string, InstructionRef>> names_;
};

bool PatternMatcher::HasValue(uint32_t node, double value) const {
  const absl::StatusOr<Literal> literal = internal::LiteralOf(graph_, node);
  if (!literal.ok() || literal->shape().is_tuple()) return false;
  const int64_t count = literal->element_count();
  for (int64_t i = 0; i < count; ++i) {
    if (!(literal->AsDouble(i) == value)) return false;
  }
  return count > 0;
}

MisfitPart PatternMatcher::FirstMisfit(const PatternNode& pattern,
                                       uint32_t node) const {
  const InstructionRecord& r = graph_.record(node);
  if (pattern.opcode && *pattern.opcode != r.opcode) return MisfitPart::kOpcode;
  if (pattern.has_operands) {
    const size_t count = graph_.Operands(node).size();
    if (pattern.more ? count < pattern.operands.size()
                     : count != pattern.operands.size()) {
      return MisfitPart::kOperandCount;
    }
  }
  if (pattern.shape &&
      !Fits(*pattern.shape, graph_.pools().shapes().shape(r.shape))) {
    return MisfitPart::kShape;
  }
  if (pattern.parameter && graph_.ParameterNumber(node) != *pattern.parameter) {
    return MisfitPart::kParameter;
  }
  if (pattern.value && !HasValue(node, *pattern.value)) {
    return MisfitPart::kValue;
  }
  if (!pattern.attributes.empty() &&
      !internal::HasAttributes(graph_, node, pattern.attributes)) {
    return MisfitPart::kAttributes;
  }
  return MisfitPart::kNone;
}

bool PatternMatcher::MatchOperands(const PatternNode& pattern,
                                   absl::Span<const uint32_t> operands,
                                   size_t k, Then then) {
  if (k == pattern.operands.size()) return then();
  return Match(pattern.operands[k], operands[k],
               [&] { return MatchOperands(pattern, operands, k + 1, then); });
}

bool PatternMatcher::Bind(const PatternNode& pattern, uint32_t node,
                          Then then) {
  if (pattern.name.empty()) return then();
  const InstructionRef ref = graph_.Ref(node);
  for (const auto& [name, bound] : names_) {
    if (name == pattern.name) return bound == ref && then();
  }
  names_.emplace_back(pattern.name, ref);
  if (then()) return true;
  names_.pop_back();
  return false;
}

bool PatternMatcher::Match(const PatternNode& pattern, uint32_t node,
                           Then then) {
  if (FirstMisfit(pattern, node) != MisfitPart::kNone) return false;
  return Bind(pattern, node, [&] {
    if (!pattern.has_operands) return then();
    const absl::Span<const uint32_t> operands = graph_.Operands(node);
    if (MatchOperands(pattern, operands, 0, then)) return true;
    if (!IsTriedSwapped(pattern, node)) return false;
    const uint32_t swapped[] = {operands[1], operands[0]};
    return MatchOperands(pattern, swapped, 0, then);
  });
}

bool PatternMatcher::IsTriedSwapped(const PatternNode& pattern,
                                    uint32_t node) const {
  return graph_.Operands(node).size() == 2 && pattern.operands.size() == 2 &&
         Info(graph_.record(node).opcode).has(kCommutative);
}

std::vector<uint32_t> PatternMatcher::BestOrder(const PatternNode& pattern,
                                                uint32_t node) const {
  const absl::Span<const uint32_t> operands = graph_.Operands(node);
  std::vector<uint32_t> given(operands.begin(), operands.end());
  if (!IsTriedSwapped(pattern, node)) return given;
  const auto fits = [&](size_t of_pattern, size_t of_node) {
    return PatternMatcher(graph_).Matches(pattern.operands[of_pattern],
                                          given[of_node]);
  };
  if (fits(0, 1) + fits(1, 0) > fits(0, 0) + fits(1, 1)) {
    std::swap(given[0], given[1]);
  }
  return given;
}

std::string PatternMatcher::Misfit(const PatternNode& pattern,
                                   uint32_t node) const {
  const std::string name = absl::StrCat("%", graph_.NameOf(node));
  switch (FirstMisfit(pattern, node)) {
    case MisfitPart::kNone:
      break;
    case MisfitPart::kOpcode:
      return absl::StrCat(name, " is no ", Name(*pattern.opcode));
    case MisfitPart::kOperandCount:
      return absl::StrCat(name, " has ", graph_.Operands(node).size(),
                          " operands, not ", pattern.operands.size(),
                          pattern.more ? " or more" : "");
    case MisfitPart::kShape:
      return absl::StrCat(
          name, " is ",
          graph_.pools().shapes().shape(graph_.record(node).shape).ToString(),
          ", not ", pattern.shape_text);
    case MisfitPart::kParameter:
      return absl::StrCat(name, " is parameter ", graph_.ParameterNumber(node),
                          ", not ", *pattern.parameter);
    case MisfitPart::kValue:
      return absl::StrCat(name, " isn't ", *pattern.value, " everywhere");
    case MisfitPart::kAttributes:
      for (const auto& one : pattern.attributes) {
        if (internal::HasAttributes(graph_, node, {one})) continue;
        return absl::StrCat(name, " hasn't ", one.first, "=", one.second);
      }
  }
  if (!pattern.has_operands) return "";
  const std::vector<uint32_t> operands = BestOrder(pattern, node);
  for (size_t k = 0; k < pattern.operands.size(); ++k) {
    std::string misfit =
        PatternMatcher(graph_).Misfit(pattern.operands[k], operands[k]);
    if (!misfit.empty()) return misfit;
  }
  return "";
}

// Calls see(instruction) for each, computations in order.
template <typename See>
void ForEachInstruction(const EditSession& graph, See see) {
  for (const uint32_t c : graph.computation_order()) {
    for (uint32_t node = graph.at(c).head; node != internal::kNone;
         node = graph.next(node)) {
      see(node);
    }
  }
}

}  // namespace

InstructionRef PatternMatch::operator[](absl::string_view name) const {
  for (const auto& [its_name, instruction] : named) {
    if (its_name == name) return instruction;
  }
  return InstructionRef();
}

std::optional<PatternMatch> Pattern::Match(const Editor& editor,
                                           InstructionRef root) const {
  const EditSession& graph = EditSession::Of(editor);
  const uint32_t node = graph.NodeOf(root);
  if (node == internal::kNone) return std::nullopt;
  PatternMatcher matcher(graph);
  if (!matcher.Matches(*root_, node)) return std::nullopt;
  return PatternMatch{root, matcher.TakeNames()};
}

std::string Pattern::Misfit(const Editor& editor, InstructionRef root) const {
  const EditSession& graph = EditSession::Of(editor);
  const uint32_t node = graph.NodeOf(root);
  if (node == internal::kNone || Match(editor, root)) return "";
  std::string misfit = PatternMatcher(graph).Misfit(*root_, node);
  if (!misfit.empty()) return misfit;
  return "a name of the pattern is another instruction at its next place";
}

std::vector<PatternMatch> FindAll(const Editor& editor,
                                  const Pattern& pattern) {
  std::vector<PatternMatch> matches;
  const EditSession& graph = EditSession::Of(editor);
  ForEachInstruction(graph, [&](uint32_t node) {
    std::optional<PatternMatch> match = pattern.Match(editor, graph.Ref(node));
    if (match) matches.push_back(*std::move(match));
  });
  return matches;
}

std::vector<InstructionRef> FindNear(const Editor& editor,
                                     const Pattern& pattern) {
  std::vector<InstructionRef> near;
  const std::optional<Opcode> opcode = pattern.root_->opcode;
  if (!opcode) return near;
  const EditSession& graph = EditSession::Of(editor);
  ForEachInstruction(graph, [&](uint32_t node) {
    const InstructionRef ref = graph.Ref(node);
    if (graph.record(node).opcode == *opcode && !pattern.Match(editor, ref)) {
      near.push_back(ref);
    }
  });
  return near;
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/pattern.h"

#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"
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

class PatternMatcher {
 public:
  explicit PatternMatcher(const EditSession& graph) : graph_(graph) {}

  // Calls then() with the names bound; true if that is.
  using Then = absl::FunctionRef<bool()>;
  bool Match(const PatternNode& pattern, uint32_t node, Then then);
  std::vector<std::pair<std::string, InstructionRef>> TakeNames() {
    return std::move(names_);
  }

 private:
  bool Bind(const PatternNode& pattern, uint32_t node, Then then);
  // Whether all but the operands fits.
  bool FitsAlone(const PatternNode& pattern, uint32_t node) const;
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

bool PatternMatcher::FitsAlone(const PatternNode& pattern,
                               uint32_t node) const {
  const InstructionRecord& r = graph_.record(node);
  if (pattern.opcode && *pattern.opcode != r.opcode) return false;
  if (pattern.has_operands) {
    const size_t count = graph_.Operands(node).size();
    if (pattern.more ? count < pattern.operands.size()
                     : count != pattern.operands.size()) {
      return false;
    }
  }
  if (pattern.shape &&
      !Fits(*pattern.shape, graph_.pools().shapes().shape(r.shape))) {
    return false;
  }
  if (pattern.parameter && graph_.ParameterNumber(node) != *pattern.parameter) {
    return false;
  }
  if (pattern.value && !HasValue(node, *pattern.value)) return false;
  if (pattern.attributes.empty()) return true;
  return internal::HasAttributes(graph_, node, pattern.attributes);
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
  if (!FitsAlone(pattern, node)) return false;
  return Bind(pattern, node, [&] {
    if (!pattern.has_operands) return then();
    const absl::Span<const uint32_t> operands = graph_.Operands(node);
    if (MatchOperands(pattern, operands, 0, then)) return true;
    if (operands.size() != 2 || pattern.operands.size() != 2 ||
        !Info(graph_.record(node).opcode).has(kCommutative)) {
      return false;
    }
    const uint32_t swapped[] = {operands[1], operands[0]};
    return MatchOperands(pattern, swapped, 0, then);
  });
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
  if (!matcher.Match(*root_, node, [] { return true; })) return std::nullopt;
  return PatternMatch{root, matcher.TakeNames()};
}

std::vector<PatternMatch> FindAll(const Editor& editor,
                                  const Pattern& pattern) {
  std::vector<PatternMatch> matches;
  const EditSession& graph = EditSession::Of(editor);
  for (const uint32_t c : graph.computation_order()) {
    for (uint32_t node = graph.at(c).head; node != internal::kNone;
         node = graph.next(node)) {
      std::optional<PatternMatch> match =
          pattern.Match(editor, graph.Ref(node));
      if (match) matches.push_back(*std::move(match));
    }
  }
  return matches;
}

}  // namespace indim

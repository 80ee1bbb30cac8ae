// SPDX-License-Identifier: Apache-2.0
// Derivatives of asynchronous pairs, as those of what a pair does. A -start
// gives a tuple of its operands, its results and contexts, a -done one of these
// parts. Tangents of collectives are in collectives.cc.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/shape/types/leaf_range.h"

namespace indim::internal {
namespace {

// The tangents of an element of operand 0.
TangentLeaves TangentsOfElement(const Primal& node, int64_t index) {
  const LeafRange part = LeavesAt(node.shape(0), {index});
  const auto begin =
      node.tangents(0).begin() + static_cast<ptrdiff_t>(part.first);
  return TangentLeaves(begin, begin + static_cast<ptrdiff_t>(part.count));
}

}  // namespace

absl::Status TangentGetTupleElement(Primal& node) {
  node.tangents() = TangentsOfElement(
      node, As<GetTupleElementAttributes>(node.node().attributes()).index);
  return absl::OkStatus();
}

// Of a collective: its results.
absl::Status TangentPairDone(Primal& node) {
  node.tangents() = TangentsOfElement(node, 1);
  return absl::OkStatus();
}

// The copy, what was copied, a context.
absl::Status TangentCopyStart(Primal& node) {
  const TangentLeaves& given = node.tangents(0);
  for (size_t i = 0; i < given.size(); ++i) {
    node.tangents()[i] = node.tangents()[given.size() + i] = given[i];
  }
  return absl::OkStatus();
}

absl::Status TangentCopyDone(Primal& node) {
  node.tangents() = TangentsOfElement(node, 0);
  return absl::OkStatus();
}

// What it wraps is computed in its place, and the pair is a tuple.
absl::Status TangentAsyncStart(Primal& node) {
  ComputationBuilder& b = node.b();
  std::vector<Traced> arguments;
  std::vector<Op> operands;
  TangentLeaves tangents;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    arguments.push_back(node.traced(i));
    operands.push_back(node.x(i));
    const TangentLeaves& part = node.tangents(i);
    tangents.insert(tangents.end(), part.begin(), part.end());
  }
  const ActiveLeaves& all = node.wanted();
  const LeafRange part = LeavesAt(node.shape(), {1});
  const auto begin = all.begin() + static_cast<ptrdiff_t>(part.first);
  const ActiveLeaves wanted(begin, begin + static_cast<ptrdiff_t>(part.count));
  absl::StatusOr<Traced> result =
      Linearizer(&node.context(), &node.tape(), node.SiteOf(0))
          .Run(node.node().callee(0), arguments, {}, &wanted);
  if (!result.ok()) return result.status();
  tangents.insert(tangents.end(), result->tangents.begin(),
                  result->tangents.end());
  tangents.resize(all.size());
  std::vector<Op> parts = {b.Tuple(operands), result->value};
  for (const Shape& context : node.shape().elements().subspan(2)) {
    if (!context.is_array()) return node.Refuse("its context is no array");
    parts.push_back(b.Splat(0, context.WithoutLayout()));
  }
  node.Set({b.Tuple(parts), std::move(tangents)});
  return absl::OkStatus();
}

absl::Status TangentAsyncUpdate(Primal& node) {
  node.Set(node.traced(0));
  return absl::OkStatus();
}

absl::Status TangentAsyncDone(Primal& node) {
  node.Set(
      {node.b().GetTupleElement(node.x(0), 1), TangentsOfElement(node, 1)});
  return absl::OkStatus();
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
// Tangents of collectives, which are linear, and their transposes. What is
// differentiated is the sum over the devices of <cotangent, result>.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/transposer.h"

namespace indim::internal {
namespace {

// Whether every device is alone in its group: then nothing is exchanged.
bool IsAlone(const CollectiveAttributes& collective) {
  const std::vector<std::vector<int64_t>>& groups =
      collective.replica_groups.groups;
  if (groups.empty()) return false;
  for (const std::vector<int64_t>& group : groups) {
    if (group.size() != 1) return false;
  }
  return true;
}

// The node's attributes with a channel of their own, if it has one: XLA lets
// collectives share one only if they are the same operation.
Attributes WithFreshChannel(const Primal& node) {
  Attributes attributes = node.node().attributes();
  const auto renew = [&](int64_t* channel_id) {
    if (*channel_id > 0) *channel_id = ++*node.context().last_channel;
  };
  if (auto* permute = std::get_if<CollectivePermuteAttributes>(&attributes)) {
    renew(&permute->channel_id);
  } else if (auto* held = std::get_if<CollectiveAttributes>(&attributes)) {
    renew(&held->channel_id);
  }
  return attributes;
}

}  // namespace

// Of several operands each is exchanged by itself.
absl::Status TangentCollective(Primal& node) {
  Tape& tape = node.tape();
  const int count = node.node().operand_count();
  const auto parts = static_cast<size_t>(count);
  if (node.tangents().size() != parts) {
    return node.Refuse("it joins its operands");
  }
  for (size_t i = 0; i < parts; ++i) {
    const Tangent& t = node.t(static_cast<int>(i));
    if (!t) continue;
    const Shape& shape =
        node.shape().is_tuple() ? node.shape().elements()[i] : node.shape();
    node.tangents()[i] = tape.Record(
        node.node().opcode(), {*t}, WithFreshChannel(node),
        shape.WithoutLayout(), node.context().copies.CalleesOf(node.node()));
  }
  return absl::OkStatus();
}

absl::Status TangentAllReduce(Primal& node) {
  if (IsAlone(As<CollectiveAttributes>(node.node().attributes()))) {
    for (size_t i = 0; i < node.tangents().size(); ++i) {
      node.tangents()[i] = node.t(static_cast<int>(i));
    }
    return absl::OkStatus();
  }
  if (ScalarFoldOf(node.node().callee(0)) != ScalarFold::kAdd) {
    return node.Refuse(
        "over several devices it has a derivative only if it is a sum");
  }
  return TangentCollective(node);
}

absl::Status TangentReduceScatter(Primal& node) {
  if (!IsAlone(As<CollectiveAttributes>(node.node().attributes())) &&
      ScalarFoldOf(node.node().callee(0)) != ScalarFold::kAdd) {
    return node.Refuse(
        "over several devices it has a derivative only if it is a sum");
  }
  return TangentCollective(node);
}

// Of an array. A tuple of parts, one from each device, isn't done.
absl::Status TangentAllToAll(Primal& node) {
  if (node.shape().is_tuple()) {
    return node.Refuse("it gives a tuple of parts", "give it an array");
  }
  return TangentCollective(node);
}

void TransposeAllReduce(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  step.Give(0, b.AddInstruction(Opcode::kAllReduce, {step.cotangent()},
                                step.attributes(), step.shape(0),
                                {AdderOf(&b, step.shape(0))}));
}

void TransposeAllGather(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  step.Give(0, b.AddInstruction(Opcode::kReduceScatter, {step.cotangent()},
                                step.attributes(), step.shape(0),
                                {AdderOf(&b, step.shape(0))}));
}

void TransposeReduceScatter(const TapeStep& step) {
  step.Give(0, step.out().AddInstruction(Opcode::kAllGather, {step.cotangent()},
                                         step.attributes(), step.shape(0)));
}

// Of an array: one dim is split and joined.
void TransposeAllToAll(const TapeStep& step) {
  step.Give(0, step.out().AddInstruction(Opcode::kAllToAll, {step.cotangent()},
                                         step.attributes(), step.shape(0)));
}

void TransposeCollectivePermute(const TapeStep& step) {
  auto permute = As<CollectivePermuteAttributes>(step.attributes());
  for (auto& [source, target] : permute.source_target_pairs) {
    std::swap(source, target);
  }
  step.Give(
      0, step.out().AddInstruction(Opcode::kCollectivePermute,
                                   {step.cotangent()}, permute, step.shape(0)));
}

}  // namespace indim::internal

// SPDX-License-Identifier: Apache-2.0
// Tangents of collectives, which are linear, and their transposes. What is
// differentiated is the sum over the devices of <cotangent, result>.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/strip.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/transposer.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/sharding/values/replica_groups.h"

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

// A channel that nothing else has, where there is one: XLA lets collectives
// share a channel only if they are the same operation.
int64_t FreshChannel(GradientContext* context, int64_t channel_id) {
  return channel_id > 0 ? ++*context->last_channel : channel_id;
}

// A sum over the devices of `attributes`. Either all all-reduces of a module
// demand layouts or none does (IND0767): this one as the others.
Op SumOverDevices(ComputationBuilder& b, Op x, const GradientContext& context,
                  CollectiveAttributes attributes) {
  attributes.constrain_layout = false;
  for (const Computation computation : context.module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (!IsAllReduce(node.opcode())) continue;
      attributes.constrain_layout |=
          As<CollectiveAttributes>(node.attributes()).constrain_layout;
    }
  }
  return b.AddInstruction(Opcode::kAllReduce, {x}, attributes, {},
                          {AdderOf(&b, ShapeIn(b, x))});
}

// The node's attributes with a channel of their own.
Attributes WithFreshChannel(const Primal& node) {
  Attributes attributes = node.node().attributes();
  if (auto* permute = std::get_if<CollectivePermuteAttributes>(&attributes)) {
    permute->channel_id = FreshChannel(&node.context(), permute->channel_id);
  } else if (auto* held = std::get_if<CollectiveAttributes>(&attributes)) {
    held->channel_id = FreshChannel(&node.context(), held->channel_id);
  }
  return attributes;
}

// Whether each group's members are devices, and none is there twice: XLA's
// verifier lets anything pass in a broadcast.
bool AreDevices(const ReplicaGroups& groups) {
  absl::flat_hash_set<int64_t> members;
  return absl::c_all_of(groups.groups, [&](const auto& group) {
    return absl::c_all_of(group, [&](int64_t id) {
      return id >= 0 && members.insert(id).second;
    });
  });
}

// What reaches the first member of each group of `broadcast`, which are lists:
// the sum of its members' values; elsewhere 0. Permutations name devices as the
// broadcast does, whatever its channel says, which an all-reduce doesn't.
Op SumAtSenders(ComputationBuilder& b, Op x, GradientContext* context,
                const CollectiveAttributes& broadcast) {
  const std::vector<std::vector<int64_t>>& groups =
      broadcast.replica_groups.groups;
  size_t members = 1;
  for (const auto& group : groups) members = std::max(members, group.size());
  Tangent sum;
  for (size_t k = 0; k < members; ++k) {
    CollectivePermuteAttributes permute;
    permute.channel_id = FreshChannel(context, broadcast.channel_id);
    for (const auto& group : groups) {
      if (k < group.size()) {
        permute.source_target_pairs.emplace_back(group[k], group[0]);
      }
    }
    Op part = x;
    if (groups.empty()) {  // all replicas are one group
      permute.source_target_pairs = {{0, 0}};
      CollectiveAttributes all = broadcast;
      all.use_global_device_ids = false;  // means nothing of a broadcast
      part = SumOverDevices(b, x, *context, all);
    }
    part = b.AddInstruction(Opcode::kCollectivePermute, {part}, permute);
    sum = sum ? b.Add(*sum, part) : part;
  }
  return *sum;
}

// pred of `shape`: whether its row is in one of the parts that begin at
// `starts` and have `sizes` rows, which are arrays of any rank.
Op RowsIn(ComputationBuilder& b, const Shape& shape, Op starts, Op sizes) {
  starts = b.Reshape(starts, {-1});
  sizes = b.Reshape(sizes, {-1});
  Shape all = ShapeIn(b, starts);
  all.add_dim(shape.dim(0));
  const DimIndices parts = {0};
  const Op row = b.Iota(all, 1);
  const Op inside =
      b.And(b.Ge(row, SpreadTo(b, starts, parts, all)),
            b.Lt(row, SpreadTo(b, b.Add(starts, sizes), parts, all)));
  return SpreadTo(b, b.Reduce(inside, ReduceKind::kOr, {0}), {0}, shape);
}

// Of several operands each is exchanged by itself. `results` are the arrays of
// the result that this gives, its leaves from `first` on. Of a -start the
// tangents are exchanged by the pair.
absl::Status Exchange(Primal& node, size_t first, const Shape& results) {
  const std::vector<Shape> shapes = LeafShapes(results);
  const auto count = static_cast<size_t>(node.node().operand_count());
  if (shapes.size() != count) return node.Refuse("it joins its operands");
  const absl::string_view name =
      absl::StripSuffix(Info(node.node().opcode()).wire, "-start");
  for (size_t i = 0; i < count; ++i) {
    const Tangent& t = node.t(static_cast<int>(i));
    if (!t) continue;
    node.tangents()[first + i] =
        node.tape().Record(OpcodeFromName(name).value_or(node.node().opcode()),
                           absl::MakeConstSpan(&*t, 1), WithFreshChannel(node),
                           shapes[i].WithoutLayout(),
                           node.context().copies.CalleesOf(node.node()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TangentCollective(Primal& node) {
  return Exchange(node, 0, node.shape());
}

// A tuple of the operands, the results, and contexts.
absl::Status TangentCollectiveStart(Primal& node) {
  return Exchange(node, LeavesAt(node.shape(), {1}).first,
                  node.shape().elements()[1]);
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

namespace {

// Each device sends part i to device i of its group: the transpose is the same.
void ExchangeParts(Primal& node) {
  ComputationBuilder* const b = &node.b();
  GradientContext* const context = &node.context();
  const auto exchange = As<CollectiveAttributes>(WithFreshChannel(node));
  std::vector<Shape> parts;
  std::vector<Tangent> tangents;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    parts.push_back(node.shape(i).WithoutLayout());
    tangents.push_back(node.t(i));
  }
  const auto exchanged = [parts](ComputationBuilder* out,
                                 const CollectiveAttributes& attributes,
                                 absl::Span<const Tangent> t) {
    std::vector<Op> operands;
    for (size_t i = 0; i < parts.size(); ++i) {
      operands.push_back(t[i] ? *t[i] : out->Splat(0, parts[i]));
    }
    const Op all = out->AddInstruction(Opcode::kAllToAll, operands, attributes);
    std::vector<Tangent> results;
    for (size_t i = 0; i < parts.size(); ++i) {
      results.push_back(out->GetTupleElement(all, static_cast<int64_t>(i)));
    }
    return results;
  };
  LinearFunction function;
  function.apply = [=](absl::Span<const Tangent> t) {
    return exchanged(b, exchange, t);
  };
  function.transpose = [=](ComputationBuilder* out,
                           const std::function<Op(Op)>&,
                           absl::Span<const Tangent> g) {
    CollectiveAttributes back = exchange;
    back.channel_id = FreshChannel(context, exchange.channel_id);
    return exchanged(out, back, g);
  };
  const std::vector<Tangent> results =
      node.tape().Apply(std::move(function), tangents, parts);
  node.tangents().assign(results.begin(), results.end());
}

}  // namespace

// Of an array, or of a tuple of parts.
absl::Status TangentAllToAll(Primal& node) {
  if (!node.shape().is_tuple()) return TangentCollective(node);
  ExchangeParts(node);
  return absl::OkStatus();
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

namespace {

// Emits an exchange of an array.
using Exchanged =
    std::function<Op(ComputationBuilder&, Op, const CollectiveAttributes&)>;

// Each array of the result is that operand's, exchanged by itself on a channel
// of its own: `forth` is linear, `back` its transpose. Both get the node's
// attributes with that channel.
void ExchangeEach(Primal& node, const Exchanged& forth, const Exchanged& back) {
  ComputationBuilder* const b = &node.b();
  for (size_t k = 0; k < node.tangents().size(); ++k) {
    const int i = static_cast<int>(k);
    if (!node.t(i)) continue;
    const auto attributes = As<CollectiveAttributes>(WithFreshChannel(node));
    LinearFunction function;
    function.apply = [=](absl::Span<const Tangent> t) -> std::vector<Tangent> {
      return {forth(*b, *t[0], attributes)};
    };
    function.transpose = [=](ComputationBuilder* out,
                             const std::function<Op(Op)>&,
                             absl::Span<const Tangent> g) {
      return std::vector<Tangent>{back(*out, *g[0], attributes)};
    };
    node.tangents()[k] = node.tape().Apply(std::move(function), {node.t(i)},
                                           {node.shape(i).WithoutLayout()})[0];
  }
}

}  // namespace

// The first member of a group sends: to it goes the sum.
absl::Status TangentCollectiveBroadcast(Primal& node) {
  auto listed = As<CollectiveAttributes>(node.node().attributes());
  if (listed.has_dynamic_root) {
    return node.Refuse("its senders are known at run time only",
                       "name them in its groups");
  }
  if (!SpellGroups(&listed.replica_groups)) {
    return node.Refuse("its groups name too many devices");
  }
  if (!AreDevices(listed.replica_groups)) {
    return node.Refuse("its groups name a device twice, or a negative one");
  }
  GradientContext* const context = &node.context();
  ExchangeEach(
      node,
      [](ComputationBuilder& b, Op x, const CollectiveAttributes& broadcast) {
        return b.AddInstruction(Opcode::kCollectiveBroadcast, {x}, broadcast);
      },
      [=](ComputationBuilder& b, Op g, const CollectiveAttributes& broadcast) {
        CollectiveAttributes senders = broadcast;
        senders.replica_groups = listed.replica_groups;
        return SumAtSenders(b, g, context, senders);
      });
  return absl::OkStatus();
}

namespace {

// x of the first member of each group, at all its members. Elsewhere a
// reduction of ones is 0.
Op FromRoots(ComputationBuilder& b, Op x, GradientContext* context,
             const CollectiveAttributes& reduce) {
  CollectiveAttributes attributes = reduce;
  const Shape shape = ShapeIn(b, x);
  const Shape scalar = Shape::Scalar(shape.element_type());
  attributes.channel_id = FreshChannel(context, reduce.channel_id);
  const Op members =
      b.AddInstruction(Opcode::kCollectiveReduce, {b.Splat(1, scalar)},
                       attributes, {}, {AdderOf(&b, scalar)});
  const Op is_root = b.Ne(members, b.Splat(0, scalar));
  attributes.channel_id = FreshChannel(context, reduce.channel_id);
  return SumOverDevices(b, b.Select(is_root, x, b.Splat(0, shape)), *context,
                        attributes);
}

}  // namespace

// A sum at the first member of each group: from there its cotangent comes back.
absl::Status TangentCollectiveReduce(Primal& node) {
  const auto& own = As<CollectiveAttributes>(node.node().attributes());
  if (own.has_dynamic_root) {
    return node.Refuse("its roots are known at run time only",
                       "name them in its groups");
  }
  if (IsAlone(own) || ScalarFoldOf(node.node().callee(0)) != ScalarFold::kAdd) {
    return TangentAllReduce(node);
  }
  GradientContext* const context = &node.context();
  ExchangeEach(
      node,
      [](ComputationBuilder& b, Op x, const CollectiveAttributes& reduce) {
        return b.AddInstruction(Opcode::kCollectiveReduce, {x}, reduce, {},
                                {AdderOf(&b, ShapeIn(b, x))});
      },
      [=](ComputationBuilder& b, Op g, const CollectiveAttributes& reduce) {
        return FromRoots(b, g, context, reduce);
      });
  return absl::OkStatus();
}

// Linear in the input and in the output that it writes into. What was sent goes
// back: the sizes are exchanged, and each device asks the others where its rows
// lie. Source: JAX.
absl::Status TangentRaggedAllToAll(Primal& node) {
  if (node.shape(0).rank() == 0 || node.shape(1).rank() == 0) {
    return node.Refuse("a scalar has no rows to send");
  }
  ComputationBuilder* const b = &node.b();
  GradientContext* const context = &node.context();
  const auto exchange = As<CollectiveAttributes>(WithFreshChannel(node));
  std::vector<Op> x;
  for (int i = 0; i < 6; ++i) x.push_back(node.x(i));
  const Shape input = node.shape(0).WithoutLayout();
  const Shape output = node.shape(1).WithoutLayout();
  LinearFunction function;
  function.apply = [=](absl::Span<const Tangent> t) -> std::vector<Tangent> {
    return {b->AddInstruction(
        Opcode::kRaggedAllToAll,
        {t[0] ? *t[0] : b->Splat(0, input), t[1] ? *t[1] : b->Splat(0, output),
         x[2], x[3], x[4], x[5]},
        exchange)};
  };
  function.transpose = [=](ComputationBuilder* out,
                           const std::function<Op(Op)>& value_of,
                           absl::Span<const Tangent> g) {
    const auto asked = [&](Op offsets) {
      CollectiveAttributes all_to_all = exchange;
      all_to_all.channel_id = FreshChannel(context, exchange.channel_id);
      all_to_all.dimensions = {0};
      return out->AddInstruction(Opcode::kAllToAll, {value_of(offsets)},
                                 all_to_all);
    };
    const Op from = asked(x[4]), received = value_of(x[5]);
    const Op back = out->AddInstruction(Opcode::kRaggedAllToAll,
                                        {*g[0], out->Splat(0, input), from,
                                         received, asked(x[2]), value_of(x[3])},
                                        exchange);
    const Op kept = out->Select(RowsIn(*out, output, from, received),
                                out->Splat(0, output), *g[0]);
    return std::vector<Tangent>{back, kept};
  };
  node.Set(node.tape().Apply(std::move(function), {node.t(0), node.t(1)},
                             {node.shape()})[0]);
  return absl::OkStatus();
}

}  // namespace indim::internal

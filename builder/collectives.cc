// SPDX-License-Identifier: Apache-2.0
// Collectives of DeviceOps.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"
#include "indim/shape/infer/builder_forms.h"
#include "indim/sharding/values/replica_groups.h"
#include "indim/sharding/values/tile_assignment.h"

namespace indim {
namespace {

using internal::ForItself;
using internal::One;
using internal::Recorder;
using internal::RejectText;
using internal::With;

// `attributes` as every collective records them. Axes of a mesh are counted
// here, once, for the shape functions; invalid axes stay uncounted, and the
// checks of the graph report them.
CollectiveAttributes Counted(CollectiveAttributes attributes,
                             bool constrain_layout) {
  CountMeshGroups(&attributes.replica_groups);
  if (constrain_layout) attributes.constrain_layout = true;
  return attributes;
}

CollectiveAttributes Sharded(CollectiveAttributes attributes, int64_t dimension,
                             int64_t shard_count, bool constrain_layout) {
  attributes.dimensions = {dimension};
  if (shard_count != 0) attributes.shard_count = shard_count;
  return Counted(std::move(attributes), constrain_layout);
}

// Records a collective of arrays, or of one tuple's elements.
class Collective {
 public:
  Collective(Recorder* recorder, Opcode opcode, CollectiveAttributes attributes,
             Caller caller)
      : recorder_(recorder),
        opcode_(opcode),
        attributes_(std::move(attributes)),
        caller_(caller) {}

  absl::Span<const Callee> callees = {};
  const std::optional<Layout>* layout = nullptr;
  const std::optional<ShapeArg>* declared = nullptr;

  Op Of(absl::Span<const Op> operands) const {
    const Shape* first =
        operands.size() == 1 ? recorder_->ShapeOf(operands[0]) : nullptr;
    if (first == nullptr || !first->is_tuple()) return Record(operands);
    InferContext context;
    if (!CheckCollectiveTuple(&context, opcode_, *first)) {
      return recorder_->Reject(opcode_, operands,
                               std::move(*context.mutable_diagnostics()),
                               caller_);
    }
    const int count = first->tuple_size();
    const bool wraps = count == 1 && IsAllReduce(opcode_);
    std::optional<ForItself> part(recorder_);
    std::vector<Op> elements;
    for (int i = 0; i < count; ++i) {
      const Attributes index = GetTupleElementAttributes{i};
      elements.push_back(recorder_->Record(
          {Opcode::kGetTupleElement, operands, &index}, caller_));
    }
    if (!wraps) part.reset();
    const Op result = Record(elements);
    if (!wraps) return result;
    part.reset();
    return recorder_->Record({Opcode::kTuple, {result}}, caller_);
  }

 private:
  Op Record(absl::Span<const Op> operands) const {
    const Attributes held = attributes_;
    Recorder::Request request{opcode_, operands, &held, nullptr, callees};
    if (layout != nullptr && layout->has_value()) request.layout = &**layout;
    if (declared != nullptr && declared->has_value()) {
      const ShapeArg& shape = **declared;
      if (!shape.shape().ok()) {
        return RejectText(recorder_, opcode_, operands, shape, caller_);
      }
      request.declared = &*shape.shape();
    }
    return recorder_->Record(request, caller_);
  }

  Recorder* const recorder_;
  const Opcode opcode_;
  const CollectiveAttributes attributes_;
  const Caller caller_;
};

Op Reduced(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
           const Callee& computation, CollectiveAttributes attributes,
           const std::optional<ShapeArg>& shape, Caller caller) {
  Collective collective(recorder, opcode,
                        Counted(std::move(attributes), shape.has_value()),
                        caller);
  collective.callees = One(computation);
  collective.declared = &shape;
  return collective.Of(operands);
}

// The shape that the devices exchange of an operand; nullopt: the context has
// an error.
std::optional<Shape> Exchanged(InferContext* context, const Shape& operand,
                               int64_t split_dimension,
                               int64_t concat_dimension, int64_t split_count) {
  if (split_count < 1) {
    return context->Diagnose(Code::kAttributeRange)
        .Arg(std::string("split_count"))
        .Arg(split_count)
        .Arg(int64_t{1});
  }
  CollectiveAttributes asked;
  asked.split_dimension = split_dimension;
  asked.concat_dimension = concat_dimension;
  asked.shard_count = split_count;
  const Attributes attributes = std::move(asked);
  const Shape* operands[] = {&operand};
  OpInputs inputs;
  inputs.opcode = Opcode::kAllToAll;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  return InferShape(context, inputs);
}

// Whether an array can be exchanged. Where the split dim is another one than
// the concat dim, or there is a layout, more operations are recorded around the
// all-to-all, and these need its sizes. The error is `context`'s.
bool CanExchange(InferContext* context, const Shape& operand,
                 int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count, bool has_layout) {
  if (!Exchanged(context, operand, split_dimension, concat_dimension,
                 split_count)) {
    return false;
  }
  if (split_dimension == concat_dimension && !has_layout) return true;
  if (!operand.has_rank()) {
    context->Diagnose(Code::kRankNeeded, 0);
    return false;
  }
  for (int i = 0; i < operand.rank(); ++i) {
    const Dim size = operand.dim(i);
    if (size.is_static() || (size.is_symbolic() && !has_layout)) continue;
    context->Diagnose(Code::kSizeNeeded, 0, i);
    return false;
  }
  return true;
}

// Where there are no groups: one of the replicas 0 to `count` - 1.
void FillGroups(int64_t count, ReplicaGroups* groups) {
  if (!groups->groups.empty() || groups->iota_groups != 0 || groups->mesh) {
    return;
  }
  groups->groups.emplace_back();
  for (int64_t i = 0; i < count; ++i) groups->groups[0].push_back(i);
}

// The parts follow each other along the split dim; this moves them to the dim
// along which they are concatenated.
struct Regrouping {
  std::vector<Dim> sizes;  // with the parts as a separate dim
  std::vector<int64_t> permutation;
};

// Dims are static or named; what a reshape is left to infer is unknown.
Regrouping Regroup(const Shape& operand, int split, int concat, int64_t count) {
  Regrouping r;
  for (int i = 0; i < operand.rank(); ++i) {
    const Dim size = operand.dim(i);
    if (i == split) r.sizes.push_back(Dim::Static(count));
    r.sizes.push_back(i != split         ? size
                      : size.is_static() ? Dim::Static(size.size() / count)
                                         : Dim::Unknown());
    if (i == concat) r.permutation.push_back(split);
    r.permutation.push_back(i >= split ? i + 1 : i);
  }
  return r;
}

// The dims of `moved` with the parts, which stand before dim `concat`, as a
// part of that dim.
std::vector<Dim> Merged(const Shape& moved, int concat) {
  std::vector<Dim> dims;
  for (int i = 0; i < moved.rank(); ++i) {
    const Dim size = moved.dim(i);
    if (i == concat) continue;
    dims.push_back(i != concat + 1 ? size
                   : size.is_static()
                       ? Dim::Static(moved.dim(concat).size() * size.size())
                       : Dim::Unknown());
  }
  return dims;
}

}  // namespace

// --- Reductions -------------------------------------------------------------

Op DeviceOps::AllReduce(Op operand, const Callee& computation,
                        CollectiveAttributes attributes,
                        const std::optional<ShapeArg>& shape_with_layout,
                        Caller caller) {
  return AllReduce(absl::MakeConstSpan(&operand, 1), computation,
                   std::move(attributes), shape_with_layout, caller);
}

Op DeviceOps::AllReduce(absl::Span<const Op> operands,
                        const Callee& computation,
                        CollectiveAttributes attributes,
                        const std::optional<ShapeArg>& shape_with_layout,
                        Caller caller) {
  return Reduced(recorder(), Opcode::kAllReduce, operands, computation,
                 std::move(attributes), shape_with_layout, caller);
}

Op DeviceOps::AllReduceStart(absl::Span<const Op> operands,
                             const Callee& computation,
                             CollectiveAttributes attributes,
                             const std::optional<ShapeArg>& shape_with_layout,
                             Caller caller) {
  return Reduced(recorder(), Opcode::kAllReduceStart, operands, computation,
                 std::move(attributes), shape_with_layout, caller);
}

Op DeviceOps::AllReduceDone(Op start, Caller caller) {
  return recorder()->Record({Opcode::kAllReduceDone, {start}}, caller);
}

Op DeviceOps::CrossReplicaSum(Op operand, const ReplicaGroups& replica_groups,
                              Caller caller) {
  const Shape* shape = recorder()->ShapeOf(operand);
  ElementType type = ElementType::kF32;  // if the operand is refused
  if (shape != nullptr && shape->is_tuple() && shape->tuple_size() > 0) {
    shape = &shape->elements()[0];
  }
  if (shape != nullptr && shape->is_array()) type = shape->element_type();
  ComputationBuilder sum("sum");
  sum.set_record_locations(false);
  const Op x = sum.Parameter(0, Shape::Scalar(type), "x", caller);
  const Op y = sum.Parameter(1, Shape::Scalar(type), "y", caller);
  const Op both = type == ElementType::kPred ? sum.Or(x, y, {}, caller)
                                             : sum.Add(x, y, {}, caller);
  CollectiveAttributes attributes;
  attributes.replica_groups = replica_groups;
  return AllReduce(operand, sum.Build(both), std::move(attributes), {}, caller);
}

Op DeviceOps::ReduceScatter(Op operand, const Callee& computation,
                            int64_t scatter_dimension, int64_t shard_count,
                            CollectiveAttributes attributes,
                            const std::optional<Layout>& layout,
                            Caller caller) {
  return ReduceScatter(absl::MakeConstSpan(&operand, 1), computation,
                       scatter_dimension, shard_count, std::move(attributes),
                       layout, caller);
}

Op DeviceOps::ReduceScatter(absl::Span<const Op> operands,
                            const Callee& computation,
                            int64_t scatter_dimension, int64_t shard_count,
                            CollectiveAttributes attributes,
                            const std::optional<Layout>& layout,
                            Caller caller) {
  Collective collective(recorder(), Opcode::kReduceScatter,
                        Sharded(std::move(attributes), scatter_dimension,
                                shard_count, layout.has_value()),
                        caller);
  collective.callees = One(computation);
  collective.layout = &layout;
  return collective.Of(operands);
}

Op DeviceOps::AllReduceOf(Op operand, internal::OneResult fold,
                          CollectiveAttributes attributes, Caller caller) {
  Op failed;
  const std::optional<Callee> reducer =
      internal::ComputationOf(recorder(), Opcode::kAllReduce, "reducer",
                              {operand}, fold, &failed, caller);
  return reducer
             ? AllReduce(operand, *reducer, std::move(attributes), {}, caller)
             : failed;
}

Op DeviceOps::ReduceScatterOf(Op operand, internal::OneResult fold,
                              int64_t scatter_dimension, int64_t shard_count,
                              CollectiveAttributes attributes, Caller caller) {
  Op failed;
  const std::optional<Callee> reducer =
      internal::ComputationOf(recorder(), Opcode::kReduceScatter, "reducer",
                              {operand}, fold, &failed, caller);
  return reducer ? ReduceScatter(operand, *reducer, scatter_dimension,
                                 shard_count, std::move(attributes), {}, caller)
                 : failed;
}

// --- Gathering --------------------------------------------------------------

Op DeviceOps::AllGather(Op operand, int64_t all_gather_dimension,
                        int64_t shard_count, CollectiveAttributes attributes,
                        const std::optional<Layout>& layout, Caller caller) {
  return AllGather(absl::MakeConstSpan(&operand, 1), all_gather_dimension,
                   shard_count, std::move(attributes), layout, caller);
}

Op DeviceOps::AllGather(absl::Span<const Op> operands,
                        int64_t all_gather_dimension, int64_t shard_count,
                        CollectiveAttributes attributes,
                        const std::optional<Layout>& layout, Caller caller) {
  Collective collective(recorder(), Opcode::kAllGather,
                        Sharded(std::move(attributes), all_gather_dimension,
                                shard_count, layout.has_value()),
                        caller);
  collective.layout = &layout;
  return collective.Of(operands);
}

Op DeviceOps::AllGatherStart(absl::Span<const Op> operands,
                             int64_t all_gather_dimension, int64_t shard_count,
                             CollectiveAttributes attributes, Caller caller) {
  return With(
      recorder(), Opcode::kAllGatherStart, operands,
      Sharded(std::move(attributes), all_gather_dimension, shard_count, false),
      caller);
}

Op DeviceOps::AllGatherDone(Op start, Caller caller) {
  return recorder()->Record({Opcode::kAllGatherDone, {start}}, caller);
}

// --- All to all -------------------------------------------------------------

Op DeviceOps::AllToAll(Op operand, int64_t split_dimension,
                       int64_t concat_dimension, int64_t split_count,
                       CollectiveAttributes attributes,
                       const std::optional<Layout>& layout, Caller caller) {
  const absl::Span<const Op> one = absl::MakeConstSpan(&operand, 1);
  const auto reject = [&](InferContext* context) {
    return recorder()->Reject(Opcode::kAllToAll, one,
                              std::move(*context->mutable_diagnostics()),
                              caller);
  };
  InferContext context;
  const Shape* shape = recorder()->ShapeOf(operand);
  for (int64_t* dim : {&split_dimension, &concat_dimension}) {
    const int64_t rank = shape == nullptr ? 0 : shape->rank();
    if (*dim < 0 && *dim >= -rank) *dim += rank;
  }
  if (shape == nullptr ||
      !CanExchange(&context, *shape, split_dimension, concat_dimension,
                   split_count, layout.has_value())) {
    return reject(&context);
  }
  // Any number splits a size of 0.
  if (split_count > TileAssignment::kMaxListed) {
    context.Diagnose(Code::kAttributeBytes)
        .Arg(
            absl::StrCat("replica_groups that list ", split_count, " devices"));
    return reject(&context);
  }
  const Shape before = *shape;  // recording may move what `shape` refers to
  attributes = Counted(std::move(attributes), false);
  FillGroups(split_count, &attributes.replica_groups);
  const int split = static_cast<int>(split_dimension);
  const int concat = static_cast<int>(concat_dimension);
  std::optional<ForItself> own;
  if (split != concat || layout) own.emplace(recorder());
  if (layout) {
    const int64_t part = before.dim(split).size() / split_count;
    std::vector<Op> parts;
    for (int64_t i = 0; i < split_count; ++i) {
      parts.push_back(builder().SliceInDim(operand, i * part, (i + 1) * part, 1,
                                           split, caller));
    }
    const Op exchanged = AllToAllTuple(parts, attributes, layout, caller);
    for (int64_t i = 0; i < split_count; ++i) {
      const Attributes index = GetTupleElementAttributes{i};
      parts[i] = recorder()->Record(
          {Opcode::kGetTupleElement, {exchanged}, &index}, caller);
    }
    own.reset();
    return builder().ConcatInDim(parts, concat, caller);
  }
  attributes.dimensions = {split_dimension};
  const Op exchanged =
      With(recorder(), Opcode::kAllToAll, one, attributes, caller);
  if (split == concat) return exchanged;
  const Regrouping regrouping = Regroup(before, split, concat, split_count);
  const Op parted = builder().Reshape(exchanged, regrouping.sizes, caller);
  const Op moved = builder().Transpose(parted, regrouping.permutation, caller);
  const Shape* const shape_of_moved = recorder()->ShapeOf(moved);
  if (shape_of_moved == nullptr) return moved;
  const std::vector<Dim> merged = Merged(*shape_of_moved, concat);
  own.reset();
  return builder().Reshape(moved, merged, caller);
}

Op DeviceOps::AllToAllTuple(absl::Span<const Op> operands,
                            CollectiveAttributes attributes,
                            const std::optional<Layout>& layout,
                            Caller caller) {
  attributes.dimensions.clear();
  const Attributes held = Counted(std::move(attributes), layout.has_value());
  Recorder::Request request{Opcode::kAllToAll, operands, &held};
  if (layout) request.layout = &*layout;
  return recorder()->Record(request, caller);
}

Op DeviceOps::RaggedAllToAll(Op input, Op output, Op input_offsets,
                             Op send_sizes, Op output_offsets, Op recv_sizes,
                             CollectiveAttributes attributes, Caller caller) {
  return With(
      recorder(), Opcode::kRaggedAllToAll,
      {input, output, input_offsets, send_sizes, output_offsets, recv_sizes},
      Counted(std::move(attributes), false), caller);
}

// --- From and to one device -------------------------------------------------

Op DeviceOps::CollectiveBroadcast(Op operand, CollectiveAttributes attributes,
                                  Caller caller) {
  return CollectiveBroadcast(absl::MakeConstSpan(&operand, 1),
                             std::move(attributes), caller);
}

Op DeviceOps::CollectiveBroadcast(absl::Span<const Op> operands,
                                  CollectiveAttributes attributes,
                                  Caller caller) {
  return With(recorder(), Opcode::kCollectiveBroadcast, operands,
              Counted(std::move(attributes), false), caller);
}

Op DeviceOps::CollectiveReduce(Op operand, const Callee& computation,
                               CollectiveAttributes attributes, Caller caller) {
  return CollectiveReduce(absl::MakeConstSpan(&operand, 1), computation,
                          std::move(attributes), caller);
}

Op DeviceOps::CollectiveReduce(absl::Span<const Op> operands,
                               const Callee& computation,
                               CollectiveAttributes attributes, Caller caller) {
  const Attributes counted = Counted(std::move(attributes), false);
  Recorder::Request request = {Opcode::kCollectiveReduce, operands, &counted};
  request.callees = One(computation);
  return recorder()->Record(request, caller);
}

Op DeviceOps::CollectivePermute(Op operand,
                                const CollectivePermuteAttributes& attributes,
                                Caller caller) {
  return CollectivePermute(absl::MakeConstSpan(&operand, 1), attributes,
                           caller);
}

Op DeviceOps::CollectivePermute(absl::Span<const Op> operands,
                                const CollectivePermuteAttributes& attributes,
                                Caller caller) {
  return With(recorder(), Opcode::kCollectivePermute, operands, attributes,
              caller);
}

Op DeviceOps::CollectivePermuteStart(
    absl::Span<const Op> operands,
    const CollectivePermuteAttributes& attributes,
    absl::Span<const Shape> contexts, Caller caller) {
  std::vector<Shape> arrays;
  for (Op operand : operands) {
    const Shape* shape = recorder()->ShapeOf(operand);
    if (shape == nullptr) {
      return recorder()->Reject(Opcode::kCollectivePermuteStart, operands, {},
                                caller);
    }
    arrays.push_back(shape->WithoutLayout());
  }
  // In place: (input, output); else the operands, then results of equal shapes.
  std::vector<Shape> elements;
  if (!attributes.slice_sizes.empty() && arrays.size() >= 2) {
    elements = {arrays[0], arrays[1]};
  } else {
    const Shape all =
        arrays.size() == 1 ? arrays[0] : Shape::Tuple(std::move(arrays));
    elements = {all, all};
  }
  elements.insert(elements.end(), contexts.begin(), contexts.end());
  const Shape result = Shape::Tuple(std::move(elements));
  const Attributes held = attributes;
  return recorder()->Record(
      {Opcode::kCollectivePermuteStart, operands, &held, &result}, caller);
}

Op DeviceOps::CollectivePermuteDone(Op start, Caller caller) {
  return recorder()->Record({Opcode::kCollectivePermuteDone, {start}}, caller);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// Shape functions of collectives that exchange whole arrays: all-gather,
// reduce-scatter, all-to-all, broadcast. An operation on N arrays gives a tuple
// of N; an operation on one array gives an array.
//
// HLO doesn't record how many shards all-gather and reduce-scatter have. A
// builder's caller gives the number (CollectiveAttributes::shard_count);
// elsewhere the recorded result determines it, and the replica groups must not
// contradict it. passes/structure/structure.h checks the groups themselves,
// which depend on the module.
//
// Source: XLA's ShapeInference and HLO verifier.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// Gives one array bare, several as a tuple.
std::optional<Shape> BareOrTuple(InferContext* context,
                                 std::vector<Shape> arrays) {
  if (arrays.size() == 1) return arrays[0];
  return MakeTuple(context, std::move(arrays));
}

// The first `count` operands' shapes, bare or as a tuple.
std::optional<Shape> SameAsOperands(InferContext* context,
                                    const OpInputs& inputs, size_t count) {
  std::vector<Shape> arrays;
  for (const Shape* operand : inputs.operands.subspan(0, count)) {
    arrays.push_back(operand->WithoutLayout());
  }
  return BareOrTuple(context, std::move(arrays));
}

// The number of arrays. With a dynamic root the last operand names the device,
// one number for each array.
std::optional<size_t> CountBesideRoot(InferContext* context,
                                      const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<CollectiveAttributes>();
  if (!a.has_dynamic_root) return inputs.operands.size();
  const size_t arrays = inputs.operands.size() - 1;
  const Shape& roots = *inputs.operands[arrays];
  const Shape expected = Shape::Of(ElementType::kS32, {Number(arrays)});
  if (arrays == 0 || !Compatible(roots, expected)) {
    context->Diagnose(Code::kOperandShape, static_cast<int>(arrays))
        .Arg(expected);
    return std::nullopt;
  }
  return arrays;
}

// The number of members in each group; nullopt where the attributes don't give
// one number: one group of all devices, or groups of different sizes.
std::optional<int64_t> MemberCount(const ReplicaGroups& all) {
  if (all.iota_groups > 0 && all.iota_group_size > 0) {
    return all.iota_group_size;
  }
  if (all.groups.empty() || all.groups[0].empty()) return std::nullopt;
  for (const std::vector<int64_t>& group : all.groups) {
    if (group.size() != all.groups[0].size()) return std::nullopt;
  }
  return Number(all.groups[0].size());
}

// The number of devices in each group; nullopt for a channel without global
// device ids, where the replicas' partitions may take part too.
std::optional<int64_t> GroupSize(const CollectiveAttributes& collective) {
  if (collective.channel_id > 0 && !collective.use_global_device_ids) {
    return std::nullopt;
  }
  return MemberCount(collective.replica_groups);
}

// The shard dim of an all-gather or reduce-scatter, and the number of shards
// (nullopt: unknown).
struct Shards {
  int dim = 0;
  std::optional<int64_t> count;
};

// The one dim in `dimensions`, which every operand must have; else IND0201,
// IND0111.
std::optional<int> ShardDim(InferContext* context, const OpInputs& inputs) {
  const DimIndices& dimensions =
      inputs.attributes_as<CollectiveAttributes>().dimensions;
  if (dimensions.size() != 1) {
    context->Diagnose(Code::kDimensionsCount)
        .Arg(int64_t{1})
        .Arg(Number(dimensions.size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    if (!ExpectDimIndex(context, inputs, static_cast<int>(i), dimensions[0],
                        "dimensions")) {
      return std::nullopt;
    }
  }
  return static_cast<int>(dimensions[0]);
}

// Array `i` of the `count` arrays of a recorded result; null when there is
// none.
const Shape* DeclaredArray(const Shape* declared, size_t i, size_t count) {
  if (declared == nullptr) return nullptr;
  const Shape* array = declared;
  if (declared->is_tuple() && declared->elements().size() == count) {
    array = &declared->elements()[i];
  } else if (count != 1) {
    return nullptr;
  }
  return array->has_rank() ? array : nullptr;
}

// whole / part, rounded up; nullopt where a size is not known or `part` is 0.
std::optional<int64_t> Ratio(Dim whole, Dim part) {
  const auto counts = [](Dim d) { return d.is_static() || d.is_bounded(); };
  if (!counts(whole) || !counts(part) || part.size() == 0) return std::nullopt;
  return CheckedCeilDivide(whole.size(), part.size());
}

// The shard dim and the number of shards: from the author's shard_count, else
// from operand 0 and its recorded result `declared`, else from the groups.
std::optional<Shards> ReadShards(InferContext* context, const OpInputs& inputs,
                                 const Shape* declared, bool gathers) {
  const auto& a = inputs.attributes_as<CollectiveAttributes>();
  const std::optional<int> dim = ShardDim(context, inputs);
  if (!dim) return std::nullopt;
  Shards shards;
  shards.dim = *dim;
  if (a.shard_count) {
    if (*a.shard_count < 1) {
      context->Diagnose(Code::kAttributeRange)
          .Arg(std::string("shard_count"))
          .Arg(*a.shard_count)
          .Arg(int64_t{1});
      return std::nullopt;
    }
    shards.count = a.shard_count;
    return shards;
  }
  const std::optional<int64_t> group = GroupSize(a);
  const Shape* array = DeclaredArray(declared, 0, inputs.operands.size());
  const Shape& operand = *inputs.operands[0];
  if (array != nullptr && operand.has_rank() && array->rank() > *dim) {
    shards.count = gathers ? Ratio(array->dim(*dim), operand.dim(*dim))
                           : Ratio(operand.dim(*dim), array->dim(*dim));
  }
  if (!shards.count) {
    shards.count = group;
  } else if (!context->is_builder() && group && *group > 1 &&
             *group != *shards.count) {
    context->Diagnose(Code::kShardGroupSize).Arg(*shards.count).Arg(*group);
    return std::nullopt;
  }
  if (shards.count || declared != nullptr) return shards;
  context->Diagnose(Code::kShardCountUnknown);
  return std::nullopt;
}

// Dim `dim` of operand `i` times `count`; nullopt after an error.
std::optional<Dim> GatheredDim(InferContext* context, const OpInputs& inputs,
                               int i, int dim, int64_t count) {
  const std::optional<Dim> gathered =
      MultiplyDims(inputs.operands[i]->dim(dim), Dim::Static(count));
  if (!gathered) return SizeOverflow(context, dim);
  return gathered;
}

// Dim `dim` of operand `i`, split into `count` parts. XLA divides a bound but
// doesn't keep it, so the part of a bounded dim is unknown. XLA treats an
// unknown size as -2^63, which powers of two divide.
std::optional<Dim> SplitDim(InferContext* context, const OpInputs& inputs,
                            int i, int dim, int64_t count) {
  const Dim size = inputs.operands[i]->dim(dim);
  std::optional<Dim> part;
  if (size.is_unknown()) {
    if ((count & (count - 1)) == 0) part = size;
  } else if (size.is_bounded()) {
    if (size.size() % count == 0) part = Dim::Unknown();
  } else {
    part = DivideDim(size, count);
  }
  if (part && size.is_symbolic()) {
    AddDivisibleCondition(context, inputs, {i, dim}, count);
  }
  if (part) return part;
  context->Diagnose(Code::kShardsDivide, i, dim).Arg(count);
  return std::nullopt;
}

// One array for each operand, with its shard dim gathered or split. Where the
// count is not known, the recorded size stands.
std::optional<Shape> ShardedShape(InferContext* context, const OpInputs& inputs,
                                  const Shape* declared, bool gathers) {
  const std::optional<Shards> shards =
      ReadShards(context, inputs, declared, gathers);
  if (!shards) return std::nullopt;
  const size_t count = inputs.operands.size();
  std::vector<Shape> arrays;
  for (size_t i = 0; i < count; ++i) {
    Shape array = inputs.operands[i]->WithoutLayout();
    if (array.has_rank()) {
      const Shape* recorded = DeclaredArray(declared, i, count);
      std::optional<Dim> dim;
      if (!shards->count) {
        dim = recorded != nullptr && recorded->rank() > shards->dim
                  ? recorded->dim(shards->dim)
                  : Dim::Unknown();
      } else {
        dim = (gathers ? GatheredDim : SplitDim)(
            context, inputs, static_cast<int>(i), shards->dim, *shards->count);
      }
      if (!dim) return std::nullopt;
      array.set_dim(shards->dim, *dim);
    }
    arrays.push_back(std::move(array));
  }
  return BareOrTuple(context, std::move(arrays));
}

// A builder's two dims may differ; in HLO they are one dim. ReadAllToAll gives
// nullopt where there is none. With a channel the members are partitions, so
// the groups give the count.
struct AllToAllDims {
  int64_t split = 0;
  int64_t concat = 0;
  std::optional<int64_t> count;
};

std::optional<AllToAllDims> ReadAllToAll(const CollectiveAttributes& a) {
  AllToAllDims dims;
  dims.count = a.shard_count ? a.shard_count : MemberCount(a.replica_groups);
  if (a.split_dimension || a.concat_dimension) {
    dims.split = a.split_dimension.value_or(-1);
    dims.concat = a.concat_dimension.value_or(-1);
    return dims;
  }
  if (a.dimensions.empty()) return std::nullopt;
  dims.split = dims.concat = a.dimensions[0];
  return dims;
}

// Operand 0, split along one dim and concatenated along another.
std::optional<Shape> AllToAllArray(InferContext* context,
                                   const OpInputs& inputs,
                                   const AllToAllDims& dims) {
  if (!ExpectDimIndex(context, inputs, 0, dims.split, "split dimension") ||
      !ExpectDimIndex(context, inputs, 0, dims.concat, "concat dimension")) {
    return std::nullopt;
  }
  if (dims.count && *dims.count < 1) {
    return context->Diagnose(Code::kAttributeRange)
        .Arg(std::string("split_count"))
        .Arg(*dims.count)
        .Arg(int64_t{1});
  }
  Shape result = inputs.operands[0]->WithoutLayout();
  for (int i = 0; i < result.rank(); ++i) {
    if (result.dim(i).is_bounded()) {
      return context->Diagnose(Code::kAllToAllBounded, 0, i);
    }
  }
  if (!dims.count || !result.has_rank()) return result;
  const int split = static_cast<int>(dims.split);
  const int concat = static_cast<int>(dims.concat);
  const std::optional<Dim> part = DivideDim(result.dim(split), *dims.count);
  if (!part) {
    return context->Diagnose(Code::kShardsDivide, 0, split).Arg(*dims.count);
  }
  if (result.dim(split).is_symbolic()) {
    AddDivisibleCondition(context, inputs, {0, split}, *dims.count);
  }
  if (split == concat) return result;
  result.set_dim(split, *part);
  const std::optional<Dim> whole =
      MultiplyDims(result.dim(concat), Dim::Static(*dims.count));
  if (!whole) return SizeOverflow(context, concat);
  result.set_dim(concat, *whole);
  return result;
}

}  // namespace

// --- Shards ------------------------------------------------------------------
std::optional<Shape> InferAllGather(InferContext* context,
                                    const OpInputs& inputs) {
  return ShardedShape(context, inputs, inputs.declared, /*gathers=*/true);
}

// (operands, gathered), each bare or a tuple.
std::optional<Shape> InferAllGatherStart(InferContext* context,
                                         const OpInputs& inputs) {
  const Shape* declared = inputs.declared;
  if (declared != nullptr) {
    if (!declared->is_tuple() || declared->tuple_size() != 2) {
      return context->Diagnose(Code::kDeclaredShape)
          .Arg(std::string("a tuple of operands and results"));
    }
    declared = &declared->elements()[1];
  }
  std::optional<Shape> gathered =
      ShardedShape(context, inputs, declared, /*gathers=*/true);
  std::optional<Shape> operands =
      SameAsOperands(context, inputs, inputs.operands.size());
  if (!gathered || !operands) return std::nullopt;
  return MakeTuple(context, {*std::move(operands), *std::move(gathered)});
}

std::optional<Shape> InferReduceScatter(InferContext* context,
                                        const OpInputs& inputs) {
  return ShardedShape(context, inputs, inputs.declared, /*gathers=*/false);
}

// --- All-to-all --------------------------------------------------------------
// Without dimensions operand i goes to device i: all operands are equal, and as
// many as a group has devices.
std::optional<Shape> InferAllToAll(InferContext* context,
                                   const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<CollectiveAttributes>();
  const std::optional<AllToAllDims> dims = ReadAllToAll(a);
  if (dims) return AllToAllArray(context, inputs, *dims);
  const int64_t count = Number(inputs.operands.size());
  for (int i = 1; i < count; ++i) {
    if (!SameStructure(*inputs.operands[0], *inputs.operands[i])) {
      return context->Diagnose(Code::kOperandsDiffer, i).Other(0);
    }
  }
  const std::optional<int64_t> group = MemberCount(a.replica_groups);
  if (!context->is_builder() && group && *group != count) {
    return context->Diagnose(Code::kShardGroupSize).Arg(count).Arg(*group);
  }
  std::vector<Shape> arrays(count, inputs.operands[0]->WithoutLayout());
  return MakeTuple(context, std::move(arrays));
}

// --- From and to one device --------------------------------------------------

// The data of one device of each group. Without a dynamic root, XLA reads only
// operand 0.
std::optional<Shape> InferCollectiveBroadcast(InferContext* context,
                                              const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<CollectiveAttributes>();
  if (!a.has_dynamic_root) return inputs.operands[0]->WithoutLayout();
  const std::optional<size_t> arrays = CountBesideRoot(context, inputs);
  if (!arrays) return std::nullopt;
  return SameAsOperands(context, inputs, *arrays);
}

// Source: XLA's reader of StableHLO, whose collective_reduce has as many
// results as arrays.
std::optional<Shape> InferCollectiveReduce(InferContext* context,
                                           const OpInputs& inputs) {
  const std::optional<size_t> arrays = CountBesideRoot(context, inputs);
  if (!arrays) return std::nullopt;
  return SameAsOperands(context, inputs, *arrays);
}

}  // namespace indim

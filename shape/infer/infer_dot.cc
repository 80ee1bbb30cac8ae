// SPDX-License-Identifier: Apache-2.0
// Shape functions of contractions: dot, ragged-dot, scaled-dot.
//
//   dot  f32[B,M,K] . f32[B,K,N] -> f32[B,M,N]
//        batch dims (as in operand 0), the other dims of operand 0, the other
//        dims of operand 1
//
// Any two element types are allowed; the result has the declared one, or the
// more general of the operands' types.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "indim/shape/dims/free_dims.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// The declared element type, where there is one, else the more general of the
// operands' types.
std::optional<ElementType> DotType(InferContext* context,
                                   const OpInputs& inputs) {
  if (inputs.declared != nullptr && inputs.declared->is_array()) {
    return inputs.declared->element_type();
  }
  return HigherType(context, inputs, 0, 1);
}

// Appends the result dims of a dot of operands 0 and 1. Both are ranked, and
// the row's constraints have paired their dims.
void AppendDotDims(const OpInputs& inputs, const DotAttributes& dot,
                   Shape* result) {
  const Shape& lhs = *inputs.operands[0];
  const Shape& rhs = *inputs.operands[1];
  for (size_t i = 0; i < dot.lhs_batch_dims.size(); ++i) {
    result->add_dim(
        MergeDims(lhs.dim(static_cast<int>(dot.lhs_batch_dims[i])),
                  rhs.dim(static_cast<int>(dot.rhs_batch_dims[i]))));
  }
  for (int64_t i :
       FreeDims(lhs.rank(), dot.lhs_contracting_dims, dot.lhs_batch_dims)) {
    result->add_dim(lhs.dim(static_cast<int>(i)));
  }
  for (int64_t i : FreeDims(rhs.rank(), dot.rhs_contracting_dims,
                            dot.rhs_batch_dims, dot.rhs_group_dims)) {
    result->add_dim(rhs.dim(static_cast<int>(i)));
  }
}

bool BothRanked(const OpInputs& inputs) {
  return inputs.operands[0]->has_rank() && inputs.operands[1]->has_rank();
}

// The role of the ragged dim of operand 0, which is cut into groups.
enum class RaggedMode {
  kFree,         // [m,k] . [g,k,n] -> [m,n], each group with its own rhs
  kContracting,  // [m,k] . [k,n] -> [g,m,n], one product for each group
  kBatch,        // [b,m,k] . [b,k,n] -> [b,m,n]
};

RaggedMode ModeOf(const DotAttributes& dot, int64_t ragged) {
  if (absl::c_linear_search(dot.lhs_batch_dims, ragged))
    return RaggedMode::kBatch;
  if (absl::c_linear_search(dot.lhs_contracting_dims, ragged)) {
    return RaggedMode::kContracting;
  }
  return RaggedMode::kFree;
}

// The dims of operand 0 for which group sizes may be given one by one: the
// batch dims, then the dims of the ragged dim's kind that precede it.
DimIndices GroupPrefix(const Shape& lhs, const DotAttributes& dot,
                       int64_t ragged, RaggedMode mode) {
  DimIndices prefix;
  const auto append_until_ragged = [&](const DimIndices& dims) {
    for (int64_t dim : dims) {
      if (dim == ragged) return;
      prefix.push_back(dim);
    }
  };
  append_until_ragged(dot.lhs_batch_dims);
  if (mode == RaggedMode::kContracting) {
    append_until_ragged(dot.lhs_contracting_dims);
  } else if (mode == RaggedMode::kFree) {
    append_until_ragged(
        FreeDims(lhs.rank(), dot.lhs_contracting_dims, dot.lhs_batch_dims));
  }
  return prefix;
}

// Group sizes must be [g], or [prefix..., g] with the sizes of the prefix dims.
// There an unknown size matches only an unknown size.
bool ExpectGroupSizes(InferContext* context, const OpInputs& inputs,
                      const DimIndices& prefix) {
  const Shape& sizes = *inputs.operands[2];
  if (sizes.rank() == 1) return true;
  if (sizes.rank() != static_cast<int>(prefix.size()) + 1) {
    return context->Diagnose(Code::kGroupSizesRank, 2)
        .Arg(Number(prefix.size() + 1));
  }
  for (size_t i = 0; i < prefix.size(); ++i) {
    const int dim = static_cast<int>(i), lhs_dim = static_cast<int>(prefix[i]);
    if (!ExpectEqualSizes(context, inputs, {0, lhs_dim}, {2, dim})) {
      return false;
    }
    if (sizes.dim(dim).is_unknown() !=
        inputs.operands[0]->dim(lhs_dim).is_unknown()) {
      return context->Diagnose(Code::kSizesMustMatch, 2, dim).Other(0, lhs_dim);
    }
  }
  return true;
}

// In mode kFree each group has its own operand 1, so operand 1 must have one
// group dim, of size g; in the other modes it must have none.
bool ExpectGroupDim(InferContext* context, const OpInputs& inputs,
                    const DotAttributes& dot, RaggedMode mode) {
  const size_t needed = mode == RaggedMode::kFree ? 1 : 0;
  if (dot.rhs_group_dims.size() != needed) {
    return context->Diagnose(Code::kGroupDimCount)
        .Arg(Number(dot.rhs_group_dims.size()))
        .Arg(Number(needed));
  }
  if (needed == 0) return true;
  const int64_t group = dot.rhs_group_dims[0];
  if (!ExpectDimIndex(context, inputs, 1, group, "rhs_group_dims")) {
    return false;
  }
  if (absl::c_linear_search(dot.rhs_batch_dims, group) ||
      absl::c_linear_search(dot.rhs_contracting_dims, group)) {
    return context->Diagnose(Code::kGroupDimTaken, 1, static_cast<int>(group));
  }
  return ExpectEqualSizes(context, inputs, {2, inputs.operands[2]->rank() - 1},
                          {1, static_cast<int>(group)});
}

// A scale that only marks a missing scale: bf16 as its operand, all sizes 1.
bool IsNoScale(const Shape& operand, const Shape& scale) {
  const auto is_one = [](Dim dim) { return dim.is(1); };
  return scale.element_type() == ElementType::kBF16 &&
         operand.element_type() == ElementType::kBF16 &&
         std::all_of(scale.dims().begin(), scale.dims().end(), is_one) &&
         !std::all_of(operand.dims().begin(), operand.dims().end(), is_one);
}

// Each dim of the scale must divide the same dim of operand `scaled` into
// blocks.
bool ExpectScale(InferContext* context, const OpInputs& inputs, int scaled,
                 const DimIndices& contracting) {
  const int scaling = scaled + 2;
  const Shape& operand = *inputs.operands[scaled];
  const Shape& scale = *inputs.operands[scaling];
  if (!operand.has_rank() || !scale.has_rank()) return true;
  if (IsNoScale(operand, scale)) return true;
  if (scale.rank() != operand.rank()) {
    return context->Diagnose(Code::kOperandRanksDiffer, scaling).Other(scaled);
  }
  if (contracting.size() != 1) {
    return context->Diagnose(Code::kScaledContraction, scaled)
        .Arg(Number(contracting.size()));
  }
  for (int i = 0; i < scale.rank(); ++i) {
    const Dim size = operand.dim(i), blocks = scale.dim(i);
    if (!size.has_upper() || !blocks.has_upper() || !size.is_xla() ||
        !blocks.is_xla()) {
      continue;
    }
    if (blocks.size() == 0 ? size.size() == 0
                           : size.size() % blocks.size() == 0) {
      continue;
    }
    return context->Diagnose(Code::kScaleBlocks, scaling, i).Other(scaled, i);
  }
  return true;
}

}  // namespace

std::optional<Shape> InferDot(InferContext* context, const OpInputs& inputs) {
  // Only ragged-dot has group dims.
  DotAttributes dot = inputs.attributes_as<DotAttributes>();
  dot.rhs_group_dims.clear();
  const std::optional<ElementType> type = DotType(context, inputs);
  if (!type) return std::nullopt;
  if (!BothRanked(inputs)) return Shape::Unranked(*type);
  Shape result = Shape::Scalar(*type);
  AppendDotDims(inputs, dot, &result);
  return result;
}

// Operands: lhs, rhs, group sizes. Source: XLA, InferRaggedDotOpShape.
std::optional<Shape> InferRaggedDot(InferContext* context,
                                    const OpInputs& inputs) {
  const DotAttributes& dot = inputs.attributes_as<DotAttributes>();
  const int64_t ragged = dot.lhs_ragged_dims[0];
  const std::optional<ElementType> type = DotType(context, inputs);
  if (!type) return std::nullopt;
  const Shape& sizes = *inputs.operands[2];
  if (!BothRanked(inputs) || !sizes.has_rank()) return Shape::Unranked(*type);

  const RaggedMode mode = ModeOf(dot, ragged);
  if (!ExpectGroupSizes(context, inputs,
                        GroupPrefix(*inputs.operands[0], dot, ragged, mode)) ||
      !ExpectGroupDim(context, inputs, dot, mode)) {
    return std::nullopt;
  }
  Shape result = Shape::Scalar(*type);
  if (mode == RaggedMode::kContracting) {
    result.add_dim(sizes.dim(sizes.rank() - 1));
  }
  AppendDotDims(inputs, dot, &result);
  return result;
}

// Operands: lhs, rhs, lhs's scale, rhs's scale. The result is the dot of lhs
// and rhs.
// Source: XLA's HLO verifier (XlaBuilder has no such op).
std::optional<Shape> InferScaledDot(InferContext* context,
                                    const OpInputs& inputs) {
  const DotAttributes& dot = inputs.attributes_as<DotAttributes>();
  const std::optional<Shape> result = InferDot(context, inputs);
  if (!result || !ExpectScale(context, inputs, 0, dot.lhs_contracting_dims) ||
      !ExpectScale(context, inputs, 1, dot.rhs_contracting_dims)) {
    return std::nullopt;
  }
  if (inputs.operands[2]->is_scalar() && inputs.operands[3]->is_scalar()) {
    return context->Diagnose(Code::kScalesMissing);
  }
  return result;
}

}  // namespace indim

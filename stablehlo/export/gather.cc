// SPDX-License-Identifier: Apache-2.0
// Writes gather and scatter. Releases of StableHLO before 1.1.0 have no
// batching dims: for these the position along a batching dim becomes an index
// like the others, of a dim that is collapsed.

#include <algorithm>
#include <limits>
#include <vector>

#include "indim/stablehlo/export/exporters.h"

namespace indim::stablehlo_export {
namespace {

// `value`, of `from`, as `to`.
ValueId ConvertedBy(absl::string_view op, ValueId value, const Shape& from,
                    const Shape& to, NodeExport* node) {
  if (from == to) return value;
  return node->EmitHelper(op, {value}, to);
}

// The indices, `indices` of this shape, behind the positions along their dims
// `batching`. Sets *index_vector_dim.
ValueId WithPositions(ValueId indices, Shape shape, const DimIndices& batching,
                      int64_t* index_vector_dim, NodeExport* node) {
  Ir& ir = node->ir();
  const Shape given = shape;
  // A narrow type may not hold the positions.
  int64_t most = 0;
  for (const int64_t dim : batching) {
    most = std::max(most, shape.dim(static_cast<int>(dim)).size());
  }
  const int bits = Info(shape.element_type()).bits;
  if (bits < 32 && most > 1 + ((int64_t{1} << (bits - 1)) - 1)) {
    shape.set_element_type(ElementType::kS32);
  }
  if (bits <= 32 && most > std::numeric_limits<int32_t>::max()) {
    shape.set_element_type(ElementType::kS64);
  }
  indices = ConvertedBy("stablehlo.convert", indices, given, shape, node);
  if (*index_vector_dim == shape.rank()) {
    const Shape scalars = shape;
    shape.add_dim(Dim::Static(1));
    indices = ConvertedBy("stablehlo.reshape", indices, scalars, shape, node);
  }
  const int at = static_cast<int>(*index_vector_dim);
  Shape one = shape.WithoutLayout();
  one.set_dim(at, Dim::Static(1));
  std::vector<ValueId> parts;
  for (const int64_t dim : batching) {
    parts.push_back(
        node->EmitHelper("stablehlo.iota", {}, one,
                         {node->Named("iota_dimension", ir.IntegerAttr(dim))}));
  }
  parts.push_back(indices);
  Shape all = shape.WithoutLayout();
  all.set_dim(at, Dim::Static(shape.dim(at).size() +
                              static_cast<int64_t>(batching.size())));
  return node->EmitHelper(
      "stablehlo.concatenate", parts, all,
      {node->Named("dimension", ir.IntegerAttr(*index_vector_dim))});
}

bool CanWritePositions(const Shape& indices, NodeExport* node) {
  if (indices.has_rank() && indices.is_static()) return true;
  node->Refuse(
      "has batching dims, which StableHLO has since 1.1.0, and indices of an "
      "unknown size",
      "write for 1.1.0 or later");
  return false;
}

DimIndices Sorted(DimIndices dims) {
  std::sort(dims.begin(), dims.end());
  return dims;
}

// The dims of `operand_dims`, whose positions are in `indices_dims`, become
// collapsed dims that the first indices choose.
void MoveBatchingDims(DimIndices* operand_dims, DimIndices* indices_dims,
                      DimIndices* collapsed, DimIndices* index_map,
                      bool* sorted) {
  *sorted =
      *sorted && std::is_sorted(indices_dims->begin(), indices_dims->end());
  collapsed->insert(collapsed->end(), operand_dims->begin(),
                    operand_dims->end());
  *collapsed = Sorted(*collapsed);
  index_map->insert(index_map->begin(), operand_dims->begin(),
                    operand_dims->end());
  operand_dims->clear();
  indices_dims->clear();
}

}  // namespace

void ExportGather(NodeExport* node) {
  GatherAttributes gather = node->As<GatherAttributes>();
  std::vector<ValueId> operands = node->Operands();
  if (!gather.operand_batching_dims.empty() &&
      !node->writer().options().batching_dims) {
    const Shape indices = node->instruction().operand(1).shape();
    if (!CanWritePositions(indices, node)) return;
    operands[1] =
        WithPositions(operands[1], indices, gather.start_indices_batching_dims,
                      &gather.index_vector_dim, node);
    MoveBatchingDims(&gather.operand_batching_dims,
                     &gather.start_indices_batching_dims,
                     &gather.collapsed_slice_dims, &gather.start_index_map,
                     &gather.indices_are_sorted);
  }
  node->SetMembers("stablehlo.gather", Attributes(gather));
  node->EmitResult("stablehlo.gather", operands);
}

void ExportScatter(NodeExport* node) {
  ScatterAttributes scatter = node->As<ScatterAttributes>();
  std::vector<ValueId> operands = node->Operands();
  if (!scatter.input_batching_dims.empty() &&
      !node->writer().options().batching_dims) {
    const int at = (node->instruction().operand_count() - 1) / 2;
    const Shape indices = node->instruction().operand(at).shape();
    if (!CanWritePositions(indices, node)) return;
    ValueId& value = operands[static_cast<size_t>(at)];
    value = WithPositions(value, indices, scatter.scatter_indices_batching_dims,
                          &scatter.index_vector_dim, node);
    MoveBatchingDims(
        &scatter.input_batching_dims, &scatter.scatter_indices_batching_dims,
        &scatter.inserted_window_dims, &scatter.scatter_dims_to_operand_dims,
        &scatter.indices_are_sorted);
  }
  node->SetMembers("stablehlo.scatter", Attributes(scatter));
  node->EmitResult("stablehlo.scatter", operands);
}

}  // namespace indim::stablehlo_export

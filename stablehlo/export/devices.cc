// SPDX-License-Identifier: Apache-2.0
// Writes collectives and transfers between devices and hosts.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/values/replica_groups.h"
#include "indim/sharding/values/tile_assignment.h"
#include "indim/stablehlo/export/async.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

int64_t LargestGroup(const ReplicaGroups& groups) {
  size_t size = 0;
  for (const auto& group : groups.groups) size = std::max(size, group.size());
  return static_cast<int64_t>(size);
}

// The collective with its groups as lists; nullopt: refused.
std::optional<CollectiveAttributes> WithLists(NodeExport* node) {
  auto collective = node->As<CollectiveAttributes>();
  ReplicaGroups& groups = collective.replica_groups;
  const bool is_listed = SpellGroups(&groups);
  const int64_t size = LargestGroup(groups);
  if (!is_listed || (size > 0 && static_cast<int64_t>(groups.groups.size()) >
                                     TileAssignment::kMaxListed / size)) {
    node->Refuse("has groups of too many devices to list them",
                 "use smaller groups");
    return std::nullopt;
  }
  return collective;
}

std::vector<int64_t> FirstDevices(int64_t count) {
  std::vector<int64_t> devices;
  for (int64_t i = 0; i < std::min(count, TileAssignment::kMaxListed); ++i) {
    devices.push_back(i);
  }
  return devices;
}

// All devices that the module is compiled for.
std::vector<int64_t> AllDevices(int64_t channel_id, NodeExport* node) {
  const DeviceCounts counts =
      ReadDeviceCounts(internal::DataOf(node->writer().module()).config);
  return FirstDevices(channel_id > 0 ? counts.partitions : counts.replicas);
}

// Emits `name` for each operand, with the same properties.
void EmitForEach(absl::string_view name, NodeExport* node) {
  const std::vector<ValueId> operands = node->Operands();
  const auto types = node->ResultTypes();
  const std::vector<NamedAttr> properties = node->TakeProperties();
  std::vector<ValueId> results;
  for (size_t i = 0; i < operands.size() && i < types.size(); ++i) {
    for (const NamedAttr& property : properties) {
      node->Set(node->ir().text(property.name), property.value);
    }
    results.push_back(node->Emit(name, {operands[i]}, {types[i]})[0]);
  }
  node->SetResult(std::move(results));
}

// All-to-all of N operands: their concatenation along a new dim is divided.
void ExportAllToAllOfTuple(NodeExport* node) {
  Ir& ir = node->ir();
  const std::vector<ValueId> operands = node->Operands();
  const int64_t count = static_cast<int64_t>(operands.size());
  const Shape shape = node->instruction().operand(0).shape();
  Shape one = Shape::Of(shape.element_type(), {1});
  Shape all = Shape::Of(shape.element_type(), {count});
  DimIndices starts(static_cast<size_t>(shape.rank()) + 1, 0), limits = {1};
  for (const Dim dim : shape.dims()) {
    one.add_dim(dim);
    all.add_dim(dim);
    limits.push_back(dim.size());
  }
  const TypeId one_type = node->writer().types().Whole(one);
  const TypeId all_type = node->writer().types().Whole(all);
  std::vector<ValueId> rows;
  for (const ValueId operand : operands) {
    rows.push_back(node->EmitHelper("stablehlo.reshape", {operand}, one_type));
  }
  const ValueId joined =
      node->EmitHelper("stablehlo.concatenate", rows, all_type,
                       {node->Named("dimension", ir.IntegerAttr(0))});
  node->Set("split_dimension", ir.IntegerAttr(0));
  node->Set("concat_dimension", ir.IntegerAttr(0));
  node->Set("split_count", ir.IntegerAttr(count));
  const ValueId exchanged =
      node->Emit("stablehlo.all_to_all", {joined}, {all_type})[0];
  const DimIndices strides(starts.size(), 1);
  std::vector<ValueId> results;
  for (int64_t i = 0; i < count; ++i) {
    starts[0] = i;
    limits[0] = i + 1;
    const ValueId row =
        node->EmitHelper("stablehlo.slice", {exchanged}, one_type,
                         {node->Named("start_indices", ir.I64ArrayAttr(starts)),
                          node->Named("limit_indices", ir.I64ArrayAttr(limits)),
                          node->Named("strides", ir.I64ArrayAttr(strides))});
    results.push_back(node->EmitHelper("stablehlo.reshape", {row}, shape));
  }
  node->SetResult(std::move(results));
}

}  // namespace

void ExportCollective(NodeExport* node) {
  const auto collective = WithLists(node);
  if (collective.has_value()) ExportPlain(*collective, node);
}

void ExportEachOperand(NodeExport* node) {
  if (node->As<CollectiveAttributes>().has_dynamic_root) {
    return ExportCollective(node);
  }
  const auto collective = WithLists(node);
  if (!collective.has_value()) return;
  node->SetMembers("stablehlo.collective_broadcast", *collective);
  EmitForEach("stablehlo.collective_broadcast", node);
}

void ExportReduceScatter(NodeExport* node) {
  if (node->instruction().operand_count() != 1) {
    node->Refuse("has several operands", "write a reduce-scatter for each");
    return;
  }
  ExportCollective(node);
}

void ExportAllToAll(NodeExport* node) {
  auto collective = WithLists(node);
  if (!collective.has_value()) return;
  const bool is_tuple = collective->dimensions.empty();
  ReplicaGroups& groups = collective->replica_groups;
  if (LargestGroup(groups) == 0) {  // split_count must be the size of a group
    groups.groups = {is_tuple
                         ? FirstDevices(node->instruction().operand_count())
                         : AllDevices(collective->channel_id, node)};
  }
  if (is_tuple) {
    node->SetMembers("stablehlo.all_to_all", *collective);
    return ExportAllToAllOfTuple(node);
  }
  Ir& ir = node->ir();
  const AttrId dimension = ir.IntegerAttr(collective->dimensions[0]);
  node->Set("split_dimension", dimension);
  node->Set("concat_dimension", dimension);
  node->Set("split_count", ir.IntegerAttr(LargestGroup(groups)));
  ExportPlain(*collective, node);
}

// JAX's form; XLA reads it back, and dies without a channel: 0 is none.
void ExportRaggedAllToAll(NodeExport* node) {
  const auto collective = WithLists(node);
  if (!collective.has_value()) return;
  Ir& ir = node->ir();
  std::vector<NamedAttr> config = {
      node->Named("replica_groups",
                  GroupsAttr(collective->replica_groups, &ir)),
      node->Named("channel_id", ir.IntegerAttr(collective->channel_id))};
  node->Set("call_target_name", ir.StringAttr("ragged_all_to_all"));
  node->Set("api_version", ir.IntegerAttr(4, ElementType::kS32));
  node->Set("backend_config", ir.DictionaryAttr(std::move(config)));
  node->EmitResult("stablehlo.custom_call");
}

bool SetPermute(NodeExport* node) {
  const auto& permute = node->As<CollectivePermuteAttributes>();
  if (!permute.slice_sizes.empty() ||
      node->instruction().operand_count() == 4) {
    node->Refuse("writes into an operand",
                 "permute the slice, then use dynamic-update-slice");
    return false;
  }
  node->SetMembers("stablehlo.collective_permute");
  return true;
}

void ExportCollectivePermute(NodeExport* node) {
  if (SetPermute(node)) EmitForEach("stablehlo.collective_permute", node);
}

void ExportCollectiveStart(NodeExport* node) {
  const Opcode whole = mlir::FindRow(mlir::kAsyncHalves,
                                     &mlir::AsyncHalves::start, node->opcode())
                           ->whole;
  const absl::string_view op = mlir::FindOp(whole)->name;
  if (whole == Opcode::kCollectivePermute) {
    if (!SetPermute(node)) return;
  } else {
    const auto collective = WithLists(node);
    if (!collective.has_value()) return;
    node->SetMembers(op, *collective);
  }
  EmitStart(op, node);
}

// --- Hosts and channels ------------------------------------------------------

void ExportInfeed(NodeExport* node) {
  const Shape& shape = node->shape();
  bool is_default = true;
  std::vector<AttrId> layouts;
  if (shape.is_tuple() && shape.tuple_size() == 2) {
    ForEachLeaf(shape.elements()[0], [&](const Shape& leaf) {
      const DimIndices dims = MinorToMajor(leaf);
      is_default &= std::is_sorted(dims.rbegin(), dims.rend());
      std::vector<AttrId> order;
      for (const int64_t dim : dims)
        order.push_back(node->ir().IntegerAttr(dim));
      layouts.push_back(node->ir().ArrayAttr(order));
    });
  }
  if (!is_default) node->Set("layout", node->ir().ArrayAttr(layouts));
  ExportPlain(node);
}

void ExportSend(NodeExport* node) {
  const auto& channel = node->As<ChannelAttributes>();
  node->Set(
      "channel_handle",
      ChannelAttr(channel.channel_id,
                  channel.is_host_transfer ? kDeviceToHost : kDeviceToDevice,
                  &node->ir()));
  node->SetMembers("stablehlo.send");
  std::vector<ValueId> operands = node->Operands();
  // Of the leaves only the token is a result.
  std::vector<bool> others(node->ResultTypes().size(), true);
  if (!others.empty()) others.back() = false;
  node->LeaveOut(std::move(others));
  const ValueId token =
      node->Emit("stablehlo.send", operands, {node->ResultTypes().back()})[0];
  // The data, the context and the token.
  std::vector<ValueId> result(operands.begin(), operands.end() - 1);
  result.push_back(MlirWriter::Nothing());
  result.push_back(token);
  node->SetResult(std::move(result));
}

void ExportSendDone(NodeExport* node) {
  const auto values = node->writer().ValuesOf(node->instruction().operand(0));
  node->SetResult({values.back()});
}

void ExportRecv(NodeExport* node) {
  const auto& channel = node->As<ChannelAttributes>();
  node->Set(
      "channel_handle",
      ChannelAttr(channel.channel_id,
                  channel.is_host_transfer ? kHostToDevice : kDeviceToDevice,
                  &node->ir()));
  node->SetMembers("stablehlo.recv");
  // Without the context, the leaf before the token.
  const auto leaves = node->ResultTypes();
  std::vector<TypeId> types(leaves.begin(), leaves.end());
  std::vector<bool> context(types.size(), false);
  if (types.size() >= 2) {
    types.erase(types.end() - 2);
    context[types.size() - 1] = true;
  }
  node->LeaveOut(std::move(context));
  const std::vector<ValueId> operands = node->Operands();
  std::vector<ValueId> result = node->Emit("stablehlo.recv", operands, types);
  result.insert(result.end() - 1, MlirWriter::Nothing());
  node->SetResult(std::move(result));
}

void ExportRecvDone(NodeExport* node) {
  const auto values = node->writer().ValuesOf(node->instruction().operand(0));
  std::vector<ValueId> result(values.begin(), values.end());
  if (result.size() >= 2) result.erase(result.end() - 2);
  node->SetResult(std::move(result));
}

}  // namespace indim::stablehlo_export

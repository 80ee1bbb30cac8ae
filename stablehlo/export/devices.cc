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

namespace indim::stablehlo_export {
namespace {

// Types of channels (StableHLO's specification, ChannelType).
enum : int64_t { kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3 };

void SetChannel(int64_t handle, int64_t type, NodeExport* node) {
  Ir& ir = node->ir();
  node->Set("channel_handle",
            ir.DialectAttr("stablehlo.channel_handle",
                           {node->Named("handle", ir.IntegerAttr(handle)),
                            node->Named("type", ir.IntegerAttr(type))}));
}

// The groups as lists, shorter ones filled up with -1.
struct GroupTable {
  int64_t groups = 0;
  int64_t size = 0;  // of the largest
  std::vector<int64_t> devices;
};

// nullopt: a formula or a mesh of too many devices.
std::optional<GroupTable> Groups(const ReplicaGroups& groups) {
  if (groups.mesh.has_value() || groups.iota_groups > 0) {
    const std::optional<TileAssignment> grid = GridOf(groups);
    const std::optional<DimIndices> listed =
        grid.has_value() ? grid->Listed() : std::nullopt;
    if (!listed.has_value()) return std::nullopt;
    return GroupTable{
        grid->dims()[0], grid->dims()[1], {listed->begin(), listed->end()}};
  }
  GroupTable table;
  table.groups = static_cast<int64_t>(groups.groups.size());
  for (const std::vector<int64_t>& group : groups.groups) {
    table.size = std::max(table.size, static_cast<int64_t>(group.size()));
  }
  if (table.size > 0 && table.groups > TileAssignment::kMaxListed / table.size)
    return std::nullopt;
  for (const std::vector<int64_t>& group : groups.groups) {
    table.devices.insert(table.devices.end(), group.begin(), group.end());
    table.devices.resize(
        table.devices.size() + static_cast<size_t>(table.size) - group.size(),
        -1);
  }
  return table;
}

// One group of all devices: those that the module is compiled for.
GroupTable AllDevices(NodeExport* node) {
  const DeviceCounts counts =
      ReadDeviceCounts(internal::DataOf(node->writer().module()).config);
  const bool partitions = node->As<CollectiveAttributes>().channel_id > 0;
  const int64_t count = partitions ? counts.partitions : counts.replicas;
  GroupTable table{1, std::min(count, TileAssignment::kMaxListed), {}};
  for (int64_t i = 0; i < table.size; ++i) table.devices.push_back(i);
  return table;
}

// Sets replica_groups and channel_handle. Returns the size of a group (0: all
// devices form one); nullopt: refused.
std::optional<int64_t> SetGroups(NodeExport* node) {
  const auto& collective = node->As<CollectiveAttributes>();
  std::optional<GroupTable> table = Groups(collective.replica_groups);
  if (table.has_value() && table->size == 0 &&
      node->opcode() == Opcode::kAllToAll && !collective.dimensions.empty()) {
    table = AllDevices(node);  // split_count must be the size of a group
  }
  if (!table.has_value()) {
    node->Refuse("has groups of too many devices to list them",
                 "use smaller groups");
    return std::nullopt;
  }
  node->Set(
      "replica_groups",
      node->ir().DenseI64Attr(table->devices, {table->groups, table->size}));
  if (collective.channel_id > 0) {
    SetChannel(collective.channel_id, kDeviceToDevice, node);
  }
  return table->size;
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
    const OpId op = node->Emit(name, {operands[i]}, {types[i]});
    results.push_back(node->ir().result(node->ir().op(op), 0));
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
  const OpId op = node->Emit("stablehlo.all_to_all", {joined}, {all_type});
  const ValueId exchanged = ir.result(ir.op(op), 0);
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

bool SetCollective(absl::string_view op, NodeExport* node) {
  if (!SetGroups(node).has_value()) return false;
  node->SetMembers(op);
  return true;
}

void ExportCollective(NodeExport* node) {
  if (!SetGroups(node).has_value()) return;
  ExportPlain(node);
}

void ExportEachOperand(NodeExport* node) {
  if (!SetCollective("stablehlo.collective_broadcast", node)) return;
  if (node->As<CollectiveAttributes>().has_dynamic_root) {
    return ExportPlain(node);
  }
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
  const auto& collective = node->As<CollectiveAttributes>();
  const std::optional<int64_t> group = SetGroups(node);
  if (!group.has_value()) return;
  if (collective.dimensions.empty()) return ExportAllToAllOfTuple(node);
  Ir& ir = node->ir();
  const AttrId dimension = ir.IntegerAttr(collective.dimensions[0]);
  node->Set("split_dimension", dimension);
  node->Set("concat_dimension", dimension);
  node->Set("split_count", ir.IntegerAttr(*group));
  ExportPlain(node);
}

// JAX's form; XLA reads it back.
void ExportRaggedAllToAll(NodeExport* node) {
  const auto& collective = node->As<CollectiveAttributes>();
  Ir& ir = node->ir();
  if (!SetGroups(node).has_value()) return;
  std::vector<NamedAttr> config;
  for (const NamedAttr& property : node->TakeProperties()) {
    if (ir.text(property.name) == "replica_groups") config.push_back(property);
  }
  if (collective.channel_id > 0) {
    config.push_back(
        node->Named("channel_id", ir.IntegerAttr(collective.channel_id)));
  }
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
  if (permute.channel_id > 0) {
    SetChannel(permute.channel_id, kDeviceToDevice, node);
  }
  return true;
}

void ExportCollectivePermute(NodeExport* node) {
  if (SetPermute(node)) EmitForEach("stablehlo.collective_permute", node);
}

void ExportCollectiveStart(NodeExport* node) {
  absl::string_view op = "stablehlo.all_reduce";
  if (node->opcode() == Opcode::kAllGatherStart) op = "stablehlo.all_gather";
  if (node->opcode() == Opcode::kCollectivePermuteStart) {
    op = "stablehlo.collective_permute";
    if (!SetPermute(node)) return;
  } else if (!SetCollective(op, node)) {
    return;
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
  SetChannel(channel.channel_id,
             channel.is_host_transfer ? kDeviceToHost : kDeviceToDevice, node);
  node->SetMembers("stablehlo.send");
  std::vector<ValueId> operands = node->Operands();
  // Of the leaves only the token is a result.
  std::vector<bool> others(node->ResultTypes().size(), true);
  if (!others.empty()) others.back() = false;
  node->LeaveOut(std::move(others));
  const OpId op =
      node->Emit("stablehlo.send", operands, {node->ResultTypes().back()});
  // The data, the context and the token.
  std::vector<ValueId> result(operands.begin(), operands.end() - 1);
  result.push_back(MlirWriter::Nothing());
  result.push_back(node->ir().result(node->ir().op(op), 0));
  node->SetResult(std::move(result));
}

void ExportSendDone(NodeExport* node) {
  const auto values = node->writer().ValuesOf(node->instruction().operand(0));
  node->SetResult({values.back()});
}

void ExportRecv(NodeExport* node) {
  const auto& channel = node->As<ChannelAttributes>();
  SetChannel(channel.channel_id,
             channel.is_host_transfer ? kHostToDevice : kDeviceToDevice, node);
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
  node->SetResultOf(node->Emit("stablehlo.recv", operands, types));
  node->result().insert(node->result().end() - 1, MlirWriter::Nothing());
}

void ExportRecvDone(NodeExport* node) {
  const auto values = node->writer().ValuesOf(node->instruction().operand(0));
  std::vector<ValueId> result(values.begin(), values.end());
  if (result.size() >= 2) result.erase(result.end() - 2);
  node->SetResult(std::move(result));
}

}  // namespace indim::stablehlo_export

// SPDX-License-Identifier: Apache-2.0
// Arguments of builder calls by their type, put together of what a player
// draws.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/ops/opcode.h"
#include "indim/tests/fuzz/player.h"

namespace indim {
namespace {

// Any byte as an enum, numbers that it hasn't among them.
template <typename E>
E DrawEnum(Player& p, int count) {
  const uint8_t which = p.Byte();
  return static_cast<E>(which < 250 ? which % count : which);
}

template <typename... A>
void DrawDimsInto(Player& p, A*... dims) {
  const bool empty = p.OneIn(3);
  ((*dims = empty ? DimIndices() : p.DrawDims()), ...);
}

template <typename T>
std::vector<T> DrawVector(Player& p) {
  return Draw(p, Tag<std::vector<T>>());
}

}  // namespace

Op Draw(Player& p, Tag<Op>) { return p.DrawOp(); }
Operand Draw(Player& p, Tag<Operand>) {
  if (!p.OneIn(4)) return p.DrawOp();
  return p.OneIn(2) ? Operand(p.DrawInt()) : Operand(p.DrawDouble());
}
OperandAtCaller Draw(Player& p, Tag<OperandAtCaller>) {
  if (!p.OneIn(4)) return OperandAtCaller(p.DrawOp());
  return p.OneIn(2) ? OperandAtCaller(p.DrawInt())
                    : OperandAtCaller(p.DrawDouble());
}
int64_t Draw(Player& p, Tag<int64_t>) { return p.DrawInt(); }
int Draw(Player& p, Tag<int>) { return static_cast<int>(p.DrawInt()); }
bool Draw(Player& p, Tag<bool>) { return p.OneIn(2); }
double Draw(Player& p, Tag<double>) { return p.DrawDouble(); }
uint64_t Draw(Player& p, Tag<uint64_t>) {
  return static_cast<uint64_t>(p.DrawInt());
}
Number Draw(Player& p, Tag<Number>) {
  if (p.OneIn(2)) return Number(p.DrawInt());
  return Number(p.DrawDouble());
}
// A size of some shape, with or without a name.
Dim Draw(Player& p, Tag<Dim>) {
  const Shape shape = p.DrawShape();
  return shape.has_rank() && shape.rank() > 0 ? shape.dim(0) : Dim::Static(2);
}
float Draw(Player& p, Tag<float>) { return p.OneIn(4) ? -1.0f : 0.001f; }
ElementType Draw(Player& p, Tag<ElementType>) { return p.DrawType(); }
Shape Draw(Player& p, Tag<Shape>) { return p.DrawShape(); }
ShapeArg Draw(Player& p, Tag<ShapeArg>) {
  if (p.OneIn(16)) return ShapeArg(p.DrawText());
  return ShapeArg(p.DrawShape());
}
SizeArg Draw(Player& p, Tag<SizeArg>) {
  if (p.OneIn(4)) return Draw(p, Tag<Dim>());
  return p.DrawInt();
}
IndexArg Draw(Player& p, Tag<IndexArg>) {
  if (p.OneIn(3)) {
    const int64_t number = p.DrawInt();
    return number == 3   ? IndexArg(kNewAxis)
           : number == 4 ? IndexArg(kEllipsis)
           : number == 5 ? IndexArg(p.DrawOp())
                         : IndexArg(number);
  }
  using Maybe = Tag<std::optional<int64_t>>;
  const std::optional<int64_t> start = Draw(p, Maybe()),
                               stop = Draw(p, Maybe());
  return Range(start, stop, p.OneIn(2) ? 1 : p.DrawInt());
}
Callee Draw(Player& p, Tag<Callee>) { return p.DrawCallee(); }
Literal Draw(Player& p, Tag<Literal>) { return p.DrawLiteral(); }
Caller Draw(Player& p, Tag<Caller>) {
  return p.OneIn(8) ? Caller{} : Caller{"program", 7};
}
Padding Draw(Player& p, Tag<Padding>) { return DrawEnum<Padding>(p, 2); }
ComparisonDirection Draw(Player& p, Tag<ComparisonDirection>) {
  return DrawEnum<ComparisonDirection>(p, 6);
}
ComparisonType Draw(Player& p, Tag<ComparisonType>) {
  return DrawEnum<ComparisonType>(p, 5);
}
FftType Draw(Player& p, Tag<FftType>) { return DrawEnum<FftType>(p, 4); }
TriangularSolveTranspose Draw(Player& p, Tag<TriangularSolveTranspose>) {
  return DrawEnum<TriangularSolveTranspose>(p, 4);
}
RandomAlgorithm Draw(Player& p, Tag<RandomAlgorithm>) {
  return DrawEnum<RandomAlgorithm>(p, 3);
}
Opcode Draw(Player& p, Tag<Opcode>) { return static_cast<Opcode>(p.Byte()); }
std::pair<int64_t, int64_t> Draw(Player& p, Tag<std::pair<int64_t, int64_t>>) {
  const int64_t first = p.DrawInt();
  return {first, p.DrawInt()};
}

BroadcastArg Draw(Player& p, Tag<BroadcastArg>) {
  BroadcastSpec spec;
  // Operands that are declared to go together need none.
  if (p.wants_operands() && !p.OneIn(4)) return spec;
  switch (p.Choose(4)) {
    case 0:
      return spec;
    case 1:
      spec.dimensions = p.DrawDims();
      return spec;
    default:
      spec.rule = DrawEnum<BroadcastRule>(p, 5);
      spec.axis = p.DrawInt();
      return spec;
  }
}

Layout Draw(Player& p, Tag<Layout>) {
  Layout layout = Layout::RowMajor(static_cast<int>(p.Choose(5)));
  if (p.OneIn(2)) {
    std::reverse(layout.minor_to_major.begin(), layout.minor_to_major.end());
  }
  if (p.OneIn(4)) {
    const DimIndices dims = p.DrawDims();
    layout.minor_to_major.assign(dims.begin(), dims.end());
  }
  if (p.OneIn(4)) layout.memory_space = p.DrawInt();
  if (p.OneIn(4)) layout.element_size_in_bits = p.DrawInt();
  if (p.OneIn(8)) layout.tiles.push_back({p.DrawInt(), p.DrawInt()});
  return layout;
}

PaddingDim Draw(Player& p, Tag<PaddingDim>) {
  PaddingDim dim;
  dim.low = p.DrawInt();
  dim.high = p.DrawInt();
  dim.interior = p.DrawInt();
  return dim;
}

WindowDim Draw(Player& p, Tag<WindowDim>) {
  WindowDim dim;
  dim.size = p.DrawInt();
  dim.stride = p.OneIn(3) ? p.DrawInt() : 1;
  dim.padding_low = p.OneIn(3) ? p.DrawInt() : 0;
  dim.padding_high = p.OneIn(3) ? p.DrawInt() : 0;
  dim.window_dilation = p.OneIn(3) ? p.DrawInt() : 1;
  dim.base_dilation = p.OneIn(3) ? p.DrawInt() : 1;
  dim.window_reversal = p.OneIn(4);
  return dim;
}

PrecisionConfig Draw(Player& p, Tag<PrecisionConfig>) {
  PrecisionConfig config;
  for (size_t n = p.Choose(4); n > 0; --n) {
    config.operand_precision.push_back(DrawEnum<Precision>(p, 3));
  }
  if (p.OneIn(4)) config.algorithm = DrawEnum<DotAlgorithm>(p, 14);
  return config;
}

DotAttributes Draw(Player& p, Tag<DotAttributes>) {
  DotAttributes dot;
  DrawDimsInto(p, &dot.lhs_contracting_dims, &dot.rhs_contracting_dims);
  DrawDimsInto(p, &dot.lhs_batch_dims, &dot.rhs_batch_dims);
  DrawDimsInto(p, &dot.lhs_ragged_dims, &dot.rhs_group_dims);
  if (p.OneIn(4)) dot.precision = Draw(p, Tag<PrecisionConfig>());
  return dot;
}

ConvolutionDims Draw(Player& p, Tag<ConvolutionDims>) {
  ConvolutionDims dims;
  dims.input_feature = dims.kernel_input_feature = dims.output_feature = 1;
  dims.input_spatial = dims.kernel_spatial = dims.output_spatial = {2, 3};
  if (p.OneIn(2)) {
    dims.input_batch = p.DrawInt();
    dims.input_feature = p.DrawInt();
    dims.kernel_output_feature = p.DrawInt();
    dims.output_batch = p.DrawInt();
  }
  if (p.OneIn(3)) {
    DrawDimsInto(p, &dims.input_spatial, &dims.kernel_spatial,
                 &dims.output_spatial);
  }
  return dims;
}

ConvolutionAttributes Draw(Player& p, Tag<ConvolutionAttributes>) {
  ConvolutionAttributes a;
  a.window = DrawVector<WindowDim>(p);
  a.dims = Draw(p, Tag<ConvolutionDims>());
  if (p.OneIn(3)) a.feature_group_count = p.DrawInt();
  if (p.OneIn(3)) a.batch_group_count = p.DrawInt();
  if (p.OneIn(4)) {
    a.lhs_sparsity = {p.DrawInt(), p.DrawInt(), p.DrawInt(), p.DrawInt(),
                      p.DrawInt()};
  }
  if (p.OneIn(4)) a.precision = Draw(p, Tag<PrecisionConfig>());
  return a;
}

GatherAttributes Draw(Player& p, Tag<GatherAttributes>) {
  GatherAttributes a;
  DrawDimsInto(p, &a.offset_dims, &a.collapsed_slice_dims, &a.start_index_map);
  DrawDimsInto(p, &a.operand_batching_dims, &a.start_indices_batching_dims);
  a.index_vector_dim = p.DrawInt();
  a.slice_sizes = p.DrawDims();
  return a;
}

ScatterAttributes Draw(Player& p, Tag<ScatterAttributes>) {
  ScatterAttributes a;
  DrawDimsInto(p, &a.update_window_dims, &a.inserted_window_dims,
               &a.scatter_dims_to_operand_dims);
  DrawDimsInto(p, &a.input_batching_dims, &a.scatter_indices_batching_dims);
  a.index_vector_dim = p.DrawInt();
  return a;
}

ReplicaGroups Draw(Player& p, Tag<ReplicaGroups>) {
  ReplicaGroups groups;
  switch (p.Choose(5)) {
    case 0:
      return groups;
    case 1:
      groups.groups = p.DrawList<std::vector<int64_t>>(
          [&] { return DrawVector<int64_t>(p); });
      return groups;
    case 2:
      groups.groups = {{0, 1}};
      return groups;
    case 3: {
      MeshAxes mesh;
      mesh.mesh.axes = {{p.DrawText(), p.DrawInt()}, {"y", p.DrawInt()}};
      mesh.mesh.device_ids = p.OneIn(2) ? DimIndices() : p.DrawDims();
      if (p.OneIn(3)) {
        mesh.mesh.order = IotaTransform{p.DrawDims(), p.DrawDims()};
      }
      mesh.axes = {{p.DrawInt(), {}}};
      if (p.OneIn(2)) mesh.axes[0].factor = {p.DrawInt(), p.DrawInt()};
      groups.mesh = std::move(mesh);
      break;
    }
    default:
      groups.iota = {p.DrawDims(), p.DrawDims()};
      break;
  }
  groups.iota_groups = p.DrawInt();
  groups.iota_group_size = p.DrawInt();
  return groups;
}

CollectiveAttributes Draw(Player& p, Tag<CollectiveAttributes>) {
  CollectiveAttributes a;
  a.replica_groups = Draw(p, Tag<ReplicaGroups>());
  if (p.OneIn(2)) a.channel_id = p.DrawInt();
  a.use_global_device_ids = p.OneIn(3);
  a.constrain_layout = p.OneIn(3);
  if (p.OneIn(3)) a.dimensions = p.DrawDims();
  a.has_dynamic_root = p.OneIn(4);
  return a;
}

CollectivePermuteAttributes Draw(Player& p, Tag<CollectivePermuteAttributes>) {
  CollectivePermuteAttributes a;
  a.source_target_pairs = DrawVector<std::pair<int64_t, int64_t>>(p);
  if (p.OneIn(3)) a.slice_sizes = p.DrawDims();
  if (p.OneIn(3)) a.channel_id = p.DrawInt();
  return a;
}

OutputOperandAliasing Draw(Player& p, Tag<OutputOperandAliasing>) {
  OutputOperandAliasing aliasing;
  aliasing.output_index = p.DrawDims();
  aliasing.operand = p.DrawInt();
  aliasing.operand_index = p.DrawDims();
  return aliasing;
}

CustomCallAttributes Draw(Player& p, Tag<CustomCallAttributes>) {
  CustomCallAttributes a;
  a.target = p.DrawText();
  a.has_side_effect = p.OneIn(2);
  if (p.OneIn(4)) a.operand_shapes_with_layout = DrawVector<Shape>(p);
  a.constrain_layout = p.OneIn(4);
  a.api_version = p.DrawInt();
  a.opaque = p.DrawText();
  if (p.OneIn(3)) {
    a.output_operand_aliasing = DrawVector<OutputOperandAliasing>(p);
  }
  a.schedule = DrawEnum<CustomCallSchedule>(p, 3);
  if (p.OneIn(4)) a.window = DrawVector<WindowDim>(p);
  if (p.OneIn(4)) a.convolution_dims = Draw(p, Tag<ConvolutionDims>());
  a.padding_type = DrawEnum<PaddingType>(p, 3);
  return a;
}

ResultAccuracy Draw(Player& p, Tag<ResultAccuracy>) {
  ResultAccuracy accuracy;
  accuracy.highest = p.OneIn(2);
  if (p.OneIn(2)) {
    accuracy.tolerance =
        ResultAccuracy::Tolerance{p.DrawDouble(), p.DrawDouble(), p.DrawInt()};
  }
  return accuracy;
}

namespace {

// A struct of each kind that has one here, default ones of the others.
Attributes DrawAttributes(Player& p, AttributesKind kind) {
  switch (kind) {
    case AttributesKind::kElementwise:
      return ElementwiseAttributes{Draw(p, Tag<BroadcastArg>()).spec()};
    case AttributesKind::kCompare:
      return CompareAttributes{Draw(p, Tag<ComparisonDirection>()),
                               Draw(p, Tag<ComparisonType>()),
                               Draw(p, Tag<BroadcastArg>()).spec()};
    case AttributesKind::kDimensions:
      return DimensionsAttributes{p.DrawDims()};
    case AttributesKind::kSort:
      return SortAttributes{p.DrawDims(), p.OneIn(2)};
    case AttributesKind::kSlice:
      return SliceAttributes{p.DrawDims(), p.DrawDims(), p.DrawDims()};
    case AttributesKind::kShuffle:
      return ShuffleAttributes{p.DrawDims(), p.DrawDims()};
    case AttributesKind::kDynamicSlice:
      return DynamicSliceAttributes{p.DrawDims()};
    case AttributesKind::kPad:
      return PadAttributes{DrawVector<PaddingDim>(p)};
    case AttributesKind::kDot:
      return Draw(p, Tag<DotAttributes>());
    case AttributesKind::kWindow:
      return WindowAttributes{DrawVector<WindowDim>(p)};
    case AttributesKind::kConvolution:
      return Draw(p, Tag<ConvolutionAttributes>());
    case AttributesKind::kGather:
      return Draw(p, Tag<GatherAttributes>());
    case AttributesKind::kScatter:
      return Draw(p, Tag<ScatterAttributes>());
    case AttributesKind::kTopK:
      return TopKAttributes{p.DrawInt(), p.OneIn(2)};
    case AttributesKind::kFft:
      return FftAttributes{Draw(p, Tag<FftType>()), p.DrawDims()};
    case AttributesKind::kReducePrecision:
      return ReducePrecisionAttributes{p.DrawInt(), p.DrawInt()};
    case AttributesKind::kBatchNorm:
      return BatchNormAttributes{0.1f, p.DrawInt()};
    case AttributesKind::kScan:
      return ScanAttributes{p.DrawDims(), p.DrawInt(), p.OneIn(2), p.DrawInt()};
    case AttributesKind::kParameter:
      return ParameterAttributes{p.DrawInt()};
    case AttributesKind::kGetTupleElement:
      return GetTupleElementAttributes{p.DrawInt()};
    case AttributesKind::kCustomCall:
      return Draw(p, Tag<CustomCallAttributes>());
    case AttributesKind::kFusion:
      return FusionAttributes{p.DrawText(),
                              DrawVector<OutputOperandAliasing>(p)};
    case AttributesKind::kOutfeed:
      return OutfeedAttributes{p.DrawText(), p.DrawShape()};
    case AttributesKind::kChannel:
      return ChannelAttributes{p.DrawInt(), p.OneIn(2)};
    case AttributesKind::kCollective:
      return Draw(p, Tag<CollectiveAttributes>());
    case AttributesKind::kCollectivePermute:
      return Draw(p, Tag<CollectivePermuteAttributes>());
    case AttributesKind::kAsync:
      return AsyncAttributes{p.DrawText(),
                             DrawVector<OutputOperandAliasing>(p)};
    case AttributesKind::kCopyStart:
      return CopyStartAttributes{p.DrawInt()};
    case AttributesKind::kDomain:
      return DomainAttributes{p.DrawText(), p.DrawText(), p.DrawText()};
    default:
      return NoAttributes{};
  }
}

}  // namespace

Attributes Draw(Player& p, Tag<Attributes>) {
  return DrawAttributes(p, static_cast<AttributesKind>(p.Choose(36)));
}

BuildOptions Player::DrawBuildOptions() {
  BuildOptions options;
  if (OneIn(2)) options.order = BuildOptions::Order::kPostOrder;
  for (size_t n = Choose(3); n > 0; --n) {
    options.aliases.push_back({DrawDims(), DrawInt(), DrawDims(), OneIn(2)});
  }
  for (size_t n = Choose(3); n > 0; --n) {
    options.donors.push_back({DrawInt(), DrawDims()});
  }
  if (OneIn(3)) options.devices.replicas = DrawInt();
  if (OneIn(3)) options.devices.partitions = DrawInt();
  if (OneIn(3)) {
    options.entry_layout.emplace();
    for (size_t n = Choose(3); n > 0; --n) {
      options.entry_layout->parameters.push_back(DrawShape());
    }
    options.entry_layout->result = DrawShape();
  }
  for (size_t n = Choose(3); n > 0; --n) {
    std::string key = DrawText();
    options.frontend_attributes.emplace_back(std::move(key), DrawText());
  }
  return options;
}

}  // namespace indim

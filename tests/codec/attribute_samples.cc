#include "indim/tests/codec/attribute_samples.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "indim/shape/ops/replica_groups.h"

namespace indim {
namespace {

// --- Structs by value -------------------------------------------------------

// Every member of a struct, so that two of them can be compared.
auto Tie(const NoAttributes&) { return std::make_tuple(); }
auto Tie(const ConstantAttributes&) { return std::make_tuple(); }
auto Tie(const DomainAttributes& a) {
  return std::make_tuple(a.text, a.entry_sharding, a.exit_sharding);
}
auto Tie(const ElementwiseAttributes& a) {
  return std::make_tuple(a.broadcast);
}
auto Tie(const CompareAttributes& a) {
  return std::make_tuple(a.direction, a.type, a.broadcast);
}
auto Tie(const DimensionsAttributes& a) {
  return std::make_tuple(a.dimensions);
}
auto Tie(const SortAttributes& a) {
  return std::make_tuple(a.dimensions, a.is_stable);
}
auto Tie(const SliceAttributes& a) {
  return std::make_tuple(a.starts, a.limits, a.strides, a.whole);
}
auto Tie(const DynamicSliceAttributes& a) {
  return std::make_tuple(a.slice_sizes);
}
auto Tie(const PadAttributes& a) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> dims;
  for (const PaddingDim& d : a.padding)
    dims.emplace_back(d.low, d.high, d.interior);
  return std::make_tuple(dims);
}
auto Tie(const PrecisionConfig& a) {
  return std::make_tuple(a.operand_precision, a.algorithm);
}
auto Tie(const std::vector<OutputOperandAliasing>& aliasing) {
  std::vector<std::tuple<DimIndices, int64_t, DimIndices>> all;
  for (const OutputOperandAliasing& a : aliasing) {
    all.emplace_back(a.output_index, a.operand, a.operand_index);
  }
  return all;
}
auto Tie(const DotAttributes& a) {
  return std::make_tuple(a.lhs_contracting_dims, a.rhs_contracting_dims,
                         a.lhs_batch_dims, a.rhs_batch_dims, a.lhs_ragged_dims,
                         a.rhs_group_dims, Tie(a.precision));
}
auto Tie(const std::vector<WindowDim>& window) {
  std::vector<
      std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, bool>>
      dims;
  for (const WindowDim& d : window) {
    dims.emplace_back(d.size, d.stride, d.padding_low, d.padding_high,
                      d.window_dilation, d.base_dilation, d.window_reversal);
  }
  return dims;
}
auto Tie(const WindowAttributes& a) { return std::make_tuple(Tie(a.window)); }
auto Tie(const ConvolutionDims& d) {
  return std::make_tuple(d.input_batch, d.input_feature, d.input_spatial,
                         d.kernel_input_feature, d.kernel_output_feature,
                         d.kernel_spatial, d.output_batch, d.output_feature,
                         d.output_spatial);
}
auto Tie(const OperandSparsity& s) {
  return std::make_tuple(s.num_non_zero, s.block_size, s.dimension, s.stride,
                         s.index);
}
auto Tie(const ConvolutionAttributes& a) {
  return std::make_tuple(Tie(a.window), Tie(a.dims), a.feature_group_count,
                         a.batch_group_count, Tie(a.lhs_sparsity),
                         Tie(a.rhs_sparsity), Tie(a.precision), a.kind);
}
auto Tie(const GatherAttributes& a) {
  return std::make_tuple(a.offset_dims, a.collapsed_slice_dims,
                         a.start_index_map, a.operand_batching_dims,
                         a.start_indices_batching_dims, a.index_vector_dim,
                         a.slice_sizes, a.indices_are_sorted);
}
auto Tie(const ScatterAttributes& a) {
  return std::make_tuple(a.update_window_dims, a.inserted_window_dims,
                         a.scatter_dims_to_operand_dims, a.input_batching_dims,
                         a.scatter_indices_batching_dims, a.index_vector_dim,
                         a.indices_are_sorted, a.unique_indices);
}
auto Tie(const TopKAttributes& a) {
  return std::make_tuple(a.k, a.largest, a.is_stable);
}
auto Tie(const FftAttributes& a) { return std::make_tuple(a.type, a.length); }
auto Tie(const CholeskyAttributes& a) { return std::make_tuple(a.lower); }
auto Tie(const TriangularSolveAttributes& a) {
  return std::make_tuple(a.left_side, a.lower, a.unit_diagonal, a.transpose_a);
}
auto Tie(const ReducePrecisionAttributes& a) {
  return std::make_tuple(a.exponent_bits, a.mantissa_bits);
}
auto Tie(const BatchNormAttributes& a) {
  return std::make_tuple(a.epsilon, a.feature_index);
}
auto Tie(const ScanAttributes& a) {
  return std::make_tuple(a.dimensions, a.num_carries, a.is_reverse,
                         a.is_associative);
}
auto Tie(const RngAttributes& a) { return std::make_tuple(a.distribution); }
auto Tie(const RngBitGeneratorAttributes& a) {
  return std::make_tuple(a.algorithm);
}
auto Tie(const RngGetAndUpdateStateAttributes& a) {
  return std::make_tuple(a.delta);
}
auto Tie(const ParameterAttributes& a) { return std::make_tuple(a.number); }
auto Tie(const GetTupleElementAttributes& a) {
  return std::make_tuple(a.index);
}
auto Tie(const CustomCallAttributes& a) {
  return std::make_tuple(a.target, a.has_side_effect, a.constrain_layout,
                         a.operand_shapes_with_layout, a.api_version, a.opaque,
                         Tie(a.output_operand_aliasing), a.schedule,
                         Tie(a.window), a.convolution_dims.has_value(),
                         Tie(a.convolution_dims.value_or(ConvolutionDims())),
                         a.feature_group_count, a.batch_group_count,
                         Tie(a.precision), a.padding_type);
}
auto Tie(const FusionAttributes& a) {
  return std::make_tuple(a.kind, Tie(a.output_operand_aliasing));
}
auto Tie(const InfeedAttributes& a) { return std::make_tuple(a.config); }
auto Tie(const OutfeedAttributes& a) {
  return std::make_tuple(a.config, a.outfeed_shape);
}
auto Tie(const ChannelAttributes& a) {
  return std::make_tuple(a.channel_id, a.is_host_transfer);
}
auto Tie(const IotaTransform& a) {
  return std::make_tuple(a.reshape_dims, a.transpose_perm);
}
auto Tie(const MeshAxes& a) {
  std::vector<std::pair<std::string, int64_t>> mesh;
  for (const MeshAxes::Axis& axis : a.mesh) {
    mesh.emplace_back(axis.name, axis.size);
  }
  std::vector<std::tuple<int64_t, int64_t, int64_t>> axes;
  for (const MeshAxes::AxisRef& ref : a.axes) {
    axes.emplace_back(ref.axis, ref.pre_size, ref.size);
  }
  return std::make_tuple(mesh, a.device_ids, a.order.has_value(),
                         Tie(a.order.value_or(IotaTransform())), axes);
}
auto Tie(const ReplicaGroups& a) {
  return std::make_tuple(a.groups, a.iota_groups, a.iota_group_size,
                         Tie(a.iota), a.mesh.has_value(),
                         Tie(a.mesh.value_or(MeshAxes())));
}
auto Tie(const CollectiveAttributes& a) {
  return std::make_tuple(Tie(a.replica_groups), a.channel_id,
                         a.use_global_device_ids, a.constrain_layout,
                         a.dimensions, a.has_dynamic_root);
}
auto Tie(const CollectivePermuteAttributes& a) {
  return std::make_tuple(a.source_target_pairs, a.slice_sizes, a.channel_id);
}
auto Tie(const AsyncAttributes& a) {
  return std::make_tuple(a.execution_thread, Tie(a.output_operand_aliasing));
}
auto Tie(const CopyStartAttributes& a) {
  return std::make_tuple(a.cross_program_prefetch_index);
}

}  // namespace

bool SameAttributes(const Attributes& a, const Attributes& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& held) {
        using S = std::decay_t<decltype(held)>;
        return Tie(held) == Tie(std::get<S>(b));
      },
      a);
}

namespace {

// --- Random structs ---------------------------------------------------------

int64_t RandomInt(Random* random) {
  switch (Below(5, random)) {
    case 0:
      return 0;
    case 1:
      return -static_cast<int64_t>(Below(5, random));
    case 2:
      return static_cast<int64_t>((*random)());
    default:
      return static_cast<int64_t>(Below(300, random));
  }
}
bool RandomBool(Random* random) { return OneIn(2, random); }
DimIndices RandomDims(Random* random) {
  DimIndices dims;
  for (uint64_t n = Below(5, random); n > 0; --n)
    dims.push_back(RandomInt(random));
  return dims;
}
std::string RandomText(Random* random) {
  static const char* const kTexts[] = {"", "a", "kLoop", "\xc3\xa4#"};
  return kTexts[Below(4, random)];
}
template <typename E>
E RandomEnum(E last, Random* random) {
  return static_cast<E>(Below(static_cast<uint64_t>(last) + 1, random));
}
BroadcastSpec RandomBroadcast(Random* random) {
  BroadcastSpec spec;
  spec.rule = RandomEnum(BroadcastRule::kBidirectional, random);
  if (RandomBool(random)) spec.dimensions = RandomDims(random);
  if (RandomBool(random)) spec.axis = RandomInt(random);
  return spec;
}
std::vector<WindowDim> RandomWindow(Random* random) {
  std::vector<WindowDim> window(Below(4, random));
  for (WindowDim& d : window) {
    d = {RandomInt(random), RandomInt(random), RandomInt(random),
         RandomInt(random), RandomInt(random), RandomInt(random),
         RandomBool(random)};
  }
  return window;
}
PrecisionConfig RandomPrecision(Random* random) {
  PrecisionConfig config;
  for (uint64_t n = Below(3, random); n > 0; --n) {
    config.operand_precision.push_back(RandomEnum(Precision::kHighest, random));
  }
  config.algorithm = RandomEnum(DotAlgorithm::kBf16Bf16F32X9, random);
  return config;
}
std::vector<OutputOperandAliasing> RandomAliasing(Random* random) {
  std::vector<OutputOperandAliasing> aliasing(Below(3, random));
  for (OutputOperandAliasing& a : aliasing) {
    a = {RandomDims(random), RandomInt(random), RandomDims(random)};
  }
  return aliasing;
}
ConvolutionDims RandomConvolutionDims(Random* r) {
  return {RandomInt(r), RandomInt(r), RandomDims(r),
          RandomInt(r), RandomInt(r), RandomDims(r),
          RandomInt(r), RandomInt(r), RandomDims(r)};
}
OperandSparsity RandomSparsity(Random* r) {
  return {RandomInt(r), 1 + static_cast<int64_t>(Below(4, r)), RandomInt(r),
          RandomInt(r), static_cast<int32_t>(RandomInt(r))};
}
MeshAxes RandomMesh(Random* r) {
  MeshAxes mesh;
  mesh.mesh = {{RandomText(r), 2},
               {"b", 1 + static_cast<int64_t>(Below(9, r))}};
  if (RandomBool(r)) mesh.device_ids = RandomDims(r);
  if (RandomBool(r)) mesh.order = IotaTransform{RandomDims(r), RandomDims(r)};
  if (RandomBool(r)) mesh.axes.push_back({1, 0, 0});
  if (RandomBool(r)) mesh.axes.push_back({0, 1, 2});
  return mesh;
}
Shape RandomShape(Random* random) {
  static const char* const kShapes[] = {"f32[]", "s8[2,3]{0,1}", "(f32[2])",
                                        "token[]", "bf16[<=4,?]{1,0}"};
  return *ParseShape(kShapes[Below(5, random)]);
}

void Fill(NoAttributes*, Random*) {}
void Fill(ConstantAttributes*, Random*) {}
void Fill(DomainAttributes* a, Random* r) {
  // Type MAXIMAL, type MANUAL.
  if (RandomBool(r)) a->entry_sharding = "\x08\x01";
  if (RandomBool(r)) a->exit_sharding = "\x08\x04";
}
void Fill(ElementwiseAttributes* a, Random* r) {
  a->broadcast = RandomBroadcast(r);
}
void Fill(CompareAttributes* a, Random* r) {
  a->direction = RandomEnum(ComparisonDirection::kLt, r);
  a->type = RandomEnum(ComparisonType::kUnsigned, r);
  a->broadcast = RandomBroadcast(r);
}
void Fill(DimensionsAttributes* a, Random* r) { a->dimensions = RandomDims(r); }
void Fill(SortAttributes* a, Random* r) { *a = {RandomDims(r), RandomBool(r)}; }
void Fill(SliceAttributes* a, Random* r) {
  for (uint64_t n = Below(4, r); n > 0; --n) {
    const bool whole = RandomBool(r);
    if (whole) a->whole.push_back(static_cast<int64_t>(a->starts.size()));
    a->starts.push_back(RandomInt(r));
    a->limits.push_back(whole ? 0 : RandomInt(r));
    a->strides.push_back(RandomInt(r));
  }
}
void Fill(DynamicSliceAttributes* a, Random* r) {
  a->slice_sizes = RandomDims(r);
}
void Fill(PadAttributes* a, Random* r) {
  a->padding.resize(Below(4, r));
  for (PaddingDim& d : a->padding)
    d = {RandomInt(r), RandomInt(r), RandomInt(r)};
}
void Fill(DotAttributes* a, Random* r) {
  a->lhs_contracting_dims = RandomDims(r);
  a->rhs_contracting_dims = RandomDims(r);
  a->precision = RandomPrecision(r);
  a->lhs_batch_dims = RandomDims(r);
  a->rhs_batch_dims = RandomDims(r);
}
void Fill(WindowAttributes* a, Random* r) { a->window = RandomWindow(r); }
void Fill(ConvolutionAttributes* a, Random* r) {
  a->window = RandomWindow(r);
  a->dims = RandomConvolutionDims(r);
  a->feature_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->batch_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->lhs_sparsity = RandomSparsity(r);
  a->rhs_sparsity = RandomSparsity(r);
  a->precision = RandomPrecision(r);
  a->kind = RandomEnum(ConvolutionKind::kKernelGrad, r);
}
void Fill(GatherAttributes* a, Random* r) {
  *a = {RandomDims(r), RandomDims(r), RandomDims(r), RandomDims(r),
        RandomDims(r), RandomInt(r),  RandomDims(r), RandomBool(r)};
}
void Fill(ScatterAttributes* a, Random* r) {
  *a = {RandomDims(r), RandomDims(r), RandomDims(r), RandomDims(r),
        RandomDims(r), RandomInt(r),  RandomBool(r), RandomBool(r)};
}
void Fill(TopKAttributes* a, Random* r) {
  *a = {RandomInt(r), RandomBool(r), RandomBool(r)};
}
void Fill(FftAttributes* a, Random* r) {
  *a = {RandomEnum(FftType::kIrfft, r), RandomDims(r)};
}
void Fill(CholeskyAttributes* a, Random* r) { a->lower = RandomBool(r); }
void Fill(TriangularSolveAttributes* a, Random* r) {
  *a = {RandomBool(r), RandomBool(r), RandomBool(r),
        RandomEnum(TriangularSolveTranspose::kAdjoint, r)};
}
void Fill(ReducePrecisionAttributes* a, Random* r) {
  *a = {static_cast<int32_t>(RandomInt(r)), static_cast<int32_t>(RandomInt(r))};
}
void Fill(BatchNormAttributes* a, Random* r) {
  *a = {static_cast<float>(RandomInt(r)) / 8, RandomInt(r)};
}
void Fill(ScanAttributes* a, Random* r) {
  *a = {RandomDims(r), RandomInt(r), RandomBool(r),
        static_cast<int64_t>(Below(3, r))};
}
void Fill(RngAttributes* a, Random* r) {
  a->distribution = RandomEnum(RandomDistribution::kNormal, r);
}
void Fill(RngBitGeneratorAttributes* a, Random* r) {
  a->algorithm = RandomEnum(RandomAlgorithm::kPhilox, r);
}
void Fill(RngGetAndUpdateStateAttributes* a, Random* r) {
  a->delta = RandomInt(r);
}
void Fill(ParameterAttributes* a, Random* r) { a->number = RandomInt(r); }
void Fill(GetTupleElementAttributes* a, Random* r) { a->index = RandomInt(r); }
void Fill(CustomCallAttributes* a, Random* r) {
  a->target = RandomText(r);
  a->has_side_effect = RandomBool(r);
  a->constrain_layout = RandomBool(r);
  for (uint64_t n = Below(3, r); n > 0; --n) {
    a->operand_shapes_with_layout.push_back(RandomShape(r));
  }
  a->api_version = static_cast<int64_t>(Below(5, r));
  a->opaque = RandomText(r);
  a->output_operand_aliasing = RandomAliasing(r);
  a->schedule = RandomEnum(CustomCallSchedule::kEarliest, r);
  a->window = RandomWindow(r);
  if (RandomBool(r)) a->convolution_dims = RandomConvolutionDims(r);
  a->feature_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->batch_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->precision = RandomPrecision(r);
  a->padding_type = RandomEnum(PaddingType::kSame, r);
}
void Fill(FusionAttributes* a, Random* r) {
  *a = {RandomText(r), RandomAliasing(r)};
}
void Fill(InfeedAttributes* a, Random* r) { a->config = RandomText(r); }
void Fill(OutfeedAttributes* a, Random* r) {
  a->config = RandomText(r);
  if (RandomBool(r)) a->outfeed_shape = RandomShape(r);
}
void Fill(ChannelAttributes* a, Random* r) {
  *a = {RandomInt(r), RandomBool(r)};
}
void Fill(CollectiveAttributes* a, Random* r) {
  if (OneIn(3, r)) {
    a->replica_groups.mesh = RandomMesh(r);
    CountMeshGroups(&a->replica_groups);
  } else if (RandomBool(r)) {
    a->replica_groups.iota_groups = 1 + static_cast<int64_t>(Below(9, r));
    a->replica_groups.iota_group_size = 1 + static_cast<int64_t>(Below(9, r));
    a->replica_groups.iota = {RandomDims(r), {1, 0}};
    a->replica_groups.iota.reshape_dims.push_back(2);
  } else {
    for (uint64_t n = Below(4, r); n > 0; --n) {
      const DimIndices ids = RandomDims(r);
      a->replica_groups.groups.emplace_back(ids.begin(), ids.end());
    }
  }
  a->channel_id = RandomInt(r);
  a->use_global_device_ids = RandomBool(r);
  a->constrain_layout = RandomBool(r);
  a->dimensions = RandomDims(r);
  a->has_dynamic_root = RandomBool(r);
}
void Fill(CollectivePermuteAttributes* a, Random* r) {
  for (uint64_t n = Below(4, r); n > 0; --n) {
    a->source_target_pairs.emplace_back(RandomInt(r), RandomInt(r));
  }
  a->slice_sizes = RandomDims(r);
  a->channel_id = RandomInt(r);
}
void Fill(AsyncAttributes* a, Random* r) {
  *a = {RandomText(r), RandomAliasing(r)};
}
void Fill(CopyStartAttributes* a, Random* r) {
  if (RandomBool(r)) {
    a->cross_program_prefetch_index = static_cast<int32_t>(RandomInt(r));
  }
}

template <size_t... kIndex>
Attributes RandomOfKind(size_t kind, Random* random,
                        std::index_sequence<kIndex...>) {
  Attributes attributes;
  (void)((kind == kIndex &&
          (Fill(&attributes.emplace<kIndex>(), random), true)) ||
         ...);
  return attributes;
}
}  // namespace

Attributes RandomAttributes(Opcode opcode, Random* random) {
  Attributes attributes = RandomOfKind(
      static_cast<size_t>(Info(opcode).attributes), random,
      std::make_index_sequence<std::variant_size_v<AttributesVariant>>());
  if (opcode == Opcode::kRaggedDot) {
    DotAttributes& dot = std::get<DotAttributes>(attributes);
    dot.lhs_ragged_dims = RandomDims(random);
    dot.rhs_group_dims = RandomDims(random);
  }
  return attributes;
}

}  // namespace indim

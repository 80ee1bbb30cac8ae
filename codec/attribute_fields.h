// Which fields of HloInstructionProto each attribute struct shows: one
// description per struct, from which attributes are read, written and replaced.
// A new attribute is one line here. Numbers: proto/hlo.proto, xla_data.proto;
// what must be present: XLA, HloInstruction::CreateFromProto and XlaBuilder.

#ifndef INDIM_CODEC_ATTRIBUTE_FIELDS_H_
#define INDIM_CODEC_ATTRIBUTE_FIELDS_H_

#include <tuple>

#include "absl/strings/string_view.h"
#include "indim/codec/attribute_bindings.h"
#include "indim/codec/special_bindings.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace binding {

// In the order of the enums.
inline constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE",
                                                    "GT", "LE", "LT"};
inline constexpr absl::string_view kComparisonTypes[] = {
    "", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};

// Describes a struct by the type of the (null) pointer.
constexpr auto FieldsOf(const NoAttributes*) { return std::make_tuple(); }
constexpr auto FieldsOf(const ConstantAttributes*) { return std::make_tuple(); }
constexpr auto FieldsOf(const DomainAttributes*) {
  using S = DomainAttributes;
  return std::make_tuple(Text(54, &S::entry_sharding),
                         Text(55, &S::exit_sharding));
}

constexpr auto FieldsOf(const ElementwiseAttributes*) {
  return std::make_tuple(BroadcastBinding<ElementwiseAttributes>());
}

constexpr auto FieldsOf(const CompareAttributes*) {
  using S = CompareAttributes;
  return std::make_tuple(Spelled(63, &S::direction, kDirections),
                         Spelled(72, &S::type, kComparisonTypes),
                         BroadcastBinding<S>());
}

constexpr auto FieldsOf(const DimensionsAttributes*) {
  return std::make_tuple(Numbers(14, &DimensionsAttributes::dimensions));
}

constexpr auto FieldsOf(const SortAttributes*) {
  using S = SortAttributes;
  return std::make_tuple(Numbers(14, &S::dimensions),
                         Number(60, &S::is_stable));
}

constexpr auto FieldsOf(const SliceAttributes*) {
  return std::make_tuple(SliceBinding());
}

constexpr auto FieldsOf(const DynamicSliceAttributes*) {
  return std::make_tuple(Numbers(20, &DynamicSliceAttributes::slice_sizes));
}

constexpr auto FieldsOf(const PadAttributes*) {
  return std::make_tuple(Message<PadAttributes>(
      21, WireMessage::kPaddingConfig, Presence::kRequired,
      Elements(1, WireMessage::kPaddingConfig_PaddingConfigDimension,
               &PadAttributes::padding, Number(1, &PaddingDim::low),
               Number(2, &PaddingDim::high),
               Number(3, &PaddingDim::interior))));
}

// Field 51.
template <typename S>
constexpr auto PrecisionField() {
  using P = PrecisionConfig;
  return Message<S>(51, WireMessage::kPrecisionConfig, Presence::kIfFilled,
                    Member(&S::precision, Enums(1, &P::operand_precision),
                           OpenEnum(2, &P::algorithm)));
}

// Field 74.
template <typename S>
constexpr auto AliasingField() {
  using A = OutputOperandAliasing;
  return Elements(74, WireMessage::kOutputOperandAliasing,
                  &S::output_operand_aliasing, Numbers(1, &A::output_index),
                  Number(2, &A::operand), Numbers(3, &A::operand_index));
}

// DotDimensionNumbers as field `number`.
constexpr auto DotNumbers(uint32_t number, Presence presence) {
  using S = DotAttributes;
  return Message<S>(number, WireMessage::kDotDimensionNumbers, presence,
                    Numbers(1, &S::lhs_contracting_dims),
                    Numbers(2, &S::rhs_contracting_dims),
                    Numbers(3, &S::lhs_batch_dims),
                    Numbers(4, &S::rhs_batch_dims));
}
constexpr auto FieldsOf(const DotAttributes*) {
  return std::make_tuple(DotNumbers(30, Presence::kRequired),
                         PrecisionField<DotAttributes>());
}
// ragged-dot keeps the same struct in a message of its own.
constexpr auto RaggedDotFields() {
  using S = DotAttributes;
  return std::make_tuple(
      Message<S>(90, WireMessage::kRaggedDotDimensionNumbers,
                 Presence::kRequired, DotNumbers(1, Presence::kAlways),
                 Numbers(2, &S::lhs_ragged_dims),
                 Numbers(3, &S::rhs_group_dims)),
      PrecisionField<S>());
}

// Field 15.
template <typename S>
constexpr auto WindowField(Presence presence) {
  using D = WindowDim;
  return Message<S>(
      15, WireMessage::kWindow, presence,
      Elements(1, WireMessage::kWindowDimension, &S::window,
               Number(1, &D::size), Number(2, &D::stride),
               Number(3, &D::padding_low), Number(4, &D::padding_high),
               Number(5, &D::window_dilation), Number(6, &D::base_dilation),
               Number(7, &D::window_reversal)));
}
constexpr auto FieldsOf(const WindowAttributes*) {
  return std::make_tuple(WindowField<WindowAttributes>(Presence::kAlways));
}

// Calls f with the fields of ConvolutionDimensionNumbers.
template <typename F>
constexpr auto WithConvolutionNumbers(F f) {
  using D = ConvolutionDims;
  return f(Number(3, &D::kernel_input_feature),
           Number(4, &D::kernel_output_feature), Numbers(6, &D::kernel_spatial),
           Number(7, &D::input_batch), Number(8, &D::input_feature),
           Number(9, &D::output_batch), Number(10, &D::output_feature),
           Numbers(11, &D::input_spatial), Numbers(12, &D::output_spatial));
}

// Of SparsityConfig: one operand's.
template <typename S>
constexpr auto SparsityField(uint32_t number, OperandSparsity S::*member) {
  using O = OperandSparsity;
  return Message<S>(number, WireMessage::kSparsityConfig_TensorSparsityConfig,
                    Presence::kIfFilled,
                    Member(member, Number(1, &O::num_non_zero),
                           Factor(2, &O::block_size), Number(3, &O::dimension),
                           Number(4, &O::stride), Number(5, &O::index)));
}

constexpr auto FieldsOf(const ConvolutionAttributes*) {
  using S = ConvolutionAttributes;
  return std::make_tuple(
      WindowField<S>(Presence::kRequired),
      WithConvolutionNumbers([](auto... numbers) {
        return Message<S>(16, WireMessage::kConvolutionDimensionNumbers,
                          Presence::kRequired, Member(&S::dims, numbers...));
      }),
      Count(50, &S::feature_group_count), PrecisionField<S>(),
      Count(58, &S::batch_group_count), OpenEnum(97, &S::kind),
      Message<S>(98, WireMessage::kSparsityConfig, Presence::kIfFilled,
                 SparsityField(1, &S::lhs_sparsity),
                 SparsityField(2, &S::rhs_sparsity)));
}

constexpr auto FieldsOf(const GatherAttributes*) {
  using S = GatherAttributes;
  return std::make_tuple(
      Message<S>(
          33, WireMessage::kGatherDimensionNumbers, Presence::kRequired,
          Numbers(1, &S::offset_dims), Numbers(2, &S::collapsed_slice_dims),
          Numbers(3, &S::start_index_map), Number(4, &S::index_vector_dim),
          Numbers(5, &S::operand_batching_dims),
          Numbers(6, &S::start_indices_batching_dims)),
      Numbers(34, &S::slice_sizes), Number(67, &S::indices_are_sorted));
}

constexpr auto FieldsOf(const ScatterAttributes*) {
  using S = ScatterAttributes;
  return std::make_tuple(
      Message<S>(48, WireMessage::kScatterDimensionNumbers, Presence::kRequired,
                 Numbers(1, &S::update_window_dims),
                 Numbers(2, &S::inserted_window_dims),
                 Numbers(3, &S::scatter_dims_to_operand_dims),
                 Number(4, &S::index_vector_dim),
                 Numbers(5, &S::input_batching_dims),
                 Numbers(6, &S::scatter_indices_batching_dims)),
      Number(67, &S::indices_are_sorted), Number(69, &S::unique_indices));
}

constexpr auto FieldsOf(const TopKAttributes*) {
  using S = TopKAttributes;
  return std::make_tuple(Number(60, &S::is_stable), Number(81, &S::k),
                         Number(85, &S::largest));
}

constexpr auto FieldsOf(const FftAttributes*) {
  using S = FftAttributes;
  return std::make_tuple(Enum(31, &S::type, FftType::kIrfft),
                         Numbers(32, &S::length));
}

constexpr auto FieldsOf(const CholeskyAttributes*) {
  using S = CholeskyAttributes;
  return std::make_tuple(Message<S>(62, WireMessage::kCholeskyOptions,
                                    Presence::kAlways, Number(1, &S::lower)));
}

constexpr auto FieldsOf(const TriangularSolveAttributes*) {
  using S = TriangularSolveAttributes;
  return std::make_tuple(
      Message<S>(59, WireMessage::kTriangularSolveOptions, Presence::kAlways,
                 Number(1, &S::left_side), Number(2, &S::lower),
                 Number(3, &S::unit_diagonal),
                 Enum(4, &S::transpose_a, TriangularSolveTranspose::kAdjoint)));
}

constexpr auto FieldsOf(const ReducePrecisionAttributes*) {
  using S = ReducePrecisionAttributes;
  return std::make_tuple(Number(18, &S::exponent_bits),
                         Number(19, &S::mantissa_bits));
}

constexpr auto FieldsOf(const BatchNormAttributes*) {
  using S = BatchNormAttributes;
  return std::make_tuple(Float(24, &S::epsilon), Number(25, &S::feature_index));
}

constexpr auto FieldsOf(const ScanAttributes*) {
  using S = ScanAttributes;
  return std::make_tuple(
      Numbers(14, &S::dimensions), Number(94, &S::is_reverse),
      Number(95, &S::num_carries), Number(96, &S::is_associative));
}

constexpr auto FieldsOf(const RngAttributes*) {
  return std::make_tuple(
      Enum(23, &RngAttributes::distribution, RandomDistribution::kNormal));
}

constexpr auto FieldsOf(const RngBitGeneratorAttributes*) {
  return std::make_tuple(Enum(70, &RngBitGeneratorAttributes::algorithm,
                              RandomAlgorithm::kPhilox));
}

constexpr auto FieldsOf(const RngGetAndUpdateStateAttributes*) {
  return std::make_tuple(Number(66, &RngGetAndUpdateStateAttributes::delta));
}

constexpr auto FieldsOf(const ParameterAttributes*) {
  return std::make_tuple(Number(9, &ParameterAttributes::number));
}

constexpr auto FieldsOf(const GetTupleElementAttributes*) {
  return std::make_tuple(Number(13, &GetTupleElementAttributes::index));
}

constexpr auto FieldsOf(const CustomCallAttributes*) {
  using S = CustomCallAttributes;
  return std::make_tuple(
      WindowField<S>(Presence::kIfFilled),
      WithConvolutionNumbers([](auto... numbers) {
        return Optional(16, WireMessage::kConvolutionDimensionNumbers,
                        &S::convolution_dims, numbers...);
      }),
      Text(28, &S::target), Text(43, &S::opaque),
      Factor(50, &S::feature_group_count), PrecisionField<S>(),
      Number(56, &S::constrain_layout),
      ShapesBinding<S>(57, &S::operand_shapes_with_layout),
      Factor(58, &S::batch_group_count), Number(65, &S::has_side_effect),
      AliasingField<S>(), OpenEnum(75, &S::padding_type),
      OpenEnum(76, &S::schedule), Number(77, &S::api_version));
}

constexpr auto FieldsOf(const FusionAttributes*) {
  return std::make_tuple(Text(11, &FusionAttributes::kind),
                         AliasingField<FusionAttributes>());
}

constexpr auto FieldsOf(const InfeedAttributes*) {
  return std::make_tuple(Text(27, &InfeedAttributes::config));
}

constexpr auto FieldsOf(const OutfeedAttributes*) {
  using S = OutfeedAttributes;
  return std::make_tuple(Text(22, &S::config),
                         ShapeBinding<S>(29, &S::outfeed_shape));
}

constexpr auto FieldsOf(const ChannelAttributes*) {
  using S = ChannelAttributes;
  return std::make_tuple(ChannelBinding<S>(), Number(47, &S::is_host_transfer));
}

constexpr auto FieldsOf(const CollectiveAttributes*) {
  using S = CollectiveAttributes;
  return std::make_tuple(Numbers(14, &S::dimensions), ChannelBinding<S>(),
                         GroupsBinding(), Number(56, &S::constrain_layout),
                         Number(71, &S::use_global_device_ids),
                         Number(100, &S::has_dynamic_root));
}

constexpr auto FieldsOf(const CollectivePermuteAttributes*) {
  using S = CollectivePermuteAttributes;
  return std::make_tuple(Numbers(20, &S::slice_sizes), ChannelBinding<S>(),
                         PairsBinding());
}

constexpr auto FieldsOf(const AsyncAttributes*) {
  return std::make_tuple(AliasingField<AsyncAttributes>(),
                         Text(79, &AsyncAttributes::execution_thread));
}

constexpr auto FieldsOf(const CopyStartAttributes*) {
  return std::make_tuple(PrefetchBinding());
}

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_ATTRIBUTE_FIELDS_H_

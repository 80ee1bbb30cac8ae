#include "indim/ir/attribute_wire.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/ir/canonical.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/ir/wire_oracle.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// The modules of tests/data/jax, from the command line.
std::vector<std::string> ModuleFiles() {
  std::vector<std::string> files;
  for (const std::string& argument : testing::internal::GetArgvs()) {
    if (absl::EndsWith(argument, ".pb")) files.push_back(argument);
  }
  return files;
}

// --- Blobs and messages -----------------------------------------------------

std::string Joined(const EncodedBlob& blob) {
  return absl::StrCat(blob.before_id, blob.control, blob.after_callees);
}

bool operator==(const EncodedBlob& a, const EncodedBlob& b) {
  return a.before_id == b.before_id && a.control == b.control &&
         a.after_callees == b.after_callees;
}

proto::HloInstructionProto Parse(const EncodedBlob& blob) {
  proto::HloInstructionProto message;
  EXPECT_TRUE(message.ParseFromString(Joined(blob)));
  return message;
}

proto::HloInstructionProto FromText(const std::string& text) {
  proto::HloInstructionProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

std::string ToText(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

// The blob of an instruction, by libprotobuf: what stays when the spine goes.
EncodedBlob BlobOf(proto::HloInstructionProto message) {
  message.clear_name();
  message.clear_opcode();
  message.clear_shape();
  message.clear_metadata();
  message.clear_id();
  message.clear_operand_ids();
  message.clear_called_computation_ids();
  EncodedBlob blob;
  proto::HloInstructionProto control;
  *control.mutable_control_predecessor_ids() =
      message.control_predecessor_ids();
  blob.control = DeterministicBytes(control);
  message.clear_control_predecessor_ids();
  proto::HloInstructionProto before;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const google::protobuf::Reflection* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  proto::HloInstructionProto after = message;
  before = message;
  reflection->MutableUnknownFields(&before)->Clear();
  for (const auto* field : fields) {
    reflection->ClearField(field->number() < 35 ? &after : &before, field);
  }
  blob.before_id = DeterministicBytes(before);
  blob.after_callees = DeterministicBytes(after);
  return blob;
}

Attributes Decode(Opcode opcode, const EncodedBlob& blob) {
  absl::StatusOr<Attributes> attributes = DecodeAttributes(opcode, blob.view());
  EXPECT_TRUE(attributes.ok()) << attributes.status();
  return attributes.ok() ? *std::move(attributes) : Attributes();
}

Attributes DecodeText(Opcode opcode, const std::string& text) {
  return Decode(opcode, BlobOf(FromText(text)));
}

std::string EncodeText(Opcode opcode, const Attributes& attributes) {
  return ToText(Parse(EncodeAttributes(opcode, attributes)));
}

// --- Structs by value -------------------------------------------------------

// Every member of a struct, so that two of them can be compared.
auto Tie(const NoAttributes&) { return std::make_tuple(); }
auto Tie(const ConstantAttributes&) { return std::make_tuple(); }
auto Tie(const DomainAttributes& a) { return std::make_tuple(a.text); }
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
  return std::make_tuple(a.starts, a.limits, a.strides);
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
auto Tie(const DotAttributes& a) {
  return std::make_tuple(a.lhs_contracting_dims, a.rhs_contracting_dims,
                         a.lhs_batch_dims, a.rhs_batch_dims, a.lhs_ragged_dims,
                         a.rhs_group_dims);
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
auto Tie(const ConvolutionAttributes& a) {
  const ConvolutionDims& d = a.dims;
  return std::make_tuple(
      Tie(a.window), d.input_batch, d.input_feature, d.input_spatial,
      d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial,
      d.output_batch, d.output_feature, d.output_spatial, a.feature_group_count,
      a.batch_group_count, a.sparsity_block_size);
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
                         a.operand_shapes_with_layout, a.api_version);
}
auto Tie(const FusionAttributes& a) { return std::make_tuple(a.kind); }
auto Tie(const InfeedAttributes& a) { return std::make_tuple(a.config); }
auto Tie(const OutfeedAttributes& a) {
  return std::make_tuple(a.config, a.outfeed_shape);
}
auto Tie(const ChannelAttributes& a) {
  return std::make_tuple(a.channel_id, a.is_host_transfer);
}
auto Tie(const CollectiveAttributes& a) {
  return std::make_tuple(a.replica_groups.groups, a.replica_groups.iota_groups,
                         a.replica_groups.iota_group_size, a.channel_id,
                         a.use_global_device_ids, a.constrain_layout,
                         a.dimensions, a.has_dynamic_root);
}
auto Tie(const CollectivePermuteAttributes& a) {
  return std::make_tuple(a.source_target_pairs, a.slice_sizes, a.channel_id);
}
auto Tie(const AsyncAttributes& a) {
  return std::make_tuple(a.execution_thread);
}
auto Tie(const CopyStartAttributes& a) {
  return std::make_tuple(a.cross_program_prefetch_index);
}

bool Same(const Attributes& a, const Attributes& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& held) {
        using S = std::decay_t<decltype(held)>;
        return Tie(held) == Tie(std::get<S>(b));
      },
      a);
}

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
Shape RandomShape(Random* random) {
  static const char* const kShapes[] = {"f32[]", "s8[2,3]{0,1}", "(f32[2])",
                                        "token[]", "bf16[<=4,?]{1,0}"};
  return *ParseShape(kShapes[Below(5, random)]);
}

void Fill(NoAttributes*, Random*) {}
void Fill(ConstantAttributes*, Random*) {}
void Fill(DomainAttributes*, Random*) {}
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
    a->starts.push_back(RandomInt(r));
    a->limits.push_back(RandomInt(r));
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
  a->lhs_batch_dims = RandomDims(r);
  a->rhs_batch_dims = RandomDims(r);
}
void Fill(WindowAttributes* a, Random* r) { a->window = RandomWindow(r); }
void Fill(ConvolutionAttributes* a, Random* r) {
  a->window = RandomWindow(r);
  a->dims = {RandomInt(r), RandomInt(r), RandomDims(r),
             RandomInt(r), RandomInt(r), RandomDims(r),
             RandomInt(r), RandomInt(r), RandomDims(r)};
  a->feature_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->batch_group_count = 1 + static_cast<int64_t>(Below(4, r));
  a->sparsity_block_size = 1 + static_cast<int64_t>(Below(4, r));
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
}
void Fill(FusionAttributes* a, Random* r) { a->kind = RandomText(r); }
void Fill(InfeedAttributes* a, Random* r) { a->config = RandomText(r); }
void Fill(OutfeedAttributes* a, Random* r) {
  a->config = RandomText(r);
  if (RandomBool(r)) a->outfeed_shape = RandomShape(r);
}
void Fill(ChannelAttributes* a, Random* r) {
  *a = {RandomInt(r), RandomBool(r)};
}
void Fill(CollectiveAttributes* a, Random* r) {
  if (RandomBool(r)) {
    a->replica_groups.iota_groups = 1 + static_cast<int64_t>(Below(9, r));
    a->replica_groups.iota_group_size = 1 + static_cast<int64_t>(Below(9, r));
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
  a->execution_thread = RandomText(r);
}
void Fill(CopyStartAttributes* a, Random* r) {
  if (RandomBool(r)) {
    a->cross_program_prefetch_index = static_cast<int32_t>(RandomInt(r));
  }
}

template <size_t... kIndex>
Attributes RandomAttributes(size_t kind, Random* random,
                            std::index_sequence<kIndex...>) {
  Attributes attributes;
  (void)((kind == kIndex &&
          (Fill(&attributes.emplace<kIndex>(), random), true)) ||
         ...);
  return attributes;
}
Attributes RandomAttributes(Opcode opcode, Random* random) {
  Attributes attributes = RandomAttributes(
      static_cast<size_t>(Info(opcode).attributes), random,
      std::make_index_sequence<std::variant_size_v<Attributes>>());
  if (opcode == Opcode::kRaggedDot) {
    DotAttributes& dot = std::get<DotAttributes>(attributes);
    dot.lhs_ragged_dims = RandomDims(random);
    dot.rhs_group_dims = RandomDims(random);
  }
  return attributes;
}

bool IsCanonicalBlob(const EncodedBlob& blob) {
  return IsCanonical(WireMessage::kHloInstructionProto, Joined(blob));
}

// --- Tests ------------------------------------------------------------------

TEST(AttributeWireTest, EveryStructComesBackAsItWasWritten) {
  Random random(1);
  for (const OpInfo& op : AllOps()) {
    for (int i = 0; i < 60; ++i) {
      const Attributes written = RandomAttributes(op.opcode, &random);
      const EncodedBlob blob = EncodeAttributes(op.opcode, written);
      ASSERT_TRUE(IsCanonicalBlob(blob)) << op.wire;
      const Attributes read = Decode(op.opcode, blob);
      ASSERT_TRUE(Same(written, read))
          << op.wire << ": " << ToText(Parse(blob));
      ASSERT_TRUE(BlobOf(Parse(blob)) == blob) << op.wire;
    }
  }
}

// A blob of everything: what no struct shows must survive every replacement.
TEST(AttributeWireTest, ReplacingChangesOnlyItsOwnFields) {
  Random random(2);
  for (const OpInfo& op : AllOps()) {
    for (int i = 0; i < 20; ++i) {
      proto::HloInstructionProto before;
      FillAtRandom(2, &random, &before);
      const EncodedBlob blob = BlobOf(before);
      const Attributes wanted = RandomAttributes(op.opcode, &random);
      const EncodedBlob replaced =
          ReplaceAttributes(op.opcode, blob.view(), wanted);
      ASSERT_TRUE(IsCanonicalBlob(replaced)) << op.wire;
      ASSERT_TRUE(Same(wanted, Decode(op.opcode, replaced)))
          << op.wire << ": " << ToText(Parse(replaced));
      // What other ops' structs show is untouched.
      if (op.attributes != AttributesKind::kSort &&
          op.attributes != AttributesKind::kTopK) {
        ASSERT_EQ(Parse(replaced).is_stable(), Parse(blob).is_stable());
      }
      ASSERT_EQ(ToText(Parse(replaced).sharding()),
                ToText(Parse(blob).sharding()));
      // Once more with the same: nothing to do.
      ASSERT_TRUE(ReplaceAttributes(op.opcode, replaced.view(), wanted) ==
                  replaced);
    }
  }
}

TEST(AttributeWireTest, RealInstructionsKeepEveryByte) {
  int instructions = 0;
  for (const std::string& file : ModuleFiles()) {
    SCOPED_TRACE(file);
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(bytes));
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation.instructions()) {
        const std::optional<Opcode> opcode =
            OpcodeFromName(instruction.opcode());
        ASSERT_TRUE(opcode) << instruction.opcode();
        const EncodedBlob blob = BlobOf(instruction);
        const absl::StatusOr<Attributes> attributes =
            DecodeAttributes(*opcode, blob.view());
        ASSERT_TRUE(attributes.ok())
            << instruction.name() << ": " << attributes.status();
        ASSERT_TRUE(ReplaceAttributes(*opcode, blob.view(), *attributes) ==
                    blob)
            << instruction.name();
        // Written from the struct alone it says the same.
        ASSERT_TRUE(
            Same(*attributes,
                 Decode(*opcode, EncodeAttributes(*opcode, *attributes))))
            << instruction.name();
        ++instructions;
      }
    }
  }
  EXPECT_GT(instructions, 3000);
}

struct FieldsCase {
  Opcode opcode;
  Attributes attributes;
  const char* fields;  // as libprotobuf prints them
};

TEST(AttributeWireTest, WritesWhatXlaWrites) {
  ElementwiseAttributes in_dim;
  in_dim.broadcast.dimensions = DimIndices{1};
  ElementwiseAttributes empty;
  empty.broadcast.dimensions = DimIndices{};
  ElementwiseAttributes pdpd;
  pdpd.broadcast.rule = BroadcastRule::kPdpd;
  pdpd.broadcast.axis = 0;
  ConvolutionAttributes convolution;
  convolution.window = {WindowDim()};
  CollectiveAttributes lists;
  lists.replica_groups.groups = {{0, 1}, {2}};
  CollectiveAttributes formula;
  formula.replica_groups.iota_groups = 2;
  formula.replica_groups.iota_group_size = 4;
  CollectivePermuteAttributes pairs;
  pairs.source_target_pairs = {{0, 1}};
  OutfeedAttributes outfeed;
  outfeed.outfeed_shape = Shape::Of(ElementType::kF32, {2});
  const FieldsCase cases[] = {
      {Opcode::kAbs, NoAttributes(), ""},
      {Opcode::kAdd, ElementwiseAttributes(), ""},
      {Opcode::kAdd, in_dim, "implicit_broadcast { broadcast_dimensions: 1 }"},
      {Opcode::kAdd, empty,
       "implicit_broadcast { has_broadcast_dimensions: true }"},
      {Opcode::kAdd, pdpd, "implicit_broadcast { rule: RULE_PDPD axis: 0 }"},
      {Opcode::kCompare, CompareAttributes(), "comparison_direction: \"EQ\""},
      {Opcode::kCompare,
       CompareAttributes{ComparisonDirection::kLt,
                         ComparisonType::kFloatTotalOrder, BroadcastSpec()},
       "comparison_direction: \"LT\" comparison_type: \"TOTALORDER\""},
      {Opcode::kTranspose, DimensionsAttributes{{1, 0}},
       "dimensions: 1 dimensions: 0"},
      {Opcode::kSlice, SliceAttributes{{1}, {3}, {}},
       "slice_dimensions { start: 1 limit: 3 stride: 1 }"},
      {Opcode::kPad, PadAttributes(), "padding_config { }"},
      {Opcode::kPad, PadAttributes{{{-1, 0, 2}}},
       "padding_config { dimensions { edge_padding_low: -1 interior_padding: "
       "2 } }"},
      {Opcode::kDot, DotAttributes(), "dot_dimension_numbers { }"},
      {Opcode::kScaledDot, DotAttributes{{1}, {0}, {}, {}, {}, {}},
       "dot_dimension_numbers { lhs_contracting_dimensions: 1 "
       "rhs_contracting_dimensions: 0 }"},
      {Opcode::kRaggedDot, DotAttributes{{}, {}, {}, {}, {2}, {}},
       "ragged_dot_dimension_numbers { dot_dimension_numbers { } "
       "lhs_ragged_dimensions: 2 }"},
      {Opcode::kReduceWindow, WindowAttributes(), "window { }"},
      {Opcode::kConvolution, convolution,
       "window { dimensions { size: 1 stride: 1 window_dilation: 1 "
       "base_dilation: 1 } } convolution_dimension_numbers { } "
       "feature_group_count: 1 batch_group_count: 1"},
      {Opcode::kGather, GatherAttributes(), "gather_dimension_numbers { }"},
      {Opcode::kScatter, ScatterAttributes(), "scatter_dimension_numbers { }"},
      {Opcode::kTopK, TopKAttributes{4, true, true},
       "is_stable: true k: 4 largest: true"},
      {Opcode::kFft, FftAttributes{FftType::kRfft, {8}},
       "fft_type: RFFT fft_length: 8"},
      {Opcode::kCholesky, CholeskyAttributes(), "cholesky_options { }"},
      {Opcode::kTriangularSolve, TriangularSolveAttributes(),
       "triangular_solve_options { }"},
      {Opcode::kReducePrecision, ReducePrecisionAttributes{5, 10},
       "exponent_bits: 5 mantissa_bits: 10"},
      {Opcode::kReducePrecision, ReducePrecisionAttributes{int64_t{1} << 40, 0},
       "exponent_bits: 2147483647"},
      {Opcode::kBatchNormTraining, BatchNormAttributes{0.5, 1},
       "epsilon: 0.5 feature_index: 1"},
      {Opcode::kAllReduce, CollectiveAttributes(), ""},
      {Opcode::kAllReduce, lists,
       "collective_device_list { replica_groups { replica_ids: 0 replica_ids: "
       "1 } replica_groups { replica_ids: 2 } }"},
      {Opcode::kAllGather, formula,
       "iota_collective_device_list { num_replica_groups: 2 "
       "num_devices_per_group: 4 iota_reshape_dims: 8 iota_transpose_perm: 0 "
       "}"},
      {Opcode::kCollectivePermute, pairs, "source_target_pairs { target: 1 }"},
      {Opcode::kCopyStart, CopyStartAttributes{0},
       "cross_program_prefetch_index: 0"},
      {Opcode::kOutfeed, outfeed,
       "outfeed_shape { element_type: F32 dimensions: 2 "
       "is_dynamic_dimension: false }"},
      {Opcode::kGetTupleElement, GetTupleElementAttributes{0}, ""},
      // A struct of another op counts as a default one.
      {Opcode::kDot, CholeskyAttributes{true}, "dot_dimension_numbers { }"},
  };
  for (const FieldsCase& c : cases) {
    EXPECT_EQ(EncodeText(c.opcode, c.attributes),
              *c.fields == 0 ? "" : absl::StrCat(c.fields, " "))
        << Name(c.opcode);
  }
}

TEST(AttributeWireTest, ReadsDefaultsAsXlaDoes) {
  const auto convolution = As<ConvolutionAttributes>(
      DecodeText(Opcode::kConvolution,
                 "window { } convolution_dimension_numbers { } "
                 "sparsity_config { lhs { block_size: 7 } rhs { block_size: 4 "
                 "num_non_zero: 2 } }"));
  EXPECT_EQ(convolution.feature_group_count, 1);
  EXPECT_EQ(convolution.batch_group_count, 1);
  EXPECT_EQ(convolution.sparsity_block_size, 4);
  EXPECT_FALSE(As<TopKAttributes>(DecodeText(Opcode::kTopK, "k: 2")).largest);
  EXPECT_EQ(As<CompareAttributes>(
                DecodeText(Opcode::kCompare, "comparison_direction: \"NE\""))
                .type,
            ComparisonType::kDefault);
  EXPECT_EQ(
      As<CopyStartAttributes>(
          DecodeText(Opcode::kCopyStart, "is_cross_program_prefetch: true"))
          .cross_program_prefetch_index,
      0);
  EXPECT_EQ(As<CollectiveAttributes>(
                DecodeText(Opcode::kAllReduce, "all_reduce_id: 3"))
                .channel_id,
            3);
  EXPECT_EQ(
      As<CollectiveAttributes>(
          DecodeText(Opcode::kAllReduce, "channel_id: 2 all_reduce_id: 3"))
          .channel_id,
      2);
  EXPECT_EQ(As<ElementwiseAttributes>(
                DecodeText(Opcode::kAdd, "implicit_broadcast { }"))
                .broadcast,
            BroadcastSpec());
}

TEST(AttributeWireTest, ReadsFourEncodingsOfReplicaGroups) {
  const auto groups = [](const std::string& text) {
    return As<CollectiveAttributes>(DecodeText(Opcode::kAllReduce, text))
        .replica_groups;
  };
  const std::vector<std::vector<int64_t>> lists = {{0, 2}, {1, 3}};
  EXPECT_EQ(groups("replica_groups { replica_ids: [0, 2] } "
                   "replica_groups { replica_ids: [1, 3] }")
                .groups,
            lists);
  EXPECT_EQ(groups("collective_device_list { replica_groups { replica_ids: "
                   "[0, 2] } replica_groups { replica_ids: [1, 3] } }")
                .groups,
            lists);
  // The newer encoding counts where both are there.
  EXPECT_TRUE(groups("replica_groups { replica_ids: 0 } "
                     "collective_device_list { }")
                  .groups.empty());
  const ReplicaGroups formula = groups(
      "iota_collective_device_list { num_replica_groups: 2 "
      "num_devices_per_group: 4 iota_reshape_dims: [4, 2] "
      "iota_transpose_perm: [1, 0] }");
  EXPECT_EQ(formula.iota_groups, 2);
  EXPECT_EQ(formula.iota_group_size, 4);
  const std::string mesh =
      "mesh { axes { name: 'x' size: 2 } axes { name: 'y' size: 12 } }";
  const ReplicaGroups whole =
      groups("mesh_axes_replica_group_list { " + mesh + " axes { } }");
  EXPECT_EQ(whole.iota_groups, 12);
  EXPECT_EQ(whole.iota_group_size, 2);
  const ReplicaGroups part = groups(
      "mesh_axes_replica_group_list { " + mesh +
      " axes { mesh_axis_index: 1 sub_axis_info { pre_size: 2 size: 3 } } }");
  EXPECT_EQ(part.iota_groups, 8);
  EXPECT_EQ(part.iota_group_size, 3);
}

TEST(AttributeWireTest, KeepsTheEncodingOfUnchangedGroups) {
  const char* const kEncodings[] = {
      "replica_groups { replica_ids: 1 }",
      "collective_device_list { replica_groups { replica_ids: 1 } }",
      "iota_collective_device_list { num_replica_groups: 2 "
      "num_devices_per_group: 4 iota_reshape_dims: [4, 2] "
      "iota_transpose_perm: [1, 0] }",
      "mesh_axes_replica_group_list { mesh { axes { size: 2 } } axes { } }",
      "channel_id: 5 all_reduce_id: 5",
  };
  for (const char* text : kEncodings) {
    const EncodedBlob blob = BlobOf(FromText(text));
    Attributes attributes = Decode(Opcode::kAllGather, blob);
    EXPECT_TRUE(
        ReplaceAttributes(Opcode::kAllGather, blob.view(), attributes) == blob);
    // An edit beside them doesn't touch them.
    std::get<CollectiveAttributes>(attributes).dimensions = {3};
    proto::HloInstructionProto expected = FromText(text);
    expected.add_dimensions(3);
    EXPECT_EQ(ToText(Parse(ReplaceAttributes(Opcode::kAllGather, blob.view(),
                                             attributes))),
              ToText(expected));
    // An edit of them leaves one encoding.
    auto& collective = std::get<CollectiveAttributes>(attributes);
    collective.replica_groups = ReplicaGroups();
    collective.replica_groups.groups = {{7, 8}};
    collective.channel_id = 9;
    EXPECT_EQ(ToText(Parse(ReplaceAttributes(Opcode::kAllGather, blob.view(),
                                             attributes))),
              "dimensions: 3 channel_id: 9 collective_device_list { "
              "replica_groups { replica_ids: 7 replica_ids: 8 } } ");
  }
}

TEST(AttributeWireTest, EditsInsideAMessageKeepItsOtherFields) {
  const EncodedBlob blob = BlobOf(
      FromText("window { } convolution_dimension_numbers { } sparsity_config { "
               "lhs { idx: 3 } rhs { block_size: 4 num_non_zero: 2 } }"));
  Attributes attributes = Decode(Opcode::kConvolution, blob);
  std::get<ConvolutionAttributes>(attributes).sparsity_block_size = 8;
  EXPECT_EQ(ToText(Parse(ReplaceAttributes(Opcode::kConvolution, blob.view(),
                                           attributes))),
            "window { } convolution_dimension_numbers { } sparsity_config { "
            "lhs { idx: 3 } rhs { num_non_zero: 2 block_size: 8 } } ");
}

TEST(AttributeWireTest, SaysWhatItDoesNotUnderstand) {
  struct Case {
    Opcode opcode;
    const char* fields;
    const char* message;
  };
  const Case cases[] = {
      {Opcode::kCompare, "", "compare: field 63 is \"\""},
      {Opcode::kCompare, "comparison_direction: \"XX\"",
       "must be one of EQ NE GE GT LE LT"},
      {Opcode::kCompare,
       "comparison_direction: \"EQ\" comparison_type: \"BOOL\"", "BOOL"},
      {Opcode::kDot, "", "field 30 (DotDimensionNumbers) is missing"},
      {Opcode::kRaggedDot, "dot_dimension_numbers { }", "field 90"},
      {Opcode::kGather, "", "field 33"},
      {Opcode::kScatter, "", "field 48"},
      {Opcode::kPad, "", "field 21"},
      {Opcode::kConvolution, "convolution_dimension_numbers { }", "field 15"},
      {Opcode::kConvolution, "window { }", "field 16"},
      {Opcode::kAdd, "implicit_broadcast { rule: 17 }", "unknown rule 17"},
      {Opcode::kFft, "fft_type: 9", "its enum ends at 3"},
      {Opcode::kRng, "distribution: -1", "field 23 is -1"},
      {Opcode::kTriangularSolve, "triangular_solve_options { transpose_a: 4 }",
       "field 4 is 4"},
      {Opcode::kOutfeed, "outfeed_shape { element_type: 99 }", "field 29"},
      {Opcode::kCustomCall,
       "operand_shapes_with_layout { element_type: F32 dimensions: -5 }",
       "field 57"},
      {Opcode::kAllReduce,
       "iota_collective_device_list { num_replica_groups: 2 }",
       "can't be 2 of 0"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: 2 } } axes { "
       "mesh_axis_index: 1 } }",
       "axes that their mesh doesn't have"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: "
       "9223372036854775807 } axes { size: 2 } } }",
       "axes that their mesh doesn't have"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: 4 } } axes { "
       "sub_axis_info { size: 3 } } }",
       "axes that their mesh doesn't have"},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Attributes> attributes =
        DecodeAttributes(c.opcode, BlobOf(FromText(c.fields)).view());
    ASSERT_FALSE(attributes.ok()) << Name(c.opcode) << " " << c.fields;
    EXPECT_EQ(attributes.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(attributes.status().message()),
                HasSubstr(c.message));
  }
  // Half a blob.
  EXPECT_FALSE(DecodeAttributes(Opcode::kSort, {"\x72\x05", "", ""}).ok());
}

// Any bytes are read without harm.
TEST(AttributeWireTest, DamagedBlobsAreSafe) {
  Random random(3);
  for (int i = 0; i < 4000; ++i) {
    proto::HloInstructionProto message;
    FillAtRandom(2, &random, &message);
    const std::string bytes = Damage(DeterministicBytes(message), &random);
    const OpInfo& op = AllOps()[Below(AllOps().size(), &random)];
    const BlobView view{bytes, "", ""};
    const absl::StatusOr<Attributes> attributes =
        DecodeAttributes(op.opcode, view);
    ReplaceAttributes(op.opcode, view,
                      attributes.ok() ? *attributes : Attributes());
    BlobField(view, 43);
  }
}

TEST(BlobFieldTest, SetsReadsAndRemoves) {
  const EncodedBlob blob =
      BlobOf(FromText("dimensions: 4 dot_dimension_numbers { } "
                      "control_predecessor_ids: 7 backend_config: \"xy\""));
  bool present = false;
  EXPECT_EQ(BlobField(blob.view(), 43, &present), "xy");
  EXPECT_TRUE(present);
  EXPECT_EQ(BlobField(blob.view(), 30, &present), "");
  EXPECT_TRUE(present);
  EXPECT_EQ(BlobField(blob.view(), 28, &present), "");
  EXPECT_FALSE(present);
  EXPECT_EQ(BlobField(blob.view(), 14), "\x04");
  EXPECT_EQ(BlobField(BlobView(), 43), "");

  EXPECT_EQ(ToText(Parse(WithField(blob.view(), 28, "t"))),
            "dimensions: 4 custom_call_target: \"t\" dot_dimension_numbers { } "
            "control_predecessor_ids: 7 backend_config: \"xy\" ");
  EXPECT_EQ(ToText(Parse(WithField(blob.view(), 43, ""))),
            "dimensions: 4 dot_dimension_numbers { } "
            "control_predecessor_ids: 7 ");
  EXPECT_EQ(ToText(Parse(WithField(blob.view(), 40, ""))),
            "dimensions: 4 dot_dimension_numbers { } "
            "control_predecessor_ids: 7 sharding { } backend_config: \"xy\" ");
  EXPECT_EQ(ToText(Parse(WithoutField(blob.view(), 30))),
            "dimensions: 4 control_predecessor_ids: 7 backend_config: \"xy\" ");
  EXPECT_TRUE(WithoutField(blob.view(), 28) == blob);
  // Setting one kind of replica groups clears the others.
  EXPECT_EQ(ToText(Parse(WithField(WithField(BlobView(), 87, "").view(), 92,
                                   "\x08\x02"))),
            "iota_collective_device_list { num_replica_groups: 2 } ");
}

TEST(BlobFieldTest, LeavesTheSpineAndUnknownNumbersAlone) {
  const EncodedBlob blob = BlobOf(FromText("dimensions: 4"));
  for (int number : {1, 2, 3, 7, 14, 35, 36, 38, 0, -1, 999, 1 << 30}) {
    EXPECT_TRUE(WithField(blob.view(), number, "x") == blob) << number;
  }
  for (int number : {1, 35, 999}) {
    EXPECT_TRUE(WithoutField(blob.view(), number) == blob) << number;
  }
}

TEST(BlobFieldTest, KeepsUnknownFieldsAtTheEnd) {
  // Field 2000, a varint.
  const std::string unknown = "\x80\x7d\x01";
  EncodedBlob blob = BlobOf(FromText("backend_config: \"xy\""));
  blob.after_callees += unknown;
  const EncodedBlob set = WithField(blob.view(), 68, "");
  EXPECT_EQ(set.after_callees.substr(set.after_callees.size() - 3), unknown);
  EXPECT_TRUE(IsCanonicalBlob(set));
  EXPECT_TRUE(WithoutField(set.view(), 68) == blob);
}

}  // namespace
}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
// The attributes of operations: one plain struct per family of ops. The op
// table (ops.def) names the struct of each op; `Attributes` holds any of them.
// Shape functions, the builder, the readers and writers share these structs;
// proto/codec/attribute_wire.h reads and writes them as bytes.
//
// Names are XLA's. Lists of positions are as the author wrote them: the structs
// check nothing, shape functions check.

#ifndef INDIM_SHAPE_OPS_ATTRIBUTES_H_
#define INDIM_SHAPE_OPS_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "indim/shape/broadcast/broadcast_spec.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {

// For ops without attributes.
struct NoAttributes {};

// Elementwise binary ops: the broadcasting that the author asked for.
struct ElementwiseAttributes {
  BroadcastSpec broadcast;
};

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t {
  kDefault,  // the operands' element type decides
  kFloat,
  kFloatTotalOrder,
  kSigned,
  kUnsigned,
  // 0 and -0 are equal, all NaN are, and these are above infinity.
  kFloatWeakOrder,
  // The one total order of the operands' element type, which newer XLA says of
  // integers, too: of floats kFloatTotalOrder, else kDefault.
  kTotal
};
struct CompareAttributes {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
  BroadcastSpec broadcast;
};

// transpose (the permutation), reverse, broadcast (the result dim of each
// operand dim), reshape (none, or the one inferred dim), concatenate, get- and
// set-dimension-size and iota (one dim), map, reduce.
struct DimensionsAttributes {
  DimIndices dimensions;
};

struct SortAttributes {
  DimIndices dimensions;  // one; in the builder -1 is the last dim
  bool is_stable = false;
};

struct SliceAttributes {
  DimIndices starts;   // inclusive
  DimIndices limits;   // exclusive
  DimIndices strides;  // >= 1; empty: all 1
  // Dims whose limit is the operand's size, which isn't known yet; their
  // entries in `limits` are ignored. Only recorded modules have them;
  // refinement replaces them by numbers.
  DimIndices whole = {};
};

struct ShuffleAttributes {
  DimIndices dimensions;
  // How far the elements of each of these dims rotate toward its beginning;
  // what leaves it comes in at the end. Negative: toward the end.
  DimIndices shifts;
};

struct DynamicSliceAttributes {
  DimIndices slice_sizes;
};

struct PaddingDim {
  int64_t low = 0;       // before the first element; may be negative
  int64_t high = 0;      // after the last element; may be negative
  int64_t interior = 0;  // between neighbours; >= 0
};
struct PadAttributes {
  std::vector<PaddingDim> padding;  // one per operand dim
};

// Required exactness of products. Numbers are XLA's; unknown numbers are kept.
enum class Precision : uint8_t { kDefault, kHigh, kHighest };
enum class DotAlgorithm : uint8_t {
  kUnset,
  kAnyF8AnyF8F32,
  kAnyF8AnyF8F32FastAccum,
  kF16F16F16,
  kF16F16F32,
  kBf16Bf16Bf16,
  kBf16Bf16F32,
  kBf16Bf16F32X3,
  kBf16Bf16F32X6,
  kTf32Tf32F32,
  kTf32Tf32F32X3,
  kF32F32F32,
  kF64F64F64,
  kBf16Bf16F32X9,
  kBf16Bf16Fp8X3,
  kBf16Bf16Fp8X4,
};
struct PrecisionConfig {
  std::vector<Precision>
      operand_precision;  // one per operand; or none: default
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
};

struct DotAttributes {
  DimIndices lhs_contracting_dims;
  DimIndices rhs_contracting_dims;
  DimIndices lhs_batch_dims;
  DimIndices rhs_batch_dims;
  // ragged-dot only.
  DimIndices lhs_ragged_dims;
  DimIndices rhs_group_dims;

  PrecisionConfig precision = {};
};

struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;
  int64_t base_dilation = 1;
  bool window_reversal = false;
};
// reduce-window, select-and-scatter.
struct WindowAttributes {
  std::vector<WindowDim> window;
};

struct ConvolutionDims {
  // What dim_labels of HLO text can say: a digit for each spatial dim, and dims
  // of far larger arrays than there are.
  static constexpr size_t kMaxSpatial = 10;
  static constexpr int64_t kMaxRank = 1024;

  int64_t input_batch = 0;
  int64_t input_feature = 0;
  DimIndices input_spatial;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  DimIndices kernel_spatial;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  DimIndices output_spatial;

  // True when no member was set: a real convolution has different batch and
  // feature dims.
  bool empty() const {
    return input_batch == 0 && input_feature == 0 && input_spatial.empty() &&
           kernel_input_feature == 0 && kernel_output_feature == 0 &&
           kernel_spatial.empty() && output_batch == 0 && output_feature == 0 &&
           output_spatial.empty();
  }
};
// N:M sparsity: in each block of `block_size` elements, at most num_non_zero
// are not zero.
struct OperandSparsity {
  int64_t num_non_zero = 0;
  int64_t block_size = 1;  // 1: dense
  int64_t dimension = 0;   // the sparse dim
  int64_t stride = 0;      // distance between elements of a block
  int64_t index = 0;       // the operand that gives the non-zero positions
};
enum class ConvolutionKind : uint8_t {
  kUnset,
  kForward,
  kInputGrad,
  kKernelGrad
};
struct ConvolutionAttributes {
  std::vector<WindowDim> window;
  ConvolutionDims dims;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  OperandSparsity lhs_sparsity = {};
  OperandSparsity rhs_sparsity = {};  // of the kernel's input features
  PrecisionConfig precision = {};
  ConvolutionKind kind = ConvolutionKind::kUnset;
};

struct GatherAttributes {
  DimIndices offset_dims;
  DimIndices collapsed_slice_dims;
  DimIndices start_index_map;
  DimIndices operand_batching_dims;
  DimIndices start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  DimIndices slice_sizes;
  bool indices_are_sorted = false;
};

struct ScatterAttributes {
  DimIndices update_window_dims;
  DimIndices inserted_window_dims;
  DimIndices scatter_dims_to_operand_dims;
  DimIndices input_batching_dims;
  DimIndices scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
};

struct TopKAttributes {
  int64_t k = 0;
  bool largest = true;
  bool is_stable = true;
};

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
struct FftAttributes {
  FftType type = FftType::kFft;
  DimIndices length;
};

struct CholeskyAttributes {
  bool lower = false;
};

enum class TriangularSolveTranspose : uint8_t {
  kInvalid,
  kNoTranspose,
  kTranspose,
  kAdjoint
};
struct TriangularSolveAttributes {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  TriangularSolveTranspose transpose_a = TriangularSolveTranspose::kInvalid;
};

struct ReducePrecisionAttributes {
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;
};

struct BatchNormAttributes {
  float epsilon = 0;
  int64_t feature_index = 0;
};

struct ScanAttributes {
  DimIndices dimensions;  // one
  int64_t num_carries = 0;
  bool is_reverse = false;
  // XLA's TriState: 0 unspecified, 1 true, 2 false.
  int64_t is_associative = 0;
};

enum class RandomDistribution : uint8_t { kInvalid, kUniform, kNormal };
struct RngAttributes {
  RandomDistribution distribution = RandomDistribution::kInvalid;
};

enum class RandomAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
struct RngBitGeneratorAttributes {
  RandomAlgorithm algorithm = RandomAlgorithm::kDefault;
};

struct RngGetAndUpdateStateAttributes {
  int64_t delta = 0;
};

struct ParameterAttributes {
  int64_t number = 0;
};

struct GetTupleElementAttributes {
  int64_t index = 0;
};

// The graph holds the value, not this struct.
struct ConstantAttributes {};

// Declares that a part of the result shares a buffer with a part of an operand.
// The indices are paths into nested tuples.
struct OutputOperandAliasing {
  DimIndices output_index;
  int64_t operand = 0;
  DimIndices operand_index;
};

enum class CustomCallSchedule : uint8_t { kNone, kLatest, kEarliest };
enum class PaddingType : uint8_t { kInvalid, kValid, kSame };
// Values of api_version.
enum CustomCallApiVersion : int64_t {
  kApiUnspecified = 0,
  kApiOriginal = 1,
  kApiStatusReturning = 2,
  kApiStatusReturningUnified = 3,
  kApiTypedFfi = 4,
};
// Targets of custom calls that begin and end the life of an array as a buffer
// (source: XLA, hlo_instructions.h).
inline constexpr absl::string_view kPinTarget = "Pin";
inline constexpr absl::string_view kUnpinTarget = "Unpin";
inline constexpr absl::string_view kCreateBufferTarget = "CreateBuffer";
struct CustomCallAttributes {
  std::string target;
  bool has_side_effect = false;
  bool constrain_layout = false;
  std::vector<Shape> operand_shapes_with_layout;
  int64_t api_version = 0;
  std::string opaque = {};  // backend_config, which only the call understands
  std::vector<OutputOperandAliasing> output_operand_aliasing = {};
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  // For a call that stands for a convolution or a windowed operation.
  std::vector<WindowDim> window = {};
  std::optional<ConvolutionDims> convolution_dims = {};
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  PrecisionConfig precision = {};
  PaddingType padding_type = PaddingType::kInvalid;
};

struct FusionAttributes {
  std::string kind;  // "kLoop", "kInput", "kOutput", "kCustom"
  std::vector<OutputOperandAliasing> output_operand_aliasing = {};
};

struct InfeedAttributes {
  std::string config;
};
struct OutfeedAttributes {
  std::string config;
  Shape outfeed_shape;
};

// send, recv, send-done and recv-done.
struct ChannelAttributes {
  int64_t channel_id = 0;  // <= 0: none
  bool is_host_transfer = false;
};

struct CollectiveAttributes {
  ReplicaGroups replica_groups;
  int64_t channel_id = 0;  // <= 0: none
  bool use_global_device_ids = false;
  bool constrain_layout = false;
  DimIndices dimensions;  // all-gather, reduce-scatter, all-to-all: one
  // Only in the builder, not in files. Absent: the result's shape determines
  // it.
  std::optional<int64_t> shard_count = {};
  // Only in the builder, where the two dims of all-to-all may differ. Absent:
  // `dimensions` gives both.
  std::optional<int64_t> split_dimension = {};
  std::optional<int64_t> concat_dimension = {};
  bool has_dynamic_root = false;  // collective-broadcast, collective-reduce
};

struct CollectivePermuteAttributes {
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  DimIndices slice_sizes;  // in-place form, flattened
  int64_t channel_id = 0;
};

struct AsyncAttributes {
  std::string execution_thread;
  std::vector<OutputOperandAliasing> output_operand_aliasing = {};
};

struct CopyStartAttributes {
  std::optional<int64_t> cross_program_prefetch_index;
};

struct DomainAttributes {
  std::string text;  // a query's text; Indim never interprets it
  // OpShardings as bytes: the operand's, and the users'.
  std::string entry_sharding = {};
  std::string exit_sharding = {};
};

// The structs in the order of attribute_members.def, which numbers
// AttributesKind (opcode.h).
using AttributesVariant = std::variant<NoAttributes
#define INDIM_ATTRIBUTES(name) , name##Attributes
#include "indim/shape/ops/attribute_members.def"
                                       >;

// Holds any of the structs, and works as a std::variant (std::get_if,
// std::visit). Copying, moving and destroying the 37 structs is compiled once,
// in attributes.cc, not in every file that handles attributes.
class Attributes : public AttributesVariant {
 public:
  Attributes();  // NoAttributes
  // T is one of the structs.
  template <typename T,
            typename = std::enable_if_t<!std::is_base_of_v<Attributes, T>>>
  Attributes(T held) noexcept;  // NOLINT: implicit, as a variant's
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();
};

// The struct of type T inside `attributes`. If another is there, a default T: a
// wrong kind gives odd values, never undefined behaviour.
template <typename T>
const T& As(const Attributes& attributes) {
  static const T* const kDefault = new T();
  const T* held = std::get_if<T>(&attributes);
  return held != nullptr ? *held : *kDefault;
}

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_ATTRIBUTES_H_

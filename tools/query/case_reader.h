// Cases: questions about one operation as JSON objects, one a line, as `indim
// query` takes them and as the recorded answers of real systems are kept.
//
//   {"id":"a1","op":"add","operands":["f32[2,1]","f32[2,3]"]}
//   {"op":"reduce","operands":["f32[4,8]","f32[]"],"attributes":{
//     "dimensions":[1],
//     "to_apply":{"parameters":["f32[]","f32[]"],"result":"f32[]"}}}
//
// Fields of a line: id (a text or a whole number; absent: none), rule (absent:
// "xla"), query (absent: "infer"), op, operands (shapes as text), attributes,
// result (a recorded shape), mode, axis, target_shape, axes_mapping, facts.
// question_fields.cc has the table of who reads which, and of the fields that
// askers keep with a question ("expect", "note", what begins with '_'). Any
// other is an error.
// Attributes of rule "xla", by op:
//   binary, compare        broadcast_dimensions; direction, type
//   convert and its like   new_element_type
//   reduce-precision       exponent_bits, mantissa_bits
//   iota                   shape, iota_dimension
//   reshape                new_sizes, inferred_dimension
//   broadcast              broadcast_sizes
//   broadcast-in-dim       (no op of its own) out_dim_size,
//                          broadcast_dimensions; a line may have the result as
//                          "target" instead of sizes
//   dynamic-reshape        new_size_bounds, dims_are_dynamic
//   transpose, reverse, concatenate, map, reduce, sort, get-dimension-size,
//   set-dimension-size, scan, all-gather, ...
//                          dimensions
//   dot and its like       lhs_contracting_dims, rhs_contracting_dims,
//                          lhs_batch_dims, rhs_batch_dims, lhs_ragged_dims,
//                          rhs_group_dims, preferred_element_type
//   convolution            window, dim_labels, feature_group_count,
//                          batch_group_count, preferred_element_type
//   gather, scatter        their lists, index_vector_dim, slice_sizes
//   window ops             window;  pad: padding
//   slice                  slice; starts, limits, strides, which come before it
//   calls                  to_apply; select, scatter; body, condition;
//                          true_computation, false_computation;
//                          branch_computations: {"parameters":[..],"result":..}
//   collectives            dimensions, shard_count, replica_groups;
//                          split_dimension, concat_dimension, split_count;
//                          source_target_pairs
//   given results          shape
//   the rest               as the members of attributes.h are called
// Sizes may be symbols and expressions of them (dim_expr.h); "facts" (or
// "constraint") says what is known of them: "n >= 1, n % 8 == 0, b == c".
// window, padding, slice, dim_labels, replica_groups and source_target_pairs
// are texts in HLO's spelling (hlo_spelling.h). Size lists may hold "?".

#ifndef INDIM_TOOLS_QUERY_CASE_READER_H_
#define INDIM_TOOLS_QUERY_CASE_READER_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// How an operation of rule "xla" is asked: as itself, or in a form that only a
// builder speaks (builder_forms.h).
enum class CaseForm : uint8_t {
  kOp,
  kBroadcastSizes,
  kBroadcastInDim,
  kReshapeTo,
  kDynamicReshapeTo,
  kTwoBranches,  // true_computation and false_computation: the index is pred
  kIndexedBranches,    // branch_computations: the index is s32
  kCollectiveOfTuple,  // one operand, a tuple
  kRandomBits  // Case::declared: the state and the array that bits are asked
               // for
};

struct Case {
  // In Case::sizes, a size that was written "?".
  static constexpr int64_t kUnknownSize = INT64_MIN;

  std::optional<std::string> id;
  bool id_is_number = false;  // it was written without quotes
  std::string rule = "xla";
  std::string query = "infer";
  std::string op;  // as written; of other rules it may be anything
  // The op of that spelling; kInvalid when there is none (then the rule isn't
  // "xla", or the case has no op).
  Opcode opcode = Opcode::kInvalid;
  CaseForm form = CaseForm::kOp;
  std::vector<Shape> operands;
  Attributes attributes;
  std::vector<Signature> callees;
  // What OpInputs::declared is to be: the result that is given, or a shape of
  // the element type that is given.
  std::optional<Shape> declared;

  // Of the builder forms: sizes as written, negative ones too; and which of
  // them are bounds.
  std::vector<int64_t> sizes;
  std::vector<bool> dims_are_dynamic;

  std::optional<Shape> result;  // the recorded shape, for "verify"
  std::string mode;             // "" when absent
  std::optional<int64_t> axis;
  // Target dims; -1 and "?" are unknown.
  std::optional<DimVector> target_shape;
  std::optional<DimIndices> axes_mapping;

  // Rule "onnx" (onnx_case.h): attributes as ONNX calls them. The axis is
  // Case::axis, a constant shape Case::sizes.
  bool allow_zero = false;

  // What the line states of its symbols; the shapes have it already.
  SymbolScope scope;

  // As sentences: attributes that the operation doesn't have.
  std::vector<std::string> warnings;
};

// Reads one line into *result, which is overwritten. InvalidArgument names the
// field that is malformed: of another kind, an unknown name (with the nearest
// that is known), a shape or text that can't be read, a number that is no
// 64-bit integer; or a field that the question doesn't read
// (question_fields.h). The id and the rule are read first, so that they are
// there also when the rest is malformed. Attributes that the op doesn't have
// are told in Case::warnings, but for the computations, element types and
// shapes that any op may be given.
absl::Status ReadCase(const google::protobuf::Struct& line, Case* result);

// A case as shape functions take it. Points into the case, which must outlive
// it and not change.
class CaseInputs {
 public:
  explicit CaseInputs(const Case& c);
  CaseInputs(const CaseInputs&) = delete;
  CaseInputs& operator=(const CaseInputs&) = delete;

  const OpInputs& inputs() const { return inputs_; }

 private:
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  OpInputs inputs_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_CASE_READER_H_

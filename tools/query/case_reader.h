// SPDX-License-Identifier: Apache-2.0
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

#include "absl/status/status.h"
#include "indim/tools/query/case.h"

namespace indim {

// Reads one line into *result, which is overwritten. InvalidArgument names the
// field that is malformed: of another kind, an unknown name (with the nearest
// that is known), a shape or text that can't be read, a number that is no
// 64-bit integer; or a field that the question doesn't read
// (question_fields.h). The id and the rule are read first, so that they are
// there also when the rest is malformed. Attributes that the op doesn't have
// are told in Case::warnings, but for the computations, element types and
// shapes that any op may be given.
absl::Status ReadCase(const google::protobuf::Struct& line, Case* result);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_CASE_READER_H_

/* SPDX-License-Identifier: Apache-2.0 */
/* Inference without a graph: the result of one operation, and all broadcasting
 * rules with their plans. */

#ifndef INDIM_C_INFER_H_
#define INDIM_C_INFER_H_

#include <indim_c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How attributes are written. */
typedef enum indim_attributes_form {
  /* As HLO text has them behind the operands: "dimensions={0,1}",
   * "direction=LT", "window={size=3x3}, dim_labels=b01f_01io->b01f". Those of
   * recorded modules are allowed, such as broadcast_dimensions={1}.
   * Computations aren't: they are callees. */
  INDIM_ATTRIBUTES_TEXT = 0,
  /* A serialized HloInstructionProto, of which only the attributes count. */
  INDIM_ATTRIBUTES_PROTO = 1
} indim_attributes_form;

typedef enum indim_broadcast_rule {
  INDIM_BROADCAST_XLA = 0,
  INDIM_BROADCAST_NONE = 1,
  INDIM_BROADCAST_NUMPY = 2,
  INDIM_BROADCAST_PDPD = 3,
  INDIM_BROADCAST_BIDIRECTIONAL = 4
} indim_broadcast_rule;

/* The attributes of an operation. An attribute that is given both in `text` and
 * beside it is an error. */
typedef struct indim_attributes {
  size_t struct_size;
  int32_t form; /* of `text` */
  /* Of operations that broadcast; not 0 together with
   * `broadcast_dimensions` is an error. */
  int32_t broadcast_rule;
  const char* text;
  size_t text_size;
  /* Fast forms; null: not given. `dimensions` is the attribute of that name, of
   * broadcast, transpose, reduce, concatenate, ... */
  const int64_t* dimensions;
  size_t dimensions_count;
  const int64_t* broadcast_dimensions;
  size_t broadcast_dimensions_count;
  int64_t broadcast_axis; /* of INDIM_BROADCAST_PDPD; -1: from the end */
} indim_attributes;

/* A called computation: the shapes of its parameters and of its result. */
typedef struct indim_signature {
  const indim_shape* const* parameters;
  size_t parameter_count;
  const indim_shape* result;
} indim_signature;

/* The result of one operation, `opcode` by its name. `attributes` may be null.
 * `result` is the shape that the operation is to have, for operations whose
 * result the operands don't determine (parameter, reshape, broadcast, iota,
 * custom-call, ...); else null. `warnings` may be null. The error has the
 * diagnostics. INDIM_NOT_FOUND: no such operation; the message names the
 * nearest. */
INDIM_API indim_error* indim_infer(
    const char* opcode, size_t opcode_size, const indim_shape* const* operands,
    size_t operand_count, const indim_attributes* attributes,
    const indim_shape* result, const indim_signature* callees,
    size_t callee_count, INDIM_OWN indim_shape** inferred,
    INDIM_OWN indim_diagnostics** warnings);

/* --- Broadcasting -------------------------------------------------------- */

typedef struct indim_plan indim_plan;

typedef struct indim_broadcast_options {
  size_t struct_size;
  int32_t rule; /* an indim_broadcast_rule */
  /* broadcast_dimensions of INDIM_BROADCAST_XLA; for
   * indim_broadcast_to the axes_mapping of INDIM_BROADCAST_NONE. Null: none. */
  const int64_t* dimensions;
  size_t dimensions_count;
  int64_t axis; /* of INDIM_BROADCAST_PDPD; -1: from the end */
} indim_broadcast_options;

/* How a rule matches the dims of arrays; element types don't count. Null
 * options: XLA's rule. The error has the diagnostics, with dimensions that
 * would work where there are some. docs/broadcasting.md tells the rules. */
INDIM_API indim_error* indim_broadcast(const indim_broadcast_options* options,
                                       const indim_shape* const* operands,
                                       size_t operand_count,
                                       INDIM_OWN indim_plan** plan);
/* Broadcasts an array to the dims of `target`, an array. */
INDIM_API indim_error* indim_broadcast_to(
    const indim_broadcast_options* options, const indim_shape* operand,
    const indim_shape* target, INDIM_OWN indim_plan** plan);
INDIM_API void indim_plan_release(INDIM_TAKEN indim_plan* plan);
/* The rank of the result; -1: unranked, or null. Writes at most `capacity` dims
 * to `sizes` and `kinds` (indim_dim_kind), which may be null. */
INDIM_API int64_t indim_plan_dims(const indim_plan* plan, int64_t* sizes,
                                  int32_t* kinds, size_t capacity);
/* Writes the result dim of each dim of an operand, -1 for one that is dropped:
 * at most `capacity`. Returns how many dims there are; -1: no such operand. */
INDIM_API int64_t indim_plan_places(const indim_plan* plan, size_t operand,
                                    int64_t* places, size_t capacity);
/* What must hold at run time, in words: "operand 0 dim 1 is 1 or equals operand
 * 1 dim 0". "" for a number that is too large. `size` may be null. */
INDIM_API size_t indim_plan_condition_count(const indim_plan* plan);
INDIM_API INDIM_BORROWED const char* indim_plan_condition(
    const indim_plan* plan, size_t index, size_t* size);

/* --- Questions as JSON --------------------------------------------------- */

/* The answer to a line of `indim query` (docs/json.md):
 * {"op":"add","operands":["f32[2,1]","f32[2,3]"]} gives {"id":null,
 * "shape":"f32[2,3]"}. A wrong question is an answer with its error. */
INDIM_API indim_error* indim_query_json(const char* line, size_t size,
                                        INDIM_OWN indim_bytes** answer);
/* What `indim explain` says to a question, such as "f32[4] + f32[1,2] {0}", to
 * a word ("InDim"), to a name ("dot", "matmul", "np.where"), or to a code
 * ("IND0007", "7"). INDIM_INVALID_ARGUMENT: it is none. */
INDIM_API indim_error* indim_explain(const char* question, size_t size,
                                     INDIM_OWN indim_bytes** text);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_INFER_H_ */

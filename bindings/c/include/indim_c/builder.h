/* SPDX-License-Identifier: Apache-2.0 */
/* Builders: they record a computation, op by op, and infer each result at once.
 *
 *   indim_builder* b;
 *   indim_builder_create("affine", 6, NULL, &b);
 *   indim_value x, y;
 *   indim_parameter(b, 0, f32_8, "x", 1, 0, &x);
 *   indim_add_binary(b, indim_opcode_from_name("add", 3), x, x,
 *                    INDIM_BROADCAST_XLA, 0, &y);
 *   indim_module* module;
 *   indim_build(b, y, NULL, &module, NULL);
 *
 * A value is a number, local to its builder: calls number their results 0, 1,
 * 2, ... (indim_next_value), so that a program knows the numbers of a batch
 * before it records it. Arguments and elements of regions count too. A call
 * that fails numbers nothing. */

#ifndef INDIM_C_BUILDER_H_
#define INDIM_C_BUILDER_H_

#include <indim_c/base.h>
#include <indim_c/infer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct indim_builder indim_builder;
typedef struct indim_callee indim_callee;
typedef struct indim_region indim_region;
typedef struct indim_module indim_module;
typedef struct indim_literal indim_literal;

typedef int64_t indim_value;
/* No value. */
#define INDIM_NO_VALUE ((indim_value)-1)

/* Where in the user's program a call was made: a file's number (of
 * indim_builder_file) times 2^32, and a line. 0: unknown. Messages and the
 * module's metadata have it. */
typedef int64_t indim_location;

typedef struct indim_builder_options {
  size_t struct_size;
  /* 0: a wrong call returns an error and records nothing, and the builder goes
   * on as if it hadn't been made. 1: the builder keeps the error, and the call
   * gives a value of no shape, without an error; what uses it is silent.
   * indim_builder_diagnostics and indim_build have all errors then. Misuse of
   * this interface (a null pointer, a value that isn't there) is returned in
   * any case. */
  int32_t collect_errors;
  /* 1: mixed element types, which XLA's builder accepts, are errors. */
  int32_t strict_types;
  /* 1: lines stay out of the module's metadata; messages have them anyway. */
  int32_t omit_locations;
} indim_builder_options;

/* `name` names the computation and the module. */
INDIM_API indim_error* indim_builder_create(
    const char* name, size_t name_size, const indim_builder_options* options,
    INDIM_OWN indim_builder** builder);
/* A builder for a computation that `builder` will call. The two share finished
 * computations, and belong to one thread. It has the options of `builder`. */
INDIM_API indim_error* indim_builder_sub(indim_builder* builder,
                                         const char* name, size_t name_size,
                                         INDIM_OWN indim_builder** sub);
INDIM_API void indim_builder_release(INDIM_TAKEN indim_builder* builder);

/* The number of a file for locations, at least 1; the same for the same name in
 * all builders of a family. INDIM_RESOURCE_EXHAUSTED: 2^31 - 1 files. */
INDIM_API indim_error* indim_builder_file(indim_builder* builder,
                                          const char* file, size_t file_size,
                                          int64_t* number);
/* The number that the next result gets; -1 for null. */
INDIM_API indim_value indim_next_value(const indim_builder* builder);

/* --- Recording ----------------------------------------------------------- */

/* Parameter `number` (-1: the lowest that is free). An empty name becomes "p0".
 */
INDIM_API indim_error* indim_parameter(indim_builder* builder, int64_t number,
                                       const indim_shape* shape,
                                       const char* name, size_t name_size,
                                       indim_location location,
                                       indim_value* value);
INDIM_API indim_error* indim_constant(indim_builder* builder,
                                      const indim_literal* literal,
                                      indim_location location,
                                      indim_value* value);
/* An array of `rank` static sizes from memory: row-major, as
 * indim_literal_array takes it. */
INDIM_API indim_error* indim_constant_array(indim_builder* builder,
                                            int32_t element_type,
                                            const int64_t* sizes, size_t rank,
                                            const void* data, size_t size,
                                            indim_location location,
                                            indim_value* value);
/* A scalar; a float type rounds, an integer type must hold the number. */
INDIM_API indim_error* indim_constant_double(indim_builder* builder,
                                             int32_t element_type,
                                             double number,
                                             indim_location location,
                                             indim_value* value);
INDIM_API indim_error* indim_constant_int64(indim_builder* builder,
                                            int32_t element_type,
                                            int64_t number,
                                            indim_location location,
                                            indim_value* value);

/* A call of any operation. */
typedef struct indim_op {
  size_t struct_size;
  int32_t opcode; /* its number; 0: `name` has its name */
  int32_t reserved;
  const char* name;
  size_t name_size;
  const indim_value* operands;
  size_t operand_count;
  const indim_attributes* attributes; /* null: none */
  /* The shape of an operation whose result the operands don't determine; else
   * null, or a shape that the inferred one must match. */
  const indim_shape* result;
  const indim_callee* const* callees;
  size_t callee_count;
  indim_location location;
} indim_op;

INDIM_API indim_error* indim_add(indim_builder* builder, const indim_op* op,
                                 indim_value* value);
/* Records `count` calls; the first one's struct_size is the distance between
 * them. An operand may be a result of an earlier call of the batch. `values`
 * may be null. After an error the calls before the wrong one stay recorded;
 * `done`, unless null, gets their number in any case. */
INDIM_API indim_error* indim_add_many(indim_builder* builder,
                                      const indim_op* ops, size_t count,
                                      indim_value* values, size_t* done);
/* The hot forms: no attributes, no callees. `rule` is an indim_broadcast_rule.
 */
INDIM_API indim_error* indim_add_unary(indim_builder* builder, int32_t opcode,
                                       indim_value operand,
                                       indim_location location,
                                       indim_value* value);
INDIM_API indim_error* indim_add_binary(indim_builder* builder, int32_t opcode,
                                        indim_value lhs, indim_value rhs,
                                        int32_t rule, indim_location location,
                                        indim_value* value);
/* A copy of the entry of `module`, with `arguments` for its parameters. */
INDIM_API indim_error* indim_inline(indim_builder* builder,
                                    const indim_module* module,
                                    const indim_value* arguments, size_t count,
                                    indim_location location,
                                    indim_value* value);

/* A function over values that is made of several operations, by its name:
 * "softmax", "einsum", "layer_norm", "random_normal", ...
 * (indim_composite_table_json has all). `arguments` are a JSON object, or empty
 * where all have defaults: {"dims":[-1]}. Integers from 2^53 on, infinities and
 * NaNs are texts: "inf". The results get the next numbers, in their order;
 * `values` gets the first `capacity` of them, `count`, unless null, how many
 * there are. IND1300: no such composite or argument, or a wrong one. */
INDIM_API indim_error* indim_composite(
    indim_builder* builder, const char* name, size_t name_size,
    const indim_value* operands, size_t operand_count, const char* arguments,
    size_t arguments_size, indim_location location, indim_value* values,
    size_t capacity, size_t* count);
/* The table of composites: {"version":1,"composites":[{"name":"softmax",
 * "parameters":[{"name":"x","operand":true},
 * {"name":"dims","operand":false,"default":[-1]}]}, ...]}. A parameter without
 * a default must be given; "state" is the state of random numbers, whose next
 * one is the last result. */
INDIM_API indim_error* indim_composite_table_json(INDIM_OWN indim_bytes** json);

/* --- Derivatives --------------------------------------------------------- */

/* What indim_derivative records; the operands are y, `wrt_count` values that it
 * is differentiated by, and then others. */
typedef enum indim_derivative_kind {
  /* Others: a seed of y's shape, or none where y is a scalar. Results: a
   * gradient for each of wrt. */
  INDIM_DERIVATIVE_GRADIENT = 0,
  /* The same behind the value of y, which is another one than y where a loop
   * had to be recorded again. */
  INDIM_DERIVATIVE_VALUE_AND_GRADIENT = 1,
  /* Others: a tangent for each of wrt. Result: y's tangent. */
  INDIM_DERIVATIVE_TANGENT = 2,
  /* By one value, without others: of y's dims and then x's. */
  INDIM_DERIVATIVE_JACOBIAN = 3,
  /* Of a scalar by one value: of x's dims twice; times a vector, which is the
   * one other and as x is. */
  INDIM_DERIVATIVE_HESSIAN = 4,
  INDIM_DERIVATIVE_HESSIAN_VECTOR_PRODUCT = 5
} indim_derivative_kind;

/* The derivative of a value by others of the computation that is recorded
 * (docs/gradients.md). The results get the next numbers, in their order;
 * `values` gets the first `capacity` of them, `count`, unless null, how many
 * there are. IND1300: no such kind, or another number of operands. */
INDIM_API indim_error* indim_derivative(indim_builder* builder, int32_t kind,
                                        const indim_value* operands,
                                        size_t operand_count, size_t wrt_count,
                                        indim_location location,
                                        indim_value* values, size_t capacity,
                                        size_t* count);

/* Says how a value is differentiated (docs/gradients.md). "stop": not at all,
 * for any value. Of the call that gave it, or of which it is a part:
 * "checkpoint", "custom", "vjp", "jvp" or "jvp:2". IND1300: another mark, or no
 * call. */
INDIM_API indim_error* indim_mark_gradient(indim_builder* builder,
                                           indim_value value, const char* mark,
                                           size_t mark_size);

/* --- Called computations ------------------------------------------------- */

/* The computation of `builder`, which ends with this. INDIM_NO_VALUE as root:
 * the last value. */
INDIM_API indim_error* indim_build_callee(indim_builder* builder,
                                          indim_value root,
                                          INDIM_OWN indim_callee** callee);
/* The entry of a module, with what it calls. */
INDIM_API indim_error* indim_module_callee(const indim_module* module,
                                           INDIM_OWN indim_callee** callee);
INDIM_API void indim_callee_release(INDIM_TAKEN indim_callee* callee);

/* --- Regions ------------------------------------------------------------- */

/* How a region gets values of the enclosing computations that it uses. */
typedef enum indim_capture {
  INDIM_CAPTURE_NONE = 0,              /* it may not */
  INDIM_CAPTURE_PARAMETERS = 1,        /* the body of a call */
  INDIM_CAPTURE_SCALAR_PARAMETERS = 2, /* of a map */
  INDIM_CAPTURE_TUPLE = 3 /* body and condition of a while, branches */
} indim_capture;

/* From begin to end every call records in the region; there values of the
 * enclosing computations can be used too. Regions nest. `arguments` gets a
 * value for each of `shapes`. A region that is released before its end is
 * dropped, and the builder's build fails. */
INDIM_API indim_error* indim_begin_region(indim_builder* builder,
                                          const char* name, size_t name_size,
                                          const indim_shape* const* shapes,
                                          size_t count, int32_t capture,
                                          indim_location location,
                                          INDIM_OWN indim_region** region,
                                          indim_value* arguments);
/* Ends the innermost region. Its values can't be used any more. */
INDIM_API indim_error* indim_end_region(indim_builder* builder,
                                        indim_region* region,
                                        const indim_value* results,
                                        size_t count, indim_location location);
/* Forgets a region that hasn't ended, and those inside it: the builder goes on
 * as if it hadn't begun. For a binding whose function raised; to release such a
 * region is an error of the build (IND0626). */
INDIM_API indim_error* indim_drop_region(indim_builder* builder,
                                         indim_region* region);
INDIM_API void indim_region_release(INDIM_TAKEN indim_region* region);

/* Calls ended regions, and takes what is in them: they are empty then, and are
 * still to be released. By the opcode:
 *   while        operands: the first state; regions: condition, body (tuple)
 *   conditional  operands: a pred[] and two regions (true first), or an s32[]
 *                and n regions (tuple)
 *   call         operands and one region (parameters)
 *   map          operands and one region (scalar parameters), over `dimensions`
 *                of the attributes
 *   others       the regions (none) are its computations, as `callees` would be
 * Results get the next numbers, in their order, of while, conditional and call
 * as many as the (last) region has, of others one. `values` gets the first
 * `capacity` of them, `count`, unless null, how many there are.
 * `op->callees` must be empty. */
INDIM_API indim_error* indim_add_regions(
    indim_builder* builder, const indim_op* op, indim_region* const* regions,
    size_t region_count, indim_value* values, size_t capacity, size_t* count);

/* --- Properties ---------------------------------------------------------- */

INDIM_API indim_error* indim_set_name(indim_builder* builder, indim_value value,
                                      const char* name, size_t name_size);
INDIM_API indim_error* indim_set_frontend_attribute(
    indim_builder* builder, indim_value value, const char* key, size_t key_size,
    const char* text, size_t text_size);
INDIM_API indim_error* indim_set_backend_config(indim_builder* builder,
                                                indim_value value,
                                                const char* config,
                                                size_t config_size);
/* `to` runs after `from`. */
INDIM_API indim_error* indim_add_control_dependency(indim_builder* builder,
                                                    indim_value from,
                                                    indim_value to);
/* op_name and op_type in the metadata of what is recorded from now on; empty:
 * none. */
INDIM_API indim_error* indim_set_op_name(indim_builder* builder,
                                         const char* name, size_t name_size);
INDIM_API indim_error* indim_set_op_type(indim_builder* builder,
                                         const char* type, size_t type_size);
/* The sharding of what is recorded from now on: bytes of an OpSharding; empty:
 * none. */
INDIM_API indim_error* indim_set_sharding(indim_builder* builder,
                                          const void* sharding, size_t size);

/* --- Looking ------------------------------------------------------------- */

/* The inferred shape. An error for a value without one. */
INDIM_API indim_error* indim_value_shape(const indim_builder* builder,
                                         indim_value value,
                                         INDIM_OWN indim_shape** shape);
/* 0: there is no such value, or it has no shape. */
INDIM_API int32_t indim_value_opcode(const indim_builder* builder,
                                     indim_value value);
/* Writes at most `capacity` dims, as indim_shape_dims; the element type goes to
 * `element_type`, unless null. Returns the rank; -1: no array with a rank. It
 * makes no object. */
INDIM_API int64_t indim_value_dims(const indim_builder* builder,
                                   indim_value value, int32_t* element_type,
                                   int64_t* sizes, int32_t* kinds,
                                   size_t capacity);
/* Of a constant; INDIM_INVALID_ARGUMENT for others. */
INDIM_API indim_error* indim_value_literal(const indim_builder* builder,
                                           indim_value value,
                                           INDIM_OWN indim_literal** literal);
/* The errors that were kept and all warnings, in the order of the calls; also
 * after the build. */
INDIM_API indim_error* indim_builder_diagnostics(
    const indim_builder* builder, INDIM_OWN indim_diagnostics** diagnostics);

/* --- Results ------------------------------------------------------------- */

typedef struct indim_build_options {
  size_t struct_size;
  /* 1: the order doesn't depend on the order of the calls: operands before
   * users, depth first from the root. */
  int32_t post_order;
  int32_t reserved;
  /* How many devices run it; 0: 1. */
  int64_t replicas;
  int64_t partitions;
  /* aliases[2 * i] is the number of an array of the result (of a tuple's
   * elements, or 0) that lies in the memory of parameter aliases[2 * i + 1]. */
  const int64_t* aliases;
  size_t alias_count;
} indim_build_options;

/* The module whose entry this computation is, with all that it calls.
 * INDIM_NO_VALUE as root: the last value. After a success the builder can only
 * be released or asked for diagnostics; after an error more can be recorded.
 * `warnings` may be null. */
INDIM_API indim_error* indim_build(indim_builder* builder, indim_value root,
                                   const indim_build_options* options,
                                   INDIM_OWN indim_module** module,
                                   INDIM_OWN indim_diagnostics** warnings);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_BUILDER_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: reading, writing, checking, inferring, refining, expanding, walking.
 * A module never changes. */

#ifndef INDIM_C_MODULE_H_
#define INDIM_C_MODULE_H_

#include <indim_c/base.h>
#include <indim_c/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

INDIM_API void indim_module_release(INDIM_TAKEN indim_module* module);

/* --- Reading and writing ------------------------------------------------- */

typedef enum indim_format {
  INDIM_FORMAT_AUTO = 0,  /* reading: by the content; writing: HLO text, or a
                             file's name */
  INDIM_FORMAT_PROTO = 1, /* .pb: HloModuleProto, or a message around it */
  INDIM_FORMAT_PROTO_TEXT = 2, /* .pbtxt */
  INDIM_FORMAT_HLO_TEXT = 3,   /* .hlo */
  INDIM_FORMAT_STABLEHLO = 4,  /* .mlir: MLIR text; read: a portable artifact
                                  too */
  INDIM_FORMAT_STABLEHLO_ARTIFACT = 5 /* .mlirbc; only written */
} indim_format;

typedef struct indim_read_options {
  size_t struct_size;
  int32_t format; /* an indim_format */
  /* 1: `constant({...})` of HLO text has no values instead of being an error.
   */
  int32_t allow_elided_constants;
  /* 1: sizes of HLO text may have names, f32[n,4]. */
  int32_t symbols;
  int32_t reserved;
  /* The name of bytes in errors. */
  const char* name;
  size_t name_size;
} indim_read_options;

INDIM_API indim_error* indim_module_read(const void* data, size_t size,
                                         const indim_read_options* options,
                                         INDIM_OWN indim_module** module);
INDIM_API indim_error* indim_module_read_file(const char* path,
                                              size_t path_size,
                                              const indim_read_options* options,
                                              INDIM_OWN indim_module** module);

typedef struct indim_write_options {
  size_t struct_size;
  int32_t format; /* an indim_format */
  /* 1: a module that XLA compiles: inferred, verified, without implicit
   * broadcasts, with layouts. 0: the graph as it is. StableHLO is always
   * inferred and expanded. */
  int32_t for_xla;
  /* 1: leave out the checks that XLA makes when it compiles. */
  int32_t omit_checks;
  /* StableHLO: 1: the generic form, which every release of MLIR reads. */
  int32_t generic;
  /* StableHLO: 1: with locations. */
  int32_t locations;
  /* HLO text: 1: constants of more than 10 elements are "{...}". */
  int32_t elide_constants;
  /* Of an artifact: the release to write for, "1.10.0"; empty: 12 weeks old. */
  const char* release;
  size_t release_size;
} indim_write_options;

INDIM_API indim_error* indim_module_write(const indim_module* module,
                                          const indim_write_options* options,
                                          INDIM_OWN indim_bytes** bytes);
/* Atomically: after an error the file is unchanged. */
INDIM_API indim_error* indim_module_write_file(
    const indim_module* module, const char* path, size_t path_size,
    const indim_write_options* options);

/* --- Checking and changing ----------------------------------------------- */

typedef struct indim_check_options {
  size_t struct_size;
  /* How many diagnostics of each code to keep; 0: 20, -1: all. */
  int64_t max_per_code;
} indim_check_options;

/* Infers what has no shape and verifies everything. A wrong module is no error
 * here: its diagnostics say so (indim_diagnostics_error_count). */
INDIM_API indim_error* indim_module_check(
    const indim_module* module, const indim_check_options* options,
    INDIM_OWN indim_diagnostics** diagnostics);
/* The object that `indim check --format=json` writes of a file (docs/json.md),
 * with its version. `path` is what the object calls the file. */
INDIM_API indim_error* indim_module_check_json(
    const indim_module* module, const char* path, size_t path_size,
    const indim_check_options* options, INDIM_OWN indim_bytes** json);

typedef struct indim_cost_options {
  size_t struct_size;
  /* What the rows put together, as --by of `indim cost` says it: "instruction",
   * "opcode", "line", "scope", "layer", "computation". Null: "instruction". */
  const char* by;
  size_t by_size;
  /* How often branches are taken, "cond.3=0.9:0.1" each; without it the dearest
   * branch is. */
  const indim_text* branches;
  size_t branch_count;
} indim_cost_options;

/* The object that `indim cost --json` writes of a file (docs/cost.md): FLOPs,
 * transcendentals and bytes of everything and by `by`, peak memory, loops, and
 * what is unknown. `path` is what the object calls the file; options may be
 * null. INDIM_INVALID_ARGUMENT: an instruction has no shape (indim_module_infer
 * fills it in), or the options name what isn't there. */
INDIM_API indim_error* indim_module_cost_json(const indim_module* module,
                                              const char* path,
                                              size_t path_size,
                                              const indim_cost_options* options,
                                              INDIM_OWN indim_bytes** json);
/* The object that `indim stats --json` writes of a file: what is in the module.
 */
INDIM_API indim_error* indim_module_statistics_json(
    const indim_module* module, const char* path, size_t path_size,
    INDIM_OWN indim_bytes** json);

/* What a loop keeps of its steps for gradients (docs/gradients.md). */
typedef enum indim_loop_memory {
  INDIM_LOOP_RESIDUALS = 0, /* all that they need, of each step */
  INDIM_LOOP_STATES = 1,    /* the state before each step */
  INDIM_LOOP_SEGMENTS = 2,  /* the state before each run of about sqrt(n) */
  INDIM_LOOP_NOTHING = 3    /* nothing: quadratic time */
} indim_loop_memory;

typedef struct indim_derivative_options {
  size_t struct_size;
  int32_t forward;     /* 1: the tangents of the results; else gradients */
  int32_t loop_memory; /* an indim_loop_memory */
  /* How many steps a loop is prepared for whose number of steps isn't known. If
   * it runs longer, its gradients are NaN. */
  int64_t loop_bound;
  /* 1: gradients of complex parameters, and cotangents that come in, are
   * conjugated, as in PyTorch; else they are JAX's. */
  int32_t conjugate;
} indim_derivative_options;

/* The module of the derivative by the parameters of these numbers; none: by all
 * of floats and complex numbers. Its own parameters are the module's, then a
 * cotangent for each result (forward: a tangent for each parameter of `wrt`)
 * that is a float or complex (docs/gradients.md). The warnings tell which
 * gradients are known to be zero, and why (IND1402, IND1403); `warnings` may be
 * null. */
INDIM_API indim_error* indim_module_derivative(
    const indim_module* module, const int64_t* wrt, size_t wrt_count,
    const indim_derivative_options* options,
    INDIM_OWN indim_module** derivative,
    INDIM_OWN indim_diagnostics** warnings);

typedef struct indim_infer_options {
  size_t struct_size;
  int32_t drop;         /* 1: forget every result that can be inferred first */
  int32_t only_missing; /* 1: infer only what has no shape */
} indim_infer_options;

/* The module with inferred shapes, at the same positions. A module that isn't
 * right is an error with its diagnostics. */
INDIM_API indim_error* indim_module_infer(const indim_module* module,
                                          const indim_infer_options* options,
                                          INDIM_OWN indim_module** inferred);
/* Gives named sizes values and parameters shapes, and infers everything again.
 * A setting is "n=8", "n=2*m", "x=f32[8,128]" (a parameter by name or number)
 * or a fact, "n>=1". Errors of the new shapes come with their diagnostics. */
INDIM_API indim_error* indim_module_refine(const indim_module* module,
                                           const indim_text* settings,
                                           size_t count,
                                           INDIM_OWN indim_module** refined);
/* The module that XLA compiles: shapes inferred, verified, broadcasts explicit,
 * layouts set. */
INDIM_API indim_error* indim_module_expand(const indim_module* module,
                                           INDIM_OWN indim_module** expanded);
/* A unified diff of two modules; empty: only names, ids, metadata and order
 * differ. */
INDIM_API indim_error* indim_module_diff(const indim_module* a,
                                         const indim_module* b,
                                         INDIM_OWN indim_bytes** text);

/* One value for all modules that differ in names, ids, order and metadata
   alone. */
INDIM_API indim_error* indim_module_fingerprint(const indim_module* module,
                                                INDIM_OWN indim_bytes** text);

typedef struct indim_compare_options {
  size_t struct_size;
  int32_t layouts; /* 1: those of shapes and of the entry count too */
} indim_compare_options;

/* Whether two modules have the same fingerprint, which is told to `same` as 1
 * or 0, and their diff. */
INDIM_API indim_error* indim_module_compare(
    const indim_module* a, const indim_module* b,
    const indim_compare_options* options, int32_t* same,
    INDIM_OWN indim_bytes** text);

/* --- Looking ------------------------------------------------------------- */

/* "" for null. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_module_name(
    const indim_module* module, size_t* size);
/* 0 for null. */
INDIM_API int64_t indim_module_instruction_count(const indim_module* module);
INDIM_API int64_t indim_module_computation_count(const indim_module* module);
/* Whether it has the mark of a recorded graph; 0 for null. */
INDIM_API int32_t indim_module_is_recorded(const indim_module* module);

/* All instructions of a module at once, as columns, to be walked without a call
 * for each. Positions count instructions from 0, computation by computation,
 * callees before callers, operands before users. */
typedef struct indim_columns indim_columns;

typedef struct indim_columns_view {
  size_t struct_size;
  int64_t computation_count;
  int64_t instruction_count;
  int64_t entry; /* a computation; -1: the module is empty */
  /* Computation c has the instructions from computation_first[c] to
   * computation_first[c + 1] - 1. */
  const int64_t* computation_first;
  const int64_t* computation_root; /* the position */
  /* By position. */
  const int32_t* opcode; /* 0: an unknown one */
  const int64_t* id;
  const int32_t* shape; /* a number for indim_columns_shape; -1: none */
  /* The operands of i are operand[operand_first[i]] to
   * operand[operand_first[i + 1] - 1], positions; likewise callees,
   * computations. */
  const int64_t* operand_first;
  const int64_t* operand;
  const int64_t* callee_first;
  const int64_t* callee;
  /* The name of i: the bytes from name_first[i] to name_first[i + 1] - 1 of
   * `names`; of computation c likewise in computation_names. */
  const int64_t* name_first;
  const char* names;
  const int64_t* computation_name_first;
  const char* computation_names;
  int64_t shape_count;
} indim_columns_view;

INDIM_API indim_error* indim_module_columns(const indim_module* module,
                                            INDIM_OWN indim_columns** columns);
INDIM_API void indim_columns_release(INDIM_TAKEN indim_columns* columns);
/* Fills *view, whose struct_size the caller has set; its pointers are borrowed.
 */
INDIM_API indim_error* indim_columns_get(
    const indim_columns* columns, INDIM_BORROWED indim_columns_view* view);
/* A shape by its number, as an object and as text. INDIM_OUT_OF_RANGE and "":
 * there is none. `size` may be null. */
INDIM_API indim_error* indim_columns_shape(const indim_columns* columns,
                                           int32_t number,
                                           INDIM_OWN indim_shape** shape);
INDIM_API INDIM_BORROWED const char* indim_columns_shape_text(
    const indim_columns* columns, int32_t number, size_t* size);

/* One instruction, by its position. INDIM_OUT_OF_RANGE: there is no such one.
 */
INDIM_API indim_error* indim_instruction_shape(const indim_module* module,
                                               int64_t position,
                                               INDIM_OWN indim_shape** shape);
/* One line of HLO text: "%y = f32[8] add(%x, %x)", without attributes. */
INDIM_API indim_error* indim_instruction_text(const indim_module* module,
                                              int64_t position,
                                              INDIM_OWN indim_bytes** text);
/* The attributes as indim_attributes takes them as text: "dimensions={0,1}". */
INDIM_API indim_error* indim_instruction_attributes(
    const indim_module* module, int64_t position, INDIM_OWN indim_bytes** text);
/* Of a constant; INDIM_NOT_FOUND: it has no value. */
INDIM_API indim_error* indim_instruction_literal(
    const indim_module* module, int64_t position,
    INDIM_OWN indim_literal** literal);
/* The OpMetadata, serialized; empty: none. */
INDIM_API indim_error* indim_instruction_metadata(
    const indim_module* module, int64_t position,
    INDIM_OWN indim_bytes** metadata);
/* The source line in its metadata, and the file; line 0: none. */
INDIM_API indim_error* indim_instruction_location(const indim_module* module,
                                                  int64_t position,
                                                  INDIM_OWN indim_bytes** file,
                                                  int64_t* line);

/* --- The command --------------------------------------------------------- */

/* Runs the command `indim` in this process, with the words behind its name, and
 * returns its exit status: 0 right, 1 errors in modules, 2 a wrong call. It
 * writes to standard output and standard error. Its flags are those of the
 * process, so one thread may call it, once. */
INDIM_API int32_t indim_command(const char* const* words, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_MODULE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the interface, errors, bytes, diagnostics, element types, opcodes
 * and shapes.
 *
 * Errors. A function that can fail returns an indim_error*, null for success.
 * After a failure what its out-pointers point to is untouched. The error is the
 * caller's, who releases it. There is no last error of a thread. Functions that
 * can't fail return their answer; they take null and wrong numbers, for which
 * each says its answer. A null handle where one is needed, a null out-pointer,
 * a null array with a count that isn't 0, and an unknown number in an enum are
 * errors (INDIM_INVALID_ARGUMENT). Memory that can't be had is
 * INDIM_RESOURCE_EXHAUSTED. No input ends the process.
 *
 * Ownership. An argument marked INDIM_OWN gives an object to the caller, who
 * releases it. A pointer marked INDIM_BORROWED stays valid as long as the
 * object that it was asked of, or as long as its comment says. A function
 * copies what it is given, unless the argument is marked INDIM_TAKEN: that
 * object is the function's from the call on, also after a failure. Release
 * functions take null. Objects may be released in any order: an object keeps
 * what it needs of others.
 *
 * Texts are UTF-8, a pointer and a number of bytes; a null pointer with size 0
 * is the empty text. Texts that functions return end in a zero byte too, which
 * doesn't count. Sizes, dims and positions are int64_t.
 *
 * Options are structs that begin with struct_size, which the caller sets to
 * sizeof of the struct that it was compiled with; later versions append fields.
 * All other fields may be 0. A null pointer to options means all fields 0.
 *
 * Threads. Objects that never change (modules, shapes, literals, diagnostics,
 * errors, bytes, callees, clients, executables, buffers) may be used from many
 * threads. Builders and editors belong to one thread at a time.
 *
 * Versions. A function never changes once it was released: a changed one gets
 * the name with _v2. New functions, new fields at the end of options and new
 * enum values may come with any minor version. */

#ifndef INDIM_C_BASE_H_
#define INDIM_C_BASE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define INDIM_API __attribute__((visibility("default")))
#else
#define INDIM_API
#endif
/* What the comment above says of ownership, for people and for programs that
 * make bindings. */
#define INDIM_OWN
#define INDIM_BORROWED
#define INDIM_TAKEN

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" of the library that runs. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_version(size_t* size);

/* A text inside a struct. */
typedef struct indim_text {
  const char* data;
  size_t size;
} indim_text;

/* --- Errors -------------------------------------------------------------- */

/* The numbers of absl::StatusCode. */
typedef enum indim_status {
  INDIM_OK = 0,
  INDIM_CANCELLED = 1,
  INDIM_UNKNOWN = 2,
  INDIM_INVALID_ARGUMENT = 3,
  INDIM_DEADLINE_EXCEEDED = 4,
  INDIM_NOT_FOUND = 5,
  INDIM_ALREADY_EXISTS = 6,
  INDIM_PERMISSION_DENIED = 7,
  INDIM_RESOURCE_EXHAUSTED = 8,
  INDIM_FAILED_PRECONDITION = 9,
  INDIM_ABORTED = 10,
  INDIM_OUT_OF_RANGE = 11,
  INDIM_UNIMPLEMENTED = 12,
  INDIM_INTERNAL = 13,
  INDIM_UNAVAILABLE = 14,
  INDIM_DATA_LOSS = 15,
  INDIM_UNAUTHENTICATED = 16
} indim_status;

typedef struct indim_error indim_error;
typedef struct indim_diagnostics indim_diagnostics;

INDIM_API void indim_error_release(INDIM_TAKEN indim_error* error);
/* INDIM_OK for null. An indim_status. */
INDIM_API int32_t indim_error_status(const indim_error* error);
/* The whole text, of one or several lines; "" for null. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_error_message(
    const indim_error* error, size_t* size);
/* The diagnostics that the error is made of, at least one: IND1301 where the
 * message says all. Never null; empty for null and where memory ran out. */
INDIM_API INDIM_BORROWED const indim_diagnostics* indim_error_diagnostics(
    const indim_error* error);

/* --- Diagnostics --------------------------------------------------------- */

enum { INDIM_SEVERITY_ERROR = 0, INDIM_SEVERITY_WARNING = 1 };

/* One diagnostic. Positions are -1 where it names none. */
typedef struct indim_diagnostic {
  size_t struct_size;
  int32_t code; /* 7 is IND0007, docs/codes.md; 0: an error without a code */
  int32_t severity;
  int64_t operand; /* -1 with dim >= 0: a dim of the result */
  int64_t dim;
  int64_t other_operand;
  int64_t other_dim;
  /* Of a module: positions in it, as indim_columns counts them. */
  int64_t computation;
  int64_t instruction;
  /* The source line of the instruction or of the builder's call; 0: none. */
  int64_t line;
  /* The place in the text that the module was read from, from 1; 0: none. */
  int64_t text_line;
  int64_t text_column;
  indim_text file; /* of `line` */
  indim_text text_file;
  indim_text code_text; /* "IND0007" */
  indim_text slug;      /* "ranks-differ" */
  indim_text message;   /* one sentence */
  indim_text fix;       /* the call that would have worked; "": none known */
  indim_text text;      /* all of it, as a compiler prints it */
  /* The broadcast_dimensions that would work; null: there are none. */
  const int64_t* fix_dimensions;
  size_t fix_dimensions_count;
} indim_diagnostic;

INDIM_API void indim_diagnostics_release(
    INDIM_TAKEN indim_diagnostics* diagnostics);
/* 0 for null. */
INDIM_API size_t indim_diagnostics_count(const indim_diagnostics* diagnostics);
/* How many of them are errors. */
INDIM_API size_t
indim_diagnostics_error_count(const indim_diagnostics* diagnostics);
/* Fills *diagnostic, whose struct_size the caller has set; its pointers are
 * borrowed. INDIM_OUT_OF_RANGE: there is no such one. */
INDIM_API indim_error* indim_diagnostics_get(
    const indim_diagnostics* diagnostics, size_t index,
    INDIM_BORROWED indim_diagnostic* diagnostic);

/* The language of the calls that fixes and messages name. */
typedef enum indim_language {
  INDIM_LANGUAGE_CPP = 0,    /* Add(x, y, {1}) */
  INDIM_LANGUAGE_PYTHON = 1, /* b.add(x, y, broadcast_dimensions=[1]) */
  /* Of indim.hpp, whose arguments are those of the functions here:
   * b.Add("add", {x, y}, {"broadcast_dimensions={1}"}) */
  INDIM_LANGUAGE_C = 2
} indim_language;

/* Sets it for the whole process; another number changes nothing. At first
 * INDIM_LANGUAGE_C. A binding calls it once, when it loads the library. */
INDIM_API void indim_set_language(int32_t language);

/* An error that a binding finds itself, so that it looks like the library's. */
typedef struct indim_refusal {
  size_t struct_size;
  int32_t status;  /* an indim_status other than INDIM_OK */
  int32_t operand; /* -1: none */
  int64_t dim;     /* -1: none */
  int64_t line;    /* the caller's; 0: none */
  indim_text file; /* of `line` */
  indim_text code; /* "IND1350": a code of docs/codes.md */
  indim_text what; /* the function, for {op} in the code's message */
  indim_text fix;  /* a call that works; "": none */
  /* For {0}, {1} and so on in the code's message. */
  const indim_text* arguments;
  size_t argument_count;
} indim_refusal;

/* Never null: the error with its one diagnostic, or, where `refusal` isn't
 * right, the error of that. */
INDIM_API indim_error* indim_refuse(const indim_refusal* refusal);

/* --- Bytes --------------------------------------------------------------- */

/* A text or bytes that a function made. */
typedef struct indim_bytes indim_bytes;

INDIM_API void indim_bytes_release(INDIM_TAKEN indim_bytes* bytes);
/* Ends in a zero byte behind its size; "" for null. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_bytes_data(const indim_bytes* bytes,
                                                      size_t* size);

/* --- Element types and opcodes ------------------------------------------- */

/* The number of an element type (XLA's PrimitiveType: f32 is 11), which is the
 * same in all versions; 0: no type has the name. */
INDIM_API int32_t indim_element_type_from_name(const char* name, size_t size);
/* "f32"; "" for an unknown number. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_element_type_name(int32_t type,
                                                             size_t* size);
/* The bytes of an element of a literal; 0 for an unknown number. */
INDIM_API int32_t indim_element_type_bytes(int32_t type);

/* The number of an operation ("add"), which is the same in all versions; 0: no
 * operation has the name. StableHLO's names work where the operation is the
 * same in both ("stablehlo.add", "stablehlo.dynamic_slice"). */
INDIM_API int32_t indim_opcode_from_name(const char* name, size_t size);
/* "add"; "" for an unknown number. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_opcode_name(int32_t opcode,
                                                       size_t* size);
/* The table of operations as JSON, so that bindings can be made of it:
 * {"version":1,"ops":[{"op":"add","number":..,"min_operands":2,...}, ...]}.
 * docs/json.md has the fields. */
INDIM_API indim_error* indim_op_table_json(INDIM_OWN indim_bytes** json);
/* The table of codes: {"version":1,"codes":[{"code":"IND0007","slug":..,
 * "severity":..,"message":..,"why":..}, ...]}. */
INDIM_API indim_error* indim_code_table_json(INDIM_OWN indim_bytes** json);

/* --- Shapes -------------------------------------------------------------- */

typedef struct indim_shape indim_shape;

typedef enum indim_shape_kind {
  INDIM_SHAPE_NONE = 0, /* not inferred yet */
  INDIM_SHAPE_ARRAY = 1,
  INDIM_SHAPE_TUPLE = 2,
  INDIM_SHAPE_TOKEN = 3,
  INDIM_SHAPE_OPAQUE = 4,
  INDIM_SHAPE_BUFFER = 5
} indim_shape_kind;

/* The kind of a dim, and what the number beside it is. */
typedef enum indim_dim_kind {
  INDIM_DIM_STATIC = 0,   /* its size */
  INDIM_DIM_BOUNDED = 1,  /* <=n: its bound */
  INDIM_DIM_UNKNOWN = 2,  /* ?: -1 */
  INDIM_DIM_INTERVAL = 3, /* 2..5: its upper end, -1 if it has none */
  INDIM_DIM_SYMBOLIC = 4  /* 2*n+1: its upper end, -1 if it has none */
} indim_dim_kind;

/* Reads "f32[8,784]", "(f32[2], s32[])", "f32[n,<=8,?]". */
INDIM_API indim_error* indim_shape_parse(const char* text, size_t size,
                                         INDIM_OWN indim_shape** shape);
/* An array. `kinds` has an indim_dim_kind for each dim: static, bounded or
 * unknown; null: a size of -1 is unknown, and all others are static. */
INDIM_API indim_error* indim_shape_array(int32_t element_type,
                                         const int64_t* sizes,
                                         const int32_t* kinds, size_t rank,
                                         INDIM_OWN indim_shape** shape);
INDIM_API indim_error* indim_shape_tuple(const indim_shape* const* elements,
                                         size_t count,
                                         INDIM_OWN indim_shape** shape);
INDIM_API void indim_shape_release(INDIM_TAKEN indim_shape* shape);

/* An indim_shape_kind; INDIM_SHAPE_NONE for null. */
INDIM_API int32_t indim_shape_kind_of(const indim_shape* shape);
/* Of an array; else 0. */
INDIM_API int32_t indim_shape_element_type(const indim_shape* shape);
/* Of an array; -1: it is unranked, or no array. */
INDIM_API int64_t indim_shape_rank(const indim_shape* shape);
/* Writes at most `capacity` dims to `sizes` and `kinds`, which may be null.
 * Returns the rank as above. */
INDIM_API int64_t indim_shape_dims(const indim_shape* shape, int64_t* sizes,
                                   int32_t* kinds, size_t capacity);
/* Writes at most `capacity` dim numbers of the layout, the most minor first.
 * Returns the rank; -1: it has no layout. */
INDIM_API int64_t indim_shape_minor_to_major(const indim_shape* shape,
                                             int64_t* dims, size_t capacity);
/* Elements of a tuple or of a buffer; 0 for others. */
INDIM_API size_t indim_shape_element_count(const indim_shape* shape);
/* INDIM_OUT_OF_RANGE: there is no such element. */
INDIM_API indim_error* indim_shape_element(const indim_shape* shape,
                                           size_t index,
                                           INDIM_OWN indim_shape** element);
/* The text that indim_shape_parse reads; "" for null. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_shape_text(const indim_shape* shape,
                                                      size_t* size);
/* 1: equal, layouts included; 0: not, or one is null. */
INDIM_API int32_t indim_shape_equal(const indim_shape* a, const indim_shape* b);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_BASE_H_ */

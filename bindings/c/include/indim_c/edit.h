/* SPDX-License-Identifier: Apache-2.0 */
/* Editors: a module goes in, a changed one comes out; what no edit touches
 * keeps its bytes.
 *
 *   indim_editor* e;
 *   indim_editor_create(module, &e);
 *   indim_ref dot;
 *   indim_editor_find(e, "dot.4", 5, &dot);
 *   indim_builder* at;
 *   indim_value x, y;
 *   indim_ref relu;
 *   indim_editor_insert_after(e, dot, &at);      (the builder's own calls)
 *   indim_editor_use(e, at, dot, &x);
 *   ...
 *   indim_editor_insert(e, at, y, &relu);
 *   indim_editor_replace_all_uses(e, dot, relu);
 *   indim_editor_finish(e, &changed, NULL);
 *
 * A wrong edit changes nothing and returns its error; the editor goes on, and
 * its finish has only errors of what it made. */

#ifndef INDIM_C_EDIT_H_
#define INDIM_C_EDIT_H_

#include <indim_c/base.h>
#include <indim_c/builder.h>
#include <indim_c/module.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct indim_editor indim_editor;

/* An instruction of an editor: for one of the module that went in its position
 * there; higher numbers for new ones. It means the same through all edits. A
 * computation likewise, with the number that it has in the module. */
typedef int64_t indim_ref;
#define INDIM_NO_REF ((indim_ref)-1)

INDIM_API indim_error* indim_editor_create(const indim_module* module,
                                           INDIM_OWN indim_editor** editor);
INDIM_API void indim_editor_release(INDIM_TAKEN indim_editor* editor);

/* --- Looking ------------------------------------------------------------- */

/* The first instruction of that name. INDIM_NOT_FOUND: there is none. */
INDIM_API indim_error* indim_editor_find(const indim_editor* editor,
                                         const char* name, size_t name_size,
                                         indim_ref* instruction);
INDIM_API indim_error* indim_editor_root(indim_editor* editor,
                                         indim_ref computation,
                                         indim_ref* instruction);
/* The instructions that a pattern matches ("add(multiply(?a, ?b), ?c)"; see
   docs/editing.md), in order. INDIM_INVALID_ARGUMENT: that is no pattern. As
   below it writes at most `capacity`. */
INDIM_API indim_error* indim_editor_find_all(const indim_editor* editor,
                                             const char* pattern,
                                             size_t pattern_size,
                                             indim_ref* instructions,
                                             size_t capacity, size_t* count);
/* The instructions of the pattern's opcode that it doesn't match, in order:
   what to show where it was expected to. Otherwise as above. */
INDIM_API indim_error* indim_editor_find_near(const indim_editor* editor,
                                              const char* pattern,
                                              size_t pattern_size,
                                              indim_ref* instructions,
                                              size_t capacity, size_t* count);
/* Why the pattern doesn't match the instruction: "%p.1 is no multiply". Empty:
   it does. INDIM_INVALID_ARGUMENT: that is no pattern. */
INDIM_API indim_error* indim_editor_misfit(indim_editor* editor,
                                           const char* pattern,
                                           size_t pattern_size,
                                           indim_ref instruction,
                                           INDIM_OWN indim_bytes** text);
/* Writes at most `capacity`; `count` gets how many there are. */
INDIM_API indim_error* indim_editor_operands(indim_editor* editor,
                                             indim_ref instruction,
                                             indim_ref* operands,
                                             size_t capacity, size_t* count);
INDIM_API indim_error* indim_editor_users(indim_editor* editor,
                                          indim_ref instruction,
                                          indim_ref* users, size_t capacity,
                                          size_t* count);
INDIM_API indim_error* indim_editor_shape(const indim_editor* editor,
                                          indim_ref instruction,
                                          INDIM_OWN indim_shape** shape);
/* The computations that it calls, in its order. */
INDIM_API indim_error* indim_editor_callees(indim_editor* editor,
                                            indim_ref instruction,
                                            indim_ref* computations,
                                            size_t capacity, size_t* count);
/* INDIM_NOT_FOUND: no computation has that name. */
INDIM_API indim_error* indim_editor_find_computation(const indim_editor* editor,
                                                     const char* name,
                                                     size_t name_size,
                                                     indim_ref* computation);
/* Whether it is there and wasn't erased. */
INDIM_API int32_t indim_editor_exists(const indim_editor* editor,
                                      indim_ref instruction);

/* --- Adding -------------------------------------------------------------- */

/* A builder whose calls add instructions at a place. It must not add
 * parameters, nor be built. */
INDIM_API indim_error* indim_editor_insert_before(
    indim_editor* editor, indim_ref instruction,
    INDIM_OWN indim_builder** builder);
INDIM_API indim_error* indim_editor_insert_after(
    indim_editor* editor, indim_ref instruction,
    INDIM_OWN indim_builder** builder);
/* An instruction of the editor as a value of such a builder. */
INDIM_API indim_error* indim_editor_use(indim_editor* editor,
                                        indim_builder* builder,
                                        indim_ref instruction,
                                        indim_value* value);
/* Puts what was recorded into the computation; `instruction` is what `value`
 * became. The builder can then only be released. */
INDIM_API indim_error* indim_editor_insert(indim_editor* editor,
                                           indim_builder* builder,
                                           indim_value value,
                                           indim_ref* instruction);
INDIM_API indim_error* indim_editor_clone(indim_editor* editor,
                                          indim_ref instruction,
                                          indim_ref* clone);
/* `name` may be empty: the original's. */
INDIM_API indim_error* indim_editor_clone_computation(indim_editor* editor,
                                                      indim_ref computation,
                                                      const char* name,
                                                      size_t name_size,
                                                      indim_ref* clone);

/* --- Changing ------------------------------------------------------------ */

INDIM_API indim_error* indim_editor_set_operand(indim_editor* editor,
                                                indim_ref instruction,
                                                int64_t index,
                                                indim_ref operand);
INDIM_API indim_error* indim_editor_set_operands(indim_editor* editor,
                                                 indim_ref instruction,
                                                 const indim_ref* operands,
                                                 size_t count);
INDIM_API indim_error* indim_editor_set_attributes(
    indim_editor* editor, indim_ref instruction,
    const indim_attributes* attributes);
INDIM_API indim_error* indim_editor_set_shape(indim_editor* editor,
                                              indim_ref instruction,
                                              const indim_shape* shape);
INDIM_API indim_error* indim_editor_set_name(indim_editor* editor,
                                             indim_ref instruction,
                                             const char* name,
                                             size_t name_size);
/* Bytes of an OpSharding and of an OpMetadata; empty: none. */
INDIM_API indim_error* indim_editor_set_sharding(indim_editor* editor,
                                                 indim_ref instruction,
                                                 const void* sharding,
                                                 size_t size);
INDIM_API indim_error* indim_editor_set_metadata(indim_editor* editor,
                                                 indim_ref instruction,
                                                 const void* metadata,
                                                 size_t size);
INDIM_API indim_error* indim_editor_set_frontend_attribute(
    indim_editor* editor, indim_ref instruction, const char* key,
    size_t key_size, const char* text, size_t text_size);
INDIM_API indim_error* indim_editor_replace_all_uses(indim_editor* editor,
                                                     indim_ref instruction,
                                                     indim_ref replacement);
INDIM_API indim_error* indim_editor_set_root(indim_editor* editor,
                                             indim_ref computation,
                                             indim_ref instruction);
INDIM_API indim_error* indim_editor_set_callee(indim_editor* editor,
                                               indim_ref instruction,
                                               int64_t index,
                                               indim_ref computation);
/* What belongs to the old entry (layout, aliases, shardings of parameters and
 * result) is dropped, and finish warns of it. */
INDIM_API indim_error* indim_editor_set_entry(indim_editor* editor,
                                              indim_ref computation);
INDIM_API indim_error* indim_editor_erase(indim_editor* editor,
                                          indim_ref instruction);
/* `name` may be empty. */
INDIM_API indim_error* indim_editor_add_parameter(
    indim_editor* editor, indim_ref computation, const indim_shape* shape,
    const char* name, size_t name_size, indim_ref* instruction);
INDIM_API indim_error* indim_editor_remove_parameter(indim_editor* editor,
                                                     indim_ref computation,
                                                     int64_t number);
/* `root` gets the root, a tuple. */
INDIM_API indim_error* indim_editor_add_result(indim_editor* editor,
                                               indim_ref computation,
                                               indim_ref instruction,
                                               indim_ref* root);
INDIM_API indim_error* indim_editor_remove_result(indim_editor* editor,
                                                  indim_ref computation,
                                                  int64_t index);
INDIM_API indim_error* indim_editor_inline_call(indim_editor* editor,
                                                indim_ref call,
                                                indim_ref* result);
/* Moves instructions of one computation into a new one; `call` calls it. */
INDIM_API indim_error* indim_editor_outline(indim_editor* editor,
                                            const indim_ref* instructions,
                                            size_t count, const char* name,
                                            size_t name_size, indim_ref* call);
/* Runs a pass over the module: "dead-code", "common-subexpressions",
 * "fold-constants", "inline-calls". `changes`, unless null, gets how many
 * instructions it erased, folded or inlined. INDIM_NOT_FOUND: no such pass. */
INDIM_API indim_error* indim_editor_pass(indim_editor* editor, const char* pass,
                                         size_t pass_size, int64_t* changes);

typedef struct indim_extract_options {
  size_t struct_size;
  /* Instructions that become parameters, behind the others; null: none. */
  const indim_ref* inputs;
  size_t input_count;
  int32_t keep_parameters; /* 1: also those that nothing uses any more */
} indim_extract_options;

/* Reduces the module to what computes `results`, instructions of one
 * computation: that becomes the entry, and its root is the one result, or a
 * tuple of them. */
INDIM_API indim_error* indim_editor_extract(
    indim_editor* editor, const indim_ref* results, size_t count,
    const indim_extract_options* options);

/* --- Result -------------------------------------------------------------- */

/* The changed module. After a success the editor can only look; after an error
 * editing can go on. `warnings` may be null. */
INDIM_API indim_error* indim_editor_finish(
    indim_editor* editor, INDIM_OWN indim_module** module,
    INDIM_OWN indim_diagnostics** warnings);

/* --- Reduction ----------------------------------------------------------- */

typedef struct indim_reduce_options {
  size_t struct_size;
  /* The test: not 0 for a module on which it goes on failing. The module is the
   * test's until it returns. Needed. */
  int32_t (*fails)(void* context, const indim_module* module);
  void* context;
  int64_t max_tests; /* calls of the test, the first one included; 0: 10000 */
} indim_reduce_options;

/* Makes a module small while a test goes on failing on it; every smaller module
 * that the test sees is right, if the first one is. `tests`, unless null, gets
 * the number of calls, and `done`, unless null, 0 where max_tests ended them, 1
 * where no reduction is left. INDIM_FAILED_PRECONDITION: the test doesn't fail
 * on `module`. */
INDIM_API indim_error* indim_reduce(const indim_module* module,
                                    const indim_reduce_options* options,
                                    INDIM_OWN indim_module** smallest,
                                    int64_t* tests, int32_t* done);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_EDIT_H_ */

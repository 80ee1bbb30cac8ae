/* SPDX-License-Identifier: Apache-2.0 */
/* Values, and what computes them: the reference evaluator and PJRT plugins. */

#ifndef INDIM_C_RUN_H_
#define INDIM_C_RUN_H_

#include <indim_c/base.h>
#include <indim_c/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Literals ------------------------------------------------------------ */

/* An array of static sizes from memory: row-major, little-endian, pred and
 * types below 8 bits a byte an element, complex ones two components. `size`
 * counts bytes. */
INDIM_API indim_error* indim_literal_array(int32_t element_type,
                                           const int64_t* sizes, size_t rank,
                                           const void* data, size_t size,
                                           INDIM_OWN indim_literal** literal);
/* Each number converted to the element type: floats round, integers must be
 * whole and fit. */
INDIM_API indim_error* indim_literal_doubles(int32_t element_type,
                                             const int64_t* sizes, size_t rank,
                                             const double* numbers,
                                             size_t count,
                                             INDIM_OWN indim_literal** literal);
/* An array of equal elements: one element in memory. */
INDIM_API indim_error* indim_literal_splat(int32_t element_type,
                                           const int64_t* sizes, size_t rank,
                                           double number,
                                           INDIM_OWN indim_literal** literal);
INDIM_API indim_error* indim_literal_tuple(const indim_literal* const* elements,
                                           size_t count,
                                           INDIM_OWN indim_literal** literal);
INDIM_API void indim_literal_release(INDIM_TAKEN indim_literal* literal);

INDIM_API indim_error* indim_literal_shape(const indim_literal* literal,
                                           INDIM_OWN indim_shape** shape);
/* The bytes of all elements of an array, as indim_literal_array takes them.
 * `size` may be null. INDIM_INVALID_ARGUMENT: it is no array.
 * INDIM_RESOURCE_EXHAUSTED: equal elements, more than 2 GiB when written out.
 */
INDIM_API indim_error* indim_literal_data(const indim_literal* literal,
                                          INDIM_BORROWED const void** data,
                                          size_t* size);
/* Elements of a tuple; 0 for others. */
INDIM_API size_t indim_literal_element_count(const indim_literal* literal);
/* INDIM_OUT_OF_RANGE: there is no such element. */
INDIM_API indim_error* indim_literal_element(const indim_literal* literal,
                                             size_t index,
                                             INDIM_OWN indim_literal** element);
/* As XLA prints it, at most `max_elements` (0: 1000). */
INDIM_API indim_error* indim_literal_text(const indim_literal* literal,
                                          int64_t max_elements,
                                          INDIM_OWN indim_bytes** text);
/* 1: equal shapes and bits; 0: not, or one is null. */
INDIM_API int32_t indim_literal_equal(const indim_literal* a,
                                      const indim_literal* b);

/* --- DLPack -------------------------------------------------------------- */

/* DLManagedTensor of DLPack's dlpack.h, to which programs cast it. */
typedef struct indim_dlpack {
  struct {
    void* data;
    int32_t device_type; /* 1: the CPU */
    int32_t device_id;
    int32_t rank;
    uint8_t type_code; /* 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool */
    uint8_t type_bits;
    uint16_t type_lanes;
    int64_t* sizes;
    int64_t* strides; /* null: row-major */
    uint64_t byte_offset;
  } tensor;
  void* context;
  void (*deleter)(struct indim_dlpack* self);
} indim_dlpack;

/* The literal's memory, without a copy; its deleter is to be called once.
 * INDIM_UNIMPLEMENTED: DLPack has no such type. */
INDIM_API indim_error* indim_literal_to_dlpack(const indim_literal* literal,
                                               INDIM_OWN indim_dlpack** tensor);
/* A copy of a tensor in the CPU's memory, with any strides. After a success its
 * deleter was called; after an error it is still the caller's. */
INDIM_API indim_error* indim_literal_from_dlpack(
    indim_dlpack* tensor, INDIM_OWN indim_literal** literal);

/* The module with the sizes that it leaves open as they are in the values, one
 * for each parameter: what indim_compile takes. One without open sizes, and one
 * of another number of parameters, stays as it is. */
INDIM_API indim_error* indim_module_refine_for(
    const indim_module* module, const indim_literal* const* arguments,
    size_t count, INDIM_OWN indim_module** refined);

/* --- The evaluator ------------------------------------------------------- */

typedef struct indim_eval_options {
  size_t struct_size;
  int64_t max_steps; /* 0: about a minute */
  int64_t max_bytes; /* of all values at one time; 0: 4 GiB */
} indim_eval_options;

/* The result of the entry, by the reference evaluator, which is simple rather
 * than fast. `arguments` has a value for each parameter; sizes that the module
 * leaves open are those of the values. Where the module only bounds a size, the
 * result has the size of the run; so have those of indim_run and
 * indim_buffer_to_literal. */
INDIM_API indim_error* indim_evaluate(const indim_module* module,
                                      const indim_literal* const* arguments,
                                      size_t count,
                                      const indim_eval_options* options,
                                      INDIM_OWN indim_literal** result);

/* --- Plugins ------------------------------------------------------------- */

typedef struct indim_client indim_client;
typedef struct indim_executable indim_executable;
typedef struct indim_buffer indim_buffer;

/* Loads a PJRT plugin ("cpu", "cuda", "tpu", or the path of a library) and
 * starts it. An option is "cpu_device_count=8". A plugin is a program of its
 * own: what it does to the process isn't in Indim's hands. */
INDIM_API indim_error* indim_client_create(const char* plugin,
                                           size_t plugin_size,
                                           const indim_text* options,
                                           size_t option_count,
                                           INDIM_OWN indim_client** client);
INDIM_API void indim_client_release(INDIM_TAKEN indim_client* client);
/* "cpu", "cuda"; "" for null. `size` may be null. */
INDIM_API INDIM_BORROWED const char* indim_client_platform(
    const indim_client* client, size_t* size);
/* Devices of this process; 0 for null. */
INDIM_API size_t indim_client_device_count(const indim_client* client);

typedef struct indim_compile_options {
  size_t struct_size;
  int64_t replicas;   /* 0: as the module says, or 1 */
  int64_t partitions; /* likewise */
  /* Flags of XLA: "xla_cpu_enable_fast_math=false". */
  const indim_text* flags;
  size_t flag_count;
} indim_compile_options;

/* Infers, verifies, expands and compiles a module. */
INDIM_API indim_error* indim_compile(const indim_client* client,
                                     const indim_module* module,
                                     const indim_compile_options* options,
                                     INDIM_OWN indim_executable** executable);
INDIM_API void indim_executable_release(
    INDIM_TAKEN indim_executable* executable);
/* Uploads, runs on all its devices and waits. `arguments` has a value for each
 * parameter of the module. */
INDIM_API indim_error* indim_run(const indim_executable* executable,
                                 const indim_literal* const* arguments,
                                 size_t count,
                                 INDIM_OWN indim_literal** result);

/* Runs on one device, from buffers to buffers: `inputs` has one for each array
 * of the parameters. `outputs` gets at most `capacity`; `output_count` is how
 * many there are. INDIM_OUT_OF_RANGE, before it runs: `capacity` is too small.
 */
INDIM_API indim_error* indim_execute(const indim_executable* executable,
                                     const indim_buffer* const* inputs,
                                     size_t count,
                                     INDIM_OWN indim_buffer** outputs,
                                     size_t capacity, size_t* output_count);
/* How many arrays go in and come out; 0 for null. */
INDIM_API size_t
indim_executable_input_count(const indim_executable* executable);
INDIM_API size_t
indim_executable_output_count(const indim_executable* executable);

/* An array in a device's memory; device `device` of the client's. */
INDIM_API indim_error* indim_buffer_from_literal(
    const indim_client* client, const indim_literal* literal, int64_t device,
    INDIM_OWN indim_buffer** buffer);
INDIM_API indim_error* indim_buffer_to_literal(
    const indim_buffer* buffer, INDIM_OWN indim_literal** literal);
/* Without a copy where plugin and memory allow it. After a success the tensor
 * is the buffer's, after an error the caller's. */
INDIM_API indim_error* indim_buffer_from_dlpack(
    const indim_client* client, indim_dlpack* tensor,
    INDIM_OWN indim_buffer** buffer);
INDIM_API indim_error* indim_buffer_to_dlpack(const indim_buffer* buffer,
                                              INDIM_OWN indim_dlpack** tensor);
INDIM_API void indim_buffer_release(INDIM_TAKEN indim_buffer* buffer);

/* --- Passes in XLA's pipeline -------------------------------------------- */

/* An error (IND1111) if a pass made a module `after` that has lost what it must
 * keep of the one that it got: the entry's parameters and result, and, behind
 * the scheduler, a schedule (docs/passes.md). */
INDIM_API indim_error* indim_pass_check_border(const indim_module* before,
                                               const indim_module* after);

#ifdef __cplusplus
}
#endif

#endif /* INDIM_C_RUN_H_ */

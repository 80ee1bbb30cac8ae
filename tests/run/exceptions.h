// SPDX-License-Identifier: Apache-2.0
// The modules that don't run on XLA's CPU, or not to the values of the
// evaluator, with the cause of each.

#ifndef INDIM_TESTS_RUN_EXCEPTIONS_H_
#define INDIM_TESTS_RUN_EXCEPTIONS_H_

#include "absl/strings/string_view.h"

namespace indim {

enum class ExceptionKind {
  kRefused,   // an error, on some plugin at least
  kOwnValue,  // it runs; its value is the plugin's own affair
  kNotAsked,  // it would abort the plugin, or never end
};

struct Exception {
  absl::string_view name;  // of the module; of an op's: the opcode
  ExceptionKind kind;
  absl::string_view why;
};

constexpr Exception kExceptions[] = {
    {"infeed", ExceptionKind::kNotAsked, "it waits for data of the host"},
    {"outfeed", ExceptionKind::kNotAsked, "it waits for the host to take them"},
    {"while", ExceptionKind::kNotAsked, "the one that is built never ends"},
    {"collective-permute", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"collective-permute-done", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"ct_while_fori", ExceptionKind::kNotAsked,
     "of a negative number its loop never ends"},
    {"async_sugar", ExceptionKind::kNotAsked,
     "the verifier refuses one of its bodies (IND0734), so it isn't exported"},
    {"cholesky", ExceptionKind::kOwnValue, "made-up matrices have none"},
    {"rng", ExceptionKind::kOwnValue, "random"},
    {"rng-get-and-update-state", ExceptionKind::kOwnValue, "random"},
    {"bitcast", ExceptionKind::kRefused,
     "its operand gets the layout of its result"},
    {"custom-call", ExceptionKind::kRefused, "nobody registered its target"},
    {"stochastic-convert", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"scaled-dot", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"ragged-dot", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"ragged-all-to-all", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"collective-broadcast", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"send", ExceptionKind::kNotAsked, "its result has a token"},
    {"send-done", ExceptionKind::kNotAsked, "its result has a token"},
    {"recv", ExceptionKind::kNotAsked, "its result has a token"},
    {"recv-done", ExceptionKind::kNotAsked, "its result has a token"},
    {"async-start", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"async-update", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"async-done", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"copy-start", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"copy-done", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"all-reduce-done", ExceptionKind::kRefused, "XLA's CPU hasn't it"},
    {"all-gather", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"all-gather-done", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"reduce-scatter", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"all-to-all", ExceptionKind::kRefused,
     "it is between two devices, and runs on one"},
    {"all-reduce-start", ExceptionKind::kRefused, "a start without its done"},
    {"all-gather-start", ExceptionKind::kRefused, "a start without its done"},
    {"collective-permute-start", ExceptionKind::kRefused,
     "a start without its done"},
    {"acos", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"acosh", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"asin", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"asinh", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"atanh", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"cosh", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"sinh", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"mulhi", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"scan", ExceptionKind::kRefused, "newer than the C API 0.81"},
    {"exp2", ExceptionKind::kRefused, "of XLA 0.12"},
    {"log2", ExceptionKind::kRefused, "of XLA 0.12"},
    {"shuffle", ExceptionKind::kRefused, "of XLA 0.12"},
    {"collective-reduce", ExceptionKind::kRefused, "of XLA 0.12"},
    {"ct_callbacks", ExceptionKind::kRefused,
     "calls Python through handlers of jaxlib"},
    {"ct_callbacks.opt", ExceptionKind::kRefused,
     "calls Python through handlers of jaxlib"},
    {"dt_int_bits", ExceptionKind::kRefused,
     "has a mulhi, newer than the C API 0.81"},
    {"la_eigh_grad", ExceptionKind::kRefused,
     "calls LAPACK through handlers of jaxlib"},
    {"sp_signal", ExceptionKind::kRefused,
     "calls LAPACK through handlers of jaxlib"},
    {"la_zoo_tpu", ExceptionKind::kRefused, "custom calls of the TPU"},
    {"nn_llama_fwd_bf16.opt", ExceptionKind::kRefused,
     "compiled before: its bitcasts come with layouts"},
    {"spmd_3d_mesh_einsum.opt", ExceptionKind::kRefused,
     "compiled before: its bitcasts come with layouts"},
    {"spmd_pmap_psum", ExceptionKind::kRefused,
     "Shardy's partitioner isn't asked for"},
    {"spmd_sm_alltoall_ppermute", ExceptionKind::kRefused,
     "Shardy's partitioner isn't asked for"},
    {"spmd_transformer_2d_jit", ExceptionKind::kOwnValue,
     "gradients of 1e6: rounding adds up (devices_test: not in f64)"},
    {"spmd_transformer_2d_jit_gspmd", ExceptionKind::kOwnValue,
     "gradients of 1e6: rounding adds up (devices_test: not in f64)"},
    {"sy_custom_call_variants", ExceptionKind::kRefused,
     "nobody registered its targets"},
    {"sy_devcoll_c", ExceptionKind::kRefused, "has a stochastic-convert"},
    {"sy_infeed_outfeed_send_recv", ExceptionKind::kRefused, "has a send"},
    {"dt_int4_weight_only", ExceptionKind::kRefused,
     "layouts of 4-bit elements come on s32"},
    {"dt_scaled_matmul", ExceptionKind::kRefused,
     "nobody registered its target"},
};

inline const Exception* FindException(absl::string_view name) {
  for (const Exception& exception : kExceptions) {
    if (exception.name == name) return &exception;
  }
  return nullptr;
}

}  // namespace indim

#endif  // INDIM_TESTS_RUN_EXCEPTIONS_H_

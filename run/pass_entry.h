// SPDX-License-Identifier: Apache-2.0
// The entry of a shared library that brings a pass, for RegisterPassLibrary
// (pass_library.h) and `indim run --pass=LIBRARY`. This header is C99 as well
// as C++, and such a library needs nothing else of Indim:
//
//   static void Run(const struct indim_pass_call* call) {
//     ... call->replace(call, bytes, size); ...
//   }
//   const struct indim_pass indim_pass_1 = {
//       "no-tanh", INDIM_PASS_PRE_SCHEDULER, Run};
//
//   cc -shared -fPIC no_tanh.c -o no_tanh.so
//
// Modules go in and out as serialized HloModuleProtos, so a library may read
// them by Indim, its own copy of it, by its C interface, or by protobuf's
// classes. What it gives is inferred and verified before XLA sees it
// (pass.h).
//
// The symbol's number is the version of this interface. Structs of a version
// only grow at their ends: `size` says how much of a call is there.

#ifndef INDIM_RUN_PASS_ENTRY_H_
#define INDIM_RUN_PASS_ENTRY_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define INDIM_PASS_EXPORT __declspec(dllexport)
#else
#define INDIM_PASS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Where in XLA's pipeline (PassStage of pass.h).
enum {
  INDIM_PASS_PRE_SCHEDULER = 0,
  INDIM_PASS_POST_SCHEDULER = 1,
};

// One run of the pass over one module. XLA's threads that compile make such
// calls, several at a time.
struct indim_pass_call {
  size_t size;  // of this struct
  // The module, as long as the call runs.
  const char* module;
  size_t module_size;
  // Gives the module that is compiled instead; without a call of it XLA keeps
  // its own. The bytes are copied; the last call counts.
  void (*replace)(const struct indim_pass_call* call, const char* module,
                  size_t module_size);
  // Lets the compilation fail, with a text for people in UTF-8.
  void (*fail)(const struct indim_pass_call* call, const char* text,
               size_t text_size);
  void* context;  // Indim's own
};

struct indim_pass {
  const char* name;  // for messages and counts
  int32_t stage;     // INDIM_PASS_PRE_SCHEDULER or INDIM_PASS_POST_SCHEDULER
  // It must not throw, and must not compile by the same plugin.
  void (*run)(const struct indim_pass_call* call);
};

// What a library defines, and exports.
INDIM_PASS_EXPORT extern const struct indim_pass indim_pass_1;

#ifdef __cplusplus
}
#endif

#endif  // INDIM_RUN_PASS_ENTRY_H_

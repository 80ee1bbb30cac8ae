// SPDX-License-Identifier: Apache-2.0
// A pass in C, of pass_entry.h alone: the first instruction with the opcode tanh
// becomes a sine, whose name is as long. A module without one is an error.

#include <stdlib.h>
#include <string.h>

#include "indim/run/pass_entry.h"

// Field 2 of an HloInstructionProto, of four bytes.
static const char kTanh[] = "\022\004tanh";

static void Run(const struct indim_pass_call* call) {
  static const char kNone[] = "no tanh";
  const size_t length = sizeof(kTanh) - 1;
  size_t at = 0;
  char* copy;
  while (at + length <= call->module_size &&
         memcmp(call->module + at, kTanh, length) != 0) {
    ++at;
  }
  if (at + length > call->module_size) {
    call->fail(call, kNone, sizeof(kNone) - 1);
    return;
  }
  copy = malloc(call->module_size);
  if (copy == NULL) return;
  memcpy(copy, call->module, call->module_size);
  memcpy(copy + at + 2, "sine", 4);
  call->replace(call, copy, call->module_size);
  free(copy);
}

const struct indim_pass indim_pass_1 = {"sine", INDIM_PASS_PRE_SCHEDULER, Run};

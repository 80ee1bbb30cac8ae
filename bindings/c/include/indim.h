/* SPDX-License-Identifier: Apache-2.0 */
/* Indim for every language: a C interface to build, check, infer, convert,
 * edit, evaluate and run XLA's HLO modules. Link with -lindim_c.
 *
 *   indim_module* module = NULL;
 *   indim_error* error = indim_module_read_file("m.hlo", 5, NULL, &module);
 *   if (error != NULL) {
 *     fputs(indim_error_message(error, NULL), stderr);
 *     indim_error_release(error);
 *   }
 *   indim_module_release(module);
 *
 * docs/c.md is the first hour, examples/go and examples/rust hold programs.
 * The rules that hold for all functions stand in indim_c/base.h. */

#ifndef INDIM_H_
#define INDIM_H_

#include <indim_c/base.h>
#include <indim_c/builder.h>
#include <indim_c/edit.h>
#include <indim_c/infer.h>
#include <indim_c/module.h>
#include <indim_c/run.h>

#endif /* INDIM_H_ */

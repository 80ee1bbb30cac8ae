// SPDX-License-Identifier: Apache-2.0
// Fingerprint: one value for all modules that mean the same by their form.

#ifndef INDIM_PASSES_STRUCTURE_FINGERPRINT_H_
#define INDIM_PASSES_STRUCTURE_FINGERPRINT_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

// "1:" and 32 hexadecimal digits. Modules that differ in nothing but these have
// the same one:
//   names and ids of the module, of computations and of instructions;
//   the order of computations and of instructions, and a schedule;
//   metadata (source lines, op_name), original values, statistics;
//   the numbers of channels: which instructions share one counts.
// All else counts: opcodes, shapes with their layouts, attributes, constants,
// shardings, frontend attributes, control dependencies, how often a value is
// computed and by whom it is used, dead instructions, computations that nobody
// calls, execution threads, aliases and donors, the layout of the entry, and
// the number of devices.
//
// It is computed from operands to users and from users to operands, so it tells
// `subtract(r, r)` from `subtract(r, q)` of two equal random numbers. Two
// modules that differ have, but for chance (2^-128), different ones, unless
// each instruction of one has a counterpart with the same operands and the same
// users in the other, at any distance. It isn't made to withstand an attacker.
//
// The first number changes when these rules do; a value that was kept stays
// comparable with those of the same number. Linear in instructions, operands
// and bytes of constants.
std::string Fingerprint(const Module& module);

}  // namespace indim

#endif  // INDIM_PASSES_STRUCTURE_FINGERPRINT_H_

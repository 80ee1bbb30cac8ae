// SPDX-License-Identifier: Apache-2.0
// Fingerprint: one value for all modules that mean the same by their form.

#ifndef INDIM_PASSES_STRUCTURE_FINGERPRINT_H_
#define INDIM_PASSES_STRUCTURE_FINGERPRINT_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

struct FingerprintOptions {
  // Whether layouts count: of shapes and of the entry. Those that attributes
  // ask for (a constant's, a custom call's operands') always do. Without them
  // the value is comparable with such values only.
  bool layouts = true;
};

// "1:" and 32 hexadecimal digits. Modules that differ in nothing but these have
// the same one:
//   names and ids of the module, of computations and of instructions;
//   the order of computations and of instructions, and a schedule;
//   metadata, also of shardings (source lines, op_name), original values,
//   statistics, profiles;
//   the numbers of channels: which instructions share one counts;
//   whether the bytes spell how a comparison orders elements as a type or, as
//   newer XLA does, as an order, or leave it to the elements' type;
//   whether a collective has its groups in a field of their own or, as newer
//   XLA writes them, in a list;
//   what HLO text has no place for: the module's device assignment and its
//   spmd_output_sharding and spmd_parameters_shardings, and what is present but
//   says no more than when it is absent (frontend attributes, aliases and
//   donors that are empty, groups of 1, default precisions, one device).
// All else counts: opcodes, shapes with their layouts, attributes, constants,
// shardings, frontend attributes, control dependencies, how often a value is
// computed and by whom it is used, dead instructions, computations that nobody
// calls, how often and by whom the others are called, execution threads,
// aliases and donors, the layout of the entry, the number of devices, and
// memory kinds of the entry, which only StableHLO has a place for.
//
// It is computed from operands to users and from callees to callers, and back,
// so it tells `subtract(r, r)` from `subtract(r, q)` of two equal random
// numbers. Two modules that differ have, but for chance (2^-128), different
// ones, unless each instruction and each computation of one has a counterpart
// with the same operands, users and callers in the other, at any distance. It
// isn't made to withstand an attacker.
//
// The first number changes when these rules do; a value that was kept stays
// comparable with those of the same number. Linear in instructions, operands,
// calls and bytes of constants.
std::string Fingerprint(const Module& module,
                        const FingerprintOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_STRUCTURE_FINGERPRINT_H_

// SPDX-License-Identifier: Apache-2.0
// What comes along from a module to its derivative, beside instructions.

#ifndef INDIM_GRAD_CARRY_H_
#define INDIM_GRAD_CARRY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim::internal {

// The derivative with what its module says as a whole and is true of both:
// replicas, partitions, devices, frontend attributes, flags. Not what it says
// of parameters and results (aliases, donors, the entry's layout), of schedules
// and of profiles.
Module WithPropertiesOf(const Module& module, Module derivative);

// Bytes of an OpSharding; nullopt: it has none.
std::optional<std::string> ShardingOf(const Instruction& instruction);
// The value of a frontend attribute; nullopt: it has none of the key.
std::optional<std::string> NoteOf(const Instruction& instruction,
                                  absl::string_view key);
// Of leaf `i` of a result, which has `count`.
std::optional<std::string> ShardingOfLeaf(const Instruction& root, size_t i,
                                          size_t count);

// A channel_id behind which 2^32 are free: the highest one that an instruction
// has, 0 where none has one; near the end of 64 bits a lower one.
int64_t ChannelBeforeFreeOnes(const Module& module);

}  // namespace indim::internal

#endif  // INDIM_GRAD_CARRY_H_

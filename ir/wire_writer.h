// Writing a module as HloModuleProto bytes: canonical, what libprotobuf's
// deterministic serialization of the same message would be.
//
// This writes the graph as it is, implicit broadcasts included (the recorded
// form). For bytes that XLA compiles use WriteHloModuleProto of
// passes/export.h, which expands first.

#ifndef INDIM_IR_WIRE_WRITER_H_
#define INDIM_IR_WIRE_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// How many bytes SerializeModule gives, without making them.
uint64_t SerializedSize(const Module& module);

// The bytes. What a reader took in and nobody changed comes out the same;
// program_shape, host_program_shape and names that nobody gave are made here.
// Instruction names are made unique in the module. ResourceExhausted when they
// pass 2 GiB, which XLA's protobuf can't read: the message says the exact size
// and names the three largest literals; `allow_over_2gib` writes all the same.
absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            bool allow_over_2gib = false);

}  // namespace indim

#endif  // INDIM_IR_WIRE_WRITER_H_

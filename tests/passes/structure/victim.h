// SPDX-License-Identifier: Apache-2.0
// A module that fulfils every rule of passes/structure/structure.h and has a
// bit of all that they are about, to be broken one thing at a time.
#ifndef INDIM_TESTS_PASSES_STRUCTURE_VICTIM_H_
#define INDIM_TESTS_PASSES_STRUCTURE_VICTIM_H_

#include <cstdint>
#include <string>

#include "indim/ir/module.h"
#include "indim/passes/structure/structure.h"
#include "indim/proto/hlo.pb.h"

namespace indim {

// Text format of shapes: f32[4], and what a send gives.
inline constexpr char kArray[] = "shape { element_type: F32 dimensions: 4 }";
inline constexpr char kSent[] =
    "shape { element_type: TUPLE"
    " tuple_shapes { element_type: F32 dimensions: 4 }"
    " tuple_shapes { element_type: U32 }"
    " tuple_shapes { element_type: TOKEN } }";

proto::HloModuleProto GoodModule();

// A module to break, with its parts by name.
struct Victim {
  proto::HloModuleProto module = GoodModule();

  proto::HloComputationProto& Computation(const std::string& name);
  proto::HloInstructionProto& operator[](const std::string& name);
  proto::OpSharding& Sharding(const std::string& name) {
    return *(*this)[name].mutable_sharding();
  }
  proto::HloScheduleProto::InstructionSequence& Schedule(int64_t computation) {
    return (*module.mutable_schedule()->mutable_sequences())[computation];
  }
  proto::ReplicaGroup& Group(const std::string& name, int i) {
    return *(*this)[name]
                .mutable_collective_device_list()
                ->mutable_replica_groups(i);
  }
  // Adds it to the entry, with id 100 if it has none; drops the schedule.
  proto::HloInstructionProto& Add(const std::string& text);
};

// What verification says of it; `module` is what the reader makes of it.
StructureResult Verify(const proto::HloModuleProto& proto, Module* module,
                       DeviceCounts devices = {});

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_STRUCTURE_VICTIM_H_

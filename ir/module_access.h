// SPDX-License-Identifier: Apache-2.0
// ModuleAccess: gets from the views of module.h to the storage behind them
// (module_data.h), and back. For Indim's readers, writers and passes; not part
// of the API.

#ifndef INDIM_IR_MODULE_ACCESS_H_
#define INDIM_IR_MODULE_ACCESS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/proto/wire/attribute_bytes.h"

namespace indim {
class FieldList;
}  // namespace indim

namespace indim::internal {

struct ModuleAccess {
  static const ModuleData& Data(const Module& m) { return *m.data_; }
  static const ModuleData& Data(const Instruction& i) { return *i.data_; }
  static const InstructionRecord& Record(const Instruction& i) {
    return i.data_->Record(i.computation_, i.index_);
  }
  static const ComputationRecord& Record(const Computation& c) {
    return c.data_->computations[c.index_];
  }
  static Instruction MakeInstruction(const ModuleData* data,
                                     uint32_t computation, uint32_t index) {
    return {data, computation, index};
  }
  static Computation MakeComputation(const ModuleData* data, uint32_t index) {
    return {data, index};
  }
  static Module MakeModule(std::shared_ptr<const ModuleData> data) {
    return Module(std::move(data));
  }
  static std::shared_ptr<const ModuleData> Release(Module* m) {
    return std::move(m->data_);
  }
};

// The graph of a module.
inline const ModuleData& DataOf(const Module& module) {
  return ModuleAccess::Data(module);
}
// The data, for a pass that changes it: not copied if `module` is its only
// owner. `module` is empty afterwards.
std::shared_ptr<ModuleData> TakeData(Module module);
inline Module ModuleOf(std::shared_ptr<const ModuleData> data) {
  return ModuleAccess::MakeModule(std::move(data));
}

// How many operands of a call or a fusion are arguments of its computation.
// HLO's verifier lets a fusion have more operands than parameters.
inline int ArgumentCount(const Instruction& call) {
  const ModuleData& data = ModuleAccess::Data(call);
  const auto parameters =
      data.Parameters(static_cast<uint32_t>(call.callee(0).index()));
  return std::min(call.operand_count(), static_cast<int>(parameters.size()));
}

// Views. `data` must outlive them.
inline Instruction InstructionOf(const ModuleData* data, uint32_t computation,
                                 uint32_t index) {
  return ModuleAccess::MakeInstruction(data, computation, index);
}
inline Computation ComputationOf(const ModuleData* data, uint32_t index) {
  return ModuleAccess::MakeComputation(data, index);
}

inline const InstructionRecord& RecordOf(const Instruction& instruction) {
  return ModuleAccess::Record(instruction);
}
inline const ComputationRecord& RecordOf(const Computation& computation) {
  return ModuleAccess::Record(computation);
}
// The instruction's HloInstructionProto fields that its record doesn't hold, as
// canonical bytes.
inline AttributeBytesView AttributeBytesOf(const Instruction& instruction) {
  return ModuleAccess::Data(instruction)
      .pools->attribute_bytes(RecordOf(instruction).attribute_bytes);
}
// The same as fields, for reading and changing single ones.
FieldList FieldsOf(const Instruction& instruction);
// The files with values of the module's literals; null: none.
inline const ExternalFiles* ExternalFilesOf(const Instruction& instruction) {
  return ModuleAccess::Data(instruction).pools->external_files();
}

}  // namespace indim::internal

#endif  // INDIM_IR_MODULE_ACCESS_H_

// SPDX-License-Identifier: Apache-2.0
// Makes modules instruction by instruction, as a builder does.
#ifndef INDIM_TESTS_IR_MODULE_MAKER_H_
#define INDIM_TESTS_IR_MODULE_MAKER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class ModuleMaker {
 public:
  ModuleMaker() : data_(std::make_shared<ModuleData>()) {}

  // Opens a computation; what is added from now on is in it. The last one added
  // is its root, the last computation the entry. Its id is its index plus 1.
  void Computation(absl::string_view name) {
    ComputationRecord record;
    record.first = static_cast<uint32_t>(data_->instructions.size());
    if (!name.empty()) record.name = data_->pools->AddName(name);
    data_->entry = static_cast<uint32_t>(data_->computations.size());
    record.id = int64_t{data_->entry} + 1;
    data_->computations.push_back(std::move(record));
  }

  // The new instruction's position in its computation. An empty name: none is
  // given; an empty shape: none yet.
  uint32_t Add(Opcode opcode, absl::string_view shape,
               std::vector<uint32_t> operands = {}, absl::string_view name = "",
               const Attributes& attributes = {},
               std::vector<uint32_t> callees = {}) {
    InstructionRecord& record =
        AppendRecord(operands, callees, &data_->operands, &data_->instructions);
    record.opcode = opcode;
    if (!shape.empty()) {
      record.shape = data_->pools->shapes().Intern(*ParseShape(shape));
    }
    if (!name.empty()) record.name = data_->pools->AddName(name);
    record.attribute_bytes = data_->pools->AddAttributeBytes(
        EncodeAttributes(opcode, attributes).view());
    ComputationRecord& computation = data_->computations.back();
    computation.root = computation.count++;
    return computation.root;
  }

  uint32_t Parameter(int64_t number, absl::string_view shape,
                     absl::string_view name = "") {
    return Add(Opcode::kParameter, shape, {}, name,
               ParameterAttributes{number});
  }

  ModuleData& data() { return *data_; }
  Module Make() const { return internal::ModuleOf(data_); }

 private:
  std::shared_ptr<ModuleData> data_;
};

}  // namespace indim

#endif  // INDIM_TESTS_IR_MODULE_MAKER_H_

// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/limits/hostile_messages.h"

#include <google/protobuf/text_format.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/wire/wire.h"

namespace indim {

std::string Times(int n, absl::string_view piece, absl::string_view between) {
  std::vector<absl::string_view> all(static_cast<size_t>(n), piece);
  return absl::StrJoin(all, between);
}

HloInstructionProto* AddInstruction(HloComputationProto* computation,
                                    const std::string& opcode, int64_t id) {
  HloInstructionProto* added = computation->add_instructions();
  added->set_name(absl::StrCat("i", id));
  added->set_opcode(opcode);
  added->set_id(id);
  added->mutable_shape()->set_element_type(proto::F32);
  computation->set_root_id(id);
  return added;
}

HloComputationProto* AddComputation(HloModuleProto* module, int64_t id) {
  HloComputationProto* added = module->add_computations();
  added->set_name(absl::StrCat("c", id));
  added->set_id(id);
  module->set_entry_computation_id(id);
  return added;
}

HloModuleProto Base() {
  HloModuleProto module;
  module.set_name("m");
  AddInstruction(AddComputation(&module, 1), "parameter", 1)->set_name("x");
  return module;
}

void AddMessage(const std::string& name, const HloModuleProto& module,
                const Says& says, Inputs* to) {
  to->push_back({name + ", bytes", InputForm::kWire,
                 module.SerializePartialAsString(), says});
  std::string text;
  google::protobuf::TextFormat::PrintToString(module, &text);
  to->push_back(
      {name + ", text format", InputForm::kProtoText, std::move(text), says});
}

void AddText(const std::string& name, const std::string& instructions,
             const Says& says, Inputs* to) {
  to->push_back(
      {name + ", HLO text", InputForm::kHloText,
       absl::StrCat("HloModule m\n\nENTRY e {\n", instructions, "\n}\n"),
       says});
}

void AddChanged(const std::string& name, const Says& says, Inputs* to,
                const std::function<void(HloInstructionProto*)>& change) {
  HloModuleProto module = Base();
  change(AddInstruction(module.mutable_computations(0), "negate", 2));
  AddMessage(name, module, says, to);
}

std::string NestBytes(uint32_t number, int n, std::string bytes) {
  // From the inside out, at the end of the string: no copy per level.
  std::vector<std::string> heads;
  size_t size = bytes.size();
  for (int i = 0; i < n; ++i) {
    std::string head;
    AppendTag(number, WireType::kLengthDelimited, &head);
    AppendVarint(size, &head);
    size += head.size();
    heads.push_back(std::move(head));
  }
  std::string all;
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) all += *head;
  return all + bytes;
}

std::string WithInstructionField(uint32_t number, const std::string& bytes) {
  std::string instruction =
      Base().computations(0).instructions(0).SerializeAsString();
  AppendTag(number, WireType::kLengthDelimited, &instruction);
  AppendLengthDelimited(bytes, &instruction);
  std::string computation;
  AppendTag(2, WireType::kLengthDelimited, &computation);
  AppendLengthDelimited(instruction, &computation);
  std::string module;
  AppendTag(3, WireType::kLengthDelimited, &module);
  AppendLengthDelimited(computation, &module);
  return module;
}

}  // namespace indim

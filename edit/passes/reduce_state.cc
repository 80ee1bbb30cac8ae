// SPDX-License-Identifier: Apache-2.0
// Reductions of what is said of instructions and of the module.

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "indim/edit/passes/reducer.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {
namespace {

namespace instruction_field = field::HloInstructionProto;

// Fields of an instruction that say nothing about its value.
constexpr uint32_t kNotes[] = {
    instruction_field::kSharding,
    instruction_field::kFrontendAttributes,
    instruction_field::kBackendConfig,
    instruction_field::kOriginalValue,
    instruction_field::kResultAccuracy,
    instruction_field::kPrecisionConfig,
    instruction_field::kStatisticsViz,
    instruction_field::kBackendConfigPayload,
};
// 0: the metadata. 1: control dependencies. Then kNotes.
constexpr size_t kKinds = 2 + std::size(kNotes);

// Removes one kind from an instruction. False: it had none.
bool Strip(size_t kind, InstructionRecord* r, Pools* pools) {
  if (kind == 0) {
    const bool had = static_cast<bool>(r->metadata);
    r->metadata = MetadataId();
    return had;
  }
  const AttributeBytesView bytes = pools->attribute_bytes(r->attribute_bytes);
  if (kind == 1) {
    if (bytes.control.empty()) return false;
    r->attribute_bytes = pools->AddAttributeBytes(
        {bytes.before_id, absl::string_view(), bytes.after_callees});
    return true;
  }
  const int number = static_cast<int>(kNotes[kind - 2]);
  bool present = false;
  AttributeBytesField(bytes, number, &present);
  if (present) {
    r->attribute_bytes =
        pools->AddAttributeBytes(WithoutField(bytes, number).view());
  }
  return present;
}

}  // namespace

bool Reducer::StripInstructions() {
  const int64_t count = module_.instruction_count();
  for (size_t kind = 0; kind < kKinds; ++kind) {
    for (int64_t part = count; part > 0; part /= 4) {
      for (int64_t begin = 0; begin < count; begin += part) {
        std::shared_ptr<ModuleData> data = TakeData(module_);
        Pools& pools = data->MutablePools();
        bool any = false;
        for (int64_t i = begin; i < std::min(begin + part, count); ++i) {
          any |=
              Strip(kind, &data->instructions[static_cast<size_t>(i)], &pools);
        }
        if (any && TryUnverified(ModuleOf(std::move(data)))) return true;
        if (spent()) return false;
      }
    }
  }
  return false;
}

bool Reducer::StripModule() {
  FieldList fields(WireMessage::kHloModuleProto);
  const std::string all = DataOf(module_).other_fields;
  fields.Append(all);
  std::vector<uint32_t> numbers;
  fields.ForEachNumber([&](uint32_t number) { numbers.push_back(number); });
  for (const uint32_t number : numbers) {
    FieldList rest(WireMessage::kHloModuleProto, all);
    rest.Remove(number);
    std::shared_ptr<ModuleData> data = TakeData(module_);
    data->other_fields = rest.Serialize();
    if (TryUnverified(ModuleOf(std::move(data)))) return true;
  }
  if (DataOf(module_).config.empty()) return false;
  std::shared_ptr<ModuleData> data = TakeData(module_);
  data->config.clear();
  return TryUnverified(ModuleOf(std::move(data)));
}

bool Reducer::ShrinkConstants() {
  for (const Place place : Places(true, true)) {
    const Instruction i =
        module_.computation(place.computation).instruction(place.instruction);
    if (i.opcode() != Opcode::kConstant || !i.shape().is_array() ||
        !i.shape().is_static() || i.shape().rank() == 0) {
      continue;
    }
    Editor editor(module_);
    const InstructionRef x = At(editor, place);
    Insertion at = editor.Before(x);
    editor.ReplaceAllUses(
        x, at.Insert(at->Splat(0, Shape(editor.shape(x)).WithoutLayout())));
    CleanUp(&editor);
    EditResult result = editor.Finish();
    if (result.ok() && CostOf(result.module).bytes < CostOf(module_).bytes &&
        TryModule(std::move(result.module))) {
      return true;
    }
    if (spent()) return false;
  }
  return false;
}

}  // namespace indim::internal

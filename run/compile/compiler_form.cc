// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/compiler_form.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "indim/edit/editor.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"

namespace indim::pjrt {
namespace {

// --- The schedule -----------------------------------------------------------

Module WithoutSchedule(Module module) {
  FieldList fields(WireMessage::kHloModuleProto,
                   internal::DataOf(module).other_fields);
  if (!fields.has(field::HloModuleProto::kSchedule)) return module;
  fields.Remove(field::HloModuleProto::kSchedule);
  std::string other_fields = fields.Serialize();
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  data->other_fields = std::move(other_fields);
  return internal::ModuleOf(std::move(data));
}

// --- Sizes ------------------------------------------------------------------

// A size that an instruction gives to a dim at run time.
struct GivenSize {
  InstructionRef user;
  int operand;  // of the user
  InstructionRef size;
  int64_t bound;
};

void AddGivenSize(const Editor& editor, InstructionRef user, int operand,
                  const Dim& dim, std::vector<GivenSize>* sizes) {
  const InstructionRef size =
      editor.operands(user)[static_cast<size_t>(operand)];
  // XLA has such sizes in s32 only.
  if (editor.shape(size).element_type() != ElementType::kS32) return;
  if (!dim.is_static() && !dim.is_bounded()) return;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  sizes->push_back({user, operand, size, std::min(dim.size(), kMost)});
}

std::vector<GivenSize> GivenSizes(const Editor& editor) {
  std::vector<GivenSize> sizes;
  for (const InstructionRef i : editor.FindAll(Opcode::kSetDimensionSize)) {
    const int64_t dim =
        As<DimensionsAttributes>(editor.attributes(i)).dimensions[0];
    AddGivenSize(editor, i, 1, editor.shape(i).dim(static_cast<int>(dim)),
                 &sizes);
  }
  for (const InstructionRef i : editor.FindAll(Opcode::kDynamicReshape)) {
    for (int d = 0; d < editor.shape(i).rank(); ++d) {
      AddGivenSize(editor, i, d + 1, editor.shape(i).dim(d), &sizes);
    }
  }
  return sizes;
}

bool IsWithin(const Editor& editor, InstructionRef size, int64_t bound) {
  if (editor.opcode(size) != Opcode::kConstant) return false;
  const absl::StatusOr<Literal> value = editor.literal(size);
  return value.ok() && value->AsDouble(0) >= 0 &&
         value->AsDouble(0) <= static_cast<double>(bound);
}

absl::StatusOr<Module> WithClampedSizes(Module module) {
  Editor editor(module);
  bool is_changed = false;
  for (const GivenSize& given : GivenSizes(editor)) {
    if (IsWithin(editor, given.size, given.bound)) continue;
    Insertion at = editor.Before(given.user);
    const Op clamped = at->Clamp(0, at.Use(given.size), given.bound);
    editor.SetOperand(given.user, given.operand, at.Insert(clamped));
    is_changed = true;
  }
  if (!is_changed) return module;
  EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return std::move(result.module);
}

bool HasGivenSizes(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction i : computation.instructions()) {
      if (i.opcode() == Opcode::kSetDimensionSize ||
          i.opcode() == Opcode::kDynamicReshape) {
        return true;
      }
    }
  }
  return false;
}

// --- What nothing needs -----------------------------------------------------

absl::StatusOr<Module> WithoutDeadCode(Module module) {
  Editor editor(std::move(module));
  RemoveDeadCode(&editor);
  EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return std::move(result.module);
}

}  // namespace

absl::StatusOr<Module> CompilerForm(Module module) {
  absl::StatusOr<Module> live =
      WithoutDeadCode(WithoutSchedule(std::move(module)));
  if (!live.ok()) return live;
  module = *std::move(live);
  if (!HasGivenSizes(module)) return module;
  return WithClampedSizes(std::move(module));
}

}  // namespace indim::pjrt

// SPDX-License-Identifier: Apache-2.0
// InstructionEmitter: rebuilds a module in one sweep, for passes that insert
// instructions. Existing instructions keep their ids and names; new ones, which
// builder() adds, get unused ids, their user's metadata, and names made from
// opcode and id.
//
//   emitter.BeginComputation(c);
//   for each old instruction i:
//     emitter.BeginInstruction(i);
//     emitter.MapOperands(r, &operands);         // positions in the new order
//     emitter.Follow(expansion, r, &operands);   // or EndInstruction(r, ...)
//   emitter.EndComputation();

#ifndef INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_
#define INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_builder.h"
#include "indim/ir/module_data.h"
#include "indim/proto/hlo_module/expansion.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// An Expansion (proto/hlo_module/expansion.h) with the ids of its shapes and
// attribute bytes.
struct InternedExpansion {
  struct Step {
    Opcode opcode;
    ShapeId shape;
    AttributeBytesId attribute_bytes;
    Expansion::Values operands;
  };
  std::vector<Step> steps;
  Expansion::Values operands;
  std::optional<ShapeId> shape;
  std::optional<AttributeBytesId> attribute_bytes;
};

class InstructionEmitter {
 public:
  // `old` must outlive this. Its arrays must not change; its pools may grow.
  explicit InstructionEmitter(ModuleData* old);

  void BeginComputation(uint32_t c);
  void BeginInstruction(uint32_t i);
  // Sets *operands to the positions of an old instruction's operands.
  void MapOperands(const InstructionRecord& r,
                   std::vector<uint32_t>* operands) const;
  void EndInstruction(const InstructionRecord& r,
                      absl::Span<const uint32_t> operands);
  // `root` is in the new order; nullopt: the old root.
  void EndComputation(std::optional<uint32_t> root = std::nullopt);

  InternedExpansion Intern(const Expansion& expansion);
  // Instead of EndInstruction: emits the expansion's steps, then `r`.
  // `operands` are from MapOperands.
  void Follow(const InternedExpansion& expansion, InstructionRecord r,
              std::vector<uint32_t>* operands);

  // The new module. It lacks the mark of a recorded module, and the spellings
  // of a file that XLA may refuse.
  Module Finish();

  // --- A pass's own instructions ---------------------------------------------
  // Between BeginInstruction and Follow or EndInstruction; for the whole
  // computation, before EndComputation.

  ModuleBuilder& builder() { return builder_; }
  // The new position of the old computation's instruction `i`.
  uint32_t NewPosition(uint32_t i) const { return new_position_[i]; }
  // Makes later users of the current old instruction use `value`.
  void MapTo(uint32_t value) { new_position_[instruction_] = value; }

 private:
  ModuleData& old_;
  ModuleBuilder builder_;

  uint32_t computation_ = 0;
  uint32_t instruction_ = 0;
  InstructionDetails details_;          // of the current old instruction
  std::vector<uint32_t> new_position_;  // of each old instruction
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_

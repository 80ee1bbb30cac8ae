// InstructionEmitter: rebuilds a module in one sweep, for passes that insert
// instructions. Existing instructions keep their ids and names; new ones get
// unused ids, their user's metadata, and names made from opcode and id.
//
//   emitter.BeginComputation(c);
//   for each old instruction i:
//     emitter.BeginInstruction(i);
//     emitter.MapOperands(r, &operands);         // positions in the new order
//     emitter.Follow(expansion, r, &operands);      // or EndInstruction(r,
//     ...)
//   emitter.EndComputation();

#ifndef INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_
#define INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/text_positions.h"
#include "indim/passes/export/expansion.h"
#include "indim/shape/ops/opcode.h"
#include "indim/wire/attribute_bytes.h"

namespace indim {

// An Expansion (expansion.h) with the ids of its shapes and attribute bytes.
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
  void EndComputation();

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

  // Emits an instruction and returns its position in the new computation.
  uint32_t Emit(Opcode opcode, const Shape& shape,
                AttributeBytesView attribute_bytes,
                absl::Span<const uint32_t> operands);
  // The new position of the old computation's instruction `i`.
  uint32_t NewPosition(uint32_t i) const { return new_position_[i]; }
  // Makes later users of the current old instruction use `value`.
  void MapTo(uint32_t value) { new_position_[instruction_] = value; }
  // The id of `shape`, for records that are changed before they are emitted.
  ShapeId InternShape(const Shape& shape) {
    return pools_.shapes().Intern(shape);
  }
  // The shape of an instruction of the new computation.
  const Shape& shape(uint32_t value) const;
  // The root, after EndComputation.
  uint32_t root() const { return new_->computations.back().root; }
  void SetRoot(uint32_t root) { new_->computations.back().root = root; }

 private:
  void EmitStep(const InternedExpansion::Step& step,
                absl::Span<const uint32_t> operands);
  void EmitNew(Opcode opcode, ShapeId shape, AttributeBytesId attribute_bytes,
               absl::Span<const uint32_t> operands);
  // Gives the record the text position of the old instruction.
  void Push(InstructionRecord r, absl::Span<const uint32_t> operands,
            absl::Span<const uint32_t> callees, int64_t id,
            uint32_t old_position);

  ModuleData& old_;
  Pools& pools_;
  std::shared_ptr<ModuleData> new_;
  std::shared_ptr<TextPositions> places_;  // null: the old module has none
  int64_t last_low_id_ = 0;                // the largest low half of an id

  uint32_t computation_ = 0;
  uint32_t instruction_ = 0;
  std::vector<uint32_t> new_position_;  // of each old instruction
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_INSTRUCTION_EMITTER_H_

// InstructionEmitter: one rebuild sweep over a module, for passes that insert
// instructions. Existing instructions keep ids and names; new ones get ids that
// nobody has, their user's metadata, and names made from their opcode and id.
//
//   emitter.BeginComputation(c);
//   for each old instruction i:
//     emitter.BeginInstruction(i);
//     operands = emitter.MapOperands(r);         // positions in the new order
//     operands[0] = emitter.Convert(operands[0], ElementType::kF32);
//     emitter.EndInstruction(r, operands, r.blob);
//   emitter.EndComputation();

#ifndef INDIM_PASSES_INSTRUCTION_EMITTER_H_
#define INDIM_PASSES_INSTRUCTION_EMITTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/shape/attributes.h"
#include "indim/shape/opcode.h"
#include "indim/shape/shape.h"

namespace indim {

// Gives a constant without a layout, and its literal, one: XLA refuses it
// otherwise.
void LayOutConstant(Pools* pools, InstructionRecord* r);

class InstructionEmitter {
 public:
  // `old` must outlive this, and its arrays must not change; its pools grow.
  explicit InstructionEmitter(ModuleData* old);

  // A computation as it is, but for LayOutConstant, here as below.
  void CopyComputation(uint32_t c);

  void BeginComputation(uint32_t c);
  void BeginInstruction(uint32_t i);
  // Sets *operands to the positions of an old instruction's operands.
  void MapOperands(const InstructionRecord& r,
                   std::vector<uint32_t>* operands) const;
  void EndInstruction(const InstructionRecord& r,
                      absl::Span<const uint32_t> operands, BlobId blob);
  void EndComputation();

  // The new module; it carries no mark of a recorded one, and what XLA may
  // refuse about its spelling is left to the writer.
  Module Finish();

  // --- New instructions, between BeginInstruction and EndInstruction
  // ---------- Each returns the position of its result.
  uint32_t Convert(uint32_t value, ElementType type);
  uint32_t Reshape(uint32_t value, const Shape& shape);
  // Dim d of `value` becomes dim dims[d] of `shape`. `annotate`: the user's
  // sharding goes with it.
  uint32_t Broadcast(uint32_t value, const Shape& shape, const DimIndices& dims,
                     bool annotate);
  uint32_t ConstantS32(int32_t value);                     // s32[]
  uint32_t GetDimensionSize(uint32_t value, int64_t dim);  // s32[]
  uint32_t Equal(uint32_t lhs, uint32_t rhs);              // pred[]
  uint32_t Select(uint32_t pred, uint32_t on_true, uint32_t on_false);
  // s32[n] from s32[] each.
  uint32_t Stack(absl::Span<const uint32_t> scalars);
  // XLA's custom-call mhlo.dynamic_broadcast_in_dim.
  uint32_t DynamicBroadcastInDim(uint32_t value, uint32_t sizes,
                                 const Shape& shape, const DimIndices& dims);

  // --- The same again for a node like one before
  // ------------------------------

  // What was emitted for a node, and which values it then took as operands.
  // Values are its own operands (k >= 0) or results of steps (-1, -2, ...).
  struct Recipe {
    struct Step {
      Opcode opcode;
      ShapeId shape;
      BlobId blob;
      absl::InlinedVector<int32_t, 3> operands;
    };
    std::vector<Step> steps;
    absl::InlinedVector<int32_t, 3> operands;
    BlobId blob;  // the node's own
  };
  // Where the next instruction of the new computation will stand.
  uint32_t next() const { return new_->computations.back().count; }
  // Of what was emitted since `first` (a next()) for a node whose operands were
  // `before` and now are `after`.
  Recipe RecipeSince(uint32_t first, absl::Span<const uint32_t> before,
                     absl::Span<const uint32_t> after, BlobId blob) const;
  // Emits the steps; *operands goes from the node's operands to those that the
  // recipe gives it.
  void Follow(const Recipe& recipe, std::vector<uint32_t>* operands);

  // The shape of an instruction of the new computation.
  const Shape& shape(uint32_t value) const;

  // `blob` without one field.
  BlobId BlobWithout(BlobId blob, int field);

 private:
  uint32_t Emit(Opcode opcode, const Shape& shape,
                absl::Span<const uint32_t> operands, const EncodedBlob& blob);
  uint32_t Emit(Opcode opcode, const Shape& shape,
                absl::Span<const uint32_t> operands,
                const Attributes& attributes);
  uint32_t Emit(Opcode opcode, ShapeId shape, BlobId blob,
                absl::Span<const uint32_t> operands);
  void Push(InstructionRecord r, absl::Span<const uint32_t> operands,
            absl::Span<const uint32_t> callees, int64_t id);

  ModuleData& old_;
  Pools& pools_;
  std::shared_ptr<ModuleData> new_;
  int64_t last_low_id_ = 0;  // largest low half of any id

  uint32_t computation_ = 0;
  uint32_t instruction_ = 0;
  std::vector<uint32_t> new_position_;  // of each old instruction
};

}  // namespace indim

#endif  // INDIM_PASSES_INSTRUCTION_EMITTER_H_

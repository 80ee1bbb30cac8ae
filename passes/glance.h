// Glance: sees of most nodes that they are right without asking a shape rule.
//
// What a graph holds is mostly plain: parameters and constants, arithmetic on
// arrays of one shape, elements of tuples, calls with just the operands that
// the callee takes. Where that can't be seen at once, inference and the
// verifier are asked, and have the last word: whatever is seen here, they say
// as well (tests/passes/glance_test.cc).

#ifndef INDIM_PASSES_GLANCE_H_
#define INDIM_PASSES_GLANCE_H_

#include <cstdint>
#include <variant>

#include "absl/strings/string_view.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/module_data.h"
#include "indim/passes/node_inputs.h"
#include "indim/shape/attributes.h"
#include "indim/shape/infer.h"

namespace indim {

class Glance {
 public:
  // `data` and `inputs`, of `data`, must outlive this.
  Glance(const ModuleData* data, NodeInputs* inputs)
      : data_(*data), inputs_(*inputs) {}

  // True where inference would surely leave `r`, of computation `c`, as it is
  // and the verifier would find nothing, but say `*check`. False: perhaps it
  // isn't so.
  bool IsRight(uint32_t c, const InstructionRecord& r, NodeCheck* check);

  // A constant's literal can be read, and is of its shape. False: perhaps not.
  bool HasPlainLiteral(const InstructionRecord& r) const;
  // A parameter's attributes can be read.
  bool UnderstandsParameter(BlobId id);

 private:
  bool IsParameter(const InstructionRecord& r);
  bool IsElement(uint32_t c, const InstructionRecord& r);
  bool IsElementwise(uint32_t c, const InstructionRecord& r) const;
  bool IsTuple(uint32_t c, const InstructionRecord& r) const;
  bool IsCompare(uint32_t c, const InstructionRecord& r) const;
  bool IsSelect(uint32_t c, const InstructionRecord& r) const;
  // The elements of one plain array move into another, as `is` sees it.
  using Move = bool (Glance::*)(const Shape& operand,
                                const InstructionRecord& r) const;
  bool Moves(uint32_t c, const InstructionRecord& r, Move is) const;
  bool IsBroadcast(const Shape& operand, const InstructionRecord& r) const;
  bool IsReshape(const Shape& operand, const InstructionRecord& r) const;
  bool IsTranspose(const Shape& operand, const InstructionRecord& r) const;
  bool IsSlice(const Shape& operand, const InstructionRecord& r) const;
  bool IsCall(uint32_t c, const InstructionRecord& r);

  ShapeId Operand(uint32_t c, const InstructionRecord& r, uint32_t k) const {
    const uint32_t operand = data_.operands[r.first_operand + k];
    return data_.instructions[data_.computations[c].first + operand].shape;
  }
  // The one operand and the result are plain arrays, and nothing is called.
  bool IsOfOneArray(uint32_t c, const InstructionRecord& r) const;
  // All operands from `first` on, as many as the op takes, have the structure
  // of `shape`, and nothing is called.
  bool OperandsAre(ShapeId shape, uint32_t c, const InstructionRecord& r,
                   uint32_t first) const;
  bool HasAttributes(const InstructionRecord& r) const {
    return data_.pools->attributes_status(r.opcode, r.blob).ok();
  }
  template <typename T>
  const T& AttributesAs(const InstructionRecord& r) const {
    return std::get<T>(data_.pools->attributes(r.opcode, r.blob));
  }
  // The attributes are the number `field` alone, 0 where it isn't there, and
  // what doesn't matter to shapes. False: perhaps not.
  bool ReadNumberAlone(const BlobView& blob, uint32_t field, uint64_t* number);

  const ModuleData& data_;
  NodeInputs& inputs_;
  // What comes last in attributes that were understood; mostly in all.
  absl::string_view understood_rest_;
};

}  // namespace indim

#endif  // INDIM_PASSES_GLANCE_H_

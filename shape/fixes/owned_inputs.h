// SPDX-License-Identifier: Apache-2.0
// An operation that owns its operands, attributes and callees, and a change to
// it.

#ifndef INDIM_SHAPE_FIXES_OWNED_INPUTS_H_
#define INDIM_SHAPE_FIXES_OWNED_INPUTS_H_

#include <cstdint>
#include <vector>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A change to an operation.
struct Fix {
  enum class What : uint8_t {
    kOperand,       // operand `index` becomes `shape`
    kAttribute,     // `attribute` becomes `numbers`
    kRecorded,      // the recorded result becomes `shape`
    kCallee,        // callee `index` becomes `callee`
    kOperandCount,  // there are `index` operands
    kBroadcast,     // broadcast_dimensions become `numbers`
    kSwapped,       // operands 0 and 1 change places
    kUnwrapped,     // operand `index`, not a tuple, replaces its element
    kContraction,   // a dot's or convolution's `attributes` change
  };
  What what = What::kOperand;
  int index = 0;
  Shape shape;
  const AttributeRef* attribute = nullptr;
  DimIndices numbers;
  Signature callee;
  Attributes attributes;
};

// An operation that owns everything, so that a fix can change it.
class OwnedInputs {
 public:
  OwnedInputs() = default;
  explicit OwnedInputs(const OpInputs& inputs);

  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  Attributes attributes;
  std::vector<Signature> callees;
  Shape declared;  // Kind::kNone: none

  // Applies `fix`. New operands equal the last one, or are f32[].
  void Apply(const Fix& fix);
  // Points into this object, which must not change or be destroyed.
  OpInputs View();

 private:
  std::vector<const Shape*> operand_pointers_;
  std::vector<const Signature*> callee_pointers_;
};

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_OWNED_INPUTS_H_

// An operation that owns what it is about, and one change to it.

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

// One change.
struct Fix {
  enum class What : uint8_t {
    kOperand,       // operand `index` is to be `shape`
    kAttribute,     // `attribute` is to be `numbers`
    kRecorded,      // the recorded result is to be `shape`
    kCallee,        // callee `index` is to be `callee`
    kOperandCount,  // there are to be `index` operands
    kBroadcast,     // broadcast_dimensions are to be `numbers`
    kSwapped,       // operands 0 and 1 are to change places
    kUnwrapped,     // operand `index` itself is to be used: it is no tuple
    kContraction,   // `attributes` are to be those of a dot or a convolution
  };
  What what = What::kOperand;
  int index = 0;
  Shape shape;
  const AttributeRef* attribute = nullptr;
  DimIndices numbers;
  Signature callee;
  Attributes attributes;
};

// An operation with everything that it is about, owned: what a fix changes.
class OwnedInputs {
 public:
  OwnedInputs() = default;
  explicit OwnedInputs(const OpInputs& inputs);

  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  Attributes attributes;
  std::vector<Signature> callees;
  Shape declared;  // Kind::kNone: none

  // New operands are as the last one, or f32[].
  void Apply(const Fix& fix);
  // Points into this object, which must not change or go.
  OpInputs View();

 private:
  std::vector<const Shape*> operand_pointers_;
  std::vector<const Signature*> callee_pointers_;
};

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_OWNED_INPUTS_H_

// What would work: the smallest change that makes an operation keep what its
// row declares.
//
//   Repair r = *RepairOf(inputs, constraint);     // operand 1: f32[]
//   for a diagnostic: SuggestRepair(inputs, diagnostic)
//
// The tools and the builder print it under an error ("to fix: ..."); the
// generators of tests make operands for any op with it.

#ifndef INDIM_SHAPE_REPAIR_H_
#define INDIM_SHAPE_REPAIR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/attributes.h"
#include "indim/shape/constraint.h"
#include "indim/shape/diagnostic.h"
#include "indim/shape/infer.h"
#include "indim/shape/shape.h"

namespace indim {

// One change.
struct Repair {
  enum class What : uint8_t {
    kOperand,       // operand `index` is to be `shape`
    kAttribute,     // `attribute` is to be `numbers`
    kRecorded,      // the recorded result is to be `shape`
    kCallee,        // callee `index` is to be `callee`
    kOperandCount,  // there are to be `index` operands
  };
  What what = What::kOperand;
  int index = 0;
  Shape shape;
  const AttributeRef* attribute = nullptr;
  DimIndices numbers;
  Signature callee;
};

// An operation with everything that it is about, owned: what a repair changes.
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
  void Apply(const Repair& repair);
  // Points into this object, which must not change or go.
  OpInputs View();

 private:
  std::vector<const Shape*> operand_pointers_;
  std::vector<const Signature*> callee_pointers_;
};

// The change that makes `constraint` hold for the first operand that breaks it;
// nullopt where it holds, or where no single change does. Constraints that
// stand before it in the row must hold.
std::optional<Repair> RepairOf(const OpInputs& inputs,
                               const Constraint& constraint);

// What would have avoided `diagnostic`, which inference has given for `inputs`:
// the change of the declared constraint that it broke. Only a change after
// which inference succeeds (in the builder) is suggested; else nullopt.
std::optional<Repair> SuggestRepair(const OpInputs& inputs,
                                    const Diagnostic& diagnostic);

// The call or the value that `repair` comes down to, of an operation whose
// operands are called `names`: "ConvertElementType(bias, F32) in its place",
// "dimensions={0,1}", "operand 1 of s32[]".
std::string RepairText(const Repair& repair, const OpInputs& inputs,
                       absl::Span<const std::string> names);

}  // namespace indim

#endif  // INDIM_SHAPE_REPAIR_H_

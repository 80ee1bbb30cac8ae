// SPDX-License-Identifier: Apache-2.0
// The declaration of an operation: its row of ops.def as data.
//
// A declaration has two parts. Constraints state what operands, attributes and
// callees must be, each with the code that is reported when it is broken; the
// result form states the result. Shape inference, the verifier, the reference
// page (docs/ops.md), the generators of tests and the suggested fixes all read
// these lists. An op with a complete declaration has no C++ code of its own;
// other ops have a shape function for the rest:
//
//   triangular-solve   operand 1 is an array, of operand 0's element type; the
//                      last two dims of operand 0 are equal; ...
//
//   for (const Constraint& c : DeclarationOf(opcode).constraints)
//     puts(ConstraintText(c).c_str());          // constraint_text.h

#ifndef INDIM_SHAPE_OPS_CONSTRAINT_H_
#define INDIM_SHAPE_OPS_CONSTRAINT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Operands `first` to `last`, both included. A negative position depends on the
// number of operands.
struct OperandSet {
  static constexpr int8_t kLast = -1;    // the last operand
  static constexpr int8_t kHalf = -2;    // the last operand of the first half
  static constexpr int8_t kMiddle = -3;  // the operand after the first half
  static constexpr int8_t kNoOperand = -4;  // no operand

  int8_t first = kNoOperand;
  int8_t last = kNoOperand;

  // The positions among `count` operands: begin <= i < end.
  int begin(int count) const {
    if (first >= 0) return first;
    return first == kMiddle ? count / 2 : count;
  }
  int end(int count) const {
    if (last >= 0) return last + 1;
    if (last == kHalf) return count / 2;
    return last == kMiddle ? count / 2 + 1 : count;
  }
  bool is_one() const { return first == last; }
};

// The numbers of an attribute: a list owned elsewhere, or one number.
class NumberList {
 public:
  static NumberList Of(absl::Span<const int64_t> list) {
    NumberList numbers;
    numbers.list_ = list.data();
    numbers.size_ = list.size();
    return numbers;
  }
  static NumberList One(int64_t number) {
    NumberList numbers;
    numbers.one_ = number;
    numbers.size_ = 1;
    return numbers;
  }
  size_t size() const { return size_; }
  const int64_t* begin() const { return list_ != nullptr ? list_ : &one_; }
  const int64_t* end() const { return begin() + size_; }
  int64_t operator[](size_t i) const { return begin()[i]; }
  // Points into this object or into the list.
  absl::Span<const int64_t> span() const { return {begin(), size_}; }

 private:
  const int64_t* list_ = nullptr;
  int64_t one_ = 0;
  size_t size_ = 0;
};

// Access to one member of an attribute struct: a number or a list.
struct AttributeRef {
  absl::string_view name;  // its name for people: "dimensions"
  // The member's numbers; a number or an enumerator gives a list of one. A list
  // whose elements are not numbers gives an empty list.
  NumberList (*numbers)(const Attributes& attributes);
  // The number of entries of the member, of any type; 1 for a number.
  int64_t (*length)(const Attributes& attributes);
  void (*set)(Attributes* attributes, const DimIndices& numbers);
  bool is_number = false;  // a number or an enumerator, no list
};

// Shapes of the tuples that asynchronous operations pass on.
enum class ShapeForm : uint8_t {
  kArray,     // an array
  kStarted,   // (operands, results) and maybe more
  kTransfer,  // (data, u32[], token[])
  kCopied,    // (destination, source, any); the first two compatible
  kReceived,  // (data, token[])
};
// The form as the end of a message: "must be " + "a tuple of data, u32[] and
// token[]".
absl::string_view Describe(ShapeForm form);
bool HasForm(const Shape& shape, ShapeForm form);

// What a constraint demands (constraints.def).
enum class ConstraintKind : uint8_t {
#define INDIM_CONSTRAINT(name, ...) k##name,
#include "indim/shape/ops/constraints.def"
};

// Which side of XLA checks the constraint: its builder, its verifier, or both.
enum class ConstraintJudge : uint8_t { kBoth, kBuilder, kVerifier };

struct Constraint {
  ConstraintKind kind = ConstraintKind::kArray;
  OperandSet operands = {};
  int8_t other = -1;
  TypeMask elements = TypeMask::kAny;
  ElementType type = ElementType::kInvalid;
  ShapeForm form = ShapeForm::kArray;
  ConstraintJudge judge = ConstraintJudge::kBoth;
  bool or_none = false;  // the list may be empty
  int64_t number = 0;
  // The word for `number`, where it has one; the common name of two lists.
  absl::string_view value;
  const AttributeRef* attribute = nullptr;
  const AttributeRef* second = nullptr;
  // The codes that may be reported; kNone where there are fewer.
  std::array<Code, 2> codes = {Code::kNone, Code::kNone};
};

// One part of a result.
struct ResultPart {
  enum class Kind : uint8_t {
    kOperand,
    kElement,  // element `element`, or number `attribute`, of a tuple
    kVector,   // as long as the operand's dim `attribute`
    kScalar,
    kToken
  };
  Kind kind = Kind::kToken;
  int8_t operand = 0;
  int8_t element = 0;
  ElementType type = ElementType::kInvalid;  // kScalar
  const AttributeRef* attribute = nullptr;
};

// The result of an op whose constraints hold. The row's ResultType gives the
// element type.
struct ResultForm {
  enum class Kind : uint8_t {
    kFunction,      // the shape function determines it
    kOperand,       // operand `operand`'s shape, of any kind
    kRankedOf,      // the dims of `operand`, or of `other` where it is unranked
    kBroadcast,     // all operands by the BroadcastSpec
    kFixed,         // an array of `type` and `size` (-1: a scalar)
    kPart,          // parts[0] alone
    kTuple,         // of `part_count` parts
    kOperandTuple,  // a tuple of all operands
    kOperands,      // all operands: one bare, several as a tuple
    kRecorded,      // the recorded shape
    kRecordedDims,  // the recorded dims
    kCallee,        // the callee's result
  };
  Kind kind = Kind::kFunction;
  ResultType element = ResultType::kOther;  // the row's
  int8_t operand = 0;
  int8_t other = 0;
  ElementType type = ElementType::kInvalid;
  int64_t size = -1;
  int part_count = 0;
  std::array<ResultPart, 3> parts = {};
};

struct OpDeclaration {
  // In the order of checking. If the row gives a class for operand 0, that is
  // the first constraint.
  absl::Span<const Constraint> constraints;
  ResultForm result;

  // True when the declaration determines the result without a shape function.
  bool is_complete() const {
    return result.kind != ResultForm::Kind::kFunction;
  }
};

// The declaration of `opcode`; an empty one for a value outside the table.
const OpDeclaration& DeclarationOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_CONSTRAINT_H_

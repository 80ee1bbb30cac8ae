// What an operation declares about itself: its row of ops.def as data.
//
// A declaration has two parts. Constraints say what operands, attributes and
// callees must be, each with the rule that is reported where it is broken; the
// result form says what the result then is. Shape inference, the verifier, the
// reference page (docs/ops.md), the generators of tests and "what would work"
// all read the same lists. An op whose declaration says everything has no C++
// of its own; the others have a shape function that adds what can't be said:
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
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Operands `first` to `last`, both included. A position below 0 depends on how
// many operands there are.
struct OperandSet {
  static constexpr int8_t kLast = -1;    // the last operand
  static constexpr int8_t kHalf = -2;    // the last of the first half
  static constexpr int8_t kMiddle = -3;  // the one after the first half
  static constexpr int8_t kNobody = -4;  // the constraint is about no operand

  int8_t first = kNobody;
  int8_t last = kNobody;

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

// The numbers of an attribute: a list that lies elsewhere, or one number.
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
  // Points into this object, or to the list.
  absl::Span<const int64_t> span() const { return {begin(), size_}; }

 private:
  const int64_t* list_ = nullptr;
  int64_t one_ = 0;
  size_t size_ = 0;
};

// A number, or a list of numbers, that an attribute struct has.
struct AttributeRef {
  absl::string_view name;  // as people write it: "dimensions"
  // A number, or the number of an enumerator, is a list of one.
  NumberList (*numbers)(const Attributes& attributes);
  // How many there are. Of a list whose elements are no numbers only this is
  // known; `numbers` gives none.
  int64_t (*length)(const Attributes& attributes);
  void (*set)(Attributes* attributes, const DimIndices& numbers);
};

// Tuples that operations in two halves pass on.
enum class ShapeForm : uint8_t {
  kArray,     // an array
  kStarted,   // a tuple of what is read, what is written, and maybe more
  kTransfer,  // (data, u32[], token[])
  kCopied,    // (destination, source, anything); the first two alike
  kReceived,  // (data, token[])
};
// "a tuple of data, u32[] and token[]": what to print after "must be".
absl::string_view Describe(ShapeForm form);
bool HasForm(const Shape& shape, ShapeForm form);

enum class ConstraintKind : uint8_t {
  // One operand, or each of a set.
  kArray,          // an array, ranked or not
  kArrayOrBuffer,  // the same, or one in a buffer
  kElements,       // an array of class `elements`
  kElementType,    // elements are of `type`
  kElementsWhere,  // where the attribute is `number`: of class `elements`
  kScalar,         // a scalar
  kSizeScalar,     // a size at run time: s32[]
  kToken,
  kTuple,
  kForm,         // of `form`
  kRankAtLeast,  // at least `number` dims
  kRankAtMost,   // at least 1 and at most `number` dims
  kSquare,       // the last two dims are equal
  // An operand, or each of a set, against operand `other`.
  kCommonType,  // element types equal, or floats one of which is more general
  kSameType,    // element types equal
  kSameFloatType,  // element types equal, or both floats
  kSameWidth,      // unsigned integers as wide as the elements of `other`
  kSameRank,       // ranks equal
  kSameDims,       // ranks equal; sizes equal, or equal at run time
  kExactDims,      // the same, a bound and a size told apart
  kScalarOrDims,   // arrays; those that are no scalars have the same dims
  kSameShape,      // the same shape
  kVector,         // rank 1, as long as the dim of `other` that is named
  kVectorOrMore,   // the same of dim 0; more dims are odd
  // What the operation says besides.
  kAtLeast,       // the number is at least `number`
  kLength,        // the list has `number` entries
  kLengthIsRank,  // the list has an entry for each dim of operand `other`
  kDims,          // each number is a dim of each operand of the set, none twice
  kPermutation,   // the list has each dim of operand `other` once
  kPairs,         // two lists pair dims of operands 0 and 1, of equal sizes
  kSizeInInt32,   // the dim named has a size of 32 bits
  kElementIndex,  // the number is that of an element of the tuple
  // The result that is recorded or asked for.
  kRecordedArray,  // is given, and an array
  kRecordedType,   // its element type is given
  kRecordedForm,   // of `form`
  kElementCount,   // as many elements as operand 0
  kSizesForDims,   // one operand of the set for each dim
  // How many operands, and what is called.
  kEven,                   // operands come in pairs
  kOdd,                    // the same, and one more
  kArguments,              // operands are the callee's parameters
  kTakesAtLeastArguments,  // the same, but there may be more operands
  kReducer,     // the callee folds elements of the first half of the operands
  kComparator,  // the callee orders elements of all operands
};

// Whose answers hang on a constraint: XLA's builder, its verifier, or both.
enum class ConstraintJudge : uint8_t { kBoth, kBuilder, kVerifier };

struct Constraint {
  ConstraintKind kind = ConstraintKind::kArray;
  OperandSet operands = {};
  int8_t other = -1;
  OperandClass elements = OperandClass::kAny;
  ElementType type = ElementType::kInvalid;
  ShapeForm form = ShapeForm::kArray;
  ConstraintJudge judge = ConstraintJudge::kBoth;
  bool or_none = false;  // the list may be left out
  int64_t number = 0;
  // How `number` is spelled, where it is a name; what two lists are called.
  absl::string_view value;
  const AttributeRef* attribute = nullptr;
  const AttributeRef* second = nullptr;
  // What is reported; kNone: fewer.
  std::array<Rule, 2> rules = {Rule::kNone, Rule::kNone};
};

// One part of a result that is a tuple.
struct ResultPart {
  enum class Kind : uint8_t {
    kOperand,
    kElement,  // of a tuple: number `element`, or what `attribute` says
    kVector,   // as long as the dim of an operand that `attribute` names
    kScalar,
    kToken
  };
  Kind kind = Kind::kToken;
  int8_t operand = 0;
  int8_t element = 0;
  ElementType type = ElementType::kInvalid;  // kScalar
  const AttributeRef* attribute = nullptr;
};

// What the result is, once all constraints hold. Element types follow from the
// row's ResultType.
struct ResultForm {
  enum class Kind : uint8_t {
    kFunction,      // the shape function says
    kOperand,       // as operand `operand`, whatever it is
    kRankedOf,      // the dims of `operand`, or of `other` where it is unranked
    kBroadcast,     // all operands by the BroadcastSpec
    kFixed,         // an array of `type` and `size` (-1: a scalar)
    kPart,          // parts[0] alone
    kTuple,         // of `part_count` parts
    kOperandTuple,  // a tuple of all operands
    kOperands,      // all operands: one bare, several as a tuple
    kRecorded,      // as given
    kRecordedDims,  // the dims as given
    kCallee,        // what the callee returns
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
  // In the order in which they are checked; the first is the class of operand
  // 0, where the row has one.
  absl::Span<const Constraint> constraints;
  ResultForm result;

  // No shape function: the declaration says everything.
  bool is_complete() const {
    return result.kind != ResultForm::Kind::kFunction;
  }
};

// The row of `opcode`; for a value outside the table one that declares nothing.
const OpDeclaration& DeclarationOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_CONSTRAINT_H_

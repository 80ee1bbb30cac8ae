// Opcodes: the op table (ops.def) as data. Everything that is the same kind of
// fact for every op is a column there, and read through Info(opcode).

#ifndef INDIM_SHAPE_OPS_OPCODE_H_
#define INDIM_SHAPE_OPS_OPCODE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/element_type.h"

namespace indim {

enum class Opcode : uint8_t {
  kInvalid = 0,
#define INDIM_OP(number, name, ...) k##name = number,
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
};

// Which struct of attributes.h; the value is its index in the variant.
enum class AttributesKind : uint8_t {
  kNo,
#define INDIM_ATTRIBUTES(name) k##name,
#include "indim/shape/ops/attribute_members.def"
};

// What operand 0 must be.
enum class OperandClass : uint8_t {
  kAny,                 // tuples and tokens too
  kArray,               // an array of any element type
  kNotPred,             // an array of anything but pred
  kFloat,               // an array of floats
  kFloatComplex,        // floats or complex
  kSignedFloatComplex,  // signed integers, floats or complex
  kNumber,              // integers of either sign, floats or complex
  kIntegral,            // integers of either sign
  kPredIntegral,        // pred or integers
  kSigned,              // signed integers
  kPredUnsigned,        // pred or unsigned integers
  kF32OrF64,            // what a complex number can be made of
};
// "floating-point or complex": what to print after "elements must be".
absl::string_view Describe(OperandClass c);
// The element types of one kind, and those that a class accepts: bit n is the
// type of number n.
constexpr uint64_t TypesOfKind(ElementKind kind) {
  uint64_t types = 0;
#define INDIM_ELEMENT_TYPE(name, text, number, of_kind, ...) \
  static_assert(number < 64, "a type has a bit");            \
  if (ElementKind::of_kind == kind) types |= uint64_t{1} << number;
#include "indim/shape/types/element_types.def"
#undef INDIM_ELEMENT_TYPE
  return types;
}
constexpr uint64_t TypesOfClass(OperandClass c) {
  const uint64_t pred = TypesOfKind(ElementKind::kPred);
  const uint64_t signs = TypesOfKind(ElementKind::kSigned);
  const uint64_t unsigned_types = TypesOfKind(ElementKind::kUnsigned);
  const uint64_t floats = TypesOfKind(ElementKind::kFloat);
  const uint64_t complex = TypesOfKind(ElementKind::kComplex);
  switch (c) {
    case OperandClass::kAny:
    case OperandClass::kArray:
      return pred | signs | unsigned_types | floats | complex;
    case OperandClass::kNotPred:
    case OperandClass::kNumber:
      return signs | unsigned_types | floats | complex;
    case OperandClass::kFloat:
      return floats;
    case OperandClass::kFloatComplex:
      return floats | complex;
    case OperandClass::kSignedFloatComplex:
      return signs | floats | complex;
    case OperandClass::kIntegral:
      return signs | unsigned_types;
    case OperandClass::kPredIntegral:
      return pred | signs | unsigned_types;
    case OperandClass::kSigned:
      return signs;
    case OperandClass::kPredUnsigned:
      return pred | unsigned_types;
    case OperandClass::kF32OrF64:
      return uint64_t{1} << static_cast<int>(ElementType::kF32) |
             uint64_t{1} << static_cast<int>(ElementType::kF64);
  }
  return 0;
}
// Whether an array of `type` is of class `c`.
constexpr bool Accepts(OperandClass c, ElementType type) {
  const auto number = static_cast<unsigned>(type);
  return number < 64 && (TypesOfClass(c) >> number & 1) != 0;
}

// Which computations an operation calls, and what for.
enum class CalleeForm : uint8_t {
  kNo,
  kApplied,           // one, to elements
  kCalled,            // one, with the operands for arguments
  kFused,             // one, as a single kernel
  kBodyAndCondition,  // of a loop, in this order
  kBranches,          // one each, any number
  kSelectAndScatter,  // in this order
  kListed,            // any number, for a purpose of the callee's own
  kStarted,           // one, asynchronously
  kOfStart,           // what its start calls, or none
};
// How many computations that is; -1: any number.
constexpr int CalleeCount(CalleeForm form) {
  switch (form) {
    case CalleeForm::kNo:
      return 0;
    case CalleeForm::kApplied:
    case CalleeForm::kCalled:
    case CalleeForm::kFused:
    case CalleeForm::kStarted:
      return 1;
    case CalleeForm::kBodyAndCondition:
    case CalleeForm::kSelectAndScatter:
      return 2;
    case CalleeForm::kBranches:
    case CalleeForm::kListed:
    case CalleeForm::kOfStart:
      return -1;
  }
  return 0;
}

// How the result's element type follows.
enum class ResultType : uint8_t {
  kSame,     // operand 0's
  kCommon,   // all operands' equal, or HigherPrecision where floats mix
  kReal,     // operand 0's, a complex one's component
  kComplex,  // the complex type over operand 0's
  kPred,
  kRecorded,  // the one that is given
  kFixed,     // always the same
  kEach,      // each operand's own, in a tuple where they are several
  kOther,     // the form or the shape function says
};

enum class ResultSource : uint8_t {
  kInferred,    // a function of operands, attributes and callees
  kTypeGiven,   // dims are inferred, the element type may be given
  kSizesGiven,  // inferred where attributes tell enough, else as kGiven
  kGiven,       // the shape is given; a relation to the operands must hold
};

// Bits.
enum OpTrait : uint16_t {
  kNoTraits = 0,
  kElementwise = 1,
  kBroadcastable = 2,  // goes through the Broadcastable verifier
  kCommutative = 4,
  kSideEffect = 8,
  // Operands' float types may differ in HLO itself, not only in the builder.
  kMixesFloats = 16,
  // They may differ in the builder only: written for XLA, operands are
  // converted to the type that the operation has.
  kUnifiesFloats = 32,
  // XLA's importer makes the result anew and never reads what is recorded.
  kResultMadeAnew = 64,
  // HLO text must say the result's shape: XLA's parser doesn't infer it.
  kResultWritten = 128,
  // The result follows operand 1, and operand 0 is what it is chosen by or held
  // against.
  kFollowsSecond = 256,
  // A scalar operand goes with arrays in the builder: written for XLA, it is
  // broadcast.
  kScalarsStretch = 512,
  // A collective whose groups may count devices over replicas and partitions
  // (use_global_device_ids).
  kTakesGlobalIds = 1024,
  // How exact the result must be may be said (result_accuracy).
  kApproximate = 2048,
};

struct OpInfo {
  Opcode opcode;
  absl::string_view name;  // "Add"
  absl::string_view wire;  // "add"
  int min_operands;
  int max_operands;  // -1: no limit
  AttributesKind attributes;
  CalleeForm callee_form;
  int callees;  // CalleeCount(callee_form)
  OperandClass operand;
  ResultType type;
  ResultSource result;
  uint16_t traits;

  bool has(OpTrait trait) const { return (traits & trait) != 0; }
};

// All rows, by ascending number.
absl::Span<const OpInfo> AllOps();
namespace opcode_internal {
extern const std::array<const OpInfo*, 256> kRows;  // by number
}  // namespace opcode_internal
// The row of `opcode`; for kInvalid or a value outside the table a row named
// "invalid" that takes no operands.
inline const OpInfo& Info(Opcode opcode) {
  return *opcode_internal::kRows[static_cast<uint8_t>(opcode)];
}
inline absl::string_view Name(Opcode opcode) { return Info(opcode).wire; }
// What a person calls computation `callee` that `opcode` calls: "the body",
// "branch 1"; "its computation" where there is one, else "computation 1".
std::string CalleeRole(Opcode opcode, int callee);
// Whether callees run as a sequence of instructions, with the caller's control
// flow. All others run embedded: on single elements, or inside one kernel.
bool CallsAsControlFlow(Opcode opcode);
// The operand that the result is like: it has its element type, and its dims
// where it isn't a scalar among arrays.
inline int MainOperand(Opcode opcode) {
  return Info(opcode).has(kFollowsSecond) ? 1 : 0;
}
// all-reduce, at once or started.
inline bool IsAllReduce(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart;
}
// A part of an asynchronous operation of any kind: its start, an update, its
// done.
inline bool IsAsync(Opcode opcode) {
  return Info(opcode).attributes == AttributesKind::kAsync;
}
// "add" -> kAdd; nullopt when no op is spelled so.
std::optional<Opcode> OpcodeFromName(absl::string_view wire);
// The op whose spelling is nearest to `wire`, for "did you mean"; nullopt when
// none is near.
std::optional<Opcode> NearestOpcode(absl::string_view wire);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_OPCODE_H_

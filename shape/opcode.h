// Opcodes: the op table (ops.def) as data. Everything that is the same kind of
// fact for every op is a column there, and read through Info(opcode).

#ifndef INDIM_SHAPE_OPCODE_H_
#define INDIM_SHAPE_OPCODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/element_type.h"

namespace indim {

enum class Opcode : uint8_t {
  kInvalid = 0,
#define INDIM_OP(number, name, ...) k##name = number,
#include "indim/shape/ops.def"
#undef INDIM_OP
};

// Which struct of attributes.h; the value is its index in the variant.
enum class AttributesKind : uint8_t {
  kNo,
  kElementwise,
  kCompare,
  kDimensions,
  kSort,
  kSlice,
  kDynamicSlice,
  kPad,
  kDot,
  kWindow,
  kConvolution,
  kGather,
  kScatter,
  kTopK,
  kFft,
  kCholesky,
  kTriangularSolve,
  kReducePrecision,
  kBatchNorm,
  kScan,
  kRng,
  kRngBitGenerator,
  kRngGetAndUpdateState,
  kParameter,
  kGetTupleElement,
  kConstant,
  kCustomCall,
  kFusion,
  kInfeed,
  kOutfeed,
  kChannel,
  kCollective,
  kCollectivePermute,
  kAsync,
  kCopyStart,
  kDomain,
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
#include "indim/shape/element_types.def"
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
// Whether `type` is one of `types`.
constexpr bool IsAmong(uint64_t types, ElementType type) {
  const auto number = static_cast<unsigned>(type);
  return number < 64 && (types >> number & 1) != 0;
}
// Whether an array of `type` is of class `c`.
constexpr bool Accepts(OperandClass c, ElementType type) {
  return IsAmong(TypesOfClass(c), type);
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
};

struct OpInfo {
  Opcode opcode;
  absl::string_view name;  // "Add"
  absl::string_view wire;  // "add"
  int min_operands;
  int max_operands;  // -1: no limit
  AttributesKind attributes;
  int callees;  // -1: any number
  OperandClass operand;
  ResultType type;
  ResultSource result;
  uint16_t traits;

  bool has(OpTrait trait) const { return (traits & trait) != 0; }
};

// All rows, by ascending number.
absl::Span<const OpInfo> AllOps();
// The row of `opcode`; for kInvalid or a value outside the table a row named
// "invalid" that takes no operands.
const OpInfo& Info(Opcode opcode);
inline absl::string_view Name(Opcode opcode) { return Info(opcode).wire; }
// What a person calls computation `callee` that `opcode` calls: "the body",
// "branch 1"; "its computation" where there is one, else "computation 1".
std::string CalleeRole(Opcode opcode, int callee);
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

#endif  // INDIM_SHAPE_OPCODE_H_

// SPDX-License-Identifier: Apache-2.0
// Opcodes: the op table (ops.def) as data. A fact that every op
// has is a column of ops.def; read it through Info(opcode).

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
#include "indim/shape/types/type_mask.h"  // IWYU pragma: export

namespace indim {

enum class Opcode : uint8_t {
  kInvalid = 0,
#define INDIM_OP_NAME(number, name) k##name = number,
#include "indim/shape/ops/op_names.def"
#undef INDIM_OP_NAME
};

// The attribute struct (attributes.h) of an op; the value is its index in the
// variant.
enum class AttributesKind : uint8_t {
  kNo,
#define INDIM_ATTRIBUTES(name) k##name,
#include "indim/shape/ops/attribute_members.def"
};

// The computations that an operation calls, and their roles.
enum class CalleeForm : uint8_t {
  kNo,
  kApplied,           // one, applied to elements
  kCalled,            // one, called with the operands as arguments
  kFused,             // one, run as a single kernel
  kBodyAndCondition,  // a loop's, in this order
  kBranches,          // any number, one for each branch
  kSelectAndScatter,  // in this order
  kListed,            // any number, in roles that the op's target defines
  kStarted,           // one, asynchronously
  kOfStart,           // the callee of the start, or none
};
// The number of computations; -1: any number.
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

// How the result's element type is determined.
enum class ResultType : uint8_t {
  kSame,     // operand 0's
  kCommon,   // all operands' equal, or HigherPrecision where floats mix
  kReal,     // operand 0's; of a complex type, its component
  kComplex,  // the complex type with operand 0's component
  kPred,
  kRecorded,  // the recorded one
  kFixed,     // always the same
  kEach,      // each operand's own; several form a tuple
  kOther,     // by the form or the shape function
};

enum class ResultSource : uint8_t {
  kInferred,    // a function of operands, attributes and callees
  kTypeGiven,   // dims are inferred; a recorded element type stands
  kSizesGiven,  // inferred where attributes suffice, else as kGiven
  kGiven,       // the record stands; it must fit the operands
};

// Traits are bits.
enum OpTrait : uint16_t {
  kNoTraits = 0,
  kElementwise = 1,
  // In the builder the operands broadcast by a rule that the op's attributes
  // name; an export for XLA makes the broadcasts nodes of their own.
  kBroadcasts = 2,
  kCommutative = 4,
  kSideEffect = 8,
  // Operands' float types may differ in HLO itself, not only in the builder.
  kMixesFloats = 16,
  // Operands' float types may differ in the builder only; an export for XLA
  // converts operands to the operation's type.
  kUnifiesFloats = 32,
  // XLA's importer infers the result and ignores the recorded one.
  kResultReinferred = 64,
  // HLO text must give the result's shape: XLA's parser doesn't infer it.
  kResultWritten = 128,
  // The result follows operand 1; operand 0 selects its elements or limits
  // them.
  kFollowsSecond = 256,
  // In the builder a scalar operand may go with arrays; an export for XLA
  // broadcasts it.
  kScalarsStretch = 512,
  // A collective whose groups may number devices across replicas and partitions
  // (use_global_device_ids).
  kTakesGlobalIds = 1024,
  // The op has the attribute result_accuracy.
  kApproximate = 2048,
  // The attribute `dimensions` has one dim: a collective cuts or joins arrays
  // along it. (Other collectives have the attribute, but it says nothing.)
  kAlongOneDim = 4096,
  // A builder doesn't warn where nobody uses the result, as of side effects.
  kMayGoUnused = 8192,
};

// Whether MLIR's trait Broadcastable holds: kYes, or the first of its
// preconditions that isn't met, in the order of MLIR's document
// (docs/Traits/Broadcastable.md). For an op: whether it holds where operands
// and result are arrays.
enum class Broadcastability : uint8_t {
  kYes,
  kNoOperand,       // there is at least one operand
  kSeveralResults,  // there is one result: a tuple is several
  kNotArrays,       // operands and result are arrays, not tuples or tokens
  kNotFromShapes,   // the operands' shapes alone give the result's
  kNotCompatible,   // the operands' shapes go together
  kOtherResult,     // the result's shape is what the operands broadcast to
  kUnknown,         // the opcode or the attributes are unreadable
};
inline constexpr size_t kBroadcastabilityCount = 8;
// "yes", "no-operand", ...: for programs.
absl::string_view Name(Broadcastability b);
// "yes", "it has no operand", ...: behind "not broadcastable: ".
absl::string_view Describe(Broadcastability b);

struct OpInfo {
  Opcode opcode;
  absl::string_view name;  // "Add"
  absl::string_view wire;  // "add"
  int min_operands;
  int max_operands;  // -1: no limit
  AttributesKind attributes;
  CalleeForm callee_form;
  int callees;       // CalleeCount(callee_form)
  TypeMask operand;  // the element types of operand 0
  ResultType type;
  ResultSource result;
  uint16_t traits;
  Broadcastability broadcastable;

  bool has(OpTrait trait) const { return (traits & trait) != 0; }
};

// All rows, in ascending order of number.
absl::Span<const OpInfo> AllOps();
namespace opcode_internal {
extern const std::array<const OpInfo*, 256> kRows;  // by number
}  // namespace opcode_internal
// The row of `opcode`. For kInvalid or a value outside the table, a row named
// "invalid" that takes no operands.
inline const OpInfo& Info(Opcode opcode) {
  return *opcode_internal::kRows[static_cast<uint8_t>(opcode)];
}
inline absl::string_view Name(Opcode opcode) { return Info(opcode).wire; }
// The name for people of callee number `callee` of `opcode`: "the body",
// "branch 1"; "its computation" for the only one, else "computation 1".
std::string CalleeRole(Opcode opcode, int callee);
// Whether callees run as a sequence of instructions, in the caller's control
// flow. Other callees are embedded: they run on single elements, or inside one
// kernel.
bool CallsAsControlFlow(Opcode opcode);
// The operand that determines the result's element type, and its dims unless it
// is a scalar among arrays.
inline int MainOperand(Opcode opcode) {
  return Info(opcode).has(kFollowsSecond) ? 1 : 0;
}
// True for all-reduce and all-reduce-start.
inline bool IsAllReduce(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart;
}
// True for async-start, async-update and async-done.
inline bool IsAsync(Opcode opcode) {
  return Info(opcode).attributes == AttributesKind::kAsync;
}
// "add" -> kAdd; nullopt when no op has this name.
std::optional<Opcode> OpcodeFromName(absl::string_view wire);
// The op that XLA's builder and jax.lax call so ("mul"), else the one with the
// name nearest to `wire`, for "did you mean"; nullopt when none is near.
std::optional<Opcode> NearestOpcode(absl::string_view wire);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_OPCODE_H_

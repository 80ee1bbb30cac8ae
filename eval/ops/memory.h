// What lies in memory behind the elements of arrays whose bounded dims aren't
// full, and what operations make of it.
//
// Source: XLA's dynamic_dimension_inference.cc and dynamic_padder.cc, whose
// arrays are always as large as their bounds, with the sizes beside them; asked
// of its CPU client (tests/eval/ops/bounded_test.cc has the answers). An
// operation without a row here gives arrays of whose memory nothing is known:
// to grow one is an error.

#ifndef INDIM_EVAL_OPS_MEMORY_H_
#define INDIM_EVAL_OPS_MEMORY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/value.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Whether some operand has memory.
bool AnyMemory(const Evaluation& e);

// An operation, some of whose operands have memory; nullopt with an error.
using MemoryFunction = std::optional<Value> (*)(Evaluation& e);
// null: what lies behind its result isn't known.
MemoryFunction FindMemoryFunction(Opcode opcode);

// The operation on its operands' elements alone; nullopt with an error.
std::optional<Value> WithoutMemory(Evaluation& e);

// Operand `i` as large as its bounds: its memory, or itself where nothing is
// missing. null: something is, and isn't known.
const Value* WholeOperand(const Evaluation& e, int i);

// The first elements of `whole` along each dim; nullopt with an error.
std::optional<Value> FirstOf(Evaluation& e, const Value& whole,
                             const Sizes& sizes);
// `base` with `part` over it from `starts` on, which lies inside; both of the
// same type. nullopt with an error.
std::optional<Value> Pasted(Evaluation& e, const Value& base, const Value& part,
                            const Sizes& starts);
// The first elements of `whole`, as many as `sizes` say, which stays behind
// them. `recorded` (null: none) says which dims are bounded, those whose sizes
// the run gives. nullopt with an error.
std::optional<Value> LiveOf(Evaluation& e, const Value& whole,
                            const Sizes& sizes, const Shape* recorded);

// `value`, an argument for a parameter of `shape`: where it is shorter than a
// bounded dim, zeros lie behind it, as in a literal. What lies behind isn't
// known where all of it would take more than `*room` bytes, of which it is
// taken.
Value WithParameterMemory(const Value& value, const Shape& shape,
                          int64_t* room);

// The rows of FindMemoryFunction.
std::optional<Value> SliceMemory(Evaluation& e);
std::optional<Value> DynamicSliceMemory(Evaluation& e);
std::optional<Value> DynamicUpdateSliceMemory(Evaluation& e);
std::optional<Value> GatherMemory(Evaluation& e);
std::optional<Value> SortMemory(Evaluation& e);
std::optional<Value> ConcatenateMemory(Evaluation& e);
std::optional<Value> ReverseMemory(Evaluation& e);
std::optional<Value> PadMemory(Evaluation& e);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_MEMORY_H_

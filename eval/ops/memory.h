// SPDX-License-Identifier: Apache-2.0
// The memory of arrays with bounded dims, beyond the elements that a run-time
// size leaves visible, and the effect of operations on it.
//
// Source: XLA's dynamic_dimension_inference.cc and dynamic_padder.cc, whose
// arrays are always as large as their bounds, with the sizes beside them;
// tests/eval/ops/bounded_test.cc has answers of XLA's CPU client. An operation
// without a row here gives arrays of unknown memory: growing one is an error.

#ifndef INDIM_EVAL_OPS_MEMORY_H_
#define INDIM_EVAL_OPS_MEMORY_H_

#include <cstdint>
#include <optional>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/value.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Whether some operand has memory.
bool AnyMemory(const Evaluation& e);

// Evaluates an operation of which some operands have memory; nullopt after an
// error.
using MemoryFunction = std::optional<Value> (*)(Evaluation& e);
// Null: the memory of the op's result is unknown.
MemoryFunction FindMemoryFunction(Opcode opcode);

// Evaluates the operation on its operands' visible elements only; nullopt after
// an error.
std::optional<Value> WithoutMemory(Evaluation& e);

// Operand `i` as large as its bounds: its memory, or the operand itself if it
// fills them. Null: its memory is unknown.
const Value* WholeOperand(const Evaluation& e, int i);

// The first part of `whole`, of `sizes`; nullopt after an error.
std::optional<Value> FirstOf(Evaluation& e, const Value& whole,
                             const Sizes& sizes);
// `base`, overwritten by `part` from `starts` on. `part` must lie inside, and
// have the same type. nullopt after an error.
std::optional<Value> Pasted(Evaluation& e, const Value& base, const Value& part,
                            const Sizes& starts);
// The first part of `whole`, of `sizes`, with `whole` as its memory. `recorded`
// (null: none) gives the bounded dims, whose sizes are known only at run time.
// nullopt after an error.
std::optional<Value> LiveOf(Evaluation& e, const Value& whole,
                            const Sizes& sizes, const Shape* recorded);

// `value`, an argument for a parameter of `shape`. Where it is shorter than a
// bounded dim, its memory has zeros after it, as in a literal. This memory is
// taken from *room, in bytes; where it needs more, it stays unknown.
Value WithParameterMemory(const Value& value, const Shape& shape,
                          int64_t* room);

// The functions in the table of FindMemoryFunction.
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

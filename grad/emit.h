// SPDX-License-Identifier: Apache-2.0
// What rules write often.

#ifndef INDIM_GRAD_EMIT_H_
#define INDIM_GRAD_EMIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// Whether an op is one of these; false of an op that is an error.
bool IsA(const ComputationBuilder& b, Op op, Opcode opcode);
// An element of a tuple; of one that is put together here the operand.
Op ElementOf(ComputationBuilder& b, Op tuple, int64_t index);
// The number that a scalar constant is; nullopt: an op is none.
std::optional<double> ScalarConstant(const ComputationBuilder& b, Op op);
// The sum over `dims`. Floats of fewer than 32 bits are added in f32. `zero_of`
// gives the scalar 0 of a type in `b`; null: a constant is made.
Op SumOver(ComputationBuilder& b, Op x, DimIndices dims,
           const std::function<Op(ElementType)>& zero_of = nullptr);
// `x` as `shape`: result dim dims[i] is dim i of `x`, the others are new.
// `dims` needn't be sorted.
Op SpreadTo(ComputationBuilder& b, Op x, const DimIndices& dims,
            const Shape& shape);
// The permutation that sorts the dims of a broadcast, which XLA's builder
// demands; nothing where they are sorted.
DimIndices SortingPermutation(const DimIndices& dims);
// With the same elements.
Op ReshapeTo(ComputationBuilder& b, Op x, const Shape& shape);
Op ConvertTo(ComputationBuilder& b, Op x, ElementType type);
Op TransposeBy(ComputationBuilder& b, Op x, const DimIndices& permutation);
// The permutation that undoes this one.
DimIndices Inverse(const DimIndices& permutation);
// The complex conjugate; of a real number itself.
Op ConjugateOf(ComputationBuilder& b, Op x);
// pred of `x`'s last two dims: column <= row + offset (lower), or column >= row
// + offset.
Op TriangleMask(ComputationBuilder& b, const Shape& shape, bool lower,
                int64_t offset);
// The same: column = row.
Op DiagonalMask(ComputationBuilder& b, const Shape& shape);
// Adds `updates` to `operand` at `indices`.
Op ScatterAdd(ComputationBuilder& b, Op operand, Op indices, Op updates,
              const ScatterAttributes& attributes);
// The dim that a sort of arrays of this rank sorts along.
int64_t SortedDim(const SortAttributes& sort, int rank);
// Sorts `operands` and `beside`, an array that `comparator` doesn't know, with
// them; a tuple. `order`, unless null, makes the answer of the comparator's and
// of the two elements of `beside`.
Op SortBeside(ComputationBuilder& b, std::vector<Op> operands, Op beside,
              const Callee& comparator, const SortAttributes& sort,
              const std::function<Op(ComputationBuilder& less, Op before,
                                     Op left, Op right)>& order = nullptr);
// `count` dims from `first` on.
DimIndices Range(int64_t first, int64_t count);

// What a gather and a scatter of the same windows have in common.
ScatterAttributes ScatterOf(const GatherAttributes& gather, bool unique);
GatherAttributes GatherOf(const ScatterAttributes& scatter,
                          const Shape& operand, const Shape& updates);
// The indices, such that each window lies inside: as a gather takes them.
Op ClampedIndices(ComputationBuilder& b, Op indices, const Shape& operand,
                  const GatherAttributes& gather);
// pred of the updates' dims: whether the window lies inside. A scatter drops
// the others.
Op InsideMask(ComputationBuilder& b, Op indices, const Shape& operand,
              const Shape& updates, const ScatterAttributes& scatter);

}  // namespace indim::internal

#endif  // INDIM_GRAD_EMIT_H_

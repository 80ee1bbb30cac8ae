// SPDX-License-Identifier: Apache-2.0
// Matrices: products, diagonals, triangles. The last two dims of an array are a
// matrix; the dims before them are batch dims.
//
//   Op y = MatMul(x, w);               // f32[7,2,3] and f32[3,4]: f32[7,2,4]
//   Op causal = LowerTriangle(scores); // 0 above the diagonal
//
// Ranks must be known (IND0612) and high enough (IND0370).
// computation_builder.h says how composites treat wrong Ops, lines and
// sharding.

#ifndef INDIM_BUILDER_COMPOSITES_MATRIX_H_
#define INDIM_BUILDER_COMPOSITES_MATRIX_H_

#include <cstdint>
#include <optional>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// NumPy's matmul. Batch dims are matched from the last, and a 1 matches any
// size. A vector is a row on the left, a column on the right; the result lacks
// its dim. Integers, floats, complex. Errors: IND0618, columns of x and rows of
// y differ; IND0650, batch dims differ; IND0370, a scalar.
Op MatMul(Op x, Op y, std::optional<ElementType> preferred_element_type = {},
          Caller caller = Caller::Here());
// MatMul of matrices, each of which is transposed first if its flag is set.
Op BatchDot(Op x, bool transpose_x, Op y, bool transpose_y,
            std::optional<ElementType> preferred_element_type = {},
            Caller caller = Caller::Here());
Op TransposeInMinorDims(Op x, Caller caller = Caller::Here());

// `rows` by `columns`: 1 on the diagonal, else 0. A negative size: IND0120; one
// that is neither static nor named: IND0228.
Op IdentityMatrix(ComputationBuilder& b, ElementType type, SizeArg rows,
                  SizeArg columns, Caller caller = Caller::Here());
// The elements [..., i, i + k], as dims [..., n]. Matrix dims must be static
// (IND0617). If no such element exists, n is 0.
Op GetMatrixDiagonal(Op x, int64_t k = 0, Caller caller = Caller::Here());
// pred with x's dims: whether column - row is at most `k`. Dims need upper ends
// (IND0613).
Op TriangleMask(Op x, int64_t k = 0, Caller caller = Caller::Here());
// LowerTriangle is x where column - row <= 0, else 0; UpperTriangle is x where
// column - row >= 0, else 0.
Op LowerTriangle(Op x, Caller caller = Caller::Here());
Op UpperTriangle(Op x, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_MATRIX_H_

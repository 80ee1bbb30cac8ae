// Matrices: products, diagonals, triangles. A matrix is the last two dims of an
// array; what stands before them are as many matrices.
//
//   Op y = MatMul(x, w);               // f32[7,2,3] and f32[3,4]: f32[7,2,4]
//   Op causal = LowerTriangle(scores); // 0 above the diagonal
//
// Ranks must be known (IND0612) and high enough (IND0370). What composites do
// about wrong Ops, lines and sharding: composite.h.

#ifndef INDIM_BUILDER_COMPOSITES_MATRIX_H_
#define INDIM_BUILDER_COMPOSITES_MATRIX_H_

#include <cstdint>
#include <optional>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// NumPy's matmul: dims before the matrices are matched from the last, and a 1
// goes with any; a vector is a row on the left, a column on the right, and its
// dim goes. Integers, floats, complex. Errors: IND0618 where rows and columns
// differ, IND0650 where the dims before do, IND0370 for scalars.
Op MatMul(Op x, Op y, std::optional<ElementType> preferred_element_type = {},
          Caller caller = Caller::Here());
// The same of matrices, each transposed first where so said.
Op BatchDot(Op x, bool transpose_x, Op y, bool transpose_y,
            std::optional<ElementType> preferred_element_type = {},
            Caller caller = Caller::Here());
Op TransposeInMinorDims(Op x, Caller caller = Caller::Here());

// `rows` by `columns`: 1 on the diagonal, else 0. A size below 0: IND0120.
Op IdentityMatrix(ComputationBuilder& b, ElementType type, int64_t rows,
                  int64_t columns, Caller caller = Caller::Here());
// The elements [..., i, i + k], as dims [..., n]. Static matrices (IND0617);
// none: a vector of 0.
Op GetMatrixDiagonal(Op x, int64_t k = 0, Caller caller = Caller::Here());
// pred, of x's dims: column - row is at most `k`. Dims with upper ends
// (IND0613).
Op TriangleMask(Op x, int64_t k = 0, Caller caller = Caller::Here());
// x where that is so with k = 0, else 0; and where column - row is at least 0.
Op LowerTriangle(Op x, Caller caller = Caller::Here());
Op UpperTriangle(Op x, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_MATRIX_H_

// SPDX-License-Identifier: Apache-2.0
// Custom calls of LAPACK's routines, as jaxlib names them for the CPU:
// "lapack_dgetrf_ffi" with a dictionary of letters as configuration. Source:
// jaxlib.

#ifndef INDIM_SHAPE_OPS_LAPACK_H_
#define INDIM_SHAPE_OPS_LAPACK_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The routine without the letter of its type: "getrf" of the target above.
// Empty: the target is none.
absl::string_view LapackRoutine(absl::string_view target);

// A letter of the configuration: 'L' is "uplo" in "{uplo = 76 : ui8}". 0: it
// isn't there.
char LapackLetter(const CustomCallAttributes& call, absl::string_view name);

// The triangular-solve that a call of "trsm" is.
TriangularSolveAttributes LapackSolve(const CustomCallAttributes& call);

// Whether a call that reads one triangle of a Hermitian matrix reads the lower
// one. XLA's Eigh has a 1 in front of its configuration then.
bool ReadsLower(const CustomCallAttributes& call);

// Whether a call has the shapes of a signature of factorizations.def.
bool FitsSignature(absl::Span<const Shape* const> operands, const Shape& result,
                   absl::string_view signature);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_LAPACK_H_

// SPDX-License-Identifier: Apache-2.0
// Factors of matrices that XLA computes for custom calls of its own.

#ifndef INDIM_EVAL_OPS_FACTORS_H_
#define INDIM_EVAL_OPS_FACTORS_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// "Qr": R, with the vectors of the reflections below its diagonal, and their
// factors, as LAPACK's geqrf. Source: qr_expander.cc.
std::optional<Value> PackedQr(Evaluation& e, Interpreter& machine);
// "ProductOfElementaryHouseholderReflectors": the product of such reflections,
// as LAPACK's orgqr.
std::optional<Value> ProductOfReflections(Evaluation& e, Interpreter& machine);
// "Eigh": eigenvectors and eigenvalues of the Hermitian matrix that one
// triangle gives. Values ascend; an eigenvector may be another multiple of
// XLA's. Source: eigh_expander.cc.
std::optional<Value> Eigenvectors(Evaluation& e, Interpreter& machine);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_FACTORS_H_

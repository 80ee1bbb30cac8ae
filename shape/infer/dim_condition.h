// Conditions on named sizes: their text, whether facts decide them, their
// simplest form.

#ifndef INDIM_SHAPE_INFER_DIM_CONDITION_H_
#define INDIM_SHAPE_INFER_DIM_CONDITION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer.h"

namespace indim {

// "b == c", "n == 1 or n == m", "n <= 8", "n % 4 == 0".
std::string ToString(const DimCondition& condition);

// Whether the symbols' facts prove or refute `condition`. Both dims are static
// or symbolic.
Answer Decide(const DimCondition& condition);

// An equivalent condition without the terms and factors that both sides share:
// 4*n == 32 becomes n == 8, n+m == 2*m becomes n == m. nullopt: it can't hold.
std::optional<DimCondition> Simplify(const DimCondition& condition);

// `condition`, of an operation with these operands and this result (null:
// unknown), as a condition on the dims themselves. nullopt: a dim is neither
// static nor symbolic, or doesn't exist.
std::optional<DimCondition> Named(const SizeCondition& condition,
                                  absl::Span<const Shape* const> operands,
                                  const Shape* result);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_DIM_CONDITION_H_

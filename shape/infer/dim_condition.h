// Conditions on sizes by name: what they say, what facts say of them.

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

// What symbols' facts say of it. Both dims are static or symbolic.
Answer Decide(const DimCondition& condition);

// The same condition with what both sides share taken away: 4*n == 32 is
// n == 8, n+m == 2*m is n == m. nullopt: it can't hold.
std::optional<DimCondition> Simplify(const DimCondition& condition);

// `condition`, of an operation on `operands` with this result (null: not
// known), by the names of the sizes. nullopt: some size has no name and no
// number, or there is no such dim.
std::optional<DimCondition> Named(const SizeCondition& condition,
                                  absl::Span<const Shape* const> operands,
                                  const Shape* result);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_DIM_CONDITION_H_

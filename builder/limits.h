// SPDX-License-Identifier: Apache-2.0
// The extreme values of element types, as literals. InvalidArgument: the type
// has no such value.

#ifndef INDIM_BUILDER_LIMITS_H_
#define INDIM_BUILDER_LIMITS_H_

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/element_type.h"

namespace indim::internal {

// For pred, integers, floats. Least and Greatest are infinities where the type
// has them.
absl::StatusOr<Literal> LeastLiteral(ElementType type);
absl::StatusOr<Literal> GreatestLiteral(ElementType type);
absl::StatusOr<Literal> LeastFiniteLiteral(ElementType type);
absl::StatusOr<Literal> GreatestFiniteLiteral(ElementType type);
// For floats.
absl::StatusOr<Literal> EpsilonLiteral(ElementType type);
absl::StatusOr<Literal> NanLiteral(ElementType type);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_LIMITS_H_

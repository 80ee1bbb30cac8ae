// SPDX-License-Identifier: Apache-2.0
// Literals out of what the C interface is given.

#ifndef INDIM_BINDINGS_C_LITERALS_H_
#define INDIM_BINDINGS_C_LITERALS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/codec/literal.h"

namespace indim::capi {

// The shape of an array of static sizes. InvalidArgument: no element type has
// the number, or a size is negative.
absl::StatusOr<Shape> StaticShape(int32_t element_type,
                                  absl::Span<const int64_t> sizes);
// Errors of StaticShape and Literal::FromBytes.
absl::StatusOr<Literal> LiteralOf(int32_t element_type,
                                  absl::Span<const int64_t> sizes,
                                  absl::string_view bytes);
// Errors of StaticShape and Literal::Scalar.
absl::StatusOr<Literal> ScalarOf(int32_t element_type, Number number);

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_LITERALS_H_

// SPDX-License-Identifier: Apache-2.0
// What to write instead, for errors that composites find themselves.

#ifndef INDIM_BUILDER_COMPOSITES_COMPOSITE_FIXES_H_
#define INDIM_BUILDER_COMPOSITES_COMPOSITE_FIXES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/type_mask.h"

namespace indim::internal {

// "dim=1", in C "\"dim\":1"
std::string NumberText(absl::string_view what, int64_t number);
// "dims={0,1}", in Python "dims=[0,1]", in C "\"dims\":[0,1]"
std::string ListText(absl::string_view what, absl::Span<const int64_t> numbers);

// `operand` with the most usual element type among `allowed`; of a tuple its
// first such element. nullopt: it has none.
std::optional<Shape> WithAllowedType(const Shape& operand, TypeMask allowed);

// `shape` with a 1 as dim `dim`, of rank `rank` then; nullopt: of another rank.
std::optional<Shape> WithOneAt(const Shape& shape, int64_t dim, int64_t rank);

// `dims`, names of dims of an array of rank `rank`, with each once and in
// range; nullopt: none is left.
std::optional<std::string> DimsText(absl::string_view what,
                                    absl::Span<const int64_t> dims,
                                    int64_t rank);

// The shape of the operand at fault, or the number, after which `diagnostic`
// doesn't hold; nullopt: none that is likely.
std::optional<DiagnosticArg> MendOf(const Diagnostic& diagnostic,
                                    absl::Span<const Shape> operands);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_COMPOSITES_COMPOSITE_FIXES_H_

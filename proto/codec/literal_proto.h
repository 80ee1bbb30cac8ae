// SPDX-License-Identifier: Apache-2.0
// Literals from and to canonical LiteralProto bytes, and as XLA prints these in
// a constant. Programs read literals from modules (ir/module.h).

#ifndef INDIM_PROTO_CODEC_LITERAL_PROTO_H_
#define INDIM_PROTO_CODEC_LITERAL_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/proto/codec/literal.h"

namespace indim {

class ExternalFiles;

// Canonical LiteralProto bytes, with the row-major layout in the shape. XLA
// can't read values of s1, u1, f6e3m2fn and f6e2m3fn, but they are written too.
// A splat stays one, in a field of Indim's; the writers of modules expand it to
// XLA's form.
std::string SerializeLiteralProto(const Literal& literal);

// A LiteralProto of an array from a Literal's bytes, with the layout of `shape`
// (row-major without one) and the values in its order, as in XLA's own
// literals. `shape` must be a static array, and `bytes` have its size.
std::string SerializeArrayLiteral(const Shape& shape, std::string bytes);

// Appends the text that XLA prints between the parentheses of a constant with
// the canonical LiteralProto bytes `wire`. Unless `large`, tuples and arrays of
// more than 10 elements become "{...}", as does an invalid literal. `files` as
// for ParseLiteralProto.
void AppendConstantText(absl::string_view wire, bool large, std::string* out,
                        const ExternalFiles* files = nullptr);

// Reads a canonical LiteralProto, whose values are in the order of its layout.
// InvalidArgument: no shape, a number of values that isn't the element count,
// values in another type's field, tuples that don't match. It reads external
// values from `files`: FailedPrecondition where their file isn't in `files`,
// InvalidArgument where the file was cut short or altered.
absl::StatusOr<Literal> ParseLiteralProto(absl::string_view wire,
                                          const ExternalFiles* files = nullptr);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_LITERAL_PROTO_H_

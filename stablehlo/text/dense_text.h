// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as text: numbers and hexadecimal bytes.

#ifndef INDIM_STABLEHLO_TEXT_DENSE_TEXT_H_
#define INDIM_STABLEHLO_TEXT_DENSE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// The number of elements of a tensor's type. False: a size is unknown, or there
// are 2^63 or more.
bool ElementCount(const Type& type, int64_t* count);

// The type of a tensor's elements; kS64 for index.
ElementType DenseElement(const Ir& ir, const Type& type);

// The bits of a number as text (digits, 0x..., 1.5e3) in `type`. Returns what
// is wrong; "" if nothing is.
absl::string_view ReadScalar(ElementType type, bool negative,
                             absl::string_view number, uint64_t* bits);

// Appends an element with these low bits in the form of mlir::Attribute.
void AppendScalar(ElementType type, uint64_t bits, std::string* bytes);
// The element at `bytes` in that form.
uint64_t LoadScalar(ElementType type, const char* bytes);

// Appends the bytes of hexadecimal digits. False: it isn't pairs of digits.
bool DecodeHex(absl::string_view digits, std::string* bytes);

// Converts the bytes of `dense` from MLIR's hexadecimal form to the form of
// mlir::Attribute: a splat has one element; i1 may be bits. False: the number
// of bytes doesn't fit.
bool UnpackRaw(ElementType type, int64_t count, Attribute* dense);

// Makes a dense attribute whose elements are all equal a splat. One without
// elements stays as it is.
void FindSplat(int64_t count, Attribute* dense);

// Appends an element without its type.
void AppendElement(ElementType type, const char* bytes, std::string* out);

// Appends elements in nested brackets: [[1, 2], [3, 4]]. They are as many as
// the product of `dims`, or it appends fewer.
void AppendNested(ElementType type, absl::Span<const int64_t> dims,
                  absl::string_view bytes, std::string* out);

// Appends elements as the hexadecimal digits that UnpackRaw reads.
void AppendRawHex(ElementType type, absl::string_view bytes, std::string* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_DENSE_TEXT_H_

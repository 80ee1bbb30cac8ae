// SPDX-License-Identifier: Apache-2.0
// Reads and writes NumPy's .npy files, which hold one array each, as literals.
//
// It reads versions 1 to 3 of the format, C and Fortran order, either byte
// order; it writes version 1, C order, little-endian. A file has no name for
// types that NumPy lacks (bf16, f8..., s4, ...): ml_dtypes writes them as
// opaque bytes ('<V2', '|V1') or as a float of one byte ('<f1'), so the caller
// must give the type.

#ifndef INDIM_EVAL_VALUES_NPY_H_
#define INDIM_EVAL_VALUES_NPY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// The array in a file's bytes. `expected` is the type of elements that the file
// doesn't name (kInvalid: unknown); a named type is used as it is.
// InvalidArgument: not a .npy file, an unreadable header, too few or too many
// bytes, a type that XLA lacks, an unnamed type whose width differs from that
// of `expected`.
absl::StatusOr<Literal> ReadNpy(absl::string_view bytes,
                                ElementType expected = ElementType::kInvalid);

// The bytes of a file. An array with bounded dims is written with its sizes of
// run time. InvalidArgument: it is no array of known sizes.
absl::StatusOr<std::string> WriteNpy(const Literal& literal);

// The same from and to files ("-": standard input, standard output). Errors
// name the file; a file is written atomically.
absl::StatusOr<Literal> ReadNpyFile(
    absl::string_view path, ElementType expected = ElementType::kInvalid);
absl::Status WriteNpyFile(const Literal& literal, absl::string_view path);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_NPY_H_

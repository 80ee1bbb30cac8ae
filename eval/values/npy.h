// NumPy's .npy files as literals: one array a file.
//
// Read: versions 1 to 3 of the format, C and Fortran order, either byte order.
// Written: version 1, C order, little-endian. Types that NumPy itself lacks
// (bf16, f8..., s4 ...) have no name in a file: ml_dtypes writes them as opaque
// bytes ('<V2', '|V1') or as a float of one byte ('<f1'), so a reader must be
// told.

#ifndef INDIM_EVAL_VALUES_NPY_H_
#define INDIM_EVAL_VALUES_NPY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/codec/literal.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// The array of a file's bytes. `expected` says what elements without a name are
// (kInvalid: not known); elements with one are what they say. InvalidArgument:
// no .npy file, a header that can't be understood, too few or too many bytes, a
// type that isn't XLA's, one without a name that isn't as wide as `expected`.
absl::StatusOr<Literal> ReadNpy(absl::string_view bytes,
                                ElementType expected = ElementType::kInvalid);

// The bytes of a file. InvalidArgument: not an array of static dims.
absl::StatusOr<std::string> WriteNpy(const Literal& literal);

// The same from and to files ("-": standard input, standard output). Errors
// name the file; a file is written atomically.
absl::StatusOr<Literal> ReadNpyFile(
    absl::string_view path, ElementType expected = ElementType::kInvalid);
absl::Status WriteNpyFile(const Literal& literal, absl::string_view path);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_NPY_H_

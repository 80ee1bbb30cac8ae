// What an author of a product most likely meant, where more than one list of
// dims is wrong: a convolution of another layout, a product of each batch.

#ifndef INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_
#define INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

// Of a convolution that `diagnostic` finds wrong in its dims: the dimension
// numbers of the usual layouts (NCHW with OIHW, NHWC with HWIO, ...) that the
// operands fit, the likeliest first, each with the window over that kernel's
// dims. Inference succeeds with each of them. Empty for other rules, or where
// no layout fits.
std::vector<Fix> ConvolutionLayouts(const OpInputs& inputs,
                                    const Diagnostic& diagnostic);

// Of a dot that pairs no batch dims, of arrays whose dims before the last two
// are equal: those as batch dims, rows with columns (or, where only that fits,
// rows with rows). nullopt: the arrays aren't so.
std::optional<Fix> BatchedProduct(const OpInputs& inputs);

// A fix of one of these kinds in words: "x is NHWC and w is HWIO:
// dim_labels=b01f_01io->b01f; ...", "DotGeneral(x, y) with lhs_batch_dims={0},
// ...". `names` are what the operands are called.
std::string ContractionText(const Fix& fix,
                            absl::Span<const std::string> names);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_

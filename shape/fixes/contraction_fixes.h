// SPDX-License-Identifier: Apache-2.0
// Likely fixes of products that change several lists of dims at once: another
// layout of a convolution, a batched product.

#ifndef INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_
#define INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// Fixes of a convolution whose `diagnostic` is about dims: the dimension
// numbers of each usual layout (NCHW with OIHW, NHWC with HWIO, ...) that the
// operands fit, the likeliest first, with the window over that kernel's dims.
// Inference succeeds with each of them. Empty for other codes, or where no
// layout fits.
std::vector<Fix> ConvolutionLayouts(const OpInputs& inputs,
                                    const Diagnostic& diagnostic);

// Fix of a dot without batch dims whose arrays have equal dims before the last
// two: it makes these batch dims and contracts rows with columns (or, where
// only that fits, rows with rows). nullopt: the arrays don't have this form.
std::optional<Fix> BatchedProduct(const OpInputs& inputs);

// The call of a dot of arrays `x` and `y`, a row of fix_calls.def with these
// arguments: the dims of `d`, and which of its attributes changed.
std::string DotText(FixCall call, const DotAttributes& d, absl::string_view x,
                    absl::string_view y, absl::string_view changed);

// Such a fix in words: "x is NHWC and w is HWIO: dim_labels=b01f_01io->b01f;
// ...", "DotGeneral(x, y) with lhs_batch_dims={0}, ...". `names` are the
// operands' names.
std::string ContractionText(const Fix& fix,
                            absl::Span<const std::string> names);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_CONTRACTION_FIXES_H_

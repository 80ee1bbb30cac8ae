// SPDX-License-Identifier: Apache-2.0
// Einsum: sums of products, by naming the dims.
//
//   Einsum("ij,jk->ik", {x, y})        // a matrix product
//   Einsum("bij,bjk->bik", {x, y})     // one for each b
//   Einsum("ii->i", {x})               // the diagonal
//   Einsum("ij->", {x})                // the sum of all
//   Einsum("...ij,...jk->...ik", {x, y})       // any dims in front
//   Einsum("ij,kj", {x, y})            // implicit: "ij,kj->ik"
//
// The text: the labels of each operand's dims, ',' between operands, then "->"
// and the result's labels. A label is a letter, either case (A and a differ);
// blanks may stand between. "..." may occur once per operand and in the result,
// and stands for the dims without a label. They are matched from the last one,
// and a size 1 matches any size (as in NumPy). A label that is twice in one
// operand takes its diagonal; a label that the result lacks is summed over.
// Without "->" the result has the "..." and then the labels that occur once,
// A..Z before a..z. Dims with one label must have equal sizes: unlike in NumPy,
// a 1 doesn't stretch.
//
// Einsum contracts operands from the left: the first two, their result with the
// third, and so on, each as one dot. It first sums over labels that occur in
// one operand only.

#ifndef INDIM_BUILDER_COMPOSITES_EINSUM_H_
#define INDIM_BUILDER_COMPOSITES_EINSUM_H_

#include <optional>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Operands are integers, floats or complex (IND0102), of known rank (IND0612).
// Types may differ as in DotGeneral, which gets preferred_element_type. Sizes
// may be dynamic; dims of a diagonal need upper ends (IND0613). Errors:
// IND0615, the text, with the position; IND0616, sizes that differ; and errors
// of the dots. computation_builder.h says how composites treat wrong Ops, lines
// and sharding.
Op Einsum(absl::string_view subscripts, absl::Span<const Op> operands,
          std::optional<ElementType> preferred_element_type = {},
          Caller caller = Caller::Here());

// Einsum("ij,jk->ik", x, y), found without `using namespace`, as a list isn't.
template <typename X, typename = std::enable_if_t<std::is_same_v<X, Op>>>
Op Einsum(absl::string_view subscripts, X x, Caller caller = Caller::Here()) {
  return Einsum(subscripts, absl::MakeConstSpan(&x, 1), {}, caller);
}
template <typename X, typename = std::enable_if_t<std::is_same_v<X, Op>>>
Op Einsum(absl::string_view subscripts, X x, X y,
          Caller caller = Caller::Here()) {
  const Op operands[] = {x, y};
  return Einsum(subscripts, operands, {}, caller);
}

namespace internal {
class Composite;
// Einsum within another composite, of its operands. A default Op after an
// error.
Op EinsumOf(Composite& c, absl::string_view subscripts,
            std::optional<ElementType> preferred_element_type);
}  // namespace internal

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_EINSUM_H_

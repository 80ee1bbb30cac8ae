// Einsum: sums of products, by naming the dims.
//
//   Einsum("ij,jk->ik", {x, y})        // a matrix product
//   Einsum("bij,bjk->bik", {x, y})     // one for each b
//   Einsum("ii->i", {x})               // the diagonal
//   Einsum("ij->", {x})                // the sum of all
//   Einsum("...ij,...jk->...ik", {x, y})   // whatever stands in front
//   Einsum("ij,kj", {x, y})            // implicit: "ij,kj->ik"
//
// The text: the labels of each operand's dims, ',' between operands, then
// "->" and the result's labels. A label is a letter, either case (A and a
// differ); blanks may stand between. "..." once per operand, and in the result,
// stands for the dims that have no label: matched from the last, where a size 1
// goes with any (as in NumPy). A label twice in one operand takes its diagonal;
// one that the result lacks is summed over. Without "->" the result has the
// "..." and then the labels that occur once, A..Z before a..z. Dims under one
// label are of equal size: unlike NumPy's, a 1 doesn't stretch there.
//
// Operands are contracted from the left: the first two, the result with the
// third, and so on, each as one dot; what occurs in one operand alone is summed
// before.

#ifndef INDIM_BUILDER_COMPOSITES_EINSUM_H_
#define INDIM_BUILDER_COMPOSITES_EINSUM_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Integers, floats, complex (IND0102), of known rank (IND0612); types that
// differ as in DotGeneral, which takes preferred_element_type. Sizes may be
// dynamic; a diagonal's dims have upper ends (IND0613). Errors: the text
// (IND0615, which shows where), sizes (IND0616), and those of the dots. What
// composites do about wrong Ops, lines and sharding: composite.h.
Op Einsum(absl::string_view subscripts, absl::Span<const Op> operands,
          std::optional<ElementType> preferred_element_type = {},
          Caller caller = Caller::Here());

namespace internal {
class Composite;
// The same within another composite, for its operands; a default Op after a
// failure of it.
Op EinsumOf(Composite& c, absl::string_view subscripts,
            std::optional<ElementType> preferred_element_type);
}  // namespace internal

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_EINSUM_H_

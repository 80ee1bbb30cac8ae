// SPDX-License-Identifier: Apache-2.0
// Shape function of topk.

#include <cstdint>
#include <optional>
#include <utility>

#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {

// The k largest (or smallest) elements of each row of the last dim, and their
// positions.
std::optional<Shape> InferTopK(InferContext* context, const OpInputs& inputs) {
  const int64_t k = inputs.attributes_as<TopKAttributes>().k;
  Shape values = inputs.operands[0]->WithoutLayout();
  if (values.has_rank()) {
    if (values.rank() == 0) return context->Diagnose(Code::kTopKScalar, 0);
    const int last = values.rank() - 1;
    const Dim size = values.dim(last);
    // XLA has no answer for a row of unknown length; a bounded row counts as
    // full.
    if (k < 0 || size.is_unknown() || k > size.upper()) {
      return context->Diagnose(Code::kTopKRange, 0, last).Arg(k);
    }
    AddAtLeastCondition(context, inputs, {0, last}, k);
    values.set_dim(last, Dim::Static(k));
  } else if (k < 0) {
    return context->Diagnose(Code::kTopKRange, 0).Arg(k);
  }
  Shape positions = values;
  positions.set_element_type(ElementType::kS32);
  return Shape::Tuple({std::move(values), std::move(positions)});
}

}  // namespace indim

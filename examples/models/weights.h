// The weights of a model.

#ifndef INDIM_EXAMPLES_MODELS_WEIGHTS_H_
#define INDIM_EXAMPLES_MODELS_WEIGHTS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"

namespace indim {

// The next parameter of the computation: f32 weights of these sizes.
inline Op Weights(ComputationBuilder& b, absl::Span<const int64_t> sizes) {
  return b.Parameter(Shape::Of(ElementType::kF32, sizes));
}

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_WEIGHTS_H_

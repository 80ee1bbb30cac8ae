// SPDX-License-Identifier: Apache-2.0
// Signature: what a caller knows of a computation.

#ifndef INDIM_SHAPE_INFER_SIGNATURE_H_
#define INDIM_SHAPE_INFER_SIGNATURE_H_

#include <string>
#include <vector>

#include "indim/shape/types/shape.h"

namespace indim {

// The parameters and the result of a called computation.
struct Signature {
  std::vector<Shape> parameters;
  Shape result;

  // "(f32[], f32[]) -> f32[]"
  std::string ToString() const;
};

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_SIGNATURE_H_

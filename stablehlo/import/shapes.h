// SPDX-License-Identifier: Apache-2.0
// Shapes of HLO for types of MLIR.

#ifndef INDIM_STABLEHLO_IMPORT_SHAPES_H_
#define INDIM_STABLEHLO_IMPORT_SHAPES_H_

#include <deque>
#include <string>
#include <vector>

#include "indim/shape/types/shape.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

// Whether StableHLO's verifier takes one of two types where it infers the
// other: equal kinds and element types; dims of equal sizes, unless one is
// unknown or a bound that is large enough. Source: StableHLO,
// isCompatibleForHloTypeInference.
bool CompatibleTypes(const Shape& a, const Shape& b);

// The shapes of an Ir's types; each is made once.
//   tensor<2x?xf32>                               f32[2,?]
//   tensor<?x2xf32, #stablehlo.bounds<4, ?>>      f32[<=4,2]
//   tensor<*xf32>                                 f32[*]
//   tensor<2xindex>, index                        s64[2], s64[]
//   f32 (a region's scalar), memref<2xf32>        f32[], b(f32[2])
//   tuple<...>, !stablehlo.token                  (...), token[]
class Shapes {
 public:
  // `ir` must outlive this.
  explicit Shapes(const Ir& ir);

  // Whether a value of the program has an unknown size; a bound.
  bool any_unknown() const { return any_unknown_; }
  bool any_bounds() const { return any_bounds_; }

  // The shape for `type`. Kind::kNone: HLO has none, and *error (unless null)
  // says why; a quantized type, a function, a shape.shape.
  const Shape& Of(TypeId type, std::string* error = nullptr);

 private:
  Shape Make(const Type& type, int depth, std::string* error);
  Shape MakeArray(const Type& type, std::string* error);

  const Ir& ir_;
  bool any_unknown_ = false;
  bool any_bounds_ = false;
  std::deque<Shape> shapes_;
  std::vector<uint32_t> by_type_;  // index in shapes_ plus 1; 0: not made yet
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_SHAPES_H_

// SPDX-License-Identifier: Apache-2.0
// Names for the unknown sizes of an entry function's arguments.

#ifndef INDIM_STABLEHLO_IMPORT_ENTRY_SIZES_H_
#define INDIM_STABLEHLO_IMPORT_ENTRY_SIZES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/shapes.h"

namespace indim::stablehlo_import {

// The shapes of the arguments of `function`, with a name in the place of each
// `?`: the one that the program has for it, else d0, d1, ...
//
// JAX's exports have names: the main function computes each of them from sizes
// of its arguments, then passes it on as an argument with the attribute
// jax.global_constant = "b", and asserts what must hold of it:
//
//   %0 = get_dimension_size %arg0, dim = 0        // tensor<?x784xf32>
//   custom_call @shape_assertion(%0 >= 1, %0)     // of 'b'
//   call @wrapped(%0, %arg0)                      // %0 is "b"
//
// gives f32[b,784], with the fact b >= 1. `find_function` finds a function by
// name. A name that has a value in `values` becomes that value.
std::vector<Shape> NameSizes(
    const Ir& ir, const mlir::Op& function, Shapes* shapes,
    absl::FunctionRef<OpId(absl::string_view)> find_function,
    const DimExpr::Values& values);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_ENTRY_SIZES_H_

// SPDX-License-Identifier: Apache-2.0
// SizeValues: the integers of a program that sizes of arrays determine, as
// expressions of named sizes (shape/dims/dim_expr.h).
//
//   %0 = stablehlo.get_dimension_size %x, dim = 0   // %x: f32[n,784]
//   %1 = stablehlo.multiply %0, %two
//   %2 = stablehlo.reshape %1                       // [2*n]

#ifndef INDIM_STABLEHLO_IMPORT_SIZE_VALUES_H_
#define INDIM_STABLEHLO_IMPORT_SIZE_VALUES_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

class SizeValues {
 public:
  // Values with more elements aren't followed.
  static constexpr int64_t kMostElements = 64;
  // An expression for each element; an invalid one: it depends on data.
  using Exprs = std::vector<DimExpr>;

  // `ir` must outlive this.
  explicit SizeValues(const Ir& ir) : ir_(ir) {}
  // Also follows calls into the functions that `find` finds by name, as far as
  // they compute with integers alone.
  using FindFunction = std::function<OpId(absl::string_view)>;
  SizeValues(const Ir& ir, FindFunction find)
      : ir_(ir), find_(std::move(find)), calls_left_(kMostCalls) {}

  // The elements of `value`, an integer or a vector of integers; empty: it is
  // something else. `shape_of` gives the shape of a value whose size is asked
  // for; null: not known. Each value is evaluated once. The reference is valid
  // until the value is forgotten.
  const Exprs& Of(ValueId value,
                  absl::FunctionRef<const Shape*(ValueId)> shape_of);
  // Gives a value, such as a function's argument, its elements.
  void Set(ValueId value, Exprs exprs) { known_[value.index] = exprs; }
  // Forgets the values of the block's operations and arguments.
  void Forget(BlockId block);

 private:
  using ShapeOf = absl::FunctionRef<const Shape*(ValueId)>;
  // Calls that are followed in all, and calls in calls.
  static constexpr int kMostCalls = 4096;
  static constexpr int kMostDepth = 32;
  // The number of elements of such a value; -1: it is something else.
  int64_t CountOf(ValueId value) const;
  Exprs Evaluate(const mlir::Op& op, int64_t count, ShapeOf shape_of);
  const Exprs& Operand(const mlir::Op& op, size_t i) const;
  // Gives the results of a call their elements.
  void FollowCall(const mlir::Op& call);

  const Ir& ir_;
  const FindFunction find_;  // null: calls aren't followed
  int calls_left_ = 0;
  int depth_ = 0;
  absl::node_hash_map<uint32_t, Exprs> known_;  // by value
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_SIZE_VALUES_H_

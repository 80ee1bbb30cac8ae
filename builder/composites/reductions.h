// Reductions along dims: sums, means, extremes and where they are.
//
//   Op rows = ReduceSum(x, {1});              // f32[8,10] -> f32[8]
//   Op mean = Mean(x, {-1}, /*keep_dims=*/true);   // f32[8,10] -> f32[8,1]
//   Op all = ReduceMax(x);                    // f32[8,10] -> f32[]
//
// Dims may be bounded and, but where said otherwise, unknown. The rank must be
// known (IND0612). A dim that isn't the operand's is IND0111, one named twice
// IND0112, elements of another kind than said IND0102. What composites do about
// wrong Ops, lines and sharding: composite.h.

#ifndef INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_
#define INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Which dims. Nothing, also {}: all. Negative ones count from the end.
class DimsArg {
 public:
  DimsArg() = default;
  DimsArg(std::initializer_list<int64_t> dims)  // NOLINT
      : dims_(std::vector<int64_t>(dims)) {}
  DimsArg(absl::Span<const int64_t> dims)  // NOLINT: an empty span is no dims
      : dims_(std::vector<int64_t>(dims.begin(), dims.end())) {}
  DimsArg(const std::vector<int64_t>& dims) : dims_(dims) {}  // NOLINT
  const std::optional<std::vector<int64_t>>& dims() const { return dims_; }

 private:
  std::optional<std::vector<int64_t>> dims_;
};

// With keep_dims, each dim that goes stays as a 1.
//
// Integers, floats, complex. Floats below 32 bits are added up in f32.
Op ReduceSum(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceProd(Op x, const DimsArg& dims = {}, bool keep_dims = false,
              Caller caller = Caller::Here());
// Pred, integers, floats; NaN where there is a NaN; of nothing the type's least
// or greatest value.
Op ReduceMax(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceMin(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
// Pred.
Op ReduceAnd(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceOr(Op x, const DimsArg& dims = {}, bool keep_dims = false,
            Caller caller = Caller::Here());

// Floats, complex. Dynamic dims are counted at run time. Of nothing NaN.
Op Mean(Op x, const DimsArg& dims = {}, bool keep_dims = false,
        Caller caller = Caller::Here());
// Floats. The mean of the squared distances from the mean; `correction` is
// taken from the count (1: the unbiased estimate; NumPy's ddof).
Op Variance(Op x, const DimsArg& dims = {}, bool keep_dims = false,
            int64_t correction = 0, Caller caller = Caller::Here());
// Its square root.
Op StdDev(Op x, const DimsArg& dims = {}, bool keep_dims = false,
          int64_t correction = 0, Caller caller = Caller::Here());
// log(sum(exp(x))), without overflow. Floats.
Op LogSumExp(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());

// Where along `dim` the greatest or least value is: the first of equal ones; a
// NaN wins, the first one, as in NumPy. Integers, floats. Indices are of
// `index_type`, an integer type that holds them (else IND0614). The dims have
// upper ends (IND0613). Of nothing: the greatest index_type.
Op ArgMax(Op x, int64_t dim, ElementType index_type = ElementType::kS32,
          bool keep_dims = false, Caller caller = Caller::Here());
Op ArgMin(Op x, int64_t dim, ElementType index_type = ElementType::kS32,
          bool keep_dims = false, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_

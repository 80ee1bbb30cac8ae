// SPDX-License-Identifier: Apache-2.0
// Convolution.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/eval_product.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/window_positions.h"

namespace indim {
namespace {

// Whether spatial dims, `a` and `b` name each dim once.
bool AreAllDims(const DimIndices& spatial, int64_t a, int64_t b, int rank) {
  DimIndices all = spatial;
  all.push_back(a);
  all.push_back(b);
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != static_cast<int64_t>(i)) return false;
  }
  return static_cast<int>(all.size()) == rank;
}

struct Groupings {
  int64_t feature, batch;
};

// The numbers of features and batches must be divisible into groups.
bool ExpectGroupings(Evaluation& e, const ConvolutionDims& d, Groupings g) {
  const Value& input = e.operand(0);
  const Value& kernel = e.operand(1);
  const int64_t features = input.size(static_cast<int>(d.input_feature));
  const int64_t batches = input.size(static_cast<int>(d.input_batch));
  const int64_t outputs =
      kernel.size(static_cast<int>(d.kernel_output_feature));
  const bool ok = g.feature >= 1 && g.batch >= 1 &&
                  (g.feature == 1 || g.batch == 1) &&
                  features % g.feature == 0 && batches % g.batch == 0 &&
                  outputs % g.feature == 0 && outputs % g.batch == 0 &&
                  features / g.feature ==
                      kernel.size(static_cast<int>(d.kernel_input_feature));
  if (!ok) e.Fail("its group counts don't divide its features or its batch");
  return ok;
}

bool ExpectDims(Evaluation& e, const ConvolutionDims& d) {
  const int rank = e.operand(0).rank();
  const bool ok =
      e.operand(1).rank() == rank &&
      AreAllDims(d.input_spatial, d.input_batch, d.input_feature, rank) &&
      AreAllDims(d.kernel_spatial, d.kernel_input_feature,
                 d.kernel_output_feature, rank) &&
      AreAllDims(d.output_spatial, d.output_batch, d.output_feature, rank);
  if (!ok) e.Fail("its dimension numbers don't fit its operands");
  return ok;
}

bool ExpectWindow(Evaluation& e, const ConvolutionAttributes& a) {
  const Value& kernel = e.operand(1);
  if (a.window.size() != a.dims.input_spatial.size()) {
    e.Fail("its window must have an entry for each spatial dim");
    return false;
  }
  for (size_t i = 0; i < a.window.size(); ++i) {
    const auto dim = static_cast<int>(a.dims.kernel_spatial[i]);
    if (a.window[i].size != kernel.size(dim)) {
      e.Fail("its window must be as large as its kernel");
      return false;
    }
  }
  return true;
}

// Computes the elements of the result.
class Sums {
 public:
  Sums(Evaluation& e, const ConvolutionAttributes& a,
       const WindowPlaces& windows, ElementType type)
      : e_(e),
        a_(a),
        windows_(windows),
        kind_(Info(type).kind),
        outputs_(KernelSize(a.dims.kernel_output_feature)),
        features_(KernelSize(a.dims.kernel_input_feature)),
        batches_(e.operand(0).size(static_cast<int>(a.dims.input_batch)) /
                 a.batch_group_count),
        lhs_(Elements(e.operand(0), type)),
        rhs_(Elements(e.operand(1), type)),
        l_strides_(StridesOf(e.operand(0).sizes())),
        r_strides_(StridesOf(e.operand(1).sizes())),
        l_(l_strides_.size(), 0),
        r_(r_strides_.size(), 0) {}

  Sizes ResultSizes() const {
    const ConvolutionDims& d = a_.dims;
    Sizes sizes(l_strides_.size());
    sizes[static_cast<size_t>(d.output_batch)] = batches_;
    sizes[static_cast<size_t>(d.output_feature)] = outputs_;
    for (size_t i = 0; i < d.output_spatial.size(); ++i) {
      sizes[static_cast<size_t>(d.output_spatial[i])] = windows_.positions()[i];
    }
    return sizes;
  }

  // Nullopt after an error.
  std::optional<Scalar> At(const Sizes& index) {
    const ConvolutionDims& d = a_.dims;
    const int64_t output = index[static_cast<size_t>(d.output_feature)];
    const int64_t group = output / (outputs_ / a_.feature_group_count);
    const int64_t batch_group = output / (outputs_ / a_.batch_group_count);
    l_[static_cast<size_t>(d.input_batch)] =
        index[static_cast<size_t>(d.output_batch)] + batch_group * batches_;
    r_[static_cast<size_t>(d.kernel_output_feature)] = output;
    const Sizes position = Selected(index, d.output_spatial);
    Scalar sum;
    for (Counter w(windows_.sizes()); !w.done(); w.Next()) {
      if (!e_.Charge(1 + features_)) return std::nullopt;
      Sizes place;
      if (!windows_.Find(position, w.index(), &place)) continue;
      for (size_t i = 0; i < place.size(); ++i) {
        l_[static_cast<size_t>(d.input_spatial[i])] = place[i];
        r_[static_cast<size_t>(d.kernel_spatial[i])] =
            a_.window[i].window_reversal ? a_.window[i].size - 1 - w.index()[i]
                                         : w.index()[i];
      }
      AddFeatures(group, &sum);
    }
    return sum;
  }

 private:
  int64_t KernelSize(int64_t dim) const {
    return e_.operand(1).size(static_cast<int>(dim));
  }
  // Adds the products over the input features of a group, at one place.
  void AddFeatures(int64_t group, Scalar* sum) {
    for (int64_t f = 0; f < features_; ++f) {
      l_[static_cast<size_t>(a_.dims.input_feature)] = group * features_ + f;
      r_[static_cast<size_t>(a_.dims.kernel_input_feature)] = f;
      AddProduct(kind_, lhs_[static_cast<size_t>(LinearIndex(l_, l_strides_))],
                 rhs_[static_cast<size_t>(LinearIndex(r_, r_strides_))], sum);
    }
  }

  Evaluation& e_;
  const ConvolutionAttributes& a_;
  const WindowPlaces& windows_;
  const ElementKind kind_;
  const int64_t outputs_, features_, batches_;
  const std::vector<Scalar> lhs_, rhs_;
  const Sizes l_strides_, r_strides_;
  Sizes l_, r_;  // the positions in the operands
};

}  // namespace

// Source: XLA's operation semantics. Each feature group has its own part of the
// kernel; batch groups share the input's features.
std::optional<Value> EvalConvolution(Evaluation& e) {
  const auto& a = e.attributes_as<ConvolutionAttributes>();
  if (!e.ExpectArrays()) return std::nullopt;
  if (e.operand_count() != 2) {
    return e.Fail("the layout of sparse operands depends on the device");
  }
  if (!ExpectDims(e, a.dims) ||
      !ExpectGroupings(e, a.dims,
                       {a.feature_group_count, a.batch_group_count}) ||
      !ExpectWindow(e, a)) {
    return std::nullopt;
  }
  // A kernel without elements adds nothing.
  const bool empty = e.operand(1).count() == 0;
  std::vector<WindowDim> window = a.window;
  for (WindowDim& w : window) w.size = std::max<int64_t>(w.size, 1);
  const auto windows = WindowPlaces::Make(
      e, Selected(e.operand(0).sizes(), a.dims.input_spatial), window);
  if (!windows) return std::nullopt;
  const std::optional<ElementType> type = ProductType(e);
  if (!type || !ChargeElements(e)) return std::nullopt;

  Sums sums(e, a, *windows, *type);
  ArrayMaker result;
  if (!e.NewArray(*type, sums.ResultSizes(), &result)) return std::nullopt;
  int64_t at = 0;
  for (Counter o(sums.ResultSizes()); !o.done() && !empty; o.Next(), ++at) {
    const std::optional<Scalar> sum = sums.At(o.index());
    if (!sum) return std::nullopt;
    result.Set(at, *sum);
  }
  return std::move(result).Finish();
}

}  // namespace indim

// Convolution.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/eval_product.h"
#include "indim/eval/eval_util.h"
#include "indim/eval/evaluation.h"
#include "indim/eval/evaluation_functions.h"
#include "indim/eval/window_positions.h"

namespace indim {
namespace {

// Each list names every dim of its array once.
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

// Sizes along features and batches divide into groups.
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
  if (!ok) e.Fail("its features and batches don't divide into its groups");
  return ok;
}

}  // namespace

// Source: XLA's operation semantics; feature groups have kernels of their own,
// batch groups share the input's features.
std::optional<Value> EvalConvolution(Evaluation& e) {
  const auto& a = e.attributes_as<ConvolutionAttributes>();
  const ConvolutionDims& d = a.dims;
  if (!e.ExpectArrays()) return std::nullopt;
  if (e.operand_count() != 2) {
    return e.Fail("sparse operands are kept as a device wants them");
  }
  const Value& input = e.operand(0);
  const Value& kernel = e.operand(1);
  const size_t spatial = d.input_spatial.size();
  if (!AreAllDims(d.input_spatial, d.input_batch, d.input_feature,
                  input.rank()) ||
      !AreAllDims(d.kernel_spatial, d.kernel_input_feature,
                  d.kernel_output_feature, kernel.rank()) ||
      !AreAllDims(d.output_spatial, d.output_batch, d.output_feature,
                  input.rank()) ||
      kernel.rank() != input.rank()) {
    return e.Fail("its dimension numbers don't fit its operands");
  }
  if (!ExpectGroupings(e, d, {a.feature_group_count, a.batch_group_count})) {
    return std::nullopt;
  }
  const Sizes base = Selected(input.sizes(), d.input_spatial);
  std::vector<WindowDim> window = a.window;
  if (window.size() != spatial) return e.Fail("its window has not its dims");
  for (size_t i = 0; i < spatial; ++i) {
    if (window[i].size != kernel.size(static_cast<int>(d.kernel_spatial[i]))) {
      return e.Fail("its window is not as large as its kernel");
    }
  }
  // A kernel without elements is under no window.
  const bool empty = kernel.count() == 0;
  for (WindowDim& w : window) w.size = std::max<int64_t>(w.size, 1);
  const auto windows = WindowPlaces::Make(e, base, window);
  if (!windows) return std::nullopt;
  const std::optional<ElementType> type = ProductType(e);
  if (!type || !ChargeElements(e)) return std::nullopt;

  const int64_t outputs =
      kernel.size(static_cast<int>(d.kernel_output_feature));
  const int64_t features =
      kernel.size(static_cast<int>(d.kernel_input_feature));
  const int64_t batches =
      input.size(static_cast<int>(d.input_batch)) / a.batch_group_count;
  Sizes sizes(static_cast<size_t>(input.rank()));
  sizes[static_cast<size_t>(d.output_batch)] = batches;
  sizes[static_cast<size_t>(d.output_feature)] = outputs;
  for (size_t i = 0; i < spatial; ++i) {
    sizes[static_cast<size_t>(d.output_spatial[i])] = windows->positions()[i];
  }
  ArrayMaker result;
  if (!e.NewArray(*type, sizes, &result)) return std::nullopt;
  const std::vector<Scalar> lhs = Elements(input, *type);
  const std::vector<Scalar> rhs = Elements(kernel, *type);
  const Sizes l_strides = StridesOf(input.sizes());
  const Sizes r_strides = StridesOf(kernel.sizes());
  const ElementKind kind = Info(*type).kind;

  int64_t at = 0;
  for (Counter o(sizes); !o.done() && !empty; o.Next(), ++at) {
    const int64_t output = o.index()[static_cast<size_t>(d.output_feature)];
    const int64_t feature_group = output / (outputs / a.feature_group_count);
    const int64_t batch_group = output / (outputs / a.batch_group_count);
    Sizes l(l_strides.size(), 0), r(r_strides.size(), 0);
    l[static_cast<size_t>(d.input_batch)] =
        o.index()[static_cast<size_t>(d.output_batch)] + batch_group * batches;
    r[static_cast<size_t>(d.kernel_output_feature)] = output;
    const Sizes position = Selected(o.index(), d.output_spatial);
    Scalar sum;
    for (Counter w(windows->sizes()); !w.done(); w.Next()) {
      if (!e.Charge(1 + features)) return std::nullopt;
      Sizes place;
      if (!windows->Find(position, w.index(), &place)) continue;
      for (size_t i = 0; i < spatial; ++i) {
        l[static_cast<size_t>(d.input_spatial[i])] = place[i];
      }
      for (size_t i = 0; i < spatial; ++i) {
        r[static_cast<size_t>(d.kernel_spatial[i])] =
            window[i].window_reversal ? window[i].size - 1 - w.index()[i]
                                      : w.index()[i];
      }
      for (int64_t f = 0; f < features; ++f) {
        l[static_cast<size_t>(d.input_feature)] = feature_group * features + f;
        r[static_cast<size_t>(d.kernel_input_feature)] = f;
        AddProduct(kind, lhs[static_cast<size_t>(LinearIndex(l, l_strides))],
                   rhs[static_cast<size_t>(LinearIndex(r, r_strides))], &sum);
      }
    }
    result.Set(at, sum);
  }
  return std::move(result).Finish();
}

}  // namespace indim

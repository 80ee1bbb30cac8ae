// SPDX-License-Identifier: Apache-2.0
// Reduce, reduce-window, select-and-scatter.

#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/element_function.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/window_positions.h"

namespace indim {
namespace {

using Scalars = std::vector<Scalar>;

// The operands must be N arrays of the same sizes, then N scalars.
bool ExpectInputsAndInits(Evaluation& e, int n) {
  if (!e.ExpectArrays()) return false;
  if (n == 0 || e.operand_count() != 2 * n) {
    e.Fail("it needs as many initial values as arrays");
    return false;
  }
  for (int i = 0; i < n; ++i) {
    if (e.operand(i).sizes() != e.operand(0).sizes()) {
      e.Fail("its arrays have different sizes");
      return false;
    }
    if (!e.operand(n + i).is_scalar()) {
      e.Fail("its initial values must be scalars");
      return false;
    }
  }
  return true;
}

// A parameter must have its operand's type; float types may differ.
bool ExpectTypes(Evaluation& e, const ElementFunction& reducer, int n) {
  for (int i = 0; i < 2 * n; ++i) {
    const int operand = i < n ? n + i : i - n;  // accumulators come first
    if (!SameTypeIgnoringFloatPrecision(reducer.parameter_type(i),
                                        e.operand(operand).type())) {
      e.FailType(operand);
      return false;
    }
  }
  return true;
}

// Folds elements into accumulators.
class Folder {
 public:
  Folder(ElementFunction* reducer, int n)
      : reducer_(*reducer),
        n_(n),
        arguments_(static_cast<size_t>(2 * n)),
        accumulators_(static_cast<size_t>(n)) {}

  void Start(absl::Span<const Value> inits) {
    for (size_t i = 0; i < accumulators_.size(); ++i) {
      accumulators_[i] = inits[i].At(0);
    }
  }
  // Folds element `number` of each input.
  bool Fold(absl::Span<const Value> inputs, int64_t number) {
    for (int i = 0; i < n_; ++i) {
      const size_t s = static_cast<size_t>(i);
      arguments_[s] = RoundedTo(reducer_.parameter_type(i), accumulators_[s]);
      arguments_[s + static_cast<size_t>(n_)] =
          RoundedTo(reducer_.parameter_type(n_ + i), inputs[s].At(number));
    }
    return reducer_.Call(arguments_, accumulators_.data());
  }
  const Scalars& accumulators() const { return accumulators_; }

 private:
  ElementFunction& reducer_;
  int n_;
  Scalars arguments_;
  Scalars accumulators_;
};

// Arrays of `sizes`, each element of which is folded out of the elements that
// `visit(index, fold)` calls `fold` with; both return false after an error.
template <typename Visit>
std::optional<Value> FoldEach(Evaluation& e, int n, const Sizes& sizes,
                              bool has_types_of_inits, Visit visit) {
  ElementFunction reducer(&e, 0);
  if (!reducer.Expect(2 * n, n) || !ExpectTypes(e, reducer, n)) {
    return std::nullopt;
  }
  std::vector<ArrayMaker> results(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    const ElementType type =
        has_types_of_inits ? e.operand(n + i).type() : reducer.result_type(i);
    if (!e.NewArray(type, sizes, &results[static_cast<size_t>(i)])) {
      return std::nullopt;
    }
  }
  Folder folder(&reducer, n);
  const auto fold = [&](int64_t number) {
    return folder.Fold(e.operands(), number);
  };
  int64_t at = 0;
  for (Counter i(sizes); !i.done(); i.Next(), ++at) {
    folder.Start(e.operands().subspan(static_cast<size_t>(n)));
    if (!visit(i.index(), fold)) return std::nullopt;
    for (size_t k = 0; k < results.size(); ++k) {
      results[k].Set(at, folder.accumulators()[k]);
    }
  }
  return FinishAll(std::move(results), reducer.returns_tuple());
}

}  // namespace

// --- Reduce ------------------------------------------------------------------

std::optional<Value> EvalReduce(Evaluation& e) {
  const int n = e.operand_count() / 2;
  if (!ExpectInputsAndInits(e, n)) return std::nullopt;
  const DimIndices& dimensions =
      e.attributes_as<DimensionsAttributes>().dimensions;
  const Sizes own = e.operand(0).sizes(), strides = StridesOf(own);
  std::vector<bool> is_reduced(own.size(), false);
  for (int64_t dim : dimensions) {
    if (!e.ExpectDim(0, dim)) return std::nullopt;
    is_reduced[static_cast<size_t>(dim)] = true;
  }
  Sizes kept, kept_strides, reduced, reduced_strides;
  for (size_t i = 0; i < own.size(); ++i) {
    (is_reduced[i] ? reduced : kept).push_back(own[i]);
    (is_reduced[i] ? reduced_strides : kept_strides).push_back(strides[i]);
  }
  return FoldEach(
      e, n, kept, /*has_types_of_inits=*/false,
      [&](const Sizes& index, const auto& fold) {
        const int64_t first = LinearIndex(index, kept_strides);
        for (Counter r(reduced); !r.done(); r.Next()) {
          if (!fold(first + LinearIndex(r.index(), reduced_strides))) {
            return false;
          }
        }
        return true;
      });
}

// --- Windows -----------------------------------------------------------------

std::optional<Value> EvalReduceWindow(Evaluation& e) {
  const int n = e.operand_count() / 2;
  if (!ExpectInputsAndInits(e, n)) return std::nullopt;
  const Sizes own = e.operand(0).sizes(), strides = StridesOf(own);
  const auto windows =
      WindowPlaces::Make(e, own, e.attributes_as<WindowAttributes>().window);
  if (!windows) return std::nullopt;
  // Source: XLA, which takes the initial values' types.
  return FoldEach(e, n, windows->positions(), /*has_types_of_inits=*/true,
                  [&](const Sizes& index, const auto& fold) {
                    for (Counter w(windows->sizes()); !w.done(); w.Next()) {
                      if (!e.Charge(1)) return false;
                      Sizes place;
                      if (!windows->Find(index, w.index(), &place)) continue;
                      if (!fold(LinearIndex(place, strides))) return false;
                    }
                    return true;
                  });
}

// Operands: an array, a source with one element for each window, an initial
// value. Callees: select, which chooses between two elements, and scatter,
// which combines scattered elements.
std::optional<Value> EvalSelectAndScatter(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const Value& source = e.operand(1);
  const Sizes own = operand.sizes(), strides = StridesOf(own);
  const auto windows =
      WindowPlaces::Make(e, own, e.attributes_as<WindowAttributes>().window);
  if (!windows) return std::nullopt;
  if (source.sizes() != windows->positions() || !e.operand(2).is_scalar()) {
    return e.Fail("its source must have one element for each window");
  }
  ElementFunction select(&e, 0), scatter(&e, 1);
  if (!select.Expect(2, 1) || !scatter.Expect(2, 1)) return std::nullopt;
  if (select.result_type(0) != ElementType::kPred) {
    return e.Fail("its select computation must return a pred");
  }
  if (!SameTypeIgnoringFloatPrecision(operand.type(),
                                      select.parameter_type(0)) ||
      !SameTypeIgnoringFloatPrecision(source.type(),
                                      scatter.parameter_type(1)) ||
      !SameTypeIgnoringFloatPrecision(operand.type(), scatter.result_type(0))) {
    return e.FailType(0);
  }
  ArrayMaker result;
  if (!e.NewArray(operand.type(), own, &result)) return std::nullopt;
  for (int64_t i = 0; i < result.count(); ++i) {
    result.Set(i, e.operand(2).At(0));
  }
  int64_t at = 0;
  for (Counter i(windows->positions()); !i.done(); i.Next(), ++at) {
    int64_t selected = -1;
    for (Counter w(windows->sizes()); !w.done(); w.Next()) {
      if (!e.Charge(1)) return std::nullopt;
      Sizes place;
      if (!windows->Find(i.index(), w.index(), &place)) continue;
      const int64_t next = LinearIndex(place, strides);
      Scalar stays = Scalar::Pred(false);
      if (selected >= 0) {
        const Scalar pair[] = {
            RoundedTo(select.parameter_type(0), operand.At(selected)),
            RoundedTo(select.parameter_type(1), operand.At(next))};
        if (!select.Call(pair, &stays)) return std::nullopt;
      }
      if (stays.bits == 0) selected = next;
    }
    if (selected < 0) continue;  // the window lies in the padding
    const Scalar pair[] = {
        RoundedTo(scatter.parameter_type(0), result.At(selected)),
        RoundedTo(scatter.parameter_type(1), source.At(at))};
    Scalar sum;
    if (!scatter.Call(pair, &sum)) return std::nullopt;
    result.Set(selected, sum);
  }
  return std::move(result).Finish();
}

}  // namespace indim

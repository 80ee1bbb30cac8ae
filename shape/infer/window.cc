// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/window.h"

#include <cstdint>
#include <string>
#include <utility>

#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// The number of positions over a base of symbolic size. A base that is smaller
// than the window gives floor(negative / stride) + 1 <= 0, so 0 positions.
std::optional<Dim> SymbolicPositions(Dim base, const WindowDim& window,
                                     int64_t padding, int64_t span) {
  const DimExpr n(base);
  const DimExpr dilated = window.base_dilation == 1
                              ? n
                              : ((n - 1) * window.base_dilation + 1).Max(0);
  const DimExpr room = dilated + padding - span;
  return (room.FloorDivide(window.stride) + 1).Max(0).ToDim();
}

bool ExpectPositive(InferContext* context, const WindowDim& window,
                    int result_dim) {
  const std::pair<const char*, int64_t> numbers[] = {
      {"size", window.size},
      {"stride", window.stride},
      {"base dilation", window.base_dilation},
      {"window dilation", window.window_dilation}};
  for (const auto& number : numbers) {
    if (number.second >= 1) continue;
    return context->Diagnose(Code::kWindowNumber, -1, result_dim)
        .Arg(std::string(number.first))
        .Arg(number.second);
  }
  return true;
}

}  // namespace

std::optional<Dim> WindowPositions(InferContext* context,
                                   const OpInputs& inputs, WindowBase base,
                                   const WindowDim& window, int result_dim) {
  if (!ExpectPositive(context, window, result_dim)) return std::nullopt;
  const Dim size = inputs.operands[base.operand]->dim(base.dim);
  const std::optional<int64_t> padding =
      CheckedAdd(window.padding_low, window.padding_high);
  const std::optional<int64_t> span =
      CheckedDilate(window.size, window.window_dilation);
  if (!padding || !span) return SizeOverflow(context, result_dim);
  if (size.is_symbolic()) {
    const std::optional<Dim> positions =
        SymbolicPositions(size, window, *padding, *span);
    // The base must have the elements that negative padding removes.
    if (*padding < 0) {
      AddAtLeastCondition(
          context, inputs, {base.operand, base.dim},
          CheckedCeilDivide(-(*padding + 1), window.base_dilation).value_or(0) +
              1);
    }
    if (positions) return positions;
  }

  bool crops_all = false;
  const auto positions = [&](int64_t n) -> std::optional<int64_t> {
    const std::optional<int64_t> dilated =
        CheckedDilate(n, window.base_dilation);
    if (!dilated) return std::nullopt;
    const std::optional<int64_t> padded = CheckedAdd(*dilated, *padding);
    if (!padded) return std::nullopt;
    crops_all = *padded < 0;
    if (crops_all) return std::nullopt;
    if (*padded == 0 || *span > *padded) return 0;
    return (*padded - *span) / window.stride + 1;
  };
  const std::optional<Dim> result = MapDim(size, positions);
  if (result) return result;
  if (crops_all) {
    return context->Diagnose(Code::kPadBelowZero, base.operand, base.dim);
  }
  return SizeOverflow(context, result_dim);
}

std::optional<DimVector> WindowedDims(InferContext* context,
                                      const OpInputs& inputs, int operand,
                                      absl::Span<const WindowDim> window) {
  const int rank = inputs.operands[operand]->rank();
  if (Number(window.size()) != rank) {
    context->Diagnose(Code::kWindowDimCount, operand)
        .Arg(Number(window.size()))
        .Arg(int64_t{rank});
    return std::nullopt;
  }
  DimVector dims;
  for (int i = 0; i < rank; ++i) {
    const std::optional<Dim> positions =
        WindowPositions(context, inputs, {operand, i}, window[i], i);
    if (!positions) return std::nullopt;
    dims.push_back(*positions);
  }
  return dims;
}

}  // namespace indim

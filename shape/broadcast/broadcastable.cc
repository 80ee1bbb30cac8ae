// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/broadcastable.h"

#include <algorithm>
#include <iterator>

#include "indim/shape/broadcast/broadcast_internal.h"
#include "indim/shape/dims/dim_math.h"

namespace indim {
namespace {

using ::indim::broadcast_internal::DimDiagnostic;
using ::indim::broadcast_internal::PlanNumpy;
using ::indim::broadcast_internal::RankedOperands;
using ::indim::broadcast_internal::SizeMeet;

// The operands' dims; nullopt for an unranked operand.
using OperandDims = std::vector<std::optional<absl::Span<const Dim>>>;

bool CheckOperands(absl::Span<const Shape* const> operands,
                   std::vector<Diagnostic>* diagnostics) {
  Diagnostic d;
  if (operands.empty()) {
    d.code = Code::kOperandCount;
    d.args = {std::string("one or more"), int64_t{0}};
    diagnostics->push_back(std::move(d));
    return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->is_array()) continue;
    d.code = Code::kOperandNotArray;
    d.operand = static_cast<int32_t>(i);
    diagnostics->push_back(std::move(d));
    return false;
  }
  return true;
}

OperandDims DimsOf(absl::Span<const Shape* const> operands) {
  OperandDims dims(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->has_rank()) dims[i] = operands[i]->dims();
  }
  return dims;
}

// The dim that MLIR infers from two dims; nullopt: they don't match. MLIR
// treats 0 as an ordinary size, except that a ? takes only a size above 1 from
// the other dim.
std::optional<Dim> MlirInferDim(Dim a, Dim b) {
  if ((a.is(0) && b.is_unknown()) || (a.is_unknown() && b.is(0))) {
    return Dim::Unknown();
  }
  SizeMeet meet;
  meet.Add({0, 0}, a, true);
  meet.Add({1, 0}, b, true);
  if (!meet.possible()) return std::nullopt;
  return meet.result();
}

// MLIR's fold, left to right: with 0 and ?, the order matters. `dims` is stored
// from the right, so that adding an operand costs only its own rank.
struct MlirFold {
  std::vector<Dim> dims;
  std::vector<DimRef> from;  // the operand dim that set each dim

  bool Add(int operand, absl::Span<const Dim> add,
           std::vector<Diagnostic>* diagnostics) {
    const int rank = static_cast<int>(add.size());
    for (int i = 0; i < rank; ++i) {
      const DimRef ref{operand, rank - 1 - i};
      const Dim dim = add[ref.dim];
      if (i == static_cast<int>(dims.size())) {
        dims.push_back(dim);
        from.push_back(ref);
        continue;
      }
      const std::optional<Dim> inferred = MlirInferDim(dims[i], dim);
      if (!inferred) {
        diagnostics->push_back(DimDiagnostic(Code::kDimsDiffer, from[i], ref));
        return false;
      }
      if (*inferred != dims[i]) from[i] = ref;
      dims[i] = *inferred;
    }
    return true;
  }
};

// The folded dims; sets *ranked to false when no operand has a rank.
bool InferDims(BroadcastableMode mode, const OperandDims& operands,
               bool* ranked, DimVector* result,
               std::vector<Diagnostic>* diagnostics) {
  *ranked = false;
  if (mode == BroadcastableMode::kMlir) {
    MlirFold fold;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i]) continue;
      *ranked = true;
      if (!fold.Add(static_cast<int>(i), *operands[i], diagnostics)) {
        return false;
      }
    }
    result->assign(fold.dims.rbegin(), fold.dims.rend());
    return true;
  }
  // Without MLIR's special case for 0 the fold is kNumpy's rule, in any order.
  RankedOperands with_rank;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]) {
      with_rank.push_back({static_cast<int32_t>(i), *operands[i]});
    }
  }
  *ranked = !with_rank.empty();
  BroadcastPlan plan;
  plan.operands.resize(operands.size());
  if (!PlanNumpy(with_rank, &plan, diagnostics)) return false;
  *result = std::move(plan.dims);
  return true;
}

bool VerifyDims(BroadcastableMode mode, absl::Span<const Dim> inferred,
                absl::Span<const Dim> recorded,
                std::vector<Diagnostic>* diagnostics) {
  Diagnostic d;
  const size_t extra = recorded.size() - inferred.size();
  if (recorded.size() < inferred.size() ||
      (extra > 0 && mode != BroadcastableMode::kMlir)) {
    d.code = Code::kResultRankDiffers;
    d.args = {static_cast<int64_t>(recorded.size()),
              static_cast<int64_t>(inferred.size())};
    diagnostics->push_back(std::move(d));
    return false;
  }
  for (size_t i = 0; i < inferred.size(); ++i) {
    if (DimPasses(mode, inferred[i], recorded[extra + i])) continue;
    d.code = Code::kResultDimDiffers;
    d.dim = static_cast<int32_t>(extra + i);
    d.args = {recorded[extra + i], inferred[i]};
    diagnostics->push_back(std::move(d));
    return false;
  }
  return true;
}

bool Verify(BroadcastableMode mode, const OperandDims& operands,
            const Shape& result, std::vector<Diagnostic>* diagnostics) {
  bool ranked = false;
  DimVector inferred;
  if (!InferDims(mode, operands, &ranked, &inferred, diagnostics)) {
    return false;
  }
  if (!ranked || result.is_unranked()) return true;
  return VerifyDims(mode, inferred, result.dims(), diagnostics);
}

bool CheckResult(const Shape& result, std::vector<Diagnostic>* diagnostics) {
  if (result.is_array()) return true;
  Diagnostic d;
  d.code = Code::kResultNotArray;
  diagnostics->push_back(std::move(d));
  return false;
}

// An operand's dims where the plan places them and 1 elsewhere, from its first
// placed dim to the result's last. All dims before that are 1.
DimVector Align(absl::Span<const Dim> dims, const BroadcastPlan::DimMap& map,
                size_t result_rank) {
  size_t first = result_rank;
  for (const int32_t place : map) {
    if (place >= 0) first = std::min(first, static_cast<size_t>(place));
  }
  DimVector aligned(result_rank - first, Dim::Static(1));
  for (size_t i = 0; i < std::min(dims.size(), map.size()); ++i) {
    const size_t place = static_cast<size_t>(map[i]);
    if (map[i] >= 0 && place < result_rank) aligned[place - first] = dims[i];
  }
  return aligned;
}

constexpr absl::string_view kModeNames[] = {"lenient", "strict", "mlir"};

}  // namespace

std::optional<BroadcastableMode> BroadcastableModeFromName(
    absl::string_view name) {
  for (size_t i = 0; i < std::size(kModeNames); ++i) {
    if (kModeNames[i] == name) return static_cast<BroadcastableMode>(i);
  }
  return std::nullopt;
}

bool DimPasses(BroadcastableMode mode, Dim inferred, Dim recorded) {
  if (inferred.is_symbolic() || recorded.is_symbolic()) {
    const Answer equal = DimsEqual(inferred, recorded);
    const bool strict = mode == BroadcastableMode::kStrict;
    if (!strict || recorded.is_exact()) {
      return strict ? equal == Answer::kProven : equal != Answer::kRefuted;
    }
  }
  if (mode == BroadcastableMode::kStrict) {
    // The record must contain every inferred size.
    return recorded.lower() <= inferred.lower() &&
           inferred.upper() <= recorded.upper();
  }
  return std::max(inferred.lower(), recorded.lower()) <=
         std::min(inferred.upper(), recorded.upper());
}

std::optional<Shape> InferBroadcastable(BroadcastableMode mode,
                                        absl::Span<const Shape* const> operands,
                                        std::vector<Diagnostic>* diagnostics) {
  if (!CheckOperands(operands, diagnostics)) return std::nullopt;
  bool ranked = false;
  DimVector dims;
  if (!InferDims(mode, DimsOf(operands), &ranked, &dims, diagnostics)) {
    return std::nullopt;
  }
  const ElementType type = operands[0]->element_type();
  return ranked ? Shape::Array(type, dims) : Shape::Unranked(type);
}

bool VerifyBroadcastable(BroadcastableMode mode,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics) {
  return CheckOperands(operands, diagnostics) &&
         CheckResult(result, diagnostics) &&
         Verify(mode, DimsOf(operands), result, diagnostics);
}

bool VerifyBroadcastable(BroadcastableMode mode, const BroadcastPlan& plan,
                         absl::Span<const Shape* const> operands,
                         const Shape& result,
                         std::vector<Diagnostic>* diagnostics) {
  if (!CheckOperands(operands, diagnostics) ||
      !CheckResult(result, diagnostics)) {
    return false;
  }
  if (plan.unranked || result.is_unranked()) return true;
  if (plan.operands.size() != operands.size()) {
    Diagnostic d;
    d.code = Code::kOperandCount;
    d.args = {static_cast<int64_t>(plan.operands.size()),
              static_cast<int64_t>(operands.size())};
    diagnostics->push_back(std::move(d));
    return false;
  }
  std::vector<DimVector> aligned(operands.size());
  OperandDims dims(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    aligned[i] = Align(operands[i]->dims(), plan.operands[i], plan.dims.size());
    dims[i] = aligned[i];
  }
  return Verify(mode, dims, result, diagnostics);
}

}  // namespace indim

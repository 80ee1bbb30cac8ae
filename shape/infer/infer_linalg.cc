// SPDX-License-Identifier: Apache-2.0
// Shape functions of fft and triangular-solve.
// Source: XLA's ShapeInference.

#include <cstdint>
#include <optional>
#include <string>

#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

// Operand `i` must have at least `rank` dims, or an unknown number; else
// IND0370.
bool ExpectRankAtLeast(InferContext* context, const OpInputs& inputs, int i,
                       int64_t rank) {
  const Shape& operand = *inputs.operands[i];
  if (!operand.has_rank() || operand.rank() >= rank) return true;
  return context->Diagnose(Code::kRankTooLow, i).Arg(rank);
}

// The element type of the result; nullopt, after an error, where the transform
// doesn't take operand 0's type.
std::optional<ElementType> FftResultType(InferContext* context,
                                         const OpInputs& inputs, FftType fft) {
  const ElementType type = inputs.operands[0]->element_type();
  if (fft == FftType::kRfft) {
    const std::optional<ElementType> complex = ComplexOf(type);
    if (!complex) {
      context->Diagnose(Code::kOperandTypeClass, 0)
          .Arg(std::string("f32 or f64"));
    }
    return complex;
  }
  if (!IsComplex(type)) {
    context->Diagnose(Code::kOperandTypeClass, 0).Arg(std::string("complex"));
    return std::nullopt;
  }
  return fft == FftType::kIrfft ? RealPart(type) : type;
}

// The length of half a spectrum, which a real transform of `length` elements
// keeps.
int64_t HalfLength(int64_t length) { return length / 2 + 1; }

// The transformed dims of operand 0 must have the given lengths. The last dim
// of an inverse real transform has half a spectrum (or 0 elements for length
// 0). A forward transform accepts any unknown dim, an inverse one only an
// unknown last dim.
bool ExpectFftLengths(InferContext* context, const OpInputs& inputs,
                      const FftAttributes& fft) {
  const Shape& operand = *inputs.operands[0];
  const bool inverse = fft.type == FftType::kIrfft;
  const int count = static_cast<int>(fft.length.size());
  for (int i = 0; i < count; ++i) {
    const int dim = operand.rank() - count + i;
    const bool last = i == count - 1;
    const bool half = inverse && last;
    const int64_t length = half ? HalfLength(fft.length[i]) : fft.length[i];
    const Dim size = operand.dim(dim);
    const bool nothing = half && fft.length[i] == 0;
    const bool fits = CompatibleDims(size, Dim::Static(length)) ||
                      (nothing && CompatibleDims(size, Dim::Static(0)));
    if (length >= 0 && fits && (last || !inverse || !size.is_unknown())) {
      if (size.is_symbolic() && !nothing) {
        context->Require({Condition::Kind::kEqual, size, Dim::Static(length)});
      }
      continue;
    }
    return context->Diagnose(Code::kFftLength, 0, dim).Arg(length);
  }
  return true;
}

// `b` must have the batch dims of `a` (an unknown dim matches only an unknown
// dim), and one dim of a's size: the last but one when a is on the left, else
// the last.
bool ExpectSolvable(InferContext* context, const OpInputs& inputs,
                    bool left_side) {
  const Shape& a = *inputs.operands[0];
  const Shape& b = *inputs.operands[1];
  if (!a.has_rank() || !b.has_rank()) return true;
  const int rank = a.rank();
  const int shared = left_side ? rank - 2 : rank - 1;
  if (!ExpectEqualSizes(context, inputs, {1, shared}, {0, rank - 1})) {
    return false;
  }
  for (int i = 0; i < rank - 2; ++i) {
    if (a.dim(i).is_unknown() != b.dim(i).is_unknown()) {
      return context->Diagnose(Code::kSizesMustMatch, 1, i).Other(0, i);
    }
    if (!ExpectEqualSizes(context, inputs, {1, i}, {0, i})) return false;
  }
  return true;
}

}  // namespace

// --- Fourier transforms ------------------------------------------------------
std::optional<Shape> InferFft(InferContext* context, const OpInputs& inputs) {
  const FftAttributes& fft = inputs.attributes_as<FftAttributes>();
  const int64_t count = Number(fft.length.size());
  if (count < 1 || count > 3) {
    return context->Diagnose(Code::kFftRank).Arg(count);
  }
  if (!ExpectRankAtLeast(context, inputs, 0, count)) return std::nullopt;
  const std::optional<ElementType> type =
      FftResultType(context, inputs, fft.type);
  if (!type) return std::nullopt;
  Shape result = inputs.operands[0]->WithoutLayout();
  result.set_element_type(*type);
  if (fft.type == FftType::kFft || fft.type == FftType::kIfft) return result;
  for (int64_t length : fft.length) {
    if (length >= 0) continue;
    return context->Diagnose(Code::kAttributeRange)
        .Arg(std::string("a length"))
        .Arg(length)
        .Arg(int64_t{0});
  }
  if (!result.has_rank()) return result;
  if (!ExpectFftLengths(context, inputs, fft)) return std::nullopt;
  const int last = result.rank() - 1;
  const int64_t length = fft.length.back();
  const bool forward = fft.type == FftType::kRfft;
  if (forward && length == 0) return result;  // the dim stays
  const int64_t size = forward ? HalfLength(length) : length;
  result.set_dim(last, result.dim(last).is_bounded() ? Dim::Bounded(size)
                                                     : Dim::Static(size));
  return result;
}

// --- Matrices ----------------------------------------------------------------
std::optional<Shape> InferTriangularSolve(InferContext* context,
                                          const OpInputs& inputs) {
  const auto& attributes = inputs.attributes_as<TriangularSolveAttributes>();
  if (!ExpectSolvable(context, inputs, attributes.left_side)) {
    return std::nullopt;
  }
  if (attributes.transpose_a == TriangularSolveTranspose::kInvalid) {
    return context->Diagnose(Code::kTransposeInvalid);
  }
  return inputs.operands[1]->WithoutLayout();
}

}  // namespace indim

// Shape functions of fft, cholesky, triangular-solve and batch normalisation.
// Source: XLA's ShapeInference.

#include <cstdint>
#include <optional>
#include <string>

#include "indim/shape/dim_math.h"
#include "indim/shape/element_type.h"
#include "indim/shape/infer_sizes.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/shape_functions.h"

namespace indim {
namespace {

// Operand `i` has at least `rank` dims, or an unknown number; IND0370.
bool ExpectRankAtLeast(InferContext* context, const OpInputs& inputs, int i,
                       int64_t rank) {
  const Shape& operand = *inputs.operands[i];
  if (!operand.has_rank() || operand.rank() >= rank) return true;
  return context->Error(Rule::kRankTooLow, i).Arg(rank);
}

}  // namespace

// --- Fourier transforms ------------------------------------------------------
namespace {

// The element type of the result; nullopt where operand 0 has another type than
// the transform takes.
std::optional<ElementType> FftResultType(InferContext* context,
                                         const OpInputs& inputs, FftType fft) {
  const ElementType type = inputs.operands[0]->element_type();
  if (fft == FftType::kRfft) {
    const std::optional<ElementType> complex = ComplexOf(type);
    if (!complex) {
      context->Error(Rule::kOperandTypeClass, 0).Arg(std::string("f32 or f64"));
    }
    return complex;
  }
  if (!IsComplex(type)) {
    context->Error(Rule::kOperandTypeClass, 0).Arg(std::string("complex"));
    return std::nullopt;
  }
  return fft == FftType::kIrfft ? RealPart(type) : type;
}

// Half of a spectrum: what a real transform of `length` elements keeps.
int64_t HalfLength(int64_t length) { return length / 2 + 1; }

// The transformed dims of operand 0 are of the lengths given; of an inverse
// real transform the last has half a spectrum, or nothing for nothing. A
// forward one takes any unknown dim, an inverse one an unknown last dim.
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
      continue;
    }
    return context->Error(Rule::kFftLength, 0, dim).Arg(length);
  }
  return true;
}

}  // namespace

std::optional<Shape> InferFft(InferContext* context, const OpInputs& inputs) {
  const FftAttributes& fft = inputs.attributes_as<FftAttributes>();
  const int64_t count = Number(fft.length.size());
  if (count < 1 || count > 3) {
    return context->Error(Rule::kFftRank).Arg(count);
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
    return context->Error(Rule::kAttributeRange)
        .Arg(std::string("a length"))
        .Arg(length)
        .Arg(int64_t{0});
  }
  if (!result.has_rank()) return result;
  if (!ExpectFftLengths(context, inputs, fft)) return std::nullopt;
  const int last = result.rank() - 1;
  const int64_t length = fft.length.back();
  const bool forward = fft.type == FftType::kRfft;
  if (forward && length == 0) return result;  // the dim stays as it is
  const int64_t size = forward ? HalfLength(length) : length;
  result.set_dim(last, result.dim(last).is_bounded() ? Dim::Bounded(size)
                                                     : Dim::Static(size));
  return result;
}

// --- Matrices ----------------------------------------------------------------
namespace {

// Operand 0, `a`, is a matrix or a batch of them, and square; IND0370, IND0371.
bool ExpectSquare(InferContext* context, const OpInputs& inputs) {
  const Shape& a = *inputs.operands[0];
  if (!ExpectRankAtLeast(context, inputs, 0, 2)) return false;
  if (!a.has_rank()) return true;
  if (CompatibleDims(a.dim(a.rank() - 2), a.dim(a.rank() - 1))) return true;
  return context->Error(Rule::kNotSquare, 0, a.rank() - 1)
      .Other(0, a.rank() - 2);
}

}  // namespace

std::optional<Shape> InferCholesky(InferContext* context,
                                   const OpInputs& inputs) {
  if (!ExpectSquare(context, inputs)) return std::nullopt;
  return inputs.operands[0]->WithoutLayout();
}

namespace {

// `b` has the batch dims of `a` (an unknown one goes with an unknown one only),
// and one dim of a's size: the last but one when a is on the left, else the
// last.
bool ExpectSolvable(InferContext* context, const OpInputs& inputs,
                    bool left_side) {
  const Shape& a = *inputs.operands[0];
  const Shape& b = *inputs.operands[1];
  if (!a.has_rank() || !b.has_rank()) return true;
  if (a.rank() != b.rank()) {
    return context->Error(Rule::kOperandRanksDiffer, 1).Other(0);
  }
  const int rank = a.rank();
  const int shared = left_side ? rank - 2 : rank - 1;
  if (!ExpectEqualSizes(context, inputs, {1, shared}, {0, rank - 1})) {
    return false;
  }
  for (int i = 0; i < rank - 2; ++i) {
    if (a.dim(i).is_unknown() != b.dim(i).is_unknown()) {
      return context->Error(Rule::kSizesMustMatch, 1, i).Other(0, i);
    }
    if (!ExpectEqualSizes(context, inputs, {1, i}, {0, i})) return false;
  }
  return true;
}

}  // namespace

std::optional<Shape> InferTriangularSolve(InferContext* context,
                                          const OpInputs& inputs) {
  const auto& attributes = inputs.attributes_as<TriangularSolveAttributes>();
  if (!ExpectArray(context, inputs, 1)) return std::nullopt;
  if (inputs.operands[0]->element_type() !=
      inputs.operands[1]->element_type()) {
    return context->Error(Rule::kOperandTypesDiffer, 1).Other(0);
  }
  if (!ExpectSquare(context, inputs) ||
      !ExpectRankAtLeast(context, inputs, 1, 2) ||
      !ExpectSolvable(context, inputs, attributes.left_side)) {
    return std::nullopt;
  }
  if (attributes.transpose_a == TriangularSolveTranspose::kInvalid) {
    return context->Error(Rule::kTransposeInvalid);
  }
  return inputs.operands[1]->WithoutLayout();
}

// --- Batch normalisation -----------------------------------------------------
namespace {

// What the three have in common: operand 0 with its features along one dim, and
// vectors of that many floats.
class BatchNorm {
 public:
  BatchNorm(InferContext* context, const OpInputs& inputs)
      : context_(context),
        inputs_(inputs),
        operand_(*inputs.operands[0]),
        feature_(inputs.attributes_as<BatchNormAttributes>().feature_index) {}

  // feature_index names a dim of operand 0.
  bool ExpectFeatureIndex() {
    return ExpectDimIndex(context_, inputs_, 0, feature_, "feature_index");
  }

  // Operand `i` is of operand 0's element type, or another floating one.
  bool ExpectType(int i) {
    if (!ExpectArray(context_, inputs_, i)) return false;
    if (SameTypeIgnoringFloatPrecision(operand_.element_type(),
                                       inputs_.operands[i]->element_type())) {
      return true;
    }
    return context_->Error(Rule::kOperandTypesDiffer, i).Other(0);
  }

  // Operand `i` has rank 1 and one element for each feature.
  bool ExpectVector(int i) {
    if (!ExpectType(i)) return false;
    const Shape& vector = *inputs_.operands[i];
    if (!vector.has_rank()) return true;
    if (vector.rank() == 1 && CompatibleDims(vector.dim(0), Features())) {
      return true;
    }
    return context_->Error(Rule::kFeatureVector, i, vector.rank() == 1 ? 0 : -1)
        .Arg(Features());
  }

  // The same, but XLA does not look past the first dim; IND0376 is a warning.
  bool ExpectVectorOrMore(int i) {
    const Shape& vector = *inputs_.operands[i];
    if (!vector.has_rank() || vector.rank() < 2) return ExpectVector(i);
    if (!ExpectType(i)) return false;
    if (!CompatibleDims(vector.dim(0), Features())) {
      return context_->Error(Rule::kFeatureVector, i, 0).Arg(Features());
    }
    context_->Error(Rule::kFeatureVectorOdd, i).Arg(Features());
    return true;
  }

  // The number of features. Call after ExpectFeatureIndex.
  Dim Features() const {
    return operand_.has_rank() ? operand_.dim(static_cast<int>(feature_))
                               : Dim::Unknown();
  }

  // (operand 0, features, features)
  Shape WithTwoVectors() const {
    const Shape vector = Shape::Array(operand_.element_type(), {Features()});
    return Shape::Tuple({operand_.WithoutLayout(), vector, vector});
  }

 private:
  InferContext* context_;
  const OpInputs& inputs_;
  const Shape& operand_;
  int64_t feature_;
};

}  // namespace

// Operands: x, scale, offset. Result: normalised x, mean, variance.
std::optional<Shape> InferBatchNormTraining(InferContext* context,
                                            const OpInputs& inputs) {
  BatchNorm norm(context, inputs);
  if (!norm.ExpectFeatureIndex() || !norm.ExpectVector(1) ||
      !norm.ExpectVector(2)) {
    return std::nullopt;
  }
  return norm.WithTwoVectors();
}

// Operands: x, scale, offset, mean, variance.
std::optional<Shape> InferBatchNormInference(InferContext* context,
                                             const OpInputs& inputs) {
  BatchNorm norm(context, inputs);
  if (!norm.ExpectFeatureIndex() || !norm.ExpectVector(1) ||
      !norm.ExpectVector(2) || !norm.ExpectVectorOrMore(3) ||
      !norm.ExpectVectorOrMore(4)) {
    return std::nullopt;
  }
  return inputs.operands[0]->WithoutLayout();
}

// Operands: x, scale, mean, variance, gradient of the output. Result: gradients
// of x, scale and offset.
std::optional<Shape> InferBatchNormGrad(InferContext* context,
                                        const OpInputs& inputs) {
  BatchNorm norm(context, inputs);
  if (!norm.ExpectFeatureIndex()) return std::nullopt;
  for (int i = 1; i < 4; ++i) {
    if (!norm.ExpectVector(i)) return std::nullopt;
  }
  if (!norm.ExpectType(4) || !ExpectEqualDims(context, inputs, 0, 4)) {
    return std::nullopt;
  }
  return norm.WithTwoVectors();
}

}  // namespace indim

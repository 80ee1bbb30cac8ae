// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, Cholesky factors and batch normalization, computed by
// their definitions.

#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/numbers.h"

namespace indim {

Numbers ReadNumbers(const Value& array) {
  Numbers numbers;
  numbers.reserve(static_cast<size_t>(array.count()));
  for (int64_t i = 0; i < array.count(); ++i) {
    numbers.push_back(array.At(i).complex());
  }
  return numbers;
}

bool ExpectNumbers(Evaluation& e) {
  constexpr int64_t kBytes = 4 * sizeof(Complex);
  for (const Value& operand : e.operands()) {
    if (!e.Charge(operand.count()) || !e.ExpectRoom(operand.count() * kBytes)) {
      return false;
    }
  }
  return true;
}

std::optional<Value> WriteNumbers(Evaluation& e, ElementType type,
                                  const Sizes& sizes, const Numbers& numbers) {
  ArrayMaker result;
  if (!e.NewArray(type, sizes, &result)) return std::nullopt;
  for (int64_t i = 0; i < result.count(); ++i) {
    result.Set(i, Scalar::Complex(numbers[static_cast<size_t>(i)]));
  }
  return std::move(result).Finish();
}

// --- Fourier transforms ------------------------------------------------------

namespace {

constexpr double kPi = 3.14159265358979323846;

// sum over n of x[n] exp(sign 2 pi i n k / N), for k in 0..count-1.
Numbers Transform(const Numbers& x, double sign, size_t count) {
  const size_t n = x.size();
  Numbers result(count);
  for (size_t k = 0; k < count; ++k) {
    Complex sum = 0;
    for (size_t i = 0; i < n; ++i) {
      // Reduce to less than a whole turn while the numbers are integers.
      const double turn =
          static_cast<double>(i * k % n) / static_cast<double>(n);
      sum += x[i] * std::polar(1.0, sign * 2 * kPi * turn);
    }
    result[k] = sum;
  }
  return result;
}

// All coefficients of a real signal of length `n`, from the first half: the
// second half is its conjugate. The first coefficient, and for even lengths the
// middle one, are real.
Numbers Hermitian(const Numbers& half, size_t n) {
  Numbers whole(n);
  for (size_t k = 0; k < n; ++k) {
    whole[k] = k <= n / 2 ? half[k] : std::conj(half[n - k]);
    if (2 * k % n == 0) whole[k] = whole[k].real();
  }
  return whole;
}

// Replaces each row along `dim` by f(row), which must have `length` elements.
template <typename F>
bool MapRows(Evaluation& e, Numbers* numbers, Sizes* sizes, size_t dim,
             int64_t length, const F& f) {
  Sizes from = *sizes;
  const Sizes from_strides = StridesOf(from);
  (*sizes)[dim] = length;
  const Sizes to_strides = StridesOf(*sizes);
  Numbers result(numbers->empty()
                     ? 0
                     : numbers->size() / static_cast<size_t>(from[dim]) *
                           static_cast<size_t>(length));
  const int64_t n = from[dim];
  from[dim] = 1;
  for (Counter i(from); !i.done() && !result.empty(); i.Next()) {
    if (!e.Charge(n) || !e.Charge(n * length)) return false;
    Numbers row;
    const int64_t first = LinearIndex(i.index(), from_strides);
    for (int64_t k = 0; k < n; ++k) {
      row.push_back(
          (*numbers)[static_cast<size_t>(first + k * from_strides[dim])]);
    }
    row = f(row);
    const int64_t target = LinearIndex(i.index(), to_strides);
    for (int64_t k = 0; k < length; ++k) {
      result[static_cast<size_t>(target + k * to_strides[dim])] =
          row[static_cast<size_t>(k)];
    }
  }
  *numbers = std::move(result);
  return true;
}

struct FftPlan {
  FftType type;
  Sizes length;
  bool real_in() const { return type == FftType::kRfft; }
  bool real_out() const { return type == FftType::kIrfft; }
  bool inverse() const { return type == FftType::kIfft || real_out(); }
};

// The last dims must have the given lengths; for half a spectrum the last dim
// has half the length plus one.
bool ExpectFft(Evaluation& e, const FftPlan& plan) {
  const Value& operand = e.operand(0);
  if (!operand.is_array() ||
      !Accepts(plan.real_in() ? TypeMask::kFloat : TypeMask::kComplex,
               operand.type())) {
    e.FailType(0);
    return false;
  }
  const size_t rank = static_cast<size_t>(operand.rank());
  bool ok = !plan.length.empty() && plan.length.size() <= rank;
  for (size_t i = 0; ok && i < plan.length.size(); ++i) {
    const size_t dim = rank - plan.length.size() + i;
    const bool half = plan.real_out() && dim == rank - 1;
    const int64_t expected =
        half && plan.length[i] > 0 ? plan.length[i] / 2 + 1 : plan.length[i];
    ok = operand.size(static_cast<int>(dim)) == expected;
  }
  if (!ok) e.Fail("fft_length differs from its operand's last dims");
  return ok;
}

// Factors one matrix in place, reading its lower triangle; returns false where
// it has no factor.
bool Factor(Matrix a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Complex sum = a.At(i, j);
      for (int64_t k = 0; k < j; ++k) {
        sum -= a.At(i, k) * std::conj(a.At(j, k));
      }
      if (i == j) {
        if (!(sum.real() > 0)) return false;
        a.At(j, j) = std::sqrt(sum.real());
      } else {
        a.At(i, j) = sum / a.At(j, j).real();
      }
    }
  }
  return true;
}

// The operand's elements as numbers, and the feature of each.
struct Normalization {
  Numbers x;
  std::vector<size_t> feature;
  size_t features = 0;
  double count = 0;  // elements of each feature
  double epsilon = 0;

  using PerFeature = std::vector<double>;

  // The sum of f(element number) for each feature.
  template <typename F>
  PerFeature Sum(const F& f) const {
    PerFeature sums(features, 0.0);
    for (size_t i = 0; i < x.size(); ++i) sums[feature[i]] += f(i);
    return sums;
  }
  double Scale(double variance) const {
    return 1 / std::sqrt(variance + epsilon);
  }
};

// Reads the operands, which must be floats: operand 0 an array, operands
// 1..vectors with a number for each feature.
std::optional<Normalization> ReadNormalization(Evaluation& e, int vectors) {
  const auto& a = e.attributes_as<BatchNormAttributes>();
  if (!e.ExpectArrays() || !ExpectNumbers(e) ||
      !e.ExpectDim(0, a.feature_index)) {
    return std::nullopt;
  }
  const Value& operand = e.operand(0);
  const size_t dim = static_cast<size_t>(a.feature_index);
  Normalization n;
  n.features = static_cast<size_t>(operand.size(static_cast<int>(dim)));
  for (int i = 0; i < e.operand_count(); ++i) {
    if (!IsFloat(e.operand(i).type())) return e.FailType(i);
    if (i >= 1 && i <= vectors &&
        (e.operand(i).rank() != 1 ||
         e.operand(i).count() != static_cast<int64_t>(n.features))) {
      return e.Fail(absl::StrCat("operand ", i, " must have a number for each ",
                                 "feature"));
    }
  }
  n.x = ReadNumbers(operand);
  n.epsilon = a.epsilon;
  for (Counter i(operand.sizes()); !i.done(); i.Next()) {
    n.feature.push_back(static_cast<size_t>(i.index()[dim]));
  }
  n.count = n.features == 0 ? 0
                            : static_cast<double>(n.x.size()) /
                                  static_cast<double>(n.features);
  return n;
}

std::optional<Value> WriteFeatures(Evaluation& e, ElementType type,
                                   const std::vector<double>& values) {
  return WriteNumbers(e, type, {static_cast<int64_t>(values.size())},
                      Numbers(values.begin(), values.end()));
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset.
Numbers Normalized(const Normalization& n, const Value& scale,
                   const Value& offset, const std::vector<double>& mean,
                   const std::vector<double>& variance) {
  Numbers result;
  for (size_t i = 0; i < n.x.size(); ++i) {
    const size_t f = n.feature[i];
    const int64_t at = static_cast<int64_t>(f);
    result.push_back((n.x[i].real() - mean[f]) * n.Scale(variance[f]) *
                         scale.At(at).re +
                     offset.At(at).re);
  }
  return result;
}

std::vector<double> Features(const Value& vector) {
  std::vector<double> values;
  for (int64_t i = 0; i < vector.count(); ++i) {
    values.push_back(vector.At(i).re);
  }
  return values;
}

std::optional<Value> Triple(std::optional<Value> a, std::optional<Value> b,
                            std::optional<Value> c) {
  if (!a || !b || !c) return std::nullopt;
  return Value::Tuple({*std::move(a), *std::move(b), *std::move(c)});
}

}  // namespace

std::optional<Value> EvalFft(Evaluation& e) {
  const auto& a = e.attributes_as<FftAttributes>();
  const FftPlan plan = {a.type, a.length};
  if (!ExpectFft(e, plan) || !ExpectNumbers(e)) return std::nullopt;
  const Value& operand = e.operand(0);
  std::optional<ElementType> type = operand.type();
  if (plan.real_in()) type = ComplexOf(operand.type());
  if (!type) return e.FailType(0);
  if (plan.real_out()) type = RealPart(operand.type());

  Numbers numbers = ReadNumbers(operand);
  Sizes sizes = operand.sizes();
  const double sign = plan.inverse() ? 1 : -1;
  const size_t count = plan.length.size();
  const size_t first = sizes.size() - count;
  for (size_t i = 0; i < count; ++i) {
    // A real signal's dim comes first if it is the input, last if it is the
    // output.
    const size_t k = plan.real_in() ? count - 1 - i : i;
    const int64_t n = plan.length[k];
    const bool half = k == count - 1 && (plan.real_in() || plan.real_out());
    const int64_t length = half && plan.real_in() && n > 0 ? n / 2 + 1 : n;
    const bool ok =
        MapRows(e, &numbers, &sizes, first + k, length, [&](Numbers row) {
          if (half && plan.real_out()) {
            row = Hermitian(row, static_cast<size_t>(n));
          }
          row = Transform(row, sign, static_cast<size_t>(length));
          if (plan.inverse()) {
            for (Complex& x : row) x /= static_cast<double>(n);
          }
          return row;
        });
    if (!ok) return std::nullopt;
  }
  return WriteNumbers(e, *type, sizes, numbers);
}

// --- Matrices ----------------------------------------------------------------

// The lower (or upper) factor, with 0 on the other side of the diagonal. A
// matrix without a factor gives NaN.
std::optional<Value> EvalCholesky(Evaluation& e) {
  if (!e.ExpectArrays() || !ExpectNumbers(e)) return std::nullopt;
  const Value& operand = e.operand(0);
  if (!Accepts(TypeMask::kFloatComplex, operand.type())) return e.FailType(0);
  const int rank = operand.rank();
  if (rank < 2 || operand.size(rank - 1) != operand.size(rank - 2)) {
    return e.Fail("its operand must hold square matrices");
  }
  const bool lower = e.attributes_as<CholeskyAttributes>().lower;
  const int64_t n = operand.size(rank - 1);
  Numbers numbers = ReadNumbers(operand);
  for (int64_t first = 0; first < operand.count(); first += n * n) {
    if (!e.Charge(n * n) || !e.Charge(n * n * n)) return std::nullopt;
    Matrix a(&numbers, first, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        if (!lower) a.At(i, j) = std::conj(a.At(j, i));
        a.At(j, i) = 0;
      }
    }
    const bool ok = Factor(a, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        if (!ok) a.At(i, j) = std::numeric_limits<double>::quiet_NaN();
        if (!lower && i != j) {
          a.At(j, i) = std::conj(a.At(i, j));
          a.At(i, j) = 0;
        }
      }
    }
  }
  return WriteNumbers(e, operand.type(), operand.sizes(), numbers);
}

// --- Batch normalization -----------------------------------------------------

// Operands: x, scale, offset. Result: (normalized, mean, variance).
std::optional<Value> EvalBatchNormTraining(Evaluation& e) {
  const std::optional<Normalization> n = ReadNormalization(e, 2);
  if (!n) return std::nullopt;
  std::vector<double> mean = n->Sum([&](size_t i) { return n->x[i].real(); });
  for (double& m : mean) m /= n->count;
  std::vector<double> variance = n->Sum([&](size_t i) {
    const double off = n->x[i].real() - mean[n->feature[i]];
    return off * off;
  });
  for (double& v : variance) v /= n->count;
  const Value& x = e.operand(0);
  return Triple(
      WriteNumbers(e, x.type(), x.sizes(),
                   Normalized(*n, e.operand(1), e.operand(2), mean, variance)),
      WriteFeatures(e, x.type(), mean), WriteFeatures(e, x.type(), variance));
}

// Operands: x, scale, offset, mean, variance.
std::optional<Value> EvalBatchNormInference(Evaluation& e) {
  const std::optional<Normalization> n = ReadNormalization(e, 4);
  if (!n) return std::nullopt;
  const Value& x = e.operand(0);
  return WriteNumbers(
      e, x.type(), x.sizes(),
      Normalized(*n, e.operand(1), e.operand(2), Features(e.operand(3)),
                 Features(e.operand(4))));
}

// Operands: x, scale, mean, variance, the gradient of the output. Result: the
// gradients of (x, scale, offset).
std::optional<Value> EvalBatchNormGrad(Evaluation& e) {
  const std::optional<Normalization> n = ReadNormalization(e, 3);
  if (!n) return std::nullopt;
  const Value& x = e.operand(0);
  const Value& gradient = e.operand(4);
  if (gradient.sizes() != x.sizes()) {
    return e.Fail("the gradient must have its operand's sizes");
  }
  const Numbers dy = ReadNumbers(gradient);
  const std::vector<double> scale = Features(e.operand(1));
  const std::vector<double> mean = Features(e.operand(2));
  const std::vector<double> variance = Features(e.operand(3));
  const auto normalized = [&](size_t i) {
    const size_t f = n->feature[i];
    return (n->x[i].real() - mean[f]) * n->Scale(variance[f]);
  };
  const std::vector<double> d_offset =
      n->Sum([&](size_t i) { return dy[i].real(); });
  const std::vector<double> d_scale =
      n->Sum([&](size_t i) { return dy[i].real() * normalized(i); });
  Numbers dx;
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t f = n->feature[i];
    dx.push_back(
        scale[f] * n->Scale(variance[f]) / n->count *
        (n->count * dy[i].real() - d_offset[f] - normalized(i) * d_scale[f]));
  }
  return Triple(WriteNumbers(e, x.type(), x.sizes(), dx),
                WriteFeatures(e, x.type(), d_scale),
                WriteFeatures(e, x.type(), d_offset));
}

}  // namespace indim

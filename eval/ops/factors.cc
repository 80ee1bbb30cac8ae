// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/factors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/lapack.h"
#include "indim/eval/ops/numbers.h"

namespace indim {

Matrices MatricesOf(Evaluation& e, int operands) {
  Matrices all;
  const auto fits = [&] {
    if (e.operand_count() != operands) return false;
    for (const Value& operand : e.operands()) {
      if (!operand.shape().is_array() ||
          operand.type() != e.operand(0).type()) {
        return false;
      }
    }
    const ElementType type = e.operand(0).type();
    return (IsFloat(type) || IsComplex(type)) && e.operand(0).rank() >= 2;
  };
  if (!fits()) {
    e.Fail("it needs matrices of floats or complex numbers");
    return all;
  }
  if (!ExpectNumbers(e)) return all;
  all.sizes = e.operand(0).sizes();
  const int64_t columns = all.sizes.back();
  const int64_t rows = all.sizes[all.sizes.size() - 2];
  const int64_t count = e.operand(0).count();
  if (!e.Charge(count * std::min(rows, columns))) return all;
  all.columns = columns;
  all.count = count == 0 ? 0 : count / (rows * columns);
  all.rows = rows;
  return all;
}

Sizes Each(const Matrices& all, int64_t n) {
  Sizes sizes = all.sizes;
  sizes.pop_back();
  sizes.back() = n;
  return sizes;
}

std::optional<Value> IntegersOf(Evaluation& e, Sizes sizes, const Sizes& behind,
                                const std::vector<int64_t>& numbers) {
  sizes.erase(sizes.end() - 2, sizes.end());
  sizes.insert(sizes.end(), behind.begin(), behind.end());
  ArrayMaker result;
  if (!e.NewArray(ElementType::kS32, sizes, &result)) return std::nullopt;
  for (int64_t i = 0; i < result.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (at < numbers.size()) {
      result.Set(i, Scalar::Bits(static_cast<uint64_t>(numbers[at])));
    }
  }
  return std::move(result).Finish();
}

std::optional<Value> TupleOf(std::vector<std::optional<Value>> parts) {
  std::vector<Value> values;
  for (std::optional<Value>& part : parts) {
    if (!part) return std::nullopt;
    values.push_back(*std::move(part));
  }
  return Value::Tuple(std::move(values));
}

Rotation RotationOf(double first, Complex both, double second) {
  const double size = std::abs(both);
  if (size == 0) return {};
  const double turn = (second - first) / (2 * size);
  const double t = (turn < 0 ? -1 : 1) / (std::abs(turn) + std::hypot(1, turn));
  Rotation rotation;
  rotation.c = 1 / std::hypot(1, t);
  rotation.s = rotation.c * t * both / size;
  return rotation;
}

void RotateColumns(const Matrix& a, int64_t rows, int64_t p, int64_t q,
                   const Rotation& rotation) {
  for (int64_t i = 0; i < rows; ++i) {
    const Complex x = a.At(i, p), y = a.At(i, q);
    a.At(i, p) = rotation.c * x - std::conj(rotation.s) * y;
    a.At(i, q) = rotation.s * x + rotation.c * y;
  }
}

void RotateRows(const Matrix& a, int64_t columns, int64_t p, int64_t q,
                const Rotation& rotation) {
  for (int64_t j = 0; j < columns; ++j) {
    const Complex x = a.At(p, j), y = a.At(q, j);
    a.At(p, j) = rotation.c * x - rotation.s * y;
    a.At(q, j) = std::conj(rotation.s) * x + rotation.c * y;
  }
}

namespace {

// Columns `first` and on of `a` become those of (I - factor v v') a, where v
// has 1 in row `k` and is column `k` of `packed` below it.
void Reflect(const Matrix& packed, Complex factor, int64_t k, const Matrix& a,
             int64_t first, const Matrices& all) {
  const auto v = [&](int64_t row) {
    return row == k ? Complex(1) : packed.At(row, k);
  };
  for (int64_t j = first; j < all.columns; ++j) {
    Complex product = 0;
    for (int64_t i = k; i < all.rows; ++i)
      product += std::conj(v(i)) * a.At(i, j);
    for (int64_t i = k; i < all.rows; ++i)
      a.At(i, j) -= factor * product * v(i);
  }
}

// Makes column k of a matrix that of R, with the vector below the diagonal, and
// reflects the others. Returns the factor.
Complex ReflectColumn(const Matrix& a, int64_t k, const Matrices& all) {
  double below = 0;
  for (int64_t i = k + 1; i < all.rows; ++i) below += std::norm(a.At(i, k));
  const Complex alpha = a.At(k, k);
  if (below == 0 && alpha.imag() == 0) return 0;
  const double length = std::sqrt(std::norm(alpha) + below);
  const double beta = alpha.real() < 0 ? length : -length;
  for (int64_t i = k + 1; i < all.rows; ++i) a.At(i, k) /= alpha - beta;
  a.At(k, k) = beta;
  const Complex factor = (beta - alpha) / beta;
  Reflect(a, std::conj(factor), k, a, k + 1, all);
  return factor;
}

// Makes a Hermitian matrix diagonal by rotations of two rows and columns, which
// it multiplies into `vectors`.
bool Diagonalize(Evaluation& e, const Matrix& a, const Matrix& vectors,
                 int64_t n) {
  constexpr int kMostSweeps = 100;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double inside = 0, outside = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        (i == j ? inside : outside) += std::norm(a.At(i, j));
      }
    }
    if (!(outside > 1e-32 * inside)) return true;
    if (!e.Charge(n * n) || !e.Charge(n * n * n)) return false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const Rotation rotation =
            RotationOf(a.At(p, p).real(), a.At(p, q), a.At(q, q).real());
        RotateColumns(a, n, p, q, rotation);
        RotateColumns(vectors, n, p, q, rotation);
        RotateRows(a, n, p, q, rotation);
      }
    }
  }
  return true;
}

}  // namespace

std::optional<Value> LapackGeqrf(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const ElementType type = e.operand(0).type();
  Numbers packed = ReadNumbers(e.operand(0));
  const int64_t n = std::min(all.rows, all.columns);
  Numbers factors;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&packed, m * all.rows * all.columns, all.columns);
    for (int64_t k = 0; k < n; ++k) factors.push_back(ReflectColumn(a, k, all));
  }
  auto r = WriteNumbers(e, type, all.sizes, packed);
  auto f = WriteNumbers(e, type, Each(all, n), factors);
  if (!r || !f) return std::nullopt;
  return Value::Tuple({*std::move(r), *std::move(f)});
}

std::optional<Value> LapackOrgqr(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 2);
  if (all.rows < 0) return std::nullopt;
  const Value& given = e.operand(1);
  const int64_t n = given.rank() == 0 ? 0 : given.sizes().back();
  if (given.sizes() != Each(all, n) || n > std::min(all.rows, all.columns)) {
    return e.Fail("it needs a factor for each reflection");
  }
  Numbers packed = ReadNumbers(e.operand(0));
  const Numbers factors = ReadNumbers(given);
  Numbers result(packed.size());
  for (int64_t m = 0; m < all.count; ++m) {
    const int64_t first = m * all.rows * all.columns;
    const Matrix a(&packed, first, all.columns), q(&result, first, all.columns);
    for (int64_t i = 0; i < std::min(all.rows, all.columns); ++i)
      q.At(i, i) = 1;
    for (int64_t k = n - 1; k >= 0; --k) {
      Reflect(a, factors[static_cast<size_t>(m * n + k)], k, q, k, all);
    }
  }
  return WriteNumbers(e, e.operand(0).type(), all.sizes, result);
}

std::optional<EigenSystem> EigenSystemOf(Evaluation& e, bool lower) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const int64_t n = all.rows;
  if (n != all.columns) return e.Fail("it needs square matrices");
  Numbers given = ReadNumbers(e.operand(0));
  Numbers found(given.size()), values;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&given, m * n * n, n);
    for (int64_t i = 0; i < n; ++i) {
      a.At(i, i) = a.At(i, i).real();
      for (int64_t j = 0; j < i; ++j) {
        (lower ? a.At(j, i) : a.At(i, j)) =
            std::conj(lower ? a.At(i, j) : a.At(j, i));
      }
    }
    Numbers turned(static_cast<size_t>(n * n));
    const Matrix vectors(&turned, 0, n), sorted(&found, m * n * n, n);
    for (int64_t i = 0; i < n; ++i) vectors.At(i, i) = 1;
    if (!Diagonalize(e, a, vectors, n)) return std::nullopt;
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
      return a.At(x, x).real() < a.At(y, y).real();
    });
    for (int64_t k = 0; k < n; ++k) {
      const int64_t from = order[static_cast<size_t>(k)];
      values.push_back(a.At(from, from).real());
      for (int64_t i = 0; i < n; ++i) sorted.At(i, k) = vectors.At(i, from);
    }
  }
  const ElementType type = e.operand(0).type();
  auto v = WriteNumbers(e, type, all.sizes, found);
  auto w = WriteNumbers(e, RealPart(type), Each(all, n), values);
  if (!v || !w) return std::nullopt;
  return EigenSystem{*std::move(v), *std::move(w)};
}

}  // namespace indim

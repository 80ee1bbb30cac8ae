// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of any square matrix.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "indim/eval/ops/factors.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/lapack.h"
#include "indim/eval/ops/numbers.h"

namespace indim {
namespace {

// Multiplies rows p and q and columns p and q of `a`, and the columns of
// `vectors`, by the rotation that makes y, below x, 0.
void Rotate(const OwnMatrix& a, const OwnMatrix& vectors, int64_t p, int64_t q,
            Complex x, Complex y) {
  const double length = std::hypot(std::abs(x), std::abs(y));
  if (length == 0) return;
  Rotation rotation;
  rotation.c = std::abs(x) / length;
  rotation.s = x == Complex(0) ? Complex(1) : -rotation.c * std::conj(y / x);
  RotateRows(a.matrix, a.columns, p, q, rotation);
  RotateColumns(a.matrix, a.rows, p, q, rotation);
  RotateColumns(vectors.matrix, a.rows, p, q, rotation);
}

// The eigenvalue of the last two rows and columns up to `last` that is nearer
// to the last element.
Complex ShiftOf(const OwnMatrix& a, int64_t last) {
  const Complex d = a.At(last, last);
  const Complex half = (a.At(last - 1, last - 1) - d) / 2.0;
  const Complex root =
      std::sqrt(half * half + a.At(last - 1, last) * a.At(last, last - 1));
  const Complex sum = half + root, difference = half - root;
  return d + (std::abs(sum) < std::abs(difference) ? sum : difference);
}

// Makes `a` upper triangular, by rotations that it multiplies into `vectors`:
// first a Hessenberg matrix, then steps of QR with shifts. False after an
// error; `info` is LAPACK's.
bool Triangularize(Evaluation& e, const OwnMatrix& a, const OwnMatrix& vectors,
                   int64_t* info) {
  const int64_t n = a.rows;
  if (!e.Charge(n * n * n)) return false;
  for (int64_t i = 0; i < n; ++i) vectors.At(i, i) = 1;
  for (int64_t k = 0; k + 2 < n; ++k) {
    for (int64_t i = n - 1; i >= k + 2; --i) {
      if (a.At(i, k) == Complex(0)) continue;
      Rotate(a, vectors, i - 1, i, a.At(i - 1, k), a.At(i, k));
      a.At(i, k) = 0;
    }
  }
  constexpr int64_t kMostSteps = 60;
  int64_t steps = 0;
  for (int64_t last = n - 1; last > 0;) {
    int64_t first = last;
    for (; first > 0; --first) {
      const double around =
          std::abs(a.At(first, first)) + std::abs(a.At(first - 1, first - 1));
      if (std::abs(a.At(first, first - 1)) <= 1e-16 * around) {
        a.At(first, first - 1) = 0;
        break;
      }
    }
    if (first == last) {
      --last;
      steps = 0;
      continue;
    }
    if (++steps > kMostSteps) {
      *info = last + 1;
      return true;
    }
    if (!e.Charge(n * (last - first))) return false;
    const Complex shift =
        steps % 10 == 0 ? a.At(last, last) + std::abs(a.At(last, last - 1))
                        : ShiftOf(a, last);
    Rotate(a, vectors, first, first + 1, a.At(first, first) - shift,
           a.At(first + 1, first));
    for (int64_t k = first; k + 2 <= last; ++k) {
      Rotate(a, vectors, k + 1, k + 2, a.At(k + 1, k), a.At(k + 2, k));
      a.At(k + 2, k) = 0;
    }
  }
  return true;
}

// Writes `vectors` times eigenvector k of upper triangular `t` to column `to`
// of the result: its length is 1, and its largest element real.
void WriteEigenvector(const OwnMatrix& t, const OwnMatrix& vectors, int64_t k,
                      const Matrix& result, int64_t to) {
  const int64_t n = t.rows;
  double norm = 0;
  for (const Complex z : t.numbers) norm = std::max(norm, std::abs(z));
  Numbers x(static_cast<size_t>(n));
  x[static_cast<size_t>(k)] = 1;
  for (int64_t i = k - 1; i >= 0; --i) {
    Complex sum = 0, gap = t.At(k, k) - t.At(i, i);
    for (int64_t j = i + 1; j <= k; ++j) {
      sum += t.At(i, j) * x[static_cast<size_t>(j)];
    }
    // As LAPACK does of equal ones.
    if (std::abs(gap) < 1e-16 * norm) gap = 1e-16 * norm;
    x[static_cast<size_t>(i)] = sum == Complex(0) ? sum : sum / gap;
  }
  double length = 0;
  Complex largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    Complex element = 0;
    for (int64_t j = 0; j <= k; ++j) {
      element += vectors.At(i, j) * x[static_cast<size_t>(j)];
    }
    result.At(i, to) = element;
    length = std::hypot(length, std::abs(element));
    if (std::abs(element) > std::abs(largest)) largest = element;
  }
  const Complex turn = std::conj(largest) / std::abs(largest) / length;
  for (int64_t i = 0; i < n; ++i) result.At(i, to) *= turn;
}

// The matrix of the same rows and columns from behind, of `t` its adjoint.
void Flip(const OwnMatrix& t, const OwnMatrix& vectors,
          const OwnMatrix& flipped, const OwnMatrix& flipped_vectors) {
  const int64_t n = t.rows;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      flipped.At(i, j) = std::conj(t.At(n - 1 - j, n - 1 - i));
      flipped_vectors.At(i, j) = vectors.At(i, n - 1 - j);
    }
  }
}

// Of a real matrix: the order in which conjugates stand together, the one above
// the real axis first. Makes them conjugates, and real what has no other.
std::vector<int64_t> PairConjugates(Numbers* values) {
  std::vector<int64_t> order(values->size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](size_t i) -> Complex& {
    return (*values)[static_cast<size_t>(order[i])];
  };
  for (size_t i = 0; i < order.size(); ++i) {
    size_t other = i;
    for (size_t j = i; j < order.size(); ++j) {
      const auto distance = [&](size_t k) {
        return std::abs(value(k) - std::conj(value(i)));
      };
      if (distance(j) < distance(other)) other = j;
    }
    if (other == i) {
      value(i) = value(i).real();
      continue;
    }
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                order.begin() + static_cast<std::ptrdiff_t>(other),
                order.begin() + static_cast<std::ptrdiff_t>(other) + 1);
    if (value(i).imag() < 0) std::swap(order[i], order[i + 1]);
    value(i + 1) = std::conj(value(i));
    ++i;
  }
  return order;
}

}  // namespace

std::optional<Value> LapackGeev(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const int64_t n = all.rows;
  if (n != all.columns) return e.Fail("it needs square matrices");
  const ElementType type = e.operand(0).type();
  const bool is_real = !IsComplex(type);
  const ElementType complex = ComplexOf(type).value_or(type);
  Numbers given = ReadNumbers(e.operand(0)), values;
  Numbers left(given.size()), right(given.size());
  std::vector<int64_t> info;
  for (int64_t m = 0; m < all.count; ++m) {
    const OwnMatrix t(n, n), q(n, n), back(n, n), q_back(n, n);
    const Matrix a(&given, m * n * n, n);
    const Matrix vl(&left, m * n * n, n), vr(&right, m * n * n, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) t.At(i, j) = a.At(i, j);
    }
    if (!Triangularize(e, t, q, &info.emplace_back(0))) return std::nullopt;
    Flip(t, q, back, q_back);
    Numbers found;
    for (int64_t k = 0; k < n; ++k) found.push_back(t.At(k, k));
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    if (is_real) order = PairConjugates(&found);
    for (int64_t k = 0; k < n; ++k) {
      const int64_t from = order[static_cast<size_t>(k)];
      values.push_back(found[static_cast<size_t>(from)]);
      WriteEigenvector(t, q, from, vr, k);
      WriteEigenvector(back, q_back, n - 1 - from, vl, k);
      if (!is_real || values.back().imag() > 0) continue;
      for (int64_t i = 0; i < n; ++i) {
        for (const Matrix* v : {&vl, &vr}) {
          v->At(i, k) = values.back().imag() < 0 ? std::conj(v->At(i, k - 1))
                                                 : v->At(i, k).real();
        }
      }
    }
  }
  std::vector<std::optional<Value>> results;
  Numbers imaginary;
  for (const Complex value : values) imaginary.emplace_back(value.imag());
  results.push_back(WriteNumbers(e, type, Each(all, n), values));
  if (is_real)
    results.push_back(WriteNumbers(e, type, Each(all, n), imaginary));
  results.push_back(WriteNumbers(e, complex, all.sizes, left));
  results.push_back(WriteNumbers(e, complex, all.sizes, right));
  results.push_back(IntegersOf(e, all.sizes, {}, info));
  return TupleOf(std::move(results));
}

}  // namespace indim

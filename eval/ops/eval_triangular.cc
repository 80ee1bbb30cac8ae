// SPDX-License-Identifier: Apache-2.0
// Triangular systems. The result of an ill-conditioned system depends on how
// it is computed, most of all in narrow types, so these are XLA's steps: it
// inverts the blocks on the diagonal and multiplies by the inverses, and each
// step rounds to the element type. Source: the HLO that XLA's CPU makes of the
// operation.

#include <algorithm>
#include <complex>
#include <optional>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/numbers.h"

namespace indim {
namespace {

// The size of the blocks that XLA inverts.
constexpr int64_t kBlock = 128;
// For more matrices than this XLA substitutes instead.
constexpr int64_t kInvertedMatrices = kBlock / 16;

// The systems of one matrix A: op(A) x = b for each column of b, or
// x op(A) = b for each row. Both are C x = b, where C is A, its transpose, or
// their conjugate.
class Systems {
 public:
  Systems(const TriangularSolveAttributes& a, ElementType type, int64_t n,
          Matrix matrix, Matrix b)
      : attributes_(a), type_(type), n_(n), matrix_(matrix), b_(b) {
    const bool transposed =
        a.transpose_a == TriangularSolveTranspose::kTranspose ||
        a.transpose_a == TriangularSolveTranspose::kAdjoint;
    swapped_ = transposed == a.left_side;
    conjugate_ = a.transpose_a == TriangularSolveTranspose::kAdjoint;
    lower_ = a.lower != swapped_;
  }

  // Replaces `others` right sides by the solutions.
  void SolveByInverses(int64_t others) {
    const int64_t blocks = (n_ - 1) / kBlock + 1;
    for (int64_t s = 0; s < blocks; ++s) {
      const int64_t first = (lower_ ? s : blocks - 1 - s) * kBlock;
      const int64_t size = std::min(kBlock, n_ - first);
      Invert(first, size);
      for (int64_t k = 0; k < others; ++k) SolveBlock(first, size, k);
    }
  }

  void SolveBySubstitution(int64_t others) {
    // XLA computes in f32 what is narrower than that and not f16, and doesn't
    // round reciprocals there.
    const bool narrow =
        IsFloat(type_) && Info(type_).bits <= 16 && type_ != ElementType::kF16;
    for (int64_t s = 0; s < n_; ++s) {
      const int64_t i = lower_ ? s : n_ - 1 - s;
      Complex reciprocal = Complex(1) / C(i, i);
      if (!narrow) reciprocal = Round(reciprocal);
      for (int64_t k = 0; k < others; ++k) {
        X(i, k) = Round(Rest(i, i, 1, k) * reciprocal);
      }
    }
  }

 private:
  // Element (i, j) of A, read as the attributes say.
  Complex A(int64_t i, int64_t j) const {
    if (i == j) return attributes_.unit_diagonal ? 1 : matrix_.At(i, j);
    return (i > j) == attributes_.lower ? matrix_.At(i, j) : 0;
  }
  Complex Turned(const Complex& element) const {
    return conjugate_ ? std::conj(element) : element;
  }
  Complex C(int64_t i, int64_t j) const {
    return Turned(swapped_ ? A(j, i) : A(i, j));
  }
  // Element i of right side k, and of its solution once that is known.
  Complex& X(int64_t i, int64_t k) const {
    return attributes_.left_side ? b_.At(i, k) : b_.At(k, i);
  }
  Complex Round(const Complex& z) const {
    return RoundedTo(type_, Scalar::Complex(z)).complex();
  }
  Complex& Inverse(int64_t i, int64_t j, int64_t size) {
    return inverse_[static_cast<size_t>(i * size + j)];
  }

  // Inverts the block of A at (first, first): that of A with its columns
  // divided by the diagonal, row by row, and then divides the rows.
  void Invert(int64_t first, int64_t size) {
    inverse_.assign(static_cast<size_t>(size * size), 0);
    for (int64_t i = 0; i < size; ++i) Inverse(i, i, size) = -1;
    Numbers sums(static_cast<size_t>(size));
    for (int64_t s = 0; s < size; ++s) {
      const int64_t i = attributes_.lower ? s : size - 1 - s;
      if (s == 0) {
        Inverse(i, i, size) = 1;
        continue;
      }
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t t = 0; t < size; ++t) {
        const Complex scaled =
            Round(A(first + i, first + t) / A(first + t, first + t));
        for (int64_t j = 0; j < size; ++j) {
          sums[static_cast<size_t>(j)] += scaled * Inverse(t, j, size);
        }
      }
      for (int64_t j = 0; j < size; ++j) {
        Inverse(i, j, size) = -Round(sums[static_cast<size_t>(j)]);
      }
    }
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        Inverse(i, j, size) =
            Round(Inverse(i, j, size) / A(first + i, first + i));
      }
    }
  }

  // What is left of right side k at row i when the known elements of the
  // solution are taken off: those before the block [first, first + size), or
  // behind it.
  Complex Rest(int64_t i, int64_t first, int64_t size, int64_t k) const {
    const int64_t from = lower_ ? 0 : first + size;
    const int64_t to = lower_ ? first : n_;
    if (from == to) return X(i, k);
    Complex sum = 0;
    for (int64_t t = from; t < to; ++t) sum += C(i, t) * X(t, k);
    return Round(X(i, k) - Round(sum));
  }

  void SolveBlock(int64_t first, int64_t size, int64_t k) {
    Numbers rest;
    for (int64_t i = 0; i < size; ++i) {
      rest.push_back(Rest(first + i, first, size, k));
    }
    for (int64_t i = 0; i < size; ++i) {
      Complex sum = 0;
      for (int64_t j = 0; j < size; ++j) {
        const Complex inverse =
            swapped_ ? Inverse(j, i, size) : Inverse(i, j, size);
        sum += Turned(inverse) * rest[static_cast<size_t>(j)];
      }
      X(first + i, k) = Round(sum);
    }
  }

  const TriangularSolveAttributes& attributes_;
  ElementType type_;
  int64_t n_;
  Matrix matrix_, b_;
  bool swapped_;    // C(i, j) is A(j, i)
  bool conjugate_;  // and its conjugate
  bool lower_;      // C's triangle
  Numbers inverse_;
};

}  // namespace

std::optional<Value> EvalTriangularSolve(Evaluation& e) {
  const auto& a = e.attributes_as<TriangularSolveAttributes>();
  if (!e.ExpectArrays() || !ExpectNumbers(e)) return std::nullopt;
  const Value& matrix = e.operand(0);
  const Value& b = e.operand(1);
  if (!Accepts(TypeMask::kFloatComplex, matrix.type())) return e.FailType(0);
  if (matrix.type() != b.type()) return e.FailType(1);
  const int rank = matrix.rank();
  Sizes expected = matrix.sizes();
  if (rank < 2 || b.rank() != rank ||
      matrix.size(rank - 1) != matrix.size(rank - 2)) {
    return e.Fail("its operands hold no systems of equations");
  }
  const int64_t n = matrix.size(rank - 1);
  const int64_t rows = b.size(rank - 2), columns = b.size(rank - 1);
  expected[static_cast<size_t>(rank - 2)] = rows;
  expected[static_cast<size_t>(rank - 1)] = columns;
  if (b.sizes() != expected || (a.left_side ? rows : columns) != n) {
    return e.Fail("the sizes of its operands don't go together");
  }
  Numbers coefficients = ReadNumbers(matrix), x = ReadNumbers(b);
  const int64_t others = a.left_side ? columns : rows;
  const int64_t count =
      n > 0 && others > 0 ? b.count() / n / others : int64_t{0};
  for (int64_t m = 0; m < count; ++m) {
    Systems systems(a, b.type(), n, Matrix(&coefficients, m * n * n, n),
                    Matrix(&x, m * rows * columns, columns));
    const bool inverts = count <= kInvertedMatrices;
    // b.count() is at least n * others, so neither product overflows.
    if (!e.Charge(n * n) || !e.Charge(n * others) ||
        (inverts && !e.Charge(n * n * std::min(n, kBlock)))) {
      return std::nullopt;
    }
    for (int64_t k = 0; k < n; ++k) {
      if (!e.Charge(n * others)) return std::nullopt;
    }
    if (inverts) {
      systems.SolveByInverses(others);
    } else {
      systems.SolveBySubstitution(others);
    }
  }
  return WriteNumbers(e, b.type(), b.sizes(), x);
}

}  // namespace indim

// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/lapack.h"

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
#include "indim/eval/ops/numbers.h"
#include "indim/shape/ops/lapack.h"

namespace indim {
namespace {

char Letter(const Evaluation& e, absl::string_view name) {
  return LapackLetter(e.attributes_as<CustomCallAttributes>(), name);
}

// Integers, of dims as `sizes` has them without the last two, and then
// `behind`. Where there are none left, 0.
std::optional<Value> Integers(Evaluation& e, Sizes sizes, const Sizes& behind,
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

// The same operation of HLO on the operands.
std::optional<Value> AsOperation(Evaluation& e, Interpreter& machine,
                                 Opcode opcode, const Attributes& attributes) {
  Evaluation inner(&machine, opcode, &attributes, e.operands(), {}, nullptr);
  return machine.RunOp(inner);
}

// LU of one matrix in place. Returns 1 + the first column whose pivot is 0, or
// 0.
int64_t FactorRows(const Matrix& a, const Matrices& all,
                   std::vector<int64_t>* pivots) {
  // What LAPACK compares.
  const auto size = [](Complex z) {
    return std::abs(z.real()) + std::abs(z.imag());
  };
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(all.rows, all.columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < all.rows; ++i) {
      if (size(a.At(i, k)) > size(a.At(pivot, k))) pivot = i;
    }
    pivots->push_back(pivot + 1);
    for (int64_t j = 0; j < all.columns; ++j) {
      if (pivot != k) std::swap(a.At(k, j), a.At(pivot, j));
    }
    if (a.At(k, k) == Complex(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < all.rows; ++i) {
      const Complex factor = a.At(i, k) /= a.At(k, k);
      for (int64_t j = k + 1; j < all.columns; ++j) {
        a.At(i, j) -= factor * a.At(k, j);
      }
    }
  }
  return info;
}

// A matrix of its own numbers.
struct OwnMatrix {
  OwnMatrix(int64_t row_count, int64_t column_count)
      : numbers(static_cast<size_t>(row_count * column_count)),
        matrix(&numbers, 0, column_count),
        rows(row_count),
        columns(column_count) {}
  OwnMatrix(const OwnMatrix&) = delete;
  OwnMatrix& operator=(const OwnMatrix&) = delete;
  Complex& At(int64_t i, int64_t j) const { return matrix.At(i, j); }
  // The product of a column's conjugate and another column.
  Complex Product(int64_t p, int64_t q) const {
    Complex sum = 0;
    for (int64_t i = 0; i < rows; ++i) sum += std::conj(At(i, p)) * At(i, q);
    return sum;
  }

  Numbers numbers;
  const Matrix matrix;
  const int64_t rows;
  const int64_t columns;
};

// Columns that have nothing in common, by rotations of two, which it multiplies
// into `vectors`. False after an error.
bool Orthogonalize(Evaluation& e, const OwnMatrix& a,
                   const OwnMatrix& vectors) {
  constexpr int kMostSweeps = 60;
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    if (!e.Charge(a.rows * a.columns * a.columns)) return false;
    for (int64_t p = 0; p < a.columns; ++p) {
      for (int64_t q = p + 1; q < a.columns; ++q) {
        const double first = a.Product(p, p).real();
        const double second = a.Product(q, q).real();
        const Complex both = a.Product(p, q);
        if (!(std::abs(both) > 1e-16 * std::sqrt(first * second))) continue;
        turned = true;
        const Rotation rotation = RotationOf(first, both, second);
        RotateColumns(a.matrix, a.rows, p, q, rotation);
        RotateColumns(vectors.matrix, vectors.rows, p, q, rotation);
      }
    }
  }
  return true;
}

// Makes column `j` one of length 1 that has nothing in common with those before
// it.
void Complete(const OwnMatrix& a, int64_t j) {
  for (int64_t unit = 0; unit < a.rows; ++unit) {
    for (int64_t i = 0; i < a.rows; ++i) a.At(i, j) = i == unit;
    for (int time = 0; time < 2; ++time) {
      for (int64_t p = 0; p < j; ++p) {
        const Complex product = a.Product(p, j);
        for (int64_t i = 0; i < a.rows; ++i) {
          a.At(i, j) -= product * a.At(i, p);
        }
      }
    }
    const double length = std::sqrt(a.Product(j, j).real());
    for (int64_t i = 0; i < a.rows; ++i) a.At(i, j) /= length;
    // Of `rows` units one has a part of at least that size left.
    if (length * length * static_cast<double>(a.rows) > 0.5) return;
  }
}

// The singular values of one tall matrix, descending, and its vectors: in `u`
// and in `v`. False after an error.
bool Decompose(Evaluation& e, const OwnMatrix& a, const OwnMatrix& u,
               const OwnMatrix& v, std::vector<double>* values) {
  const int64_t n = a.columns;
  const OwnMatrix vectors(n, n);
  for (int64_t i = 0; i < n; ++i) vectors.At(i, i) = 1;
  if (!Orthogonalize(e, a, vectors)) return false;
  std::vector<double> lengths;
  for (int64_t j = 0; j < n; ++j) {
    lengths.push_back(std::sqrt(a.Product(j, j).real()));
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return lengths[static_cast<size_t>(x)] > lengths[static_cast<size_t>(y)];
  });
  for (int64_t k = 0; k < u.columns; ++k) {
    if (k >= n) {
      Complete(u, k);
      continue;
    }
    const int64_t from = order[static_cast<size_t>(k)];
    const double length = lengths[static_cast<size_t>(from)];
    values->push_back(length);
    for (int64_t i = 0; i < n; ++i) v.At(i, k) = vectors.At(i, from);
    if (length == 0) Complete(u, k);
    for (int64_t i = 0; length != 0 && i < a.rows; ++i) {
      u.At(i, k) = a.At(i, from) / length;
    }
  }
  return true;
}

}  // namespace

std::optional<Value> LapackPotrf(Evaluation& e, Interpreter& machine) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const bool lower = Letter(e, "uplo") == 'L';
  const auto factor =
      AsOperation(e, machine, Opcode::kCholesky, CholeskyAttributes{lower});
  if (!factor) return std::nullopt;
  Numbers result = ReadNumbers(e.operand(0));
  Numbers factors = ReadNumbers(*factor);
  std::vector<int64_t> info;
  for (int64_t m = 0; m < all.count; ++m) {
    const int64_t n = all.rows, first = m * n * n;
    const Matrix to(&result, first, n), from(&factors, first, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        (lower ? to.At(i, j) : to.At(j, i)) =
            lower ? from.At(i, j) : from.At(j, i);
      }
    }
    info.push_back(n > 0 && std::isnan(from.At(0, 0).real()) ? 1 : 0);
  }
  auto a = WriteNumbers(e, e.operand(0).type(), all.sizes, result);
  auto codes = Integers(e, all.sizes, {}, info);
  if (!a || !codes) return std::nullopt;
  return Value::Tuple({*std::move(a), *std::move(codes)});
}

std::optional<Value> LapackTrsm(Evaluation& e, Interpreter& machine) {
  if (e.operand_count() != 2) return e.Fail("it needs a triangle and a system");
  return AsOperation(e, machine, Opcode::kTriangularSolve,
                     LapackSolve(e.attributes_as<CustomCallAttributes>()));
}

std::optional<Value> LapackGetrf(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  Numbers numbers = ReadNumbers(e.operand(0));
  std::vector<int64_t> pivots, info;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&numbers, m * all.rows * all.columns, all.columns);
    info.push_back(FactorRows(a, all, &pivots));
  }
  auto lu = WriteNumbers(e, e.operand(0).type(), all.sizes, numbers);
  auto rows = Integers(e, all.sizes, {std::min(all.rows, all.columns)}, pivots);
  auto codes = Integers(e, all.sizes, {}, info);
  if (!lu || !rows || !codes) return std::nullopt;
  return Value::Tuple({*std::move(lu), *std::move(rows), *std::move(codes)});
}

std::optional<Value> LapackSyevd(Evaluation& e, Interpreter&) {
  auto system = EigenSystemOf(e, Letter(e, "uplo") == 'L');
  if (!system) return std::nullopt;
  auto codes = Integers(e, e.operand(0).sizes(), {}, {});
  if (!codes) return std::nullopt;
  return Value::Tuple({std::move(system->vectors), std::move(system->values),
                       *std::move(codes)});
}

std::optional<Value> LapackGesdd(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const bool tall = all.rows >= all.columns;
  const int64_t n = std::min(all.rows, all.columns);
  const int64_t longer = std::max(all.rows, all.columns);
  // Of all vectors of the longer side, or of as many as there are values.
  const int64_t count = Letter(e, "mode") == 'S' ? n : longer;
  constexpr int64_t kBytes = 4 * sizeof(Complex);
  if (all.count > 0 && (!e.Charge(longer) || !e.Charge(longer * count) ||
                        !e.ExpectRoom(longer * count * kBytes))) {
    return std::nullopt;
  }
  Numbers given = ReadNumbers(e.operand(0)), us, vhs, values;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&given, m * all.rows * all.columns, all.columns);
    const OwnMatrix work(longer, n), u(longer, count), v(n, n);
    for (int64_t i = 0; i < longer; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        work.At(i, j) = tall ? a.At(i, j) : std::conj(a.At(j, i));
      }
    }
    std::vector<double> lengths;
    if (!Decompose(e, work, u, v, &lengths)) return std::nullopt;
    values.insert(values.end(), lengths.begin(), lengths.end());
    const OwnMatrix &left = tall ? u : v, &right = tall ? v : u;
    us.insert(us.end(), left.numbers.begin(), left.numbers.end());
    for (int64_t j = 0; j < right.columns; ++j) {
      for (int64_t i = 0; i < right.rows; ++i) {
        vhs.push_back(std::conj(right.At(i, j)));
      }
    }
  }
  const ElementType type = e.operand(0).type();
  Sizes u_sizes = all.sizes, v_sizes = all.sizes;
  u_sizes.back() = tall ? count : n;
  v_sizes[v_sizes.size() - 2] = tall ? n : count;
  auto s = WriteNumbers(e, RealPart(type), Each(all, n), values);
  auto u = WriteNumbers(e, type, u_sizes, us);
  auto vh = WriteNumbers(e, type, v_sizes, vhs);
  auto codes = Integers(e, all.sizes, {}, {});
  if (!s || !u || !vh || !codes) return std::nullopt;
  return Value::Tuple({e.operand(0), *std::move(s), *std::move(u),
                       *std::move(vh), *std::move(codes)});
}

}  // namespace indim
